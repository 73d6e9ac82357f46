/* The victim's shared memory. */
#include "hostile.h"
#include <sys/shm.h>

static void attack(void)
{
    char *memory = shmat(number("SHM"), NULL, 0);
    if (memory != (void *)-1)
        strcpy(memory, "forged");
    NEVER(memory != (void *)-1);
    NEVER(shmctl(number("SHM"), IPC_RMID, NULL) == 0);
    NEVER(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
}
