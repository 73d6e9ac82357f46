/* Devices under names of its own, and the terminal and the shared memory of another process. */
#include "hostile.h"
#include <sys/sysmacros.h>

static void attack(void)
{
    NEVER(mknod(at("TMPDIR", "mem"), S_IFCHR | 0600, makedev(1, 1)) == 0);
    NEVER(mknod(at("TMPDIR", "disk"), S_IFBLK | 0600, makedev(8, 0)) == 0);
    NEVER(open("/dev/ptmx", O_RDWR) >= 0);
    NEVER(open("/dev/ptmx", O_RDONLY | O_NOCTTY) >= 0);
    NEVER(open(setting("TERMINAL"), O_RDONLY | O_NOCTTY | O_NONBLOCK) >= 0);
    NEVER(open(setting("POSIX_SHM"), O_RDONLY) >= 0);
    MUST(open("/dev/null", O_RDWR) >= 0 && open("/dev/urandom", O_RDONLY) >= 0 && open("/dev/stdin", O_RDONLY) >= 0);
}
