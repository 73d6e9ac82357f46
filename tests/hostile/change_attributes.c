/* Owner, mode, times and attributes of a file. The sandbox reports success without executing these calls. */
#include "hostile.h"
#include <linux/fs.h>
#include <sys/time.h>
#include <sys/xattr.h>

static void attack(void)
{
    const char *file = at("HOME", "file");
    struct timeval times[2] = {{1, 0}, {1, 0}};
    chmod(file, 0777);
    fchmodat(AT_FDCWD, file, 0777, 0);
    chown(file, getuid(), getgid());
    utimes(file, times);
    setxattr(file, "user.changed", "x", 1, 0);
    chmod(setting("HOME"), 0);
    int flags = FS_NOATIME_FL, fd = open(file, O_PATH);
    fchmod(fd, 0);
    syscall(452 /* fchmodat2 */, fd, "", 0, AT_EMPTY_PATH);
    ioctl(open(".", O_RDONLY), FS_IOC_SETFLAGS, &flags);
}
