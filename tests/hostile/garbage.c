/* Writes garbage to all descriptors. */
#include "hostile.h"

static void attack(void)
{
    for (int fd = 3; fd < 1024; fd++)
        if (write(fd, "garbage garbage garbage garbage", 31) < 0)
            continue;
}
