/* lock.h: one writer at a time. PATH.lock is locked, not PATH, which may not
   be there yet and is replaced. The system ends a lock with its process, even
   a killed one, whose PATH.lock then stays but locks nothing. Readers need no
   lock: they find the old file or the new one. Include files.h before.

       lock(path, true);            may wait
       ...
       unlock();                    also when the program ends
       forget_lock();               from a signal handler that ends it */

#ifndef EXAMPLES_LOCK_H
#define EXAMPLES_LOCK_H

#include <signal.h>
#include <time.h>

static int lock_fd_ = -1;
static char *lock_name_;                /* while it is ours to remove */

#ifdef _WIN32
#include <share.h>

static inline bool try_lock_(const char *name)
{
    lock_fd_ = _sopen(name, _O_RDWR | _O_CREAT, _SH_DENYRW, 0666);
    if (lock_fd_ < 0)
        errno = EAGAIN;
    return lock_fd_ >= 0;
}

static inline void remove_lock_(const char *name)
{
    close(lock_fd_);
    remove(name);
}

static inline bool can_be_locked(int fd)
{
    return fd >= 0;
}

typedef int signals_;
#define hold_signals_(old) ((void)(old))
#define free_signals_(old) ((void)(old))

#else

typedef sigset_t signals_;

static inline void hold_signals_(signals_ *old)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, old);
}

static inline void free_signals_(const signals_ *old)
{
    sigprocmask(SIG_SETMASK, old, NULL);
}

/* A file that is open for writing; false, and errno: another process has locked
   it, or the system has no locks (left). */
static inline bool can_be_locked(int fd)
{
    struct flock all = { 0 };
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    return fcntl(fd, F_SETLK, &all) == 0;
}

/* false, and errno: EAGAIN if another process has it */
static inline bool try_lock_(const char *name)
{
    struct stat mine, there;
    lock_fd_ = open(name, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (lock_fd_ < 0)
        return false;
    if (can_be_locked(lock_fd_)
        && fstat(lock_fd_, &mine) == 0 && stat(name, &there) == 0
        && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
        return true;                    /* not one that was just removed */
    if (errno == EACCES || errno == ENOENT || errno == 0)
        errno = EAGAIN;
    close(lock_fd_);
    return false;
}

static inline void remove_lock_(const char *name)
{
    remove(name);                       /* first, while nobody can take it */
    close(lock_fd_);
}

#endif

/* Signals wait until it is known whether the file is ours. */
static inline bool take_lock_(char *name)
{
    signals_ old;
    bool taken;
    int why;
    hold_signals_(&old);
    errno = 0;
    taken = try_lock_(name);
    if (taken)
        lock_name_ = name;
    why = errno;
    free_signals_(&old);
    errno = why;
    return taken;
}

/* Waits, with a message after a second, or dies. */
static inline void lock(const char *path, bool may_wait)
{
    const struct timespec pause = { 0, 20000000 };
    char *name = name_beside(path, ".lock");
    unsigned tries = 0;
    while (!take_lock_(name)) {
        if (errno != EAGAIN)
            die_of(strerror(errno), path);
        if (!may_wait)
            die_of("in use by another process that writes it", path);
        if (++tries == 50)
            say("%s: in use by another process that writes it; waiting", path);
        nanosleep(&pause, NULL);
    }
}

static inline void unlock(void)
{
    signals_ old;
    hold_signals_(&old);
    if (lock_name_)
        remove_lock_(lock_name_);
    free(lock_name_);
    lock_name_ = NULL;
    free_signals_(&old);
}

static inline void forget_lock(void)
{
    if (lock_name_)
        remove(lock_name_);
}

#endif
