/* The user's key ring. */
#include "hostile.h"

static void attack(void)
{
    REFUSED(SYS_add_key, "user", "hostile", "x", 1, -4 /* the user's */);
    REFUSED(SYS_keyctl, 0, -4, 1);
    REFUSED(SYS_request_key, "user", "hostile", NULL, 0);
}
