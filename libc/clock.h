/* Simulated clock of supervised runs, shared by the models of functions that read it and of those that wait. */
#ifndef CAIRN_CLOCK_H
#define CAIRN_CLOCK_H

#include "model.h"
#include <stdint.h>
#include <time.h>

#define NANOSECONDS 1000000000

/* Advances the clock by the time that the program has waited. */
void __cairn_m_advance(int64_t nanoseconds);

/* Returns the time left until `deadline` of a clock that __cairn_m_read_clock knows; at least 0. */
struct timespec __cairn_m_until(clockid_t clock, const struct timespec *deadline);

/* Reads a clock without advancing it; returns 0 for one that is not simulated. */
int __cairn_m_read_clock(clockid_t clock, struct timespec *now);

int MODEL(clock_gettime)(clockid_t clock, struct timespec *to);

static inline int64_t length_of(const struct timespec *time)
{
    return time->tv_sec * (int64_t)NANOSECONDS + time->tv_nsec;
}

/* Concretizes a time in memory, before the library, which sees no labels, waits for it. */
static inline void concretize_time(const void *time, size_t size)
{
    if (time && symbolic(time, size))
        __cairn_m_concretize(time, size);
}

#endif
