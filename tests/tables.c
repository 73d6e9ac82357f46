/*
 * cairn-example: tables
 * input: stdin 4
 * branches: 53
 * unreachable: 1
 * faults: 1
 * fault: SIGSEGV outside
 * strategy: dfs
 * execs: 200
 *
 * Values read at symbolic addresses: from tables that are constant, written to, hold input themselves, are made
 * of structs, have two dimensions, or lie on the heap, on the stack, or behind a pointer; from a table larger
 * than one snapshot; and past the end of one. Out of reach: a short read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    char tag[3];
    short id;
    int values[4];
};

static const unsigned char digits[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 42 };
static const long long wide[9] = { 0, 1, -1, 1LL << 40, 5, 7, 1LL << 62, 9, 11 };
static struct record records[5];
static int grid[4][6];
static int large[5000];
static unsigned char mixed[8];

static int look_up(const int *table, unsigned index)
{
    return table[index];
}

static int value_of(const struct record *record, unsigned index)
{
    return record->values[index];
}

static int on_stack(unsigned index)
{
    int table[10];
    for (int i = 0; i < 10; i++)
        table[i] = i * 7 % 10;
    return table[index];
}

static void fill(void)
{
    for (int i = 0; i < 5; i++) {
        memcpy(records[i].tag, &"abcdefghijklmno"[3 * i], 3);
        records[i].id = 3 * i;
        for (int j = 0; j < 4; j++)
            records[i].values[j] = 10 * i + j;
    }
    for (int i = 0; i < 24; i++)
        grid[i / 6][i % 6] = i * i;
    for (int i = 0; i < 5000; i++)
        large[i] = i % 1000 == 321 ? i : 0;
}

static void constant_tables(unsigned char a, unsigned char b)
{
    if (digits[a & 15] == 42)
        puts("constant");
    if (wide[b % 9] == 1LL << 62)
        puts("wide");
    if ("0123456789abcdef"[a >> 4] == 'c')
        puts("literal");
}

static void changing_tables(unsigned char a, unsigned char b, unsigned char c)
{
    if (records[a % 5].values[b % 4] == 32)
        puts("struct");
    if (records[a % 5].tag[1] == 'n')
        puts("member");
    if (grid[a & 3][b % 6] == 196)
        puts("grid");
    mixed[3] = c;
    mixed[5] = c + 1;
    if (mixed[b & 7] == 99)
        puts("input in the table");
    mixed[5] = 7;
    if (mixed[b & 7] == 7 && c == 5)
        puts("changed in between");
}

static void elsewhere(unsigned char a, unsigned char b, unsigned char c)
{
    short *block = malloc(20 * sizeof *block);
    for (int i = 0; i < 20; i++)
        block[i] = i == 13 ? 1234 : i;
    if (block[a % 20] == 1234)
        puts("heap");
    if ((block + 8)[(int)(b % 8) - 4] == 9)
        puts("middle of a block");
    free(block);
    if (on_stack(c % 10) == 8)
        puts("stack");
    if (look_up(grid[2], b % 6) == 225)
        puts("behind a pointer");
    if (value_of(&records[3], c & 3) == 33)
        puts("member behind a pointer");
}

static int outside(unsigned char a)
{
    return grid[0][(long)a << 40];
}

int main(void)
{
    unsigned char in[4];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    fill();
    switch (in[0]) {
    case 'c':
        constant_tables(in[1], in[2]);
        break;
    case 'w':
        changing_tables(in[1], in[2], in[3]);
        break;
    case 'e':
        elsewhere(in[1], in[2], in[3]);
        break;
    case 'l':
        if (large[(in[1] | in[2] << 8) % 5000] == 3321)
            puts("large");
        break;
    case 'o':
        return outside(in[1]);
    }
    return 0;
}
