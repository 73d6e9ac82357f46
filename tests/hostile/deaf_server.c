/* Sends unrequested replies, and never reads a command. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    uint32_t hello[4] = {0x4e524943, abi(control.shared), sites(), sides()}, ended[6] = {0};
    write(control.status, hello, sizeof hello);
    alarm(LIFETIME);
    for (;;)
        write(control.status, ended, sizeof ended);
}

static void attack(void)
{}
