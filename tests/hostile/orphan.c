/* A daemon that ignores what it can, and outlives its run. */
#include "hostile.h"

static void attack(void)
{
    if (fork() != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int signal_number = 1; signal_number < 65; signal_number++)
        signal(signal_number, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, 0);
    prctl(PR_SET_DUMPABLE, 0);
    for (int seconds = 0; seconds < LIFETIME; seconds++)
        sleep(1);
    _exit(0);
}
