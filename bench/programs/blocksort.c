/*
 * Sorts blocks as bzip2 does, and undoes it: concrete work for measuring what instrumentation costs.
 *
 *     blocksort [KILOBYTES]     (6000 if not given)
 *
 * Of each block of generated text all rotations are sorted (by doubling what they are compared by), the last column is
 * taken (Burrows-Wheeler), each byte becomes its place in a list where the last one used is first, and runs of zeros
 * become counts. All of it is undone and compared.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 20000
#define SYMBOLS 256

static void fill(uint8_t *text, size_t size)
{
    static const char *words[] = {"the ", "cairn ", "path ", "of ", "stones ", "and ", "marks ", "a ", "way\n"};
    uint32_t state = 1;
    size_t i = 0, k;
    while (i < size) {
        state = state * 1664525u + 1013904223u;
        const char *word = words[(state >> 24) % 9];
        for (k = 0; word[k] != 0 && i < size; k++)
            text[i++] = (uint8_t)word[k];
    }
}

/* ---- sorting rotations: ranks by the first 1, 2, 4, ... bytes, each by counting ---- */

static int order[BLOCK], rank[BLOCK], other_order[BLOCK], other_rank[BLOCK], count[BLOCK > SYMBOLS ? BLOCK : SYMBOLS];

static void sort_by_first_byte(const uint8_t *text, int size)
{
    int i;
    memset(count, 0, sizeof count);
    for (i = 0; i < size; i++)
        count[text[i]]++;
    for (i = 1; i < SYMBOLS; i++)
        count[i] += count[i - 1];
    for (i = size - 1; i >= 0; i--)
        order[--count[text[i]]] = i;
    rank[order[0]] = 0;
    for (i = 1; i < size; i++)
        rank[order[i]] = rank[order[i - 1]] + (text[order[i]] != text[order[i - 1]]);
}

static int after(int place, int step, int size)
{
    return place + step < size ? place + step : place + step - size;
}

static void double_what_is_sorted_by(int step, int size)
{
    int i;
    memset(count, 0, (size_t)size * sizeof *count);
    for (i = 0; i < size; i++) {
        other_order[i] = order[i] >= step ? order[i] - step : order[i] - step + size;
        count[rank[i]]++;
    }
    for (i = 1; i < size; i++)
        count[i] += count[i - 1];
    for (i = size - 1; i >= 0; i--)
        order[--count[rank[other_order[i]]]] = other_order[i];
    other_rank[order[0]] = 0;
    for (i = 1; i < size; i++) {
        int a = order[i - 1], b = order[i];
        int differs = rank[a] != rank[b] || rank[after(a, step, size)] != rank[after(b, step, size)];
        other_rank[b] = other_rank[a] + differs;
    }
    memcpy(rank, other_rank, (size_t)size * sizeof *rank);
}

/* Gives the row that is the text itself. */
static int transform(const uint8_t *text, int size, uint8_t *last)
{
    int i, step, row = 0;
    sort_by_first_byte(text, size);
    for (step = 1; step < size && rank[order[size - 1]] < size - 1; step *= 2)
        double_what_is_sorted_by(step, size);
    for (i = 0; i < size; i++) {
        last[i] = text[order[i] > 0 ? order[i] - 1 : size - 1];
        if (order[i] == 0)
            row = i;
    }
    return row;
}

static void transform_back(const uint8_t *last, int size, int row, uint8_t *text)
{
    int first[SYMBOLS] = {0}, i, sum = 0;
    for (i = 0; i < size; i++)
        first[last[i]]++;
    for (i = 0; i < SYMBOLS; i++) {
        int here = first[i];
        first[i] = sum;
        sum += here;
    }
    for (i = 0; i < size; i++)
        other_order[first[last[i]]++] = i;
    for (i = 0; i < size; i++) {
        row = other_order[row];
        text[i] = last[row];
    }
}

/* ---- places in a list, and runs of the first place ---- */

static int move_to_front(const uint8_t *from, int size, uint8_t *to)
{
    uint8_t list[SYMBOLS];
    int i, place, written = 0, zeros = 0;
    for (i = 0; i < SYMBOLS; i++)
        list[i] = (uint8_t)i;
    for (i = 0; i < size; i++) {
        for (place = 0; list[place] != from[i]; place++)
            ;
        memmove(list + 1, list, (size_t)place);
        list[0] = from[i];
        if (place == 0 && ++zeros < 255)
            continue;
        if (zeros > 0) {
            to[written++] = 0;
            to[written++] = (uint8_t)zeros;
            zeros = 0;
        }
        if (place > 0)
            to[written++] = (uint8_t)place;
    }
    if (zeros > 0) {
        to[written++] = 0;
        to[written++] = (uint8_t)zeros;
    }
    return written;
}

static int move_back(const uint8_t *from, int size, uint8_t *to)
{
    uint8_t list[SYMBOLS], byte;
    int i, k, written = 0;
    for (i = 0; i < SYMBOLS; i++)
        list[i] = (uint8_t)i;
    for (i = 0; i < size; i++) {
        byte = list[from[i]];
        memmove(list + 1, list, from[i]);
        list[0] = byte;
        for (k = from[i] == 0 ? from[++i] : 1; k > 0; k--)
            to[written++] = byte;
    }
    return written;
}

int main(int argc, char **argv)
{
    static uint8_t last[BLOCK], packed[2 * BLOCK + 2], unpacked[BLOCK + 256], back[BLOCK];
    size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 6000) * 1000, at, total = 0;
    uint8_t *text = malloc(size + 1);
    if (text == NULL)
        return 2;
    fill(text, size);
    for (at = 0; at < size; at += BLOCK) {
        int length = size - at < BLOCK ? (int)(size - at) : BLOCK;
        int row = transform(text + at, length, last), bytes = move_to_front(last, length, packed);
        total += (size_t)bytes;
        if (move_back(packed, bytes, unpacked) != length || memcmp(unpacked, last, (size_t)length) != 0)
            return fputs("blocksort: the list did not come back\n", stderr), 1;
        transform_back(last, length, row, back);
        if (memcmp(back, text + at, (size_t)length) != 0)
            return fputs("blocksort: the text did not come back\n", stderr), 1;
    }
    printf("%lu bytes as %lu\n", (unsigned long)size, (unsigned long)total);
    free(text);
    return 0;
}
