/* file.h: filters in files. A FILE that lines are added to is mapped, and is
   changed in place. */

#ifndef FILE_H
#define FILE_H

#include "wish.h"

/* ---- Reading ------------------------------------------------------------ */

/* A copy that nobody else sees, of a file or a pipe. It does not take memory
   until it is changed. Exits if the file is damaged, unless `seal` gets what is
   wrong. */
filter read_file(const char *name, bloom_error *seal);

/* ---- Adding lines, in place ---------------------------------------------- */

typedef struct file {
    filter in;
    const char *name;
    int fd;                         /* locked; -1: not open */
    size_t size;
    bool is_new;                    /* this run has made it */
    bool unsealed;                  /* its seals are gone, also on the disk */
    bool failed;                    /* the disk did; nothing more is written */
    bool ending;                    /* the caller's: the command is exiting */
} file;

/* Locks FILE and maps it. If w is not NULL, makes a new filter if there is
   none, and exits if the one there was made by other options. */
file open_file(const char *name, const wish *w, bool may_wait);

/* How many keys can be recorded before there is need for more room. (Only a
   chain ever needs any.) add_room exits if the disk is full. */
uint64_t room_in(const file *f);
void add_room(file *f);

/* Both return how many keys are new. record is for those that a lookup did not
   find, record_keys for a filter of fixed size. */
size_t record(file *f, const bloom_hash *hash, size_t count);
size_t record_keys(file *f, const bloom_key *key, size_t count);

/* Returns when the disk has all that was recorded; exits if it fails. */
void sync_lines(file *f);

/* Seals the filter. Returns false, after a message, if the disk lacks it. */
bool close_file(file *f);

/* ---- Replacing ---------------------------------------------------------- */

/* For a new filter that replaces OUT: locks OUT, if it is there, so that nobody
   adds lines to it meanwhile. Exits if OUT is not a filter, or is an input. */
void claim_file(const char *out, char **inputs, bool may_wait);
void replace_file(const char *out, bloom *b);

#endif
