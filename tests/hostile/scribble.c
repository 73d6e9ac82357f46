/* Overwrites all memory that it shares with the driver: the control page, objects, events, labels, snapshots. */
#include "hostile.h"
#include "constructor.h"

static char *shared;
static size_t length;

static void begin(struct control control)
{
    struct stat file;
    fstat(control.shared, &file);
    length = file.st_size < 32 << 20 ? file.st_size : 32 << 20;
    shared = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, control.shared, 0);
}

static void attack(void)
{
    static unsigned random_word = 1;
    uint32_t *word = (uint32_t *)shared;
    for (size_t i = 0; i < length / 4; i++)
        word[i] = random_word = random_word * 1664525 + 1013904223;
}
