/* The fork server and all its ancestors. */
#include "hostile.h"

static void attack(void)
{
    pid_t above[] = {getppid(), 1, 2, getpgid(getppid()), getsid(0)};
    for (unsigned i = 0; i < 5; i++) {
        if (above[i] <= 0 || above[i] == getpid())
            continue;
        NEVER(kill(above[i], SIGSTOP) == 0);
        NEVER(kill(above[i], SIGKILL) == 0);
        NEVER(kill(above[i], SIGUSR1) == 0);
    }
}
