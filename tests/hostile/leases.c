/* Leases, notifications and locks on files that are not its own. */
#include "hostile.h"

static void attack(void)
{
    int fd = open(".", O_RDONLY), own = open("/proc/self/exe", O_RDONLY);
    NEVER(fcntl(own, F_SETLEASE, F_RDLCK) == 0);
    NEVER(fcntl(fd, F_NOTIFY, DN_MODIFY | DN_MULTISHOT) == 0);
}
