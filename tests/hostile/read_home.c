/* The secret in the user's home, by every name it has. */
#include "hostile.h"
#include <dirent.h>

static void attack(void)
{
    char text[100];
    const char *names[] = {at("HOME", "secret"), at("HOME", "./directory/../secret"), at("TMPDIR", "link"), at("TMPDIR", "hard")};
    MUST(symlink(at("HOME", "secret"), names[2]) == 0 || errno == EEXIST);
    NEVER(link(at("HOME", "secret"), names[3]) == 0);
    for (unsigned i = 0; i < 4; i++) {
        int fd = open(names[i], O_RDONLY);
        NEVER(fd >= 0 && read(fd, text, sizeof text) > 0);
        fd = open(names[i], O_PATH);
        snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
        NEVER(fd >= 0 && open(text, O_RDONLY) >= 0);
    }
    snprintf(text, sizeof text, "/proc/self/root%s", setting("HOME"));
    NEVER(opendir(text));
    NEVER(opendir(setting("HOME")));
    NEVER(chdir(setting("HOME")) == 0 && opendir("."));
}
