/* Settings of the machine in /proc and /sys. */
#include "hostile.h"

static void attack(void)
{
    static const char *const files[] = {"/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches",
                                        "/proc/sysrq-trigger", "/sys/power/state", "/sys/kernel/mm/ksm/run", "/dev/kmsg",
                                        "/dev/mem", "/proc/self/uid_map", "/proc/self/oom_score_adj"};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        NEVER(open(files[i], O_WRONLY) >= 0);
}
