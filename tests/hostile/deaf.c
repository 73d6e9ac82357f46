/* A run that ignores all signals and does not end. */
#include "hostile.h"

static void attack(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    for (int seconds = 0; seconds < LIFETIME; seconds++)
        sleep(1);
}
