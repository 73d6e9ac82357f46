/* Links in the scratch directory that lead the driver out of it. */
#include "hostile.h"

static void attack(void)
{
    MUST(chdir(setting("TMPDIR")) == 0);
    symlink(at("HOME", "file"), "input");
    symlink(setting("HOME"), "home");
    mkdir("d", 0700);
    symlink(setting("HOME"), "d/home");
    mkfifo("fifo", 0600);
    chmod("d", 0);
    chmod(".", 0);
}
