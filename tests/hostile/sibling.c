/* A child of the fork server, created by the run. */
#include "hostile.h"

static void attack(void)
{
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) != 0)
        return;
    setsid();
    for (int seconds = 0; seconds < LIFETIME; seconds++)
        sleep(1);
    _exit(0);
}
