/* The victim's ports, and the kernel's own sockets. */
#include "hostile.h"
#include <netinet/in.h>

static void attack(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
    address.sin_port = htons(number("TCP"));
    NEVER(tcp >= 0 && connect(tcp, (struct sockaddr *)&address, sizeof address) == 0);
    address.sin_port = htons(number("UDP"));
    NEVER(udp >= 0 && sendto(udp, "hello", 5, 0, (struct sockaddr *)&address, sizeof address) >= 0);
    for (int family = 0; family < 46; family++)
        NEVER(socket(family, SOCK_RAW, 0) >= 0);
}
