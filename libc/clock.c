/*
 * time, gettimeofday, clock_gettime and similar
 *
 * Two runs on the same input must decide alike, so a run that Cairn starts sees a simulated clock: it begins at the
 * same moment in every run and advances by a fixed step whenever it is read, so that a loop that waits for time to
 * pass ends. Waiting advances it as well (waiting.c). A program that is started without Cairn sees the real clock.
 */
#include "clock.h"
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

/* Start of the simulated date: 2026-01-01 00:00:00 UTC. */
#define FIRST_SECOND 1767225600
/* Start of monotonic clocks, in seconds since boot. */
#define UPTIME 3600
/* Start of the clock that counts leap seconds. */
#define LEAP_SECONDS 37
/* Advance per reading: a loop that waits for an hour ends after 3.6 million readings, within a second. */
#define STEP 1000000

static _Atomic int64_t elapsed;

void __cairn_m_advance(int64_t nanoseconds)
{
    if (nanoseconds > 0)
        elapsed += nanoseconds;
}

static struct timespec since(time_t first)
{
    int64_t now = elapsed;
    return (struct timespec){first + now / NANOSECONDS, now % NANOSECONDS};
}

int __cairn_m_read_clock(clockid_t clock, struct timespec *now)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
        *now = since(FIRST_SECOND);
        return 1;
    case CLOCK_TAI:
        *now = since(FIRST_SECOND + LEAP_SECONDS);
        return 1;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *now = since(UPTIME);
        return 1;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *now = since(0);
        return 1;
    default:
        return 0;
    }
}

static struct timespec tick(clockid_t clock)
{
    struct timespec now = {0, 0};
    __cairn_m_advance(STEP);
    __cairn_m_read_clock(clock, &now);
    return now;
}

static struct timeval tick_micro(clockid_t clock)
{
    struct timespec now = tick(clock);
    return (struct timeval){now.tv_sec, now.tv_nsec / 1000};
}

struct timespec __cairn_m_until(clockid_t clock, const struct timespec *deadline)
{
    struct timespec now = {0, 0}, left;
    __cairn_m_read_clock(clock, &now);
    left.tv_sec = deadline->tv_sec - now.tv_sec;
    left.tv_nsec = deadline->tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_sec--;
        left.tv_nsec += NANOSECONDS;
    }
    if (left.tv_sec < 0)
        left.tv_sec = left.tv_nsec = 0;
    return left;
}

time_t MODEL(time)(time_t *to)
{
    time_t now;
    if (!__cairn_supervised())
        return time(to);
    now = tick(CLOCK_REALTIME).tv_sec;
    if (to)
        *to = now;
    return now;
}

int MODEL(gettimeofday)(struct timeval *to, void *zone)
{
    int answer = gettimeofday(to, zone);
    if (to && __cairn_supervised())
        *to = tick_micro(CLOCK_REALTIME);
    return answer;
}

int MODEL(clock_gettime)(clockid_t clock, struct timespec *to)
{
    int answer;
    struct timespec now;
    clock = (clockid_t)__cairn_concretized((size_t)clock);
    answer = clock_gettime(clock, to);
    if (answer == 0 && __cairn_supervised() && __cairn_m_read_clock(clock, &now))
        *to = tick(clock);
    return answer;
}

int MODEL(timespec_get)(struct timespec *to, int base)
{
    int answer;
    base = (int)__cairn_concretized((size_t)base);
    answer = timespec_get(to, base);
    if (answer == TIME_UTC && __cairn_supervised())
        *to = tick(CLOCK_REALTIME);
    return answer;
}

clock_t MODEL(clock)(void)
{
    struct timespec now;
    if (!__cairn_supervised())
        return clock();
    now = tick(CLOCK_PROCESS_CPUTIME_ID);
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (NANOSECONDS / CLOCKS_PER_SEC);
}

clock_t MODEL(times)(struct tms *to)
{
    long second = sysconf(_SC_CLK_TCK);
    struct timespec now;
    if (!__cairn_supervised())
        return times(to);
    now = tick(CLOCK_MONOTONIC);
    if (to) {
        struct timespec own = since(0);
        *to = (struct tms){.tms_utime = own.tv_sec * second + own.tv_nsec / (NANOSECONDS / second)};
    }
    return now.tv_sec * second + now.tv_nsec / (NANOSECONDS / second);
}

/* Resource usage differs from run to run, apart from the simulated time. */
int MODEL(getrusage)(__rusage_who_t who, struct rusage *to)
{
    int answer;
    who = (__rusage_who_t)__cairn_concretized((size_t)who);
    answer = getrusage(who, to);
    if (answer == 0 && __cairn_supervised()) {
        __builtin_memset(to, 0, sizeof *to);
        to->ru_utime = tick_micro(CLOCK_PROCESS_CPUTIME_ID);
    }
    return answer;
}
