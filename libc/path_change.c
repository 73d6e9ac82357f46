/* Functions that create, move or remove a file by its name, or change its attributes */
#include "path.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#define KEEP(number) ((unsigned)__cairn_concretized((size_t)(number)))

/* Attributes that the system keeps of a file, and returns without labels. */
#define KEPT(data, size) (__cairn_lost_input((data), (size)), (data))
#define TIMES(times, count) ((times) != NULL ? KEPT(times, (count) * sizeof *(times)) : NULL)

/* FUNCTION(path, other arguments) of an existing file, or of one that may be created. */
#define OLD(name, call, ...)                                                                                           \
    int MODEL(name)(const char *path, ##__VA_ARGS__)                                                                   \
    {                                                                                                                  \
        __cairn_m_look_up(AT_FDCWD, path);                                                                             \
        return call;                                                                                                   \
    }

#define NEW(name, call, ...)                                                                                           \
    int MODEL(name)(const char *path, ##__VA_ARGS__)                                                                   \
    {                                                                                                                  \
        __cairn_m_look_up_new(AT_FDCWD, path);                                                                         \
        return call;                                                                                                   \
    }

/* As above, relative to a directory. */
#define OLD_AT(name, call, ...)                                                                                        \
    int MODEL(name)(int directory, const char *path, ##__VA_ARGS__)                                                    \
    {                                                                                                                  \
        __cairn_m_look_up(directory, path);                                                                            \
        return call;                                                                                                   \
    }

#define NEW_AT(name, call, ...)                                                                                        \
    int MODEL(name)(int directory, const char *path, ##__VA_ARGS__)                                                    \
    {                                                                                                                  \
        __cairn_m_look_up_new(directory, path);                                                                        \
        return call;                                                                                                   \
    }

OLD(unlink, unlink(path))
OLD(rmdir, rmdir(path))
OLD(remove, remove(path))
OLD(chmod, chmod(path, KEEP(mode)), mode_t mode)
OLD(chown, chown(path, KEEP(user), KEEP(group)), uid_t user, gid_t group)
OLD(lchown, lchown(path, KEEP(user), KEEP(group)), uid_t user, gid_t group)
OLD(truncate, truncate(path, (off_t)__cairn_concretized((size_t)length)), off_t length)
OLD(truncate64, truncate(path, (off_t)__cairn_concretized((size_t)length)), off_t length)
OLD(utime, utime(path, TIMES(times, 1)), const struct utimbuf *times)
OLD(utimes, utimes(path, TIMES(times, 2)), const struct timeval *times)
OLD(lutimes, lutimes(path, TIMES(times, 2)), const struct timeval *times)
OLD_AT(unlinkat, unlinkat(directory, path, flags), int flags)
OLD_AT(fchmodat, fchmodat(directory, path, KEEP(mode), flags), mode_t mode, int flags)
OLD_AT(fchownat, fchownat(directory, path, KEEP(user), KEEP(group), flags), uid_t user, gid_t group, int flags)
OLD_AT(utimensat, utimensat(directory, path, TIMES(times, 2), flags), const struct timespec *times, int flags)

NEW(mkdir, mkdir(path, KEEP(mode)), mode_t mode)
NEW(mkfifo, mkfifo(path, KEEP(mode)), mode_t mode)
NEW(mknod, mknod(path, KEEP(mode), __cairn_concretized(device)), mode_t mode, dev_t device)
NEW_AT(mkdirat, mkdirat(directory, path, KEEP(mode)), mode_t mode)
NEW_AT(mkfifoat, mkfifoat(directory, path, KEEP(mode)), mode_t mode)
NEW_AT(mknodat, mknodat(directory, path, KEEP(mode), __cairn_concretized(device)), mode_t mode, dev_t device)

int MODEL(symlink)(const char *text, const char *path)
{
    __cairn_m_look_up_new(AT_FDCWD, path);
    return symlink(KEPT(text, strlen(text)), path);
}

int MODEL(symlinkat)(const char *text, int directory, const char *path)
{
    __cairn_m_look_up_new(directory, path);
    return symlinkat(KEPT(text, strlen(text)), directory, path);
}

static void look_up_both(int from_directory, const char *from, int to_directory, const char *to)
{
    __cairn_m_look_up(from_directory, from);
    __cairn_m_look_up_new(to_directory, to);
}

int MODEL(link)(const char *from, const char *to)
{
    look_up_both(AT_FDCWD, from, AT_FDCWD, to);
    return link(from, to);
}

int MODEL(linkat)(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    look_up_both(from_directory, from, to_directory, to);
    return linkat(from_directory, from, to_directory, to, flags);
}

int MODEL(rename)(const char *from, const char *to)
{
    look_up_both(AT_FDCWD, from, AT_FDCWD, to);
    return rename(from, to);
}

int MODEL(renameat)(int from_directory, const char *from, int to_directory, const char *to)
{
    look_up_both(from_directory, from, to_directory, to);
    return renameat(from_directory, from, to_directory, to);
}

int MODEL(renameat2)(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    look_up_both(from_directory, from, to_directory, to);
    return renameat2(from_directory, from, to_directory, to, flags);
}
