/* save.h: the file of a filter: its lock, and how it is replaced. Each run
   writes at most one file. Symbolic links are followed. */

#ifndef SAVE_H
#define SAVE_H

#include "filter.h"

/* Locks it, or exits; returns whether it exists and is not empty. */
bool take_output(const char *path, bool may_wait);
filter read_output(void);           /* reads that file; exits if it is
                                       damaged, or was just replaced */
void let_go(void);                  /* releases the lock */

bool reserve(size_t size);          /* disk space for the next save; false, with
                                       errno set: there is not enough */
int disk_is_full(void);             /* errno if a filter could not grow for lack
                                       of disk space, else 0 */

bool try_to_save(const char *path, filter *f);  /* false: after a message, that
                                       it is elsewhere, or nowhere */
void save_filter(const char *path, filter *f);  /* or exits */
void save_changes(const char *path, filter *f); /* if there are any */
bool has_changes(const filter *f);
bool is_replaced(void);             /* by another program, or removed, and the
                                       user was not told yet */

#endif
