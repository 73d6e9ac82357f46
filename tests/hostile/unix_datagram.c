/* The victim's datagram socket, from a pair of its own. */
#include "hostile.h"

static void attack(void)
{
    static const int types[] = {SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET, SOCK_STREAM};
    struct sockaddr_un address = {AF_UNIX, ""};
    strcpy(address.sun_path, setting("DGRAM"));
    for (unsigned i = 0; i < 4; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, types[i], 0, pair) < 0)
            continue;
        struct iovec text = {"hello", 5};
        struct msghdr message = {&address, sizeof address, &text, 1, NULL, 0, 0};
        struct mmsghdr messages = {message, 0};
        NEVER(sendto(pair[0], "hello", 5, 0, (struct sockaddr *)&address, sizeof address) >= 0);
        sendmsg(pair[0], &message, MSG_NOSIGNAL);
        sendmmsg(pair[0], &messages, 1, MSG_NOSIGNAL);
        close(pair[1]);
        sendmsg(pair[0], &message, MSG_NOSIGNAL);
        NEVER(connect(pair[0], (struct sockaddr *)&address, sizeof address) == 0);
    }
}
