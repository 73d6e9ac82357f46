/* The same attacks through a program that it starts. */
#include "hostile.h"

static void attack(void)
{
    char command[8192];
    snprintf(command, sizeof command, "exec 2>/dev/null; echo x >%s; kill -9 %ld; rm -f %s; cat %s | grep -q . && exit 9; exit 3",
             at("HOME", "file"), number("VICTIM"), at("HOME", "file"), at("HOME", "secret"));
    int status = system(command);
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}
