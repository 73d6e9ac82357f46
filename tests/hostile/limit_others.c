/* Limits of the victim. */
#include "hostile.h"

static void attack(void)
{
    struct rlimit few = {8, 8};
    NEVER(prlimit(number("VICTIM"), RLIMIT_NOFILE, &few, NULL) == 0);
    NEVER(prlimit(getppid(), RLIMIT_NOFILE, &few, NULL) == 0);
}
