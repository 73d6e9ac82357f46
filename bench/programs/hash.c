/*
 * SHA-256 over a generated buffer: concrete work for measuring what instrumentation costs.
 *
 *     hash [MEGABYTES]     (10 if not given)
 *
 * The buffer is hashed three times, each time with the digest before it in its first bytes.
 *
 * Written from FIPS 180-4. The constants are not listed but computed as the standard defines them:
 * the first bits of the fractional parts of square and cube roots of the first primes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64
#define DIGEST 32
#define ROUNDS 3

struct hash {
    uint32_t state[8];
    uint32_t constants[64];
};

static uint32_t rotate(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

static int is_prime(uint32_t number)
{
    uint32_t divisor;
    for (divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return 0;
    return 1;
}

/* Whether `root` to the given power, as a number with 32 binary places, is at most `number`. */
static int at_most(uint64_t root, int power, uint32_t number)
{
    unsigned __int128 square = (unsigned __int128)root * root;
    if (power == 2)
        return square <= (unsigned __int128)number << 64;
    return square * root <= (unsigned __int128)number << 96;
}

/* The first 32 fractional bits of a root, found bit by bit. */
static uint32_t root_fraction(uint32_t number, int power)
{
    uint64_t root = 0;
    int bit;
    for (bit = 37; bit >= 0; bit--)
        if (at_most(root | (uint64_t)1 << bit, power, number))
            root |= (uint64_t)1 << bit;
    return (uint32_t)root;
}

static void start(struct hash *hash)
{
    uint32_t number = 2;
    int found = 0;
    for (; found < 64; number++) {
        if (!is_prime(number))
            continue;
        if (found < 8)
            hash->state[found] = root_fraction(number, 2);
        hash->constants[found++] = root_fraction(number, 3);
    }
}

static void expand(const unsigned char *block, uint32_t *words)
{
    int i;
    for (i = 0; i < 16; i++, block += 4)
        words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (; i < 64; i++) {
        uint32_t early = words[i - 15], late = words[i - 2];
        uint32_t small0 = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3;
        uint32_t small1 = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10;
        words[i] = words[i - 16] + small0 + words[i - 7] + small1;
    }
}

static void add_block(struct hash *hash, const unsigned char *block)
{
    uint32_t words[64], s[8];
    int i, k;
    expand(block, words);
    for (i = 0; i < 8; i++)
        s[i] = hash->state[i];
    for (i = 0; i < 64; i++) {
        uint32_t big1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t first = s[7] + big1 + choice + hash->constants[i] + words[i];
        uint32_t big0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        for (k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += first;
        s[0] = first + big0 + majority;
    }
    for (i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

/* Adds what is left of the message, less than a block, with the padding and the length. */
static void finish(struct hash *hash, const unsigned char *rest, size_t count, uint64_t message_bytes)
{
    unsigned char block[2 * BLOCK] = {0};
    size_t i, size = count + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    for (i = 0; i < count; i++)
        block[i] = rest[i];
    block[count] = 0x80;
    for (i = 0; i < 8; i++)
        block[size - 1 - i] = (unsigned char)(message_bytes * 8 >> (8 * i));
    add_block(hash, block);
    if (size > BLOCK)
        add_block(hash, block + BLOCK);
}

static void hash_message(struct hash *hash, const unsigned char *message, size_t size)
{
    size_t at = 0;
    start(hash);
    for (; size - at >= BLOCK; at += BLOCK)
        add_block(hash, message + at);
    finish(hash, message + at, size - at, size);
}

static void generate(unsigned char *buffer, size_t size)
{
    uint32_t state = 2463534242u;
    size_t i;
    for (i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        buffer[i] = (unsigned char)(state >> 11);
    }
}

static void write_digest(const struct hash *hash, unsigned char *out)
{
    int i;
    for (i = 0; i < DIGEST; i++)
        out[i] = (unsigned char)(hash->state[i / 4] >> (24 - i % 4 * 8));
}

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? (size_t)atoi(argv[1]) : 10, size = megabytes * 1000000;
    unsigned char *buffer = malloc(size + DIGEST);
    struct hash hash;
    int i;
    if (buffer == NULL)
        return 1;
    generate(buffer, size);
    for (i = 0; i < ROUNDS; i++) {
        hash_message(&hash, buffer, size);
        write_digest(&hash, buffer);
    }
    for (i = 0; i < DIGEST; i++)
        printf("%02x", buffer[i]);
    printf("\n");
    free(buffer);
    return 0;
}
