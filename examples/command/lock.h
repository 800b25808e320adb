/* lock.h: allows one writer at a time. It locks PATH.lock rather than PATH,
   because PATH may not exist yet, and is replaced. The system releases a lock
   when its process ends. If the process was killed, PATH.lock stays, but locks
   nothing. Readers need no lock: they see the old file or the new one. Include
   files.h before.

       lock(path, true);            may wait
       ...
       unlock();                    call it before the program ends, too
       forget_lock();               for a signal handler, before the end */

#ifndef EXAMPLES_LOCK_H
#define EXAMPLES_LOCK_H

#include <signal.h>
#include <time.h>

static int lock_fd_ = -1;
static char *lock_name_;                /* NULL: the lock is not held */

static inline void hold_signals_(sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, old);
}

static inline void free_signals_(const sigset_t *old)
{
    sigprocmask(SIG_SETMASK, old, NULL);
}

/* fd must be open for writing. Returns false and sets errno if another process
   has the lock, or if the system offers no (more) locks. */
static inline bool can_be_locked(int fd)
{
    struct flock all = { 0 };
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    return fcntl(fd, F_SETLK, &all) == 0;
}

/* Returns false and sets errno: EAGAIN if another process has the lock. */
static inline bool try_lock_(const char *name)
{
    struct stat mine, there;
    lock_fd_ = open(name, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (lock_fd_ < 0)
        return false;
    if (can_be_locked(lock_fd_)
        && fstat(lock_fd_, &mine) == 0 && stat(name, &there) == 0
        && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
        return true;                    /* and not a file just removed */
    if (errno == EACCES || errno == ENOENT || errno == 0)
        errno = EAGAIN;
    close(lock_fd_);
    return false;
}

static inline void remove_lock_(const char *name)
{
    remove(name);                       /* while nobody else has the lock */
    close(lock_fd_);
}

/* Blocks signals, so that their handler knows whether to remove the lock. */
static inline bool take_lock_(char *name)
{
    sigset_t old;
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

/* Waits, with a message after one second. Exits if it may not wait, or on any
   other error. */
static inline void lock(const char *path, bool may_wait)
{
    const struct timespec pause = { 0, 20000000 };
    char *name = name_beside(path, ".lock");
    unsigned tries = 0;
    while (!take_lock_(name)) {
        if (errno != EAGAIN)
            die_of(strerror(errno), path);
        if (!may_wait)
            die_of("in use by another process; try again later, or leave out "
                   "--no-wait", path);
        if (++tries == 50)
            say("%s: in use by another process; waiting for it to end", path);
        nanosleep(&pause, NULL);
    }
}

static inline void unlock(void)
{
    sigset_t old;
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
