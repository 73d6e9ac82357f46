/* A process of a constructor that fills the pipe to the driver. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    static char garbage[65536];
    if (fork() != 0)
        return;
    setsid();
    alarm(LIFETIME);
    for (;;)
        if (write(control.status, garbage, sizeof garbage) < 0)
            _exit(0);
}

static void attack(void)
{}
