/* What is mounted, and where the root is. */
#include "hostile.h"
#include <sys/mount.h>

static void attack(void)
{
    const char *scratch = setting("TMPDIR");
    NEVER(mount("none", scratch, "tmpfs", 0, NULL) == 0);
    NEVER(mount(setting("HOME"), scratch, NULL, MS_BIND, NULL) == 0);
    NEVER(umount2("/proc", MNT_DETACH) == 0);
    NEVER(chroot(scratch) == 0);
    REFUSED(SYS_pivot_root, scratch, scratch);
    REFUSED(SYS_fsopen, "tmpfs", 0);
    REFUSED(SYS_open_tree, AT_FDCWD, setting("HOME"), 1);
    REFUSED(SYS_mount_setattr, AT_FDCWD, "/", 0, scratch, 32);
}
