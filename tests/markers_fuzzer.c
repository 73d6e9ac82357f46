/*
 * cairn-example: markers_fuzzer
 * input: stdin 0-6
 * branches: 9
 * unreachable: 1
 * faults: 1
 * fault: SIGABRT LLVMFuzzerTestOneInput
 * strategy: dfs
 * execs: 200
 *
 * A fuzz target: the program has no main.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ready;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argv;
    ready = *argc;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint16_t length;
    if (!ready)
        return 1;
    if (size < 4)
        return 0;
    if (memcmp(data, "IM", 2) != 0)
        return 0;
    memcpy(&length, data + 2, 2);
    if (length == 500)
        puts("large");
    if (length == 0x1234)
        abort();
    return 0;
}
