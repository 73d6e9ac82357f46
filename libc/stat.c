/* stat and its kin: the size of a symbolic file is input */
#include "stream.h"
#include <fcntl.h>
#include <sys/stat.h>

static int filled(int failed, struct stat *status)
{
    int object;
    if (failed)
        return failed;
    __cairn_received(status, sizeof *status, NO_OBJECT, 0);
    object = __cairn_stream_of_file(status->st_dev, status->st_ino);
    if (object != NO_OBJECT) {
        size_t length = __cairn_length(object);
        if (__cairn_concrete(length) == (size_t)status->st_size)
            status->st_size = (off_t)length;
    }
    return 0;
}

int MODEL(stat)(const char *path, struct stat *status)
{
    return filled(stat(path, status), status);
}

int MODEL(stat64)(const char *path, struct stat *status)
{
    return filled(stat(path, status), status);
}

int MODEL(lstat)(const char *path, struct stat *status)
{
    return filled(lstat(path, status), status);
}

int MODEL(lstat64)(const char *path, struct stat *status)
{
    return filled(lstat(path, status), status);
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
    return filled(fstatat(directory, path, status, flags), status);
}

int MODEL(fstatat64)(int directory, const char *path, struct stat *status, int flags)
{
    return filled(fstatat(directory, path, status, flags), status);
}
