/* Writes garbage to all descriptors. */
#include "hostile.h"
#include <signal.h>

static void attack(void)
{
    /* The reader of a pipe may close it before this loop ends: SIGPIPE would end the run. */
    signal(SIGPIPE, SIG_IGN);
    for (int fd = 3; fd < 1024; fd++)
        if (write(fd, "garbage garbage garbage garbage", 31) < 0)
            continue;
}
