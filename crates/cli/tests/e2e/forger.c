/* Writes into the trace memory what no run records, in the way that its first byte of input says. The layout is that of
 * cairn-wire; a test there would be the first to notice that it changed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct layout {
    uint64_t objects, input, input_size, coverage, coverage_size, events, event_capacity, labels, label_capacity, snapshots,
        snapshot_size, log, log_capacity, callees, total;
};
struct control {
    uint64_t magic;
    uint32_t abi, mode;
    struct layout layout;
    uint32_t objects_given, objects;
    uint64_t input_used;
    uint32_t labels, events;
};
struct row { uint8_t op, width; uint16_t aux; uint32_t l1, l2, unused; uint64_t k; };
struct event { uint32_t site, label; uint64_t value; };
struct object { uint8_t kind, used; uint16_t name_len; uint32_t index; uint64_t offset, len, limit; char name[96]; };

enum { ADD = 3, XOR = 15, ZEXT = 26, READ = 48, CHECK = 2u << 28, PIN = 1u << 28, NO_SITE = (1u << 28) - 1, NAMED = 3 };

static char *trace_memory(void)
{
    char line[512], *found = 0;
    unsigned long start, end, largest = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:cairn") && sscanf(line, "%lx-%lx", &start, &end) == 2 && end - start > largest)
            largest = end - start, found = (char *)start;
    return found;
}

static struct control *control;
static struct row *rows;
static struct event *events;

static void event(uint32_t kind, uint32_t label)
{
    if (control->events < control->layout.event_capacity)
        events[control->events++] = (struct event){kind | NO_SITE, label, 1};
}

/* Snapshots that overlap: of each offset the driver would copy 20 KiB. */
static void overlapping_reads(char *memory)
{
    uint32_t *words = (uint32_t *)(memory + control->layout.snapshots);
    uint64_t offsets = (control->layout.snapshot_size - 65536) / 8;
    for (uint64_t i = 0; i < control->layout.snapshot_size / 8; i++) words[2 * i] = 4096, words[2 * i + 1] = 1;
    uint32_t index = control->labels++;
    rows[index] = (struct row){ZEXT, 64, 0, 1, 0, 0, 0};
    for (uint64_t i = 0; i < offsets && control->labels < control->layout.label_capacity; i++) {
        rows[control->labels] = (struct row){READ, 8, 0, index, 0, 0, i * 8};
        event(PIN, control->labels++);
    }
}

/* As many different expressions as there is room for, other ones in every run. */
static void full_table(unsigned seed)
{
    while (control->labels < control->layout.label_capacity) {
        uint32_t label = control->labels++;
        rows[label] = (struct row){label % 2 ? ADD : XOR, 8, 0, label - 1, label > 3 ? 1 + label * seed % (label - 1) : 1, 0, 0};
    }
    event(PIN, control->labels - 1);
}

static void full_log_of_events(uint32_t kind)
{
    while (control->events < control->layout.event_capacity) event(kind, 1);
}

static void large_object(char *memory)
{
    struct object *objects = (struct object *)(memory + control->layout.objects);
    objects[control->objects++] = (struct object){NAMED, 1, 1, 0, 0, control->layout.input_size - 4096, 0, "x"};
}

int main(void)
{
    unsigned char input[2] = {0};
    int big = 0;
    if (read(0, input, 2) < 1) return 1;
    if (input[0] > 100) big++;
    if (input[1] > 100) big++;
    char *memory = trace_memory();
    if (!memory) return 5;
    control = (struct control *)memory;
    rows = (struct row *)(memory + control->layout.labels);
    events = (struct event *)(memory + control->layout.events);
    static volatile char way = WAY;
    switch (way) {
    case 'r': overlapping_reads(memory); break;
    case 't': full_table(1 + input[0] + 2 * input[1]); break;
    case 'c': full_log_of_events(CHECK); break;
    case 'p': full_log_of_events(PIN); break;
    case 'o': large_object(memory); break;
    }
    return big;
}
