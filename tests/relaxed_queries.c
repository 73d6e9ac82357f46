/*
 * cairn-example: relaxed_queries
 * input: stdin 8
 * branches: 18
 * unreachable: 1
 * faults: 0
 * strategy: dfs
 * execs: 400
 *
 * Branches on a value that was concretized before: as the address of a store, as the size of a block, as a
 * number of bytes to fill. The constant excludes them; a relaxed query tries another one. Out of reach: a short
 * read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char table[65536];

static void store(uint16_t at)
{
    table[at] = 1;
    if (at == 40000)
        puts("stored");
}

/* Small enough for the block to be on the heap. */
static void allocate(uint16_t count, char kind)
{
    count &= 0xfff;
    int *block = malloc(count * sizeof *block + sizeof *block);
    block[count] = 7;
    if (count == 4000 && kind == 'x')
        puts("allocated");
    if (kind == 'y')
        puts("of the other kind");
    free(block);
}

static void fill(size_t count)
{
    memset(table, 1, count);
    switch (count) {
    case 30000:
        puts("filled");
        break;
    case 30001:
        puts("filled with one more");
        break;
    }
}

int main(void)
{
    struct { uint16_t at, count, size; char kind, what; } in;
    if (read(STDIN_FILENO, &in, sizeof in) != sizeof in)
        return 1;
    if (in.what == 's')
        store(in.at);
    else if (in.what == 'a')
        allocate(in.count, in.kind);
    else if (in.what == 'f')
        fill(in.size);
    return 0;
}
