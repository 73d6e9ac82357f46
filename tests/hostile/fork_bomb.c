/* Every process forks, a thousand times at most. */
#include "hostile.h"

static void attack(void)
{
    _Atomic int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (++*count < 1000)
        if (fork() == 0)
            alarm(LIFETIME);
    for (;;)
        pause();
}
