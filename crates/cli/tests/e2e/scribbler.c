/*
 * A program that destroys everything Cairn keeps in its process, each time in another way: the first byte of the
 * input says how. It goes on deciding afterwards, and has one honest crash.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first words of the control page, as crates/wire/src/control.rs has them. */
struct control {
    uint64_t magic;
    uint32_t abi, mode;
    uint64_t objects, input, input_size, coverage, coverage_size, events, event_capacity, labels, label_capacity,
        snapshots, snapshot_size, total;
    uint32_t objects_given, objects_now;
    uint64_t input_used;
    uint32_t labels_used, events_used;
};

struct entry {
    uint8_t op, width;
    uint16_t aux;
    uint32_t left, right, next;
    uint64_t constant;
};

struct event {
    uint32_t site, label;
    uint64_t value;
};

#define SHADOW ((char *)0x100000000000) /* crates/wire/src/shadow.rs */

struct mapping {
    char *start, *end;
    char access[8], name[256];
};

static int next_mapping(FILE *maps, struct mapping *found)
{
    char line[512];
    found->name[0] = '\0';
    return fgets(line, sizeof line, maps)
           && sscanf(line, "%p-%p %7s %*s %*s %*s %255[^\n]", (void **)&found->start, (void **)&found->end,
                     found->access, found->name) >= 3;
}

static struct control *shared(void)
{
    struct mapping each;
    struct control *largest = NULL;
    size_t size = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && next_mapping(maps, &each))
        if (strstr(each.name, "memfd:cairn") && (size_t)(each.end - each.start) > size) {
            size = (size_t)(each.end - each.start);
            largest = (struct control *)each.start;
        }
    fclose(maps);
    return largest;
}

static void scribble(char *at, uint64_t size, int byte)
{
    memset(at, byte, size < 1 << 20 ? size : 1 << 20);
}

/* Memory that the runtime has reserved for itself: large, anonymous, and neither heap nor stack. */
static void over_private_memory(int byte)
{
    struct mapping each;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && next_mapping(maps, &each))
        if (strcmp(each.access, "rw-p") == 0 && each.name[0] == '\0' && each.end - each.start >= 1 << 24
            && each.start != SHADOW)
            scribble(each.start, (uint64_t)(each.end - each.start), byte);
    fclose(maps);
}

/* A recording that makes sense and is as bad as can be: a value two thousand operations deep, decided on. */
static void forge(struct control *control)
{
    enum { INPUT = 1, ADD = 3, XOR = 15, PIN = 1, NO_SITE = (1 << 28) - 1, DEEP = 2000, EVENTS = 2 };
    struct entry *entries = (struct entry *)((char *)control + control->labels);
    struct event *events = (struct event *)((char *)control + control->events) + control->events_used;
    uint32_t i, first = control->labels_used, label = first;
    entries[label] = (struct entry){INPUT, 8, 0, 0, 0, 0, 2};
    for (i = 0; i < DEEP; i++) {
        label++;
        entries[label] = (struct entry){i % 2 ? ADD : XOR, 8, 0, label - 1, i % 2 ? 0 : first, 0, 7};
    }
    for (i = 0; i < EVENTS; i++)
        events[i] = (struct event){PIN << 28 | NO_SITE, label - i, 1};
    control->labels_used = label + 1;
    control->events_used += EVENTS;
}

static void harm(char how)
{
    struct control *control = shared();
    char *base = (char *)control;
    int descriptor;
    if (!control)
        return;
    switch (how) {
    case 'a':
        scribble(base, 4096, 0xff);
        break;
    case 'b':
        scribble(base, 4096, 0);
        break;
    case 'c':
        scribble(base + control->objects, 1 << 16, 0xff);
        control->objects_now = 500;
        break;
    case 'd':
        scribble(base + control->input, control->input_size, 'x');
        break;
    case 'e':
        scribble(base + control->coverage, control->coverage_size, 1);
        break;
    case 'f':
        scribble(base + control->events, 1 << 16, 0xa5);
        control->events_used = (uint32_t)control->event_capacity;
        break;
    case 'g':
        scribble(base + control->labels, 1 << 20, 0x33);
        control->labels_used = (uint32_t)control->label_capacity;
        break;
    case 'h':
        scribble(base + control->snapshots, control->snapshot_size, 0x77);
        break;
    case 'i':
        forge(control);
        break;
    case 'j':
        scribble(SHADOW + 4 * ((uintptr_t)&control & 0xfffffffffff) - 2048, 4096, 0x5a);
        break;
    case 'k':
        over_private_memory(0xff);
        break;
    case 'l':
        for (descriptor = 0; descriptor < 1024; descriptor++)
            close(descriptor);
        break;
    case 'm':
        mmap(base, control->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
             0);
        break;
    case 'n':
        munmap(base, control->total);
        break;
    case 'o':
        if (fork() == 0)
            for (;;)
                scribble(base, 1 << 20, rand());
        break;
    case 'p':
        kill(getppid(), SIGKILL);
        break;
    }
}

int main(void)
{
    char input[3] = "";
    if (read(STDIN_FILENO, input, sizeof input) != sizeof input)
        return 1;
    harm(input[0]);
    if (input[1] == 'x' && input[2] > 'a')
        puts("decided");
    if (input[0] == 'z' && input[1] == '!')
        abort();
    return 0;
}
