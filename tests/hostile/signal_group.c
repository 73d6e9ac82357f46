/* Joins the groups of others, and signals the whole group. */
#include "hostile.h"

static void attack(void)
{
    pid_t groups[] = {number("VICTIM"), getpgid(getppid()), getsid(0), 1};
    signal(SIGTERM, SIG_IGN);
    for (unsigned i = 0; i < 4; i++)
        if (groups[i] > 0 && setpgid(0, groups[i]) == 0)
            kill(0, SIGTERM);
}
