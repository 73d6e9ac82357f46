/* Claims that the program has four billion branches. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    uint32_t hello[4] = {0x4e524943, abi(control.shared), ~0u, sides()};
    write(control.status, hello, sizeof hello);
    sleep(LIFETIME);
}

static void attack(void)
{}
