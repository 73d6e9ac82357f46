/* stat and variants: the size of a symbolic file is input */
#include "path.h"
#include "stream.h"
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Returns the size of a file, labelled if the file is input. */
static size_t size_of(dev_t device, ino_t inode, size_t size)
{
    int object = __cairn_stream_of_file(device, inode);
    size_t length = object == NO_OBJECT ? size : __cairn_length(object);
    return __cairn_concrete(length) == size ? length : size;
}

static int filled(int failed, struct stat *status)
{
    if (failed)
        return failed;
    __cairn_received(status, sizeof *status, NO_OBJECT, 0);
    status->st_size = (off_t)size_of(status->st_dev, status->st_ino, (size_t)status->st_size);
    return 0;
}

int MODEL(stat)(const char *path, struct stat *status)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return filled(stat(path, status), status);
}

int MODEL(stat64)(const char *path, struct stat *status)
{
    return MODEL(stat)(path, status);
}

int MODEL(lstat)(const char *path, struct stat *status)
{
    __cairn_m_look_up(AT_FDCWD, path);
    return filled(lstat(path, status), status);
}

int MODEL(lstat64)(const char *path, struct stat *status)
{
    return MODEL(lstat)(path, status);
}

int MODEL(fstat)(int fd, struct stat *status)
{
    return filled(fstat(fd, status), status);
}

int MODEL(fstat64)(int fd, struct stat *status)
{
    return filled(fstat(fd, status), status);
}

int MODEL(fstatat)(int directory, const char *path, struct stat *status, int flags)
{
    __cairn_m_look_up(directory, path);
    return filled(fstatat(directory, path, status, flags), status);
}

int MODEL(fstatat64)(int directory, const char *path, struct stat *status, int flags)
{
    return MODEL(fstatat)(directory, path, status, flags);
}

int MODEL(statx)(int directory, const char *path, int flags, unsigned mask, struct statx *status)
{
    int failed;
    __cairn_m_look_up(directory, path);
    failed = statx(directory, path, (int)__cairn_concretized((size_t)flags), (unsigned)__cairn_concretized(mask),
                   status);
    if (failed)
        return failed;
    __cairn_received(status, sizeof *status, NO_OBJECT, 0);
    status->stx_size =
        size_of(makedev(status->stx_dev_major, status->stx_dev_minor), status->stx_ino, status->stx_size);
    return 0;
}
