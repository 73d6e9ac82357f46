/* Impersonates the fork server, with the victim's process id in every word. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    uint32_t hello[4] = {0x4e524943, abi(control.shared), sites(), sides()};
    int32_t ended[6];
    char command;
    write(control.status, hello, sizeof hello);
    for (unsigned i = 0; i < 6; i++)
        ended[i] = number("VICTIM");
    while (read(control.command, &command, 1) == 1)
        write(control.status, ended, sizeof ended);
    _exit(0);
}

static void attack(void)
{}
