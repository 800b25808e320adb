/* usage: socket SIZE BYTES COMMAND...
   Runs a command whose standard output is a socket, as that of a child of
   Node.js or of a service is. When SIZE bytes lie there, it reads and prints
   BYTES, or all until the command exits. It closes the socket, and exits with
   the status of the command. promises.sh needs it: no shell makes a socket, and
   lines that lie unread in one must not be recorded. */
#define _DEFAULT_SOURCE                 /* FIONREAD */
#define _DARWIN_C_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char text[4096];
    long left = argc > 3 ? atol(argv[2]) : 0;
    int end[2], status = 0, there = 0;
    pid_t child;
    if (argc < 4 || socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0
        || (child = fork()) < 0)
        return 99;
    if (child == 0) {
        dup2(end[1], 1);
        close(end[0]);
        close(end[1]);
        execvp(argv[3], argv + 3);
        _exit(99);
    }
    close(end[1]);
    while (ioctl(end[0], FIONREAD, &there) == 0 && there < atol(argv[1]))
        poll(NULL, 0, 1);
    while (left > 0) {
        const size_t most = left < 4096 ? (size_t)left : 4096;
        const ssize_t some = read(end[0], text, most);
        if (some <= 0 || write(1, text, (size_t)some) != some)
            break;
        left -= some;
    }
    close(end[0]);
    if (waitpid(child, &status, 0) != child)
        return 99;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
