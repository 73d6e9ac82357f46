/*
 * cairn_fuzzer.c: the main function of a fuzz target, that is, of a program that defines
 * LLVMFuzzerTestOneInput instead.
 *
 * The target is called once for each file that is an argument, or else for the contents of standard input.
 * Not to be compiled by itself: plain builds get it through cairn_replay.c, instrumented ones from Cairn's
 * own library. It is weak: the program's own main takes precedence.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((__weak__)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((__weak__)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Calls in a model are not redirected to models, so they are named explicitly. */
#ifdef CAIRN_INSTRUMENTED
ssize_t __cairn_w_read(int descriptor, void *to, size_t size);
#define READ __cairn_w_read
#else
#define READ read
#endif

#define MAX_SIZE (1 << 20)

/*
 * Buffer of exactly the size of the largest input: the length is symbolic, and must not become the size of a
 * block. Allocated on use, so that other programs do not pay for it.
 */
static uint8_t *data;

/* Reads up to `size` bytes of input for the target. */
__attribute__((__visibility__("hidden"))) size_t __cairn_m_fuzzer_input(int descriptor, uint8_t *to, size_t size)
{
    size_t used = 0;
    ssize_t got;
    do {
        got = READ(descriptor, to + used, size - used);
        if (got > 0)
            used += (size_t)got;
    } while (got > 0 && used < size);
    return used;
}

static int run_file(const char *path)
{
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) {
        perror(path);
        return 1;
    }
    LLVMFuzzerTestOneInput(data, __cairn_m_fuzzer_input(descriptor, data, MAX_SIZE));
    close(descriptor);
    return 0;
}

__attribute__((__weak__)) int main(int argc, char **argv)
{
    int i, failed = 0;
    if (!LLVMFuzzerTestOneInput) {
        fputs("cairn: the program has neither a main function nor LLVMFuzzerTestOneInput\n", stderr);
        return 2;
    }
    data = mmap(NULL, MAX_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) {
        perror("cairn: no memory for the input");
        return 2;
    }
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (argc < 2)
        LLVMFuzzerTestOneInput(data, __cairn_m_fuzzer_input(STDIN_FILENO, data, MAX_SIZE));
    for (i = 1; i < argc; i++)
        failed |= run_file(argv[i]);
    return failed;
}
