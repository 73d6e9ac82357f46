/* A constructor that truncates the shared memory, and punches holes into it. */
#include "hostile.h"
#include "constructor.h"

static void begin(struct control control)
{
    NEVER(ftruncate(control.shared, 0) == 0);
    NEVER(ftruncate(control.shared, 1L << 40) == 0);
    NEVER(fcntl(control.shared, F_ADD_SEALS, F_SEAL_WRITE) == 0);
    fallocate(control.shared, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1 << 20, 1 << 20);
}

static void attack(void)
{}
