/* Functions that open a file by its name */
#include "path.h"
#include "random.h"
#include "stream.h"
#include <dirent.h>
#include <stdarg.h>
#include <string.h>

int __open_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    flags = (int)__cairn_concretized((size_t)flags);
    if (flags & O_CREAT)
        __cairn_m_look_up_new(directory, path);
    else
        __cairn_m_look_up(directory, path);
    int fd = openat(directory, path, flags, mode);
    if (fd < 0)
        __cairn_open_failed(path);
    __cairn_m_opened(fd, path);
    return fd;
}

/* The mode is passed only if a file may be created. */
#define MODE_AFTER(flags, mode)                                                                                        \
    mode_t mode = 0;                                                                                                   \
    if (__OPEN_NEEDS_MODE(flags)) {                                                                                    \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode = (mode_t)__cairn_concretized(va_arg(rest, mode_t));                                                      \
        va_end(rest);                                                                                                  \
    }

#define OPEN(name)                                                                                                     \
    int MODEL(name)(const char *path, int flags, ...)                                                                  \
    {                                                                                                                  \
        MODE_AFTER(flags, mode)                                                                                        \
        return open_at(AT_FDCWD, path, flags, mode);                                                                   \
    }

#define OPENAT(name)                                                                                                   \
    int MODEL(name)(int directory, const char *path, int flags, ...)                                                   \
    {                                                                                                                  \
        MODE_AFTER(flags, mode)                                                                                        \
        return open_at(directory, path, flags, mode);                                                                  \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int MODEL(__open_2)(const char *path, int flags)
{
    return __OPEN_NEEDS_MODE(flags) ? __open_2(path, flags) : open_at(AT_FDCWD, path, flags, 0);
}

int MODEL(__open64_2)(const char *path, int flags)
{
    return MODEL(__open_2)(path, flags);
}

int MODEL(__openat_2)(int directory, const char *path, int flags)
{
    return __OPEN_NEEDS_MODE(flags) ? __openat_2(directory, path, flags) : open_at(directory, path, flags, 0);
}

int MODEL(__openat64_2)(int directory, const char *path, int flags)
{
    return MODEL(__openat_2)(directory, path, flags);
}

int MODEL(creat)(const char *path, mode_t mode)
{
    return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, (mode_t)__cairn_concretized(mode));
}

int MODEL(creat64)(const char *path, mode_t mode)
{
    return MODEL(creat)(path, mode);
}

/* Looks up the path of a stream; it is created unless it is opened only for reading. */
static void look_up_stream(const char *path, const char *mode)
{
    if (mode[0] == 'r')
        __cairn_m_look_up(AT_FDCWD, path);
    else
        __cairn_m_look_up_new(AT_FDCWD, path);
}

FILE *MODEL(fopen)(const char *path, const char *mode)
{
    look_up_stream(path, mode);
    FILE *stream = fopen(path, mode);
    if (!stream)
        __cairn_open_failed(path);
    else
        __cairn_m_opened(fileno(stream), path);
    return stream;
}

FILE *MODEL(fopen64)(const char *path, const char *mode)
{
    return MODEL(fopen)(path, mode);
}

FILE *MODEL(freopen)(const char *path, const char *mode, FILE *stream)
{
    look_up_stream(path, mode);
    __cairn_m_forget();
    __cairn_descriptors_change();
    return freopen(path, mode, stream);
}

FILE *MODEL(freopen64)(const char *path, const char *mode, FILE *stream)
{
    return MODEL(freopen)(path, mode, stream);
}

DIR *MODEL(opendir)(const char *path)
{
    __cairn_m_look_up(AT_FDCWD, path);
    DIR *directory = opendir(path);
    if (!directory)
        __cairn_open_failed(path);
    return directory;
}
