/* replace.h: a new file beside an old one, which it replaces. bloom_file_save
   does that in one call. Here it is done in steps, as disk space for the next
   save is reserved before a line is printed, and as FILE is looked at once
   more, while it is locked, before the rename. All functions return 0 or an
   errno. */

#ifndef REPLACE_H
#define REPLACE_H

#include "posix.h"

#include <stddef.h>
#include <stdint.h>

typedef struct new_file {
    char *target;           /* the file to be replaced: links are resolved */
    char *name;             /* the new file beside it; NULL: there is none */
    int fd;                 /* the new file, open for writing; -1: closed */
    uint64_t size;          /* bytes that were put */
    uint64_t reserved;
    int failed;             /* errno of a failed put_bytes, or 0 */
} new_file;

/* Returns PATH with `suffix`, in the same folder; free() it. A file name has at
   most 255 bytes, so a long one is cut, at a character boundary of UTF-8. */
char *name_beside(const char *path, const char *suffix);

/* Creates the new file, PATH.new.PID.0 or another free number, in the folder to
   which symbolic links lead. After that, call finish or cancel once. */
int begin_file(new_file *f, const char *path);

/* Locks PATH, if it exists, until finish_file has replaced it or until
   release_file, so that no program begins to share it (bloom_share). EBUSY:
   other processes share it. */
int hold_file(const char *path);
void release_file(void);

/* Reserves disk space for `size` bytes in all. */
int reserve_in(new_file *f, uint64_t size);

int put_bytes(new_file *f, const void *bytes, size_t size);

/* Writes the new file to the disk, gives it the owner, group, permissions and
   access control list of the old one, and closes it. */
int complete_file(new_file *f);

/* Renames it, after complete_file. Before that, while the old file is locked,
   it calls `look`, which returns 0, EAGAIN if it gave f another target, or
   another errno. `locked` is 0, ENOENT if there is no old file, or why it
   cannot be locked: then `look` must not return 0. After an error, finish_file
   has done what cancel does. */
int finish_file(new_file *f, int (*look)(int locked));

void cancel_file(new_file *f);          /* errno is unchanged */

#endif
