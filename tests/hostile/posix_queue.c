/* The victim's POSIX queue. */
#include "hostile.h"
#include <mqueue.h>

static void attack(void)
{
    NEVER(mq_open(setting("MQ"), O_RDWR) >= 0);
    NEVER(mq_unlink(setting("MQ")) == 0);
    NEVER(mq_open("/cairn-hostile-new", O_CREAT | O_RDWR, 0600, NULL) >= 0);
}
