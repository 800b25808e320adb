/* disk.h: files that are locked and mapped, and what the disk has of them.
   Those that return an int, but for open_locked, return 0 or an errno. */

#ifndef DISK_H
#define DISK_H

#include "say.h"

/* Opens a regular file and locks it, as `lock_for` says: LOCK_SH or LOCK_EX
   (flock). If there is none, `create` makes an empty one; otherwise the result
   is -1. */
int open_locked(const char *name, bool create, int (*lock_for)(int fd),
                bool may_wait);

/* Does the file still have this name? Another process may have replaced it, for
   example while this one waited for the lock. */
bool is_named(int fd, const char *name);
bool is_output(int fd);             /* is it also the standard output? */

/* A window may move lines from one generation to another, which takes several
   stores. Meanwhile nobody may copy it. how: F_WRLCK to move, F_RDLCK to copy,
   F_UNLCK. Waits, but not for ever. Only on Linux, where these locks and those
   of open_locked do not meet. */
void lock_moves(int fd, short how);

/* Maps `size` bytes at `at`, which need not be the start of a page. how:
   MAP_SHARED, or MAP_PRIVATE for a copy. NULL: errno says why. If bytes cannot
   be had later, a message with this name ends the process. */
char *map_bytes(int fd, const char *name, size_t at, size_t size, int how);

/* Reserves disk space. Without it, a full disk would end the process where it
   sets a cell, after lines were printed. is_new: the bytes are behind the end
   of the file. Otherwise other processes may be changing them. */
int reserve(int fd, size_t at, size_t size, bool is_new);
int put(int fd, const void *bytes, size_t size, size_t at);     /* one pwrite */

/* The disk has the file when sync_file returns, if sync_map has written the
   pages that are mapped. */
int sync_file(int fd);
int sync_map(const void *at, size_t size);

#endif
