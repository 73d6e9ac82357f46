/* Sends its hello, and nothing more. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    uint32_t hello[4] = {0x4e524943, abi(control.shared), sites(), sides()};
    write(control.status, hello, sizeof hello);
    write(control.status, hello, 3);
    for (int signal_number = 1; signal_number < 65; signal_number++)
        signal(signal_number, SIG_IGN);
    for (int seconds = 0; seconds < LIFETIME; seconds++)
        sleep(1);
    _exit(0);
}

static void attack(void)
{}
