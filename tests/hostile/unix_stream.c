/* The victim's stream socket. */
#include "hostile.h"

static void attack(void)
{
    struct sockaddr_un address = {AF_UNIX, ""};
    strcpy(address.sun_path, setting("STREAM"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), pair[2];
    NEVER(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    NEVER(connect(pair[0], (struct sockaddr *)&address, sizeof address) == 0);
    strcpy(address.sun_path, at("TMPDIR", "mine"));
    NEVER(bind(pair[0], (struct sockaddr *)&address, sizeof address) == 0);
}
