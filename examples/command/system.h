/* system.h: what ISO C does not offer: cores, clocks, signals, waiting */

#ifndef SYSTEM_H
#define SYSTEM_H

#include "posix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void prepare_system(void);
unsigned count_cores(void);
bool is_mount_point(const char *path, int beside);  /* beside: an open file in
                                                       the same folder */
double seconds(void);               /* of a clock that never goes back */
uint64_t milliseconds(void);        /* since 1970, by the system's clock */
double clock_set_ahead(void);       /* seconds, since the program began */

/* Signals that end a program. With may_wait, they are only recorded, and the
   command saves and ends when it sees stop_signal(). Otherwise the first one
   ends the command at once. */
void watch_signals(bool may_wait);
void hold_signals(bool held);
void before_end_by_signal(void (*clean_up)(void));  /* as a handler may */
int stop_signal(void);              /* the first signal; 0: none has come */
bool stop_now(void);                /* has a second signal come? */
void end_by_signal(int number);

/* SIGUSR1, which asks for the state of the run */
void watch_questions(bool at_work); /* records it. If the run is at work, that
                                       also interrupts what waits */
bool was_asked(void);               /* has it come since the last call? */

#define NEVER 1e300                 /* later than any time */
bool wait_for_input(int fd, double until);  /* false: a signal came, or the
                                               time did */

/* Standard output: how many bytes it takes without blocking (0: a signal or the
   time came first), and how many bytes in a pipe were not read yet. */
size_t room_in_output(double until);
size_t unread_output(void);
bool reader_exits(double until);    /* of a pipe; false: a signal or the time
                                       came first */

#endif
