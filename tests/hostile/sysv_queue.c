/* The victim's message queue. */
#include "hostile.h"
#include <sys/msg.h>

static void attack(void)
{
    struct {
        long type;
        char text[8];
    } message = {1, "forged"};
    NEVER(msgsnd(number("MSG"), &message, 8, IPC_NOWAIT) == 0);
    NEVER(msgrcv(number("MSG"), &message, 8, 0, IPC_NOWAIT) >= 0);
    NEVER(msgctl(number("MSG"), IPC_RMID, NULL) == 0);
    NEVER(msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0);
}
