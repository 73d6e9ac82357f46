/* Devices under names of its own. */
#include "hostile.h"
#include <sys/sysmacros.h>

static void attack(void)
{
    NEVER(mknod(at("TMPDIR", "mem"), S_IFCHR | 0600, makedev(1, 1)) == 0);
    NEVER(mknod(at("TMPDIR", "disk"), S_IFBLK | 0600, makedev(8, 0)) == 0);
    NEVER(open("/dev/ptmx", O_RDWR) >= 0);
}
