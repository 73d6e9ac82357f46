/*
 * Compresses and decompresses generated text: concrete work for measuring what instrumentation costs.
 *
 *     compress [MEGABYTES]     (10 if not given)
 *
 * Repeated strings become references to where they stood before (LZ77, one candidate per hash of four
 * bytes), and the bytes of that become Huffman codes. Both ways are done and compared.
 *
 * A token is a byte below 128 and then that many literal bytes plus one, or a byte from 128 on, which is a
 * length of 4 to 131, and a distance of two bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_BITS 15
#define WINDOW 65535
#define MIN_MATCH 4
#define MAX_MATCH (MIN_MATCH + 127)
#define MAX_LITERALS 128
#define SYMBOLS 256
#define MAX_CODE_LENGTH 24

struct buffer {
    unsigned char *bytes;
    size_t size;
};

static void fail(const char *message)
{
    fprintf(stderr, "compress: %s\n", message);
    exit(1);
}

static struct buffer allocate(size_t size)
{
    struct buffer buffer = {malloc(size + 1), 0};
    if (buffer.bytes == NULL)
        fail("out of memory");
    return buffer;
}

/* ---- text to compress ---- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Words of two to nine letters; frequent ones come often, as in a language. */
static struct buffer generate(size_t size)
{
    struct buffer text = allocate(size);
    uint32_t choice = 12345, letter, i, length;
    while (text.size < size) {
        uint32_t rank = next_random(&choice) % 64;
        letter = rank * rank * (next_random(&choice) % 3 + 1);
        length = 2 + letter % 8;
        for (i = 0; i < length && text.size < size; i++)
            text.bytes[text.size++] = (unsigned char)('a' + next_random(&letter) % 26);
        if (text.size < size)
            text.bytes[text.size++] = rank == 0 ? '\n' : ' ';
    }
    return text;
}

/* ---- references to repeated strings ---- */

static uint32_t hash_at(const unsigned char *at)
{
    uint32_t word = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return word * 2654435761u >> (32 - HASH_BITS);
}

static size_t match_length(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t length = 0;
    while (length < most && a[length] == b[length])
        length++;
    return length;
}

static void put_literals(struct buffer *out, const unsigned char *from, size_t count)
{
    while (count > 0) {
        size_t part = count < MAX_LITERALS ? count : MAX_LITERALS;
        out->bytes[out->size++] = (unsigned char)(part - 1);
        memcpy(out->bytes + out->size, from, part);
        out->size += part;
        from += part;
        count -= part;
    }
}

static void put_reference(struct buffer *out, size_t length, size_t distance)
{
    out->bytes[out->size++] = (unsigned char)(128 + length - MIN_MATCH);
    out->bytes[out->size++] = (unsigned char)distance;
    out->bytes[out->size++] = (unsigned char)(distance >> 8);
}

static struct buffer shorten(const struct buffer *text)
{
    static size_t heads[1 << HASH_BITS]; /* position plus one of the last string with this hash */
    struct buffer out = allocate(text->size + text->size / MAX_LITERALS + 16);
    size_t at = 0, literals = 0;
    while (at + MIN_MATCH <= text->size) {
        size_t *head = &heads[hash_at(text->bytes + at)], before = *head, length = 0;
        size_t most = text->size - at < MAX_MATCH ? text->size - at : MAX_MATCH;
        *head = at + 1;
        if (before != 0 && at + 1 - before <= WINDOW)
            length = match_length(text->bytes + before - 1, text->bytes + at, most);
        if (length < MIN_MATCH) {
            at++;
            continue;
        }
        put_literals(&out, text->bytes + literals, at - literals);
        put_reference(&out, length, at + 1 - before);
        at += length;
        literals = at;
    }
    put_literals(&out, text->bytes + literals, text->size - literals);
    return out;
}

static struct buffer lengthen(const struct buffer *tokens, size_t size)
{
    struct buffer text = allocate(size);
    const unsigned char *at = tokens->bytes, *end = at + tokens->size;
    while (at < end) {
        size_t i, distance, count = *at++;
        if (count < 128) {
            memcpy(text.bytes + text.size, at, count + 1);
            text.size += count + 1;
            at += count + 1;
            continue;
        }
        distance = (size_t)at[0] | (size_t)at[1] << 8;
        at += 2;
        for (i = 0; i < count - 128 + MIN_MATCH; i++, text.size++)
            text.bytes[text.size] = text.bytes[text.size - distance];
    }
    return text;
}

/* ---- Huffman codes ---- */

struct code {
    uint8_t lengths[SYMBOLS];
    uint32_t bits[SYMBOLS];
    /* For decoding: per length, the first code, how many there are, and where their symbols start. */
    uint32_t first[MAX_CODE_LENGTH + 1], count[MAX_CODE_LENGTH + 1], start[MAX_CODE_LENGTH + 1];
    uint8_t sorted[SYMBOLS];
};

