/*
 * A fork server that was not made by `cairn cc`: it speaks the protocol and misbehaves on request.
 *
 * argv[1] says how to start; the first byte of standard input says what a run does.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((section("cairn_meta"), used)) static char meta[8];

struct layout {
    uint64_t objects, input, input_size, coverage, coverage_size, events, event_capacity, labels, label_capacity,
        snapshots, snapshot_size, log, log_capacity, callees, produced, reactions, total;
};

struct control {
    uint64_t magic;
    uint32_t abi, mode;
    struct layout layout;
    uint32_t objects_given, objects;
    uint64_t input_used;
    uint32_t labels, events, flags, expected_labels, expected_events, lost;
    uint64_t crash[8];
    uint64_t stale, snapshots_used, log_used, log_lost;
};

struct object {
    uint8_t kind, used;
    uint16_t name_len;
    uint32_t index;
    uint64_t offset, len, limit;
    char name[96];
};

struct label {
    uint8_t op, width;
    uint16_t aux;
    uint32_t l1, l2, unused;
    uint64_t k;
};

struct event {
    uint32_t site, label;
    uint64_t value;
};

enum { INPUT = 1, EQ = 16, SITES = 5, SIDES = 10, STDIN = 0, ARGUMENT = 2, NAMED = 3, REJECTED = 8 };

static struct control *control;
static int shared, command, status;
static volatile pid_t current;

static void *region(uint64_t offset)
{
    return (char *)control + offset;
}

static void attach(const char *descriptors)
{
    struct stat file;
    sscanf(descriptors, "%d,%d,%d", &shared, &command, &status);
    fstat(shared, &file);
    control = mmap(NULL, file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
}

static void hello(uint32_t abi)
{
    uint32_t message[] = {0x4e524943, abi, SITES, SIDES};
    if (write(status, message, sizeof message) < 0)
        exit(1);
}

/* Records "input byte 0 == 'x'" and the branch on it, as an instrumented program would. */
static void record(char first)
{
    struct label *labels = region(control->layout.labels);
    struct event *events = region(control->layout.events);
    char *coverage = region(control->layout.coverage);
    labels[1] = (struct label){.op = INPUT, .width = 8};
    labels[2] = (struct label){.op = EQ, .width = 1, .aux = 8, .l1 = 1, .k = 'x'};
    control->labels = 3;
    events[0] = (struct event){.site = 4, .label = 2, .value = first == 'x'};
    control->events = 1;
    coverage[first == 'x' ? 9 : 8] = 1;
}

static void scribble(unsigned seed)
{
    uint32_t *word = (uint32_t *)control;
    uint64_t i, mapped = control->layout.total < (64 << 20) ? control->layout.total : (64 << 20);
    for (i = 0; i < mapped / 4; i++)
        word[i] = seed = seed * 1664525 + 1013904223;
}

/* Asks for objects like `cairn_symbolic`: takes the next named one, or adds one. */
static void ask_for(const char *name, uint64_t len)
{
    struct object *objects = region(control->layout.objects);
    uint32_t i;
    for (i = 0; i < control->objects; i++)
        if (objects[i].kind == NAMED && !objects[i].used)
            break;
    if (i == control->objects) {
        memset(&objects[i], 0, sizeof objects[i]);
        control->objects++;
    }
    objects[i].kind = NAMED;
    objects[i].used = 1;
    objects[i].len = len;
    objects[i].name_len = strlen(name);
    memcpy(objects[i].name, name, strlen(name));
}

/* Prints the file named by the last argument, or the arguments that are symbolic. */
static void print_inputs(int argc, char **argv)
{
    struct object *objects = region(control->layout.objects);
    char text[100];
    uint32_t i;
    FILE *file = argc > 2 ? fopen(argv[argc - 1], "r") : NULL;
    if (file)
        printf("file:%.*s\n", (int)fread(text, 1, sizeof text, file), text);
    for (i = 0; i < control->objects; i++)
        if (objects[i].kind == ARGUMENT)
            printf("argv[%u]=%.*s\n", objects[i].index, (int)objects[i].len,
                   (char *)region(control->layout.input + objects[i].offset));
        else
            printf("object:%.*s\n", objects[i].name_len, objects[i].name);
    fprintf(stderr, "mode %u", control->mode);
}

static int run(int argc, char **argv)
{
    char first = 0;
    setpgid(0, 0);
    close(shared), close(command), close(status);
    lseek(0, 0, SEEK_SET);
    if (read(0, &first, 1) < 0)
        return 99;
    if (control->mode & 1)
        record(first);
    switch (first) {
    case 'c': control->crash[0] = 0x1234, control->crash[1] = 0x5678; raise(SIGSEGV); break;
    case 'h': for (;;) pause();
    case 'r': control->flags |= REJECTED; _exit(0);
    case 's': scribble(control->objects + 1); break;
    case 'l': if (fork() == 0) for (;;) scribble(2); break;
    case 'k': kill(getppid(), SIGKILL); for (;;) pause();
    case 'n': ask_for("one", 2), ask_for("two", 4); break;
    case 'p': print_inputs(argc, argv); break;
    case 't': signal(SIGTERM, SIG_IGN), signal(SIGINT, SIG_IGN); if (fork() == 0) for (;;) pause(); for (;;) pause();
    }
    return first == '3' ? 3 : 0;
}

/* The driver wants the run to end. It may not have come to make itself a group yet. */
static void kill_run(int signal_number)
{
    (void)signal_number;
    if (current > 0)
        kill(current, SIGKILL), kill(-current, SIGKILL);
}

int main(int argc, char **argv)
{
    char byte;
    const char *start = argc > 1 ? argv[1] : "";
    const char *descriptors = getenv("CAIRN_CONTROL");
    if (!strcmp(start, "crash")) {
        fprintf(stderr, "\nno memory for the frobnicator\nsecond line\n");
        raise(SIGSEGV);
    }
    if (!strcmp(start, "exit"))
        exit(3);
    if (!strcmp(start, "sleep"))
        for (;;) pause();
    if (!descriptors)
        return 0;
    signal(SIGUSR1, kill_run);
    attach(descriptors);
    hello(strcmp(start, "other-abi") ? control->abi : control->abi + 1);
    while (read(command, &byte, 1) == 1) {
        int wait_status, pid = fork();
        uint32_t ended[6] = {0};
        if (pid == 0)
            exit(run(argc, argv));
        current = pid;
        waitpid(pid, &wait_status, 0);
        kill(-pid, SIGKILL);
        ended[0] = wait_status;
        ended[1] = 1234;
        ended[2] = 5678;
        if (write(status, ended, sizeof ended) < 0)
            break;
    }
    return 0;
}
