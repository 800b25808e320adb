/* A folder in memory for fuzz_command.c. The command is part of that program,
   and macros turn its system calls into calls of the functions below. One of
   the calls may fail. Another process may hold the lock, or remove the lock's
   file. The functions abort if the command replaces a file without holding its
   lock. Include fuzz.h and the POSIX headers first. */

#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#define FOLDER "/fuzz/"

enum { FILES = 16, OPEN = 16, FILE_ROOM = 1 << 19, LINK = -2 };

typedef struct content { unsigned char at[FILE_ROOM]; size_t size; } content;
typedef struct entry { char name[40]; int file; } entry;    /* -1: none */
typedef struct opened { int file; size_t at; } opened;

static content contents[FILES];
static entry entries[FILES];
static opened openings[OPEN];           /* descriptor 0 is standard input */
static int locked;                      /* the locked file; -1: none */
static bool failed;                     /* a call has failed */
static bool failed_before;              /* and it was before any saving */
static unsigned renames;

/* What goes wrong. calls: this many calls from now, one fails (0: none).
   others: how many times another process holds the lock. removals: how many
   times the lock's file is removed as soon as it is locked. slow: a read
   returns few bytes, and a second passes with each reading of the clock. */
static struct trouble {
    unsigned calls, others, removals;
    bool slow;
} trouble;

static int gone_wrong(int why)
{
    errno = why;
    return -1;
}

/* Is this the call that fails? */
static bool fails(int why)
{
    if (trouble.calls == 0 || --trouble.calls > 0)
        return false;
    failed = true;
    gone_wrong(why);
    return true;
}

