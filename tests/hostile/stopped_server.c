/* A constructor whose process stops the fork server, kills it, and stays. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    pid_t server = getpid();
    if (fork() != 0)
        return;
    setsid();
    for (int signal_number = 1; signal_number < 65; signal_number++)
        signal(signal_number, SIG_IGN);
    usleep(200000);
    kill(server, SIGKILL);
    for (int seconds = 0; seconds < LIFETIME; seconds++)
        sleep(1);
    _exit(0);
}

static void attack(void)
{}