/* The live node of least weight, other than `except`; -1 if there is none. */
static int lightest(const uint64_t *weights, int nodes, int except)
{
    int i, best = -1;
    for (i = 0; i < nodes; i++)
        if (weights[i] != 0 && i != except && (best < 0 || weights[i] < weights[best]))
            best = i;
    return best;
}

/* Code lengths by joining the two lightest nodes until one is left. */
static void find_lengths(struct code *code, const uint64_t *counts)
{
    uint64_t weights[2 * SYMBOLS] = {0};
    int parents[2 * SYMBOLS] = {0}, nodes = SYMBOLS, a, b, i, node, length;
    memcpy(weights, counts, SYMBOLS * sizeof *counts);
    while ((a = lightest(weights, nodes, -1)) >= 0 && (b = lightest(weights, nodes, a)) >= 0) {
        weights[nodes] = weights[a] + weights[b];
        weights[a] = weights[b] = 0;
        parents[a] = parents[b] = nodes++;
    }
    for (i = 0; i < SYMBOLS; i++) {
        length = 0;
        for (node = i; counts[i] != 0 && parents[node] != 0; node = parents[node])
            length++;
        if (length > MAX_CODE_LENGTH)
            fail("a code is too long");
        code->lengths[i] = (uint8_t)length;
    }
}

/* Numbers the codes of each length in the order of their symbols. */
static void assign_codes(struct code *code)
{
    uint32_t next = 0, sorted = 0;
    int length, i;
    for (length = 1; length <= MAX_CODE_LENGTH; length++) {
        next <<= 1;
        code->first[length] = next;
        code->start[length] = sorted;
        for (i = 0; i < SYMBOLS; i++) {
            if (code->lengths[i] != length)
                continue;
            code->bits[i] = next++;
            code->sorted[sorted++] = (uint8_t)i;
        }
        code->count[length] = next - code->first[length];
    }
}

static void make_code(struct code *code, const struct buffer *data)
{
    uint64_t counts[SYMBOLS] = {0};
    size_t i;
    for (i = 0; i < data->size; i++)
        counts[data->bytes[i]]++;
    find_lengths(code, counts);
    assign_codes(code);
}

static struct buffer encode(const struct code *code, const struct buffer *data)
{
    struct buffer out = allocate(data->size * MAX_CODE_LENGTH / 8 + 16);
    uint64_t pending = 0;
    size_t i;
    int bits = 0;
    for (i = 0; i < data->size; i++) {
        unsigned char symbol = data->bytes[i];
        pending = pending << code->lengths[symbol] | code->bits[symbol];
        bits += code->lengths[symbol];
        for (; bits >= 8; bits -= 8)
            out.bytes[out.size++] = (unsigned char)(pending >> (bits - 8));
    }
    out.bytes[out.size++] = (unsigned char)(pending << (8 - bits));
    return out;
}

static struct buffer decode(const struct code *code, const struct buffer *data, size_t size)
{
    struct buffer out = allocate(size);
    uint32_t bits = 0, length = 0;
    size_t at = 0;
    while (out.size < size) {
        bits = bits << 1 | (data->bytes[at >> 3] >> (7 - (at & 7)) & 1u);
        at++;
        length++;
        if (length > MAX_CODE_LENGTH)
            fail("no such code");
        if (bits - code->first[length] >= code->count[length])
            continue;
        out.bytes[out.size++] = code->sorted[code->start[length] + bits - code->first[length]];
        bits = length = 0;
    }
    return out;
}

/* ---- both ways ---- */

static uint32_t checksum(const struct buffer *data)
{
    uint32_t sum = 2166136261u;
    size_t i;
    for (i = 0; i < data->size; i++)
        sum = (sum ^ data->bytes[i]) * 16777619u;
    return sum;
}

int main(int argc, char **argv)
{
    static struct code code;
    size_t size = (argc > 1 ? (size_t)atoi(argv[1]) : 10) * 1000000;
    struct buffer text = generate(size), tokens = shorten(&text), packed, unpacked, back;
    make_code(&code, &tokens);
    packed = encode(&code, &tokens);
    unpacked = decode(&code, &packed, tokens.size);
    back = lengthen(&unpacked, size);
    if (back.size != text.size || memcmp(back.bytes, text.bytes, size) != 0)
        fail("the text did not come back");
    printf("%lu bytes, %lu as tokens, %lu packed, checksums %08x %08x\n", (unsigned long)text.size,
           (unsigned long)tokens.size, (unsigned long)packed.size, (unsigned)checksum(&text), (unsigned)checksum(&packed));
    free(text.bytes);
    free(tokens.bytes);
    free(packed.bytes);
    free(unpacked.bytes);
    free(back.bytes);
    return 0;
}
