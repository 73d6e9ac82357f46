/* Functions that query a file by its name, or change to it */
#include "path.h"
#include "stream.h"
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);

#define ACCESS(name)                                                                                                   \
    int MODEL(name)(const char *path, int mode)                                                                        \
    {                                                                                                                  \
        __cairn_m_look_up(AT_FDCWD, path);                                                                             \
        return name(path, (int)__cairn_concretized((size_t)mode));                                                     \
    }

ACCESS(access)
ACCESS(eaccess)
ACCESS(euidaccess)

int MODEL(faccessat)(int directory, const char *path, int mode, int flags)
{
    __cairn_m_look_up(directory, path);
    return faccessat(directory, path, (int)__cairn_concretized((size_t)mode), flags);
}

int MODEL(chdir)(const char *path)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return chdir(path);
}

/* The target of a link has no labels. */
static ssize_t clear_target(char *to, ssize_t got)
{
    if (got > 0)
        __cairn_received(to, (size_t)got, NO_OBJECT, 0);
    return got;
}

ssize_t MODEL(readlink)(const char *path, char *to, size_t size)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return clear_target(to, readlink(path, to, __cairn_concretized(size)));
}

ssize_t MODEL(__readlink_chk)(const char *path, char *to, size_t size, size_t room)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return clear_target(to, __readlink_chk(path, to, __cairn_concretized(size), room));
}

ssize_t MODEL(readlinkat)(int directory, const char *path, char *to, size_t size)
{
    __cairn_m_look_up(directory, path);
    return clear_target(to, readlinkat(directory, path, to, __cairn_concretized(size)));
}

ssize_t MODEL(__readlinkat_chk)(int directory, const char *path, char *to, size_t size, size_t room)
{
    __cairn_m_look_up(directory, path);
    return clear_target(to, __readlinkat_chk(directory, path, to, __cairn_concretized(size), room));
}

char *MODEL(realpath)(const char *path, char *to)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return realpath(path, to);
}

char *MODEL(__realpath_chk)(const char *path, char *to, size_t room)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return __realpath_chk(path, to, room);
}

char *MODEL(canonicalize_file_name)(const char *path)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return canonicalize_file_name(path);
}

#define FILE_SYSTEM(name, type)                                                                                        \
    int MODEL(name)(const char *path, struct type *status)                                                             \
    {                                                                                                                  \
        __cairn_m_look_up(AT_FDCWD, path);                                                                             \
        __cairn_received(status, sizeof *status, NO_OBJECT, 0);                                                        \
        return type(path, status);                                                                                     \
    }

FILE_SYSTEM(statfs, statfs)
FILE_SYSTEM(statfs64, statfs)
FILE_SYSTEM(statvfs, statvfs)
FILE_SYSTEM(statvfs64, statvfs)

long MODEL(pathconf)(const char *path, int name)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return pathconf(path, name);
}
