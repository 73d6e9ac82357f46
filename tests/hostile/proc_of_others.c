/* Files of the victim in /proc. */
#include "hostile.h"

static void attack(void)
{
    static const char *const files[] = {"mem", "oom_score_adj", "comm", "environ", "clear_refs", "coredump_filter", "setgroups"};
    char path[100], text[4096];
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "/proc/%ld/%s", number("VICTIM"), files[i]);
        NEVER(open(path, O_WRONLY) >= 0);
    }
    snprintf(path, sizeof path, "/proc/%ld/environ", number("VICTIM"));
    int fd = open(path, O_RDONLY);
    NEVER(fd >= 0 && read(fd, text, sizeof text) > 0);
    snprintf(path, sizeof path, "/proc/%ld/root%s/secret", number("VICTIM"), setting("HOME"));
    NEVER(open(path, O_RDONLY) >= 0);
}
