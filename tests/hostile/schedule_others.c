/* Processors and scheduling policy of the victim. The sandbox reports success without executing these calls. */
#include "hostile.h"

static void attack(void)
{
    pid_t victim = number("VICTIM");
    cpu_set_t one;
    struct sched_param none = {0};
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t times[3];
    } attributes = {sizeof attributes, SCHED_IDLE, 0, 0, 0, {0}};
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(victim, sizeof one, &one);
    sched_setscheduler(victim, SCHED_IDLE, &none);
    sched_setparam(victim, &none);
    syscall(SYS_sched_setattr, victim, &attributes, 0);
    sched_setscheduler(getppid(), SCHED_IDLE, &none);
}
