/*
 * cairn-example: concretized
 * input: stdin 4
 * branches: 17
 * unreachable: 2
 * faults: 1
 * fault: SIGSEGV wild
 * strategy: dfs
 * execs: 100
 *
 * Concretized values are tried with other constants: the address of a store, the size of a copy or an
 * allocation, and an address that the input chooses. Out of reach: a short read, and
 * the code behind an access to an address that cannot be read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int slots[12];

static void write_to(unsigned char at)
{
    slots[at % 12] = 1;
    if (slots[7])
        puts("the seventh");
}

static void copy(unsigned char count)
{
    char from[8] = "ABCDEFG", to[8] = "abcdefg";
    memcpy(to, from, count & 7);
    if (to[5] == 'F' && to[6] == 'g')
        puts("six");
}

static void allocate(const unsigned char *in)
{
    int8_t size = (int8_t)in[1];
    char *block = malloc((size_t)(long)size);
    if (!block)
        puts("no room");
    else if (size == 100)
        puts("hundred bytes");
    free(block);
}

static void wild(const unsigned char *in)
{
    static int value = 5;
    uintptr_t address = (uintptr_t)&value + ((uintptr_t)(in[1] & 1) << 46);
    if (*(volatile int *)address != 5)
        puts("what");
}

int main(void)
{
    unsigned char in[4];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    switch (in[0]) {
    case 's':
        write_to(in[1]);
        break;
    case 'c':
        copy(in[1]);
        break;
    case 'a':
        allocate(in);
        break;
    case 'w':
        wild(in);
        break;
    }
    return 0;
}
