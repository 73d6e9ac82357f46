// Harness of the generated programs. With -DBRUTE the program becomes a function that main calls for every input, or for
// each file named on the command line, and that reports the probes, paths and crashes it saw. Without, main reads
// standard input once: the build that Cairn explores.
#define _GNU_SOURCE
#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

enum { PROBES = 1024 };
static u8 reached[PROBES];
static u64 trace; // hash of the probes of this run in order: names the path
static int at;    // place of the last explicit fault
static u8 in[3];
static int len;

static void program(void);
static void reset(void);
static void note_path(void);

static void probe(int n) {
    reached[n] = 1;
    trace = (trace ^ n) * 0x100000001b3ull;
}

#define FAULT(place, fault) (at = place, note_path(), fault)

#ifdef BRUTE
static sigjmp_buf next_run;

static void leave(int code) {
    probe(PROBES - 1 - code);
    note_path();
    siglongjmp(next_run, 1);
}

// A set of path hashes, and one of crashes: open addressing, 0 is empty.
static u64 paths[1 << 18], crashes[1 << 10];

static void insert(u64 *set, u64 size, u64 key) {
    u64 slot = (key ^ key >> 29) % size;
    while (set[slot] && set[slot] != key)
        slot = (slot + 1) % size;
    set[slot] = key;
}

static void note_path(void) { insert(paths, 1 << 18, trace); }

static void on_fault(int signal, siginfo_t *info, void *context) {
    extern char __executable_start, etext;
    u64 pc = (u64)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    int is_own_code = pc >= (u64)&__executable_start && pc < (u64)&etext;
    insert(crashes, 1 << 10, (is_own_code ? pc : (u64)at) << 8 | (u64)signal);
    siglongjmp(next_run, 1);
}

static void take_input(const u8 *data, int size) {
    memset(in, 0, sizeof in);
    len = 0;
    while (len < size && len < 2 && !(BY_LINE && len && in[len - 1] == '\n')) {
        in[len] = data[len];
        len++;
    }
    if (BY_LINE)
        len = (int)strlen((char *)in);
}

static void run_on(const u8 *data, int size) {
    trace = 0xcbf29ce484222325ull;
    at = 0;
    take_input(data, size);
    reset();
    if (sigsetjmp(next_run, 0) == 0) {
        program();
        leave(0);
    }
}

static void run_file(const char *name) {
    u8 data[2];
    FILE *file = fopen(name, "rb");
    if (file) {
        run_on(data, (int)fread(data, 1, 2, file));
        fclose(file);
    }
}

static void run_all(void) {
    for (int size = FIXED_LENGTH ? 2 : 0; size <= 2; size++)
        for (u32 value = 0; value < 1u << 8 * size; value++)
            run_on((u8[]){value & 255, value >> 8}, size);
}

int main(int argc, char **argv) {
    static const int faults[] = {SIGABRT, SIGFPE, SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGUSR1};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, NULL);
    alarm(120);
    for (int i = 1; i < argc; i++)
        run_file(argv[i]);
    if (argc == 1)
        run_all();
    for (int i = 0; i < PROBES; i++)
        if (reached[i])
            printf("probe %d\n", i);
    for (int i = 0; i < 1 << 18; i++)
        if (paths[i])
            printf("path 0x%llxull\n", (unsigned long long)paths[i]);
    for (int i = 0; i < 1 << 10; i++)
        if (crashes[i])
            printf("crash %d at %#llx\n", (int)(crashes[i] & 255), (unsigned long long)(crashes[i] >> 8));
    return 0;
}
#else
static void leave(int code) {
    probe(PROBES - 1 - code);
    note_path();
    exit(code);
}

static void take_input(void) {
#if BY_LINE
    len = fgets((char *)in, 3, stdin) ? (int)strlen((char *)in) : 0;
#elif BY_CHARACTER
    for (int c; len < 2 && (c = getchar()) != EOF;)
        in[len++] = (u8)c;
#elif BY_BLOCK
    len = (int)fread(in, 1, 2, stdin);
#else
    len = (int)read(0, in, 2);
#endif
}

int main(void) {
    trace = 0xcbf29ce484222325ull;
    take_input();
    reset();
    program();
    leave(0);
}
#endif
