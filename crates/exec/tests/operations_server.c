/*
 * A fork server whose runs record the label rows that they are given on standard input:
 *
 *     operands (32 bytes) | snapshot (24 bytes) | rows, labels: numbers (u32 each) | rows (24 bytes each) | labels (u32 each)
 *
 * Each listed label becomes a concretization event. Offsets in the shared memory are arguments, so that they are written
 * down once, in crate `wire`: of the layout's labels, events and snapshots, then of the control page's counts of them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((section("cairn_meta"), used)) static char meta[8];

enum { OPERANDS = 32, SNAPSHOT = 24, ROW = 24, ABI = 8, NO_SITE = 0x1fffffff /* kind 1 << 28 */ };

static char *control;
static char **offsets;
static int status;

static void *control_field(int argument)
{
    return control + atol(offsets[argument]);
}

static void *region(int argument)
{
    return control + *(uint64_t *)control_field(argument);
}

static int run(void)
{
    static char input[1 << 16];
    uint32_t counts[2], i;
    long size = 0, got;
    char *rows = input + OPERANDS + SNAPSHOT + sizeof counts;
    lseek(0, 0, SEEK_SET);
    while ((got = read(0, input + size, sizeof input - size)) > 0)
        size += got;
    memcpy(counts, input + OPERANDS + SNAPSHOT, sizeof counts);
    if (size != rows + counts[0] * ROW + counts[1] * 4 - input)
        return 1;
    memcpy(region(2), input + OPERANDS, SNAPSHOT);
    memcpy((char *)region(0) + ROW, rows, counts[0] * ROW);
    for (i = 0; i < counts[1]; i++) {
        uint32_t event[4] = {NO_SITE};
        memcpy(event + 1, rows + counts[0] * ROW + 4 * i, 4);
        memcpy((char *)region(1) + sizeof event * i, event, sizeof event);
    }
    *(uint32_t *)control_field(3) = counts[0] + 1;
    *(uint32_t *)control_field(4) = counts[1];
    *(uint64_t *)control_field(5) = SNAPSHOT;
    return 0;
}

int main(int argc, char **argv)
{
    char byte;
    int shared, command;
    struct stat file;
    uint32_t hello[] = {0x4e524943, 0, 1, 1};
    const char *descriptors = getenv("CAIRN_CONTROL");
    if (!descriptors || argc < 7 || sscanf(descriptors, "%d,%d,%d", &shared, &command, &status) != 3)
        return 1;
    offsets = argv + 1;
    fstat(shared, &file);
    control = mmap(NULL, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    hello[1] = *(uint32_t *)(control + ABI);
    if (write(status, hello, sizeof hello) < 0)
        return 1;
    while (read(command, &byte, 1) == 1) {
        uint32_t ended[6] = {0};
        int wait_status, child = fork();
        if (child == 0)
            _exit(run());
        waitpid(child, &wait_status, 0);
        ended[0] = wait_status;
        if (write(status, ended, sizeof ended) < 0)
            break;
    }
    return 0;
}
