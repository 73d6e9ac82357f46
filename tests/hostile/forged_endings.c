/* Impersonates the fork server: every run ends with another invalid status. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    uint32_t hello[4] = {0x4e524943, abi(control.shared), sites(), sides()}, ended[6], word = 1;
    char command;
    write(control.status, hello, sizeof hello);
    while (read(control.command, &command, 1) == 1) {
        for (unsigned i = 0; i < 6; i++)
            ended[i] = word = word * 1664525 + 1013904223;
        ended[0] &= 0x7fffffff;
        write(control.status, ended, sizeof ended);
    }
    _exit(0);
}

static void attack(void)
{}
