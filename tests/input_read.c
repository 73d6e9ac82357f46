/*
 * cairn-example: input_read
 * input: stdin 0-10
 * branches: 28
 * unreachable: 2
 * faults: 1
 * fault: SIGABRT scattered
 * strategy: dfs
 * execs: 100
 *
 * Reads by descriptor: complete, short, empty; into one buffer and into several.
 * Out of reach: a read that fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* Until the end, in pieces of three. */
static void loop(void)
{
    char piece[3];
    ssize_t got;
    int pieces = 0, all = 0;
    while ((got = read(0, piece, sizeof piece)) > 0) {
        pieces++;
        all += (int)got;
    }
    if (got < 0)
        puts("failed");
    if (pieces == 3 && all == 7)
        puts("seven in three");
    if (all == 6)
        puts("two full pieces");
}

static void scattered(void)
{
    char head[2], body[4];
    struct iovec parts[] = {{head, sizeof head}, {body, sizeof body}};
    ssize_t got = readv(0, parts, 2);
    if (got == 5)
        puts("five of six");
    if (got == 6 && head[1] == 'h' && body[3] == 'b')
        abort();
}

static void ahead(void)
{
    char last;
    if (pread(0, &last, 1, 7) == 1 && last == '.')
        puts("the eighth is a full stop");
    if (lseek(0, 0, SEEK_CUR) != 1)
        puts("moved");
}

int main(void)
{
    char way;
    if (read(0, &way, 1) != 1)
        return 0;
    if (way == 'l')
        loop();
    else if (way == 's')
        scattered();
    else
        ahead();
    return 0;
}
