/*
 * cairn-example: crc
 * input: stdin 16
 * branches: 17
 * unreachable: 1
 * faults: 0
 * strategy: random-branch
 * execs: 60
 *
 * Sixteen bytes through a table-driven checksum: values are right, sums of a byte or two are solved for, and
 * branches that do not depend on a sum are reached behind it. Out of reach: a short read.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t table[256];

static void prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = value;
    }
}

static uint32_t crc(const unsigned char *bytes, int count)
{
    uint32_t sum = ~0u;
    for (int i = 0; i < count; i++)
        sum = table[(sum ^ bytes[i]) & 0xff] ^ sum >> 8;
    return ~sum;
}

int main(void)
{
    unsigned char in[16];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    prepare();
    uint32_t all = crc(in, 16);
    printf("%08x\n", (unsigned)all);
    if (crc(in, 1) == 0xe8b7be43u)
        puts("a");
    if (crc(in + 1, 2) >> 24 == 0x5a)
        puts("two bytes");
    if (in[15] == 'z' && in[14] == 'y')
        puts("the end");
    return 0;
}
