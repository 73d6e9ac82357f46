/* A signal to all processes, from a child of its own. */
#include "hostile.h"

static void attack(void)
{
    /* The signal includes the sender. */
    signal(SIGUSR1, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        kill(-1, SIGUSR1);
        kill(-1, SIGTERM);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}
