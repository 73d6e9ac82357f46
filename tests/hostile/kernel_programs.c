/* Parts of the kernel that no ordinary program needs. */
#include "hostile.h"

static void attack(void)
{
    char attributes[128] = "";
    REFUSED(SYS_bpf, 0, attributes, sizeof attributes);
    REFUSED(SYS_perf_event_open, attributes, 0, -1, -1, 0);
    REFUSED(SYS_userfaultfd, 1);
    REFUSED(SYS_move_pages, number("VICTIM"), 0, NULL, NULL, NULL, 0);
    REFUSED(SYS_migrate_pages, number("VICTIM"), 0, NULL, NULL);
    NEVER(prctl(62 /* PR_SCHED_CORE */, 2, number("VICTIM"), 0, 0) == 0);
}
