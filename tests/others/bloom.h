/* A stand-in for the bloom.h of libbloom (jvirkki), made of ours, so that
   libbloom's own tests can be compiled and run: see libbloom.sh. Both have a
   struct bloom and functions such as bloom_add, so theirs get other names. */
#ifndef OTHERS_BLOOM_H
#define OTHERS_BLOOM_H

#ifndef OTHERS_NO_NAMES                 /* libbloom.c calls ours by these names */
#define bloom libbloom
#define bloom_init libbloom_init
#define bloom_init2 libbloom_init
#define bloom_check libbloom_check
#define bloom_add libbloom_add
#define bloom_print libbloom_print
#define bloom_free libbloom_free
#define bloom_reset libbloom_reset
#define bloom_save libbloom_save
#define bloom_load libbloom_load
#define bloom_merge libbloom_merge
#define bloom_version libbloom_version
#define NULL_BLOOM_FILTER { 0, 0, 0, 0, 0, 0, 0, NULL }
#endif

struct libbloom {
    unsigned entries;
    double error;
    unsigned long bits, bytes;
    unsigned char ready, major, minor;
    void *ours;                         /* a filter of our bloom.h */
};

/* 0 is success. A filter needs 1000 entries or more. */
int libbloom_init(struct libbloom *b, unsigned entries, double error);
int libbloom_merge(struct libbloom *into, struct libbloom *from);
int libbloom_reset(struct libbloom *b);
int libbloom_save(struct libbloom *b, char *name);
int libbloom_load(struct libbloom *b, char *name);
void libbloom_free(struct libbloom *b);
void libbloom_print(struct libbloom *b);
const char *libbloom_version(void);

/* 1: it may be in, 0: it certainly was not, -1: there is no filter */
int libbloom_check(struct libbloom *b, const void *key, int size);
int libbloom_add(struct libbloom *b, const void *key, int size);

#endif
