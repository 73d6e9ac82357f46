/* The victim's semaphore. */
#include "hostile.h"
#include <sys/sem.h>

static void attack(void)
{
    struct sembuf take = {0, -1, IPC_NOWAIT};
    NEVER(semop(number("SEM"), &take, 1) == 0);
    NEVER(semctl(number("SEM"), 0, SETVAL, 0) == 0);
    NEVER(semctl(number("SEM"), 0, IPC_RMID) == 0);
    NEVER(semget(IPC_PRIVATE, 1, IPC_CREAT | 0600) >= 0);
}