static entry *find(const char *name)
{
    unsigned i;
    for (i = 0; i < FILES; i++)
        if (entries[i].file != -1 && strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

static bool is_used(int file)
{
    unsigned i;
    for (i = 0; i < FILES; i++)
        if (entries[i].file == file)
            return true;
    for (i = 0; i < OPEN; i++)
        if (openings[i].file == file)
            return true;
    return false;
}

/* Makes an entry for a file. LINK makes a symbolic link that leads nowhere, -1
   a new file. */
static entry *make_entry(const char *name, int file)
{
    unsigned i = 0;
    while (entries[i].file != -1)
        must(++i < FILES);
    must(strlen(name) < sizeof entries[i].name);
    if (name != entries[i].name)
        strcpy(entries[i].name, name);
    if (file == -1) {
        for (file = 0; is_used(file); file++)
            must(file < FILES - 1);
        contents[file].size = 0;
    }
    entries[i].file = file;
    return &entries[i];
}

static void begin_files(void)
{
    unsigned i;
    for (i = 0; i < FILES; i++)
        entries[i].file = -1;
    for (i = 0; i < OPEN; i++)
        openings[i].file = -1;
    memset(&trouble, 0, sizeof trouble);
    locked = -1;
    failed = failed_before = false;
    renames = 0;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    entry *e = find(name);
    content *c = &contents[(e ? e : make_entry(name, -1))->file];
    memcpy(c->at, bytes, c->size = size);
}

/* ---- System calls -------------------------------------------------------- */

static opened *opened_at(int fd)
{
    must(fd >= 0 && fd < OPEN && openings[fd].file >= 0);
    return &openings[fd];
}

static int file_open(const char *name, int flags)
{
    entry *e = find(name);
    int fd = 3;
    if (fails(EACCES))
        return -1;
    if (e ? (flags & O_EXCL) != 0 : !(flags & O_CREAT))
        return gone_wrong(e ? EEXIST : ENOENT);
    if (e && e->file == LINK)
        return gone_wrong(flags & O_NOFOLLOW ? ELOOP : ENOENT);
    if (!e)
        e = make_entry(name, -1);
    while (openings[fd].file != -1)
        must(++fd < OPEN);
    openings[fd].file = e->file;
    openings[fd].at = 0;
    return fd;
}

static int file_close(int fd)
{
    if (fd == 1)
        return 0;
    if (opened_at(fd)->file == locked)  /* POSIX: closing ends the lock */
        locked = -1;
    openings[fd].file = -1;
    return 0;
}

static ssize_t file_read(int fd, void *to, size_t most)
{
    opened *o = opened_at(fd);
    size_t left = contents[o->file].size - o->at;
    if (fails(EIO)) {
        failed_before = true;
        return -1;
    }
    most = trouble.slow && most > 20 ? 20 : most;
    most = left < most ? left : most;
    memcpy(to, contents[o->file].at + o->at, most);
    o->at += most;
    return (ssize_t)most;
}

static ssize_t file_write(int fd, const void *from, size_t size)
{
    opened *o = opened_at(fd);
    content *c = &contents[o->file];
    if (fails(ENOSPC))
        return -1;
    must(o->at <= c->size && size <= FILE_ROOM - o->at);
    memcpy(c->at + o->at, from, size);
    o->at += size;
    c->size = o->at > c->size ? o->at : c->size;
    return (ssize_t)size;
}

/* posix_fallocate at the end of a file. If it fails, the command has printed
   nothing since the last time that it succeeded. */
static int file_reserve(int fd, off_t from, off_t size)
{
    content *c = &contents[opened_at(fd)->file];
    must((size_t)from == c->size && (size_t)size <= FILE_ROOM - c->size);
    if (fails(ENOSPC)) {
        failed_before = true;
        return ENOSPC;
    }
    memset(c->at + c->size, 0, (size_t)size);
    c->size += (size_t)size;
    return 0;
}

static int file_cut(int fd, off_t size)
{
    content *c = &contents[opened_at(fd)->file];
    must((size_t)size <= c->size);
    c->size = (size_t)size;
    return fails(EIO) ? -1 : 0;
}

static off_t file_seek(int fd, off_t at, int from)
{
    opened *o = opened_at(fd);
    must(from == SEEK_CUR ? at == 0 : from == SEEK_SET && at >= 0);
    if (from == SEEK_SET)
        o->at = (size_t)at;
    return (off_t)o->at;
}

static int state_of(int file, struct stat *s)
{
    memset(s, 0, sizeof *s);
    s->st_ino = (ino_t)file;
    s->st_mode = file == LINK ? S_IFLNK : S_IFREG | 0600;
    s->st_size = file == LINK ? 1
                 : file < FILES ? (off_t)contents[file].size : 0;
    return 0;
}

static int file_stat(const char *name, struct stat *s)
{
    entry *e = find(name);
    return e ? state_of(e->file, s) : gone_wrong(ENOENT);
}

static int file_access(const char *name)
{
    return find(name) ? fails(EACCES) ? -1 : 0 : gone_wrong(ENOENT);
}

static int file_remove(const char *name)
{
    entry *e = find(name);
    if (!e)
        return gone_wrong(ENOENT);
    e->file = -1;
    return 0;
}

/* rename. The command must hold the lock of the file that it replaces. */
static int file_rename(const char *from, const char *to)
{
    char name[48];
    entry *source = find(from), *target = find(to), *lock;
    snprintf(name, sizeof name, "%s.lock", to);
    lock = find(name);
    must(lock && lock->file >= 0 && lock->file == locked);
    must(source);
    if (fails(EPERM))
        return -1;
    if (target)
        target->file = -1;
    strcpy(source->name, to);
    renames++;
    return 0;
}

/* fstat. Standard output is none of the files. */
static int file_state(int fd, struct stat *s)
{
    return state_of(fd == 1 ? FILES : opened_at(fd)->file, s);
}

/* fcntl, for locks. Another process can hold only a lock on a FILE.lock. */
static int file_control(int fd, int what, ...)
{
    int file;
    unsigned i;
    if (what != F_SETLK)
        return 0;
    file = opened_at(fd)->file;
    if (fails(ENOLCK))
        return -1;
    for (i = 0; i < FILES && entries[i].file != file; i++) { }
    if (i == FILES || !strstr(entries[i].name, ".lock"))
        return 0;
    if (trouble.others > 0) {
        trouble.others--;
        return gone_wrong(EAGAIN);
    }
    locked = file;
    if (trouble.removals > 0) {
        for (i = 0; i < FILES && entries[i].file != file; i++) { }
        must(i < FILES);
        entries[i].file = -1;
        if (--trouble.removals > 0)     /* another process made a new one */
            make_entry(entries[i].name, -1);
    }
    return 0;
}

/* ---- stdio --------------------------------------------------------------- */

static int stream_fd;                   /* only one stream at a time */

static ssize_t stream_write(void *fd, const char *from, size_t size)
{
    ssize_t got = file_write(*(int *)fd, from, size);
    return got < 0 ? 0 : got;
}

static int stream_close(void *fd)
{
    return file_close(*(int *)fd);
}

static FILE *stream_of(int fd)
{
    cookie_io_functions_t calls = { NULL, stream_write, NULL, stream_close };
    FILE *stream;
    stream_fd = fd;
    stream = fopencookie(&stream_fd, "w", calls);
    must(stream != NULL);
    if (trouble.slow)
        setvbuf(stream, NULL, _IONBF, 0);
    return stream;
}

#endif
