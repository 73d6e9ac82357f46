/* A ring buffer of numbers, driven by lines of text: numbers are added and removed, it grows, wraps, is searched as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    int *slots;
    unsigned capacity, head, count;
};

static int *slot(struct ring *ring, unsigned index)
{
    return &ring->slots[(ring->head + index) % ring->capacity];
}

/* Adds a number, replacing the oldest if the buffer is full. */
static void push(struct ring *ring, int number)
{
    if (ring->count == ring->capacity)
        ring->head = (ring->head + 1) % ring->capacity;
    else
        ring->count++;
    *slot(ring, ring->count - 1) = number;
}

static int pop(struct ring *ring, int *number)
{
    if (ring->count == 0)
        return 0;
    *number = *slot(ring, 0);
    ring->head = (ring->head + 1) % ring->capacity;
    ring->count--;
    return 1;
}

static void resize(struct ring *ring, unsigned capacity)
{
    int *slots = calloc(capacity, sizeof *slots);
    unsigned kept = ring->count < capacity ? ring->count : capacity;
    for (unsigned i = 0; i < kept; i++)
        slots[i] = *slot(ring, i);
    free(ring->slots);
    *ring = (struct ring){slots, capacity, 0, kept};
}

static int contains(struct ring *ring, const char *digits)
{
    char text[256] = "", *end = text;
    for (unsigned i = 0; i < ring->count; i++)
        end += sprintf(end, "%x;", *slot(ring, i) & 255);
    return strstr(text, digits) != NULL;
}

int main(void)
{
    struct ring ring = {calloc(3, sizeof(int)), 3, 0, 0};
    char line[16], text[16];
    int number, printed = 0;
    unsigned amount;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "+%d", &number) == 1)
            push(&ring, number);
        else if (line[0] == '-' && pop(&ring, &number))
            printed += snprintf(text, sizeof text, "%d", number);
        else if (sscanf(line, "c%u", &amount) == 1 && amount > 0 && amount <= 16)
            resize(&ring, amount);
        else if (sscanf(line, "r%u", &amount) == 1)
            ring.head = (ring.head + amount) % ring.capacity;
        else if (line[0] == 's' && contains(&ring, "1a"))
            puts("found");
        else if (line[0] == 'q')
            break;
    }
    return printed == 7 && ring.count == 2;
}
