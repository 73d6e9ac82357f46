/*
 * /dev/urandom and /dev/random
 *
 * The devices are opened and read as usual, and the bytes are replaced: streams and descriptors stay valid.
 */
#include "random.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DESCRIPTORS 1024

static char may_be_random[DESCRIPTORS];

void __cairn_m_opened(int fd, const char *path)
{
    if (fd >= 0 && fd < DESCRIPTORS && __cairn_supervised())
        may_be_random[fd] = strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

/* The descriptor may have been closed and reopened by a call that is not intercepted. */
static int is_random(int fd)
{
    struct stat status;
    if (fd < 0 || fd >= DESCRIPTORS || !may_be_random[fd] || fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode))
        return 0;
    return status.st_rdev == makedev(1, 8) || status.st_rdev == makedev(1, 9);
}

void __cairn_m_received(int fd, void *bytes, size_t size)
{
    if (is_random(fd))
        __cairn_m_fill_randomly(bytes, size);
}

void __cairn_m_received_from(FILE *stream, void *bytes, size_t size)
{
    int error = errno;
    __cairn_m_received(fileno(stream), bytes, size);
    errno = error;
}
