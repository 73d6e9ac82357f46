/* The machine itself: its clock, name, power, modules and accounts. */
#include "hostile.h"
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

static void attack(void)
{
    struct timeval now = {0, 0};
    struct timespec then = {0, 0};
    struct timex adjustment = {.modes = ADJ_OFFSET};
    NEVER(settimeofday(&now, NULL) == 0);
    NEVER(clock_settime(CLOCK_REALTIME, &then) == 0);
    NEVER(adjtimex(&adjustment) >= 0);
    NEVER(sethostname("hostile", 7) == 0);
    NEVER(setdomainname("hostile", 7) == 0);
    REFUSED(SYS_reboot, 0xfee1dead, 672274793, 0 /* ctrl-alt-del off */, NULL);
    REFUSED(SYS_init_module, "", 0, "");
    REFUSED(SYS_delete_module, "none", O_NONBLOCK);
    REFUSED(SYS_kexec_load, 0, 0, NULL, 0);
    REFUSED(SYS_swapoff, "/none");
    REFUSED(SYS_acct, NULL);
    REFUSED(SYS_syslog, 3, NULL, 0);
    REFUSED(SYS_iopl, 3);
    REFUSED(SYS_ioperm, 0x80, 1, 1);
    REFUSED(SYS_vhangup);
    REFUSED(SYS_quotactl, 0, NULL, 0, NULL);
}
