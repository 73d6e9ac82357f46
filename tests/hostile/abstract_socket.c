/* The victim's abstract socket. */
#include "hostile.h"

static void attack(void)
{
    struct sockaddr_un address = {AF_UNIX, ""};
    strcpy(address.sun_path + 1, setting("ABSTRACT"));
    socklen_t length = sizeof(sa_family_t) + 1 + strlen(setting("ABSTRACT"));
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0), pair[2] = {-1, -1};
    if (fd < 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0)
        fd = pair[0];
    NEVER(fd >= 0 && sendto(fd, "hello", 5, 0, (struct sockaddr *)&address, length) >= 0);
}
