/* Files in the user's home. */
#include "hostile.h"

static void attack(void)
{
    const char *file = at("HOME", "file"), *other = at("HOME", "other");
    NEVER(open(file, O_WRONLY) >= 0);
    NEVER(open(file, O_RDWR | O_APPEND) >= 0);
    NEVER(open(other, O_CREAT | O_WRONLY, 0600) >= 0);
    NEVER(truncate(file, 0) == 0);
    NEVER(rename(file, other) == 0);
    NEVER(rename(file, at("TMPDIR", "stolen")) == 0);
    NEVER(link(file, other) == 0);
    NEVER(symlink("x", other) == 0);
    NEVER(mkdir(other, 0700) == 0);
    NEVER(mknod(other, S_IFIFO | 0600, 0) == 0);
    NEVER(rmdir(at("HOME", "directory")) == 0);
    NEVER(unlink(file) == 0);
}
