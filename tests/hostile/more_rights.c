/* Rights that a program on disk would give. */
#include "hostile.h"

static void attack(void)
{
    MUST(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    NEVER(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
    NEVER(setuid(0) == 0);
    NEVER(setgid(0) == 0);
    uint32_t header[2] = {0x20080522, 0}, sets[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    REFUSED(SYS_capset, header, sets);
    MUST(syscall(SYS_capget, header, sets) == 0);
    NEVER(sets[0] || sets[1] || sets[3] || sets[4]);
}
