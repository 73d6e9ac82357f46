/* A file that exceeds the maximum file size. */
#include "hostile.h"

static void attack(void)
{
    int fd = open(at("TMPDIR", "much"), O_CREAT | O_WRONLY, 0600);
    MUST(fd >= 0);
    NEVER(ftruncate(fd, 1L << 40) == 0);
    NEVER(posix_fallocate(fd, 0, 1L << 32) == 0);
    struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    NEVER(setrlimit(RLIMIT_FSIZE, &more) == 0);
    NEVER(setrlimit(RLIMIT_CORE, &more) == 0);
}
