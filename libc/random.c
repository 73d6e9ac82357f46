/*
 * getrandom, getentropy, arc4random and variants
 *
 * Two runs with the same input must decide alike. Random data, such as the seed of a hash table, is the same in every
 * run that Cairn starts.
 */
#include "random.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* GRND_INSECURE, which older headers lack. */
#define INSECURE 4u

/* SplitMix64: not secure, but well distributed and different in every call. */
static uint64_t next(void)
{
    static uint64_t state;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void __cairn_m_fill_randomly(char *to, size_t size)
{
    size_t i;
    size = __cairn_concretized(size);
    for (i = 0; i < size; i++)
        to[i] = (char)next();
}

ssize_t MODEL(getrandom)(void *to, size_t size, unsigned flags)
{
    /* The kernel reports flags that it does not know, or not in combination. */
    int is_valid = (flags & ~(GRND_NONBLOCK | GRND_RANDOM | INSECURE)) == 0 && (~flags & (GRND_RANDOM | INSECURE)) != 0;
    if (!__cairn_supervised() || !is_valid)
        return getrandom(to, size, flags);
    __cairn_m_fill_randomly(to, size);
    return (ssize_t)size;
}

int MODEL(getentropy)(void *to, size_t size)
{
    /* The real function rejects larger sizes. */
    if (!__cairn_supervised() || size > 256)
        return getentropy(to, size);
    __cairn_m_fill_randomly(to, size);
    return 0;
}

uint32_t MODEL(arc4random)(void)
{
    return __cairn_supervised() ? (uint32_t)next() : arc4random();
}

void MODEL(arc4random_buf)(void *to, size_t size)
{
    if (__cairn_supervised())
        __cairn_m_fill_randomly(to, size);
    else
        arc4random_buf(to, size);
}

uint32_t MODEL(arc4random_uniform)(uint32_t bound)
{
    if (!__cairn_supervised())
        return arc4random_uniform(bound);
    return bound < 2 ? 0 : (uint32_t)next() % bound;
}
