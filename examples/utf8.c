/*
 * cairn-example: utf8
 * input: stdin 0-5
 * branches: 42
 * unreachable: 0
 * faults: 1
 * fault: SIGABRT plane_name
 * strategy: dfs
 * execs: 600
 *
 * Decodes UTF-8 up to the first NUL and counts the characters of each plane. Overlong forms,
 * surrogates, stray and missing continuation bytes are refused.
 *
 * The fault: the lead byte is checked to be at most F4, but F4 90 and above is past the last
 * character, 10FFFF; it has no plane.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INPUT_SIZE 5

/* How many bytes a sequence has, by its first one; 0 if no sequence starts so. */
static int sequence_length(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xc0)
        return 0;
    if (lead < 0xe0)
        return 2;
    if (lead < 0xf0)
        return 3;
    return lead <= 0xf4 ? 4 : 0;
}

static uint32_t smallest_of_length(int length)
{
    switch (length) {
    case 2:
        return 0x80;
    case 3:
        return 0x800;
    case 4:
        return 0x10000;
    default:
        return 0;
    }
}

static const char *plane_name(uint32_t character)
{
    if (character < 0x10000)
        return "basic";
    if (character < 0x20000)
        return "supplementary";
    if (character < 0x110000)
        return "other";
    abort();
}

/* Decodes one character; the bytes it took, or 0. */
static int decode(const uint8_t *bytes, int available, uint32_t *character)
{
    int i, length = sequence_length(bytes[0]);
    uint32_t value;
    if (length == 0 || length > available)
        return 0;
    value = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < smallest_of_length(length))
        return 0;
    if (value >= 0xd800 && value <= 0xdfff)
        return 0;
    *character = value;
    return length;
}

int main(void)
{
    uint8_t bytes[INPUT_SIZE + 1] = {0};
    uint32_t character;
    int length, at = 0, size = (int)read(STDIN_FILENO, bytes, INPUT_SIZE);
    while (at < size && bytes[at] != 0) {
        length = decode(bytes + at, size - at, &character);
        if (length == 0) {
            printf("bad byte at %d\n", at);
            return 1;
        }
        printf("U+%04X %s\n", (unsigned)character, plane_name(character));
        at += length;
    }
    return 0;
}
