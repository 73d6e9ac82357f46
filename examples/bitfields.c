/*
 * cairn-example: bitfields
 * input: named
 * branches: 33
 * unreachable: 1
 * faults: 1
 * fault: SIGSEGV forward
 * strategy: dfs
 * execs: 200
 *
 * Routes a packet whose header is packed into bit-fields, with an address that is read as octets, as
 * two signed halves and as one word.
 *
 * The fault: an urgent packet may go to a private address, for which there is no route.
 *
 * Out of reach: a hop count above 31 (the field has five bits).
 */
#include "cairn.h"

#include <stdint.h>
#include <stdio.h>

#define NEWEST_VERSION 4

union address {
    uint8_t octets[4];
    int16_t halves[2];
    uint32_t word;
};

struct packet {
    unsigned version : 3;
    unsigned urgent : 1;
    signed delay : 4;
    unsigned hops : 5;
    unsigned reserved : 3;
    uint16_t size;
    union address address;
};

struct route {
    const char *name;
    int cost;
};

static const struct route loopback = {"loopback", 0};
static const struct route uplink = {"uplink", 10};

static const char *validate(struct packet packet)
{
    if (packet.version == 0 || packet.version > NEWEST_VERSION)
        return "unknown version";
    if (packet.reserved != 0)
        return "reserved bits are set";
    if (packet.hops == 0)
        return "no hop is left";
    if (packet.hops > 31)
        return "too many hops";
    if (packet.delay < 0 && !packet.urgent)
        return "only urgent packets are early";
    if (packet.size < sizeof packet)
        return "too small";
    return NULL;
}

static int is_private(const union address *address)
{
    return address->octets[0] == 10 || (address->octets[0] == 192 && address->octets[1] == 168);
}

static const struct route *find_route(const struct packet *packet)
{
    const union address *address = &packet->address;
    if (address->word == 0x0100007fu)
        return &loopback;
    if (address->halves[1] < 0 && address->halves[0] == 0)
        return &loopback;
    if (is_private(address) && packet->delay < -5)
        return NULL;
    return &uplink;
}

static int forward(struct packet *packet)
{
    const struct route *volatile route = find_route(packet);
    packet->hops--;
    packet->delay = packet->delay + 1; /* seven wraps around to minus eight */
    if (packet->delay == -8)
        printf("late\n");
    return route->cost + packet->hops;
}

int main(void)
{
    struct packet packet;
    const char *problem;
    cairn_symbolic(&packet, sizeof packet, "packet");
    problem = validate(packet);
    if (problem != NULL) {
        printf("%s\n", problem);
        return 1;
    }
    printf("cost %d\n", forward(&packet));
    return 0;
}
