/* Sets the counts in the control page to full tables. */
#include "hostile.h"
#include "constructor.h"

static char *shared;
static size_t length;

static void begin(struct control control)
{
    length = 4096;
    shared = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, control.shared, 0);
}

static void attack(void)
{
    /* Everything behind the layout: counts, flags, addresses. */
    memset(shared + 136, 0xff, 256);
}
