/* Priorities of all processes and of the victim. */
#include "hostile.h"

static void attack(void)
{
    pid_t victim = number("VICTIM");
    NEVER(setpriority(PRIO_USER, 0, 15) == 0);
    NEVER(setpriority(PRIO_USER, getuid(), 15) == 0);
    NEVER(setpriority(PRIO_PGRP, 0, 15) == 0);
    NEVER(setpriority(PRIO_PGRP, victim, 15) == 0);
    NEVER(setpriority(PRIO_PROCESS, victim, 15) == 0);
    for (int which = 1; which <= 3; which++)
        REFUSED(SYS_ioprio_set, which, which == 3 ? (long)getuid() : victim, 3 << 13);
    REFUSED(SYS_ioprio_set, 3, 0, 3 << 13);
    MUST(setpriority(PRIO_PROCESS, 0, 10) == 0);
    MUST(syscall(SYS_ioprio_set, 1, 0, 3 << 13) == 0);
}
