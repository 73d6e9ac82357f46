/* The processor's cycle counter (__rdtsc and variants); the pass replaces the instructions by these calls. */
#include "clock.h"

/* A processor of one gigahertz. */
static uint64_t cycles(void)
{
    struct timespec now;
    MODEL(clock_gettime)(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

/* The result in two registers, as of the instruction. */
struct counter {
    uint64_t cycles;
    uint32_t processor;
};

uint64_t MODEL(rdtsc)(void)
{
    return __cairn_supervised() ? cycles() : __builtin_ia32_rdtsc();
}

uint64_t MODEL(readcyclecounter)(void)
{
    return MODEL(rdtsc)();
}

struct counter MODEL(rdtscp)(void)
{
    struct counter counter = {0, 0};
    if (__cairn_supervised())
        counter.cycles = cycles();
    else
        counter.cycles = __builtin_ia32_rdtscp(&counter.processor);
    return counter;
}
