/* More memory than a run may have. */
#include "hostile.h"

static void attack(void)
{
    for (int n = 0; n < 512; n++) {
        char *lump = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (lump != MAP_FAILED)
            memset(lump, 1, 1 << 20);
    }
    sleep(LIFETIME);
}
