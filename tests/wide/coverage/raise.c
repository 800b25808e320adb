/* Before a signal ends the command, what it has run is counted. */
#include <signal.h>

void __gcov_dump(void);
int raise_counted(int number);

int raise_counted(int number)
{
    __gcov_dump();
    return raise(number);
}
