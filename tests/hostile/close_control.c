/* Closes all descriptors, and reuses their numbers. */
#include "hostile.h"

static void attack(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 3; fd < 1024; fd++)
        if (fd != null)
            dup2(null, fd);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}
