/* System calls made asynchronously by the kernel. */
#include "hostile.h"

static void attack(void)
{
    char parameters[512] = "";
    REFUSED(425 /* io_uring_setup */, 8, parameters);
}
