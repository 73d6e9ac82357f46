/*
 * Functions that wait for some time or until a moment
 *
 * They wait as long as they would without Cairn, and advance the simulated clock (clock.c) by that: a program that asks
 * afterwards how long it has waited gets the same answer in every run. Moments are given by the simulated clock, which is
 * not the library's, and are converted.
 */
#include "clock.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int64_t length_of(const struct timespec *time)
{
    return time->tv_sec * (int64_t)NANOSECONDS + time->tv_nsec;
}

/* A time in memory becomes part of the path as it is: the library, which sees no labels, waits for it. */
static void fix(const void *time, size_t size)
{
    if (time && symbolic(time, size))
        __cairn_m_pin(time, size);
}

unsigned MODEL(sleep)(unsigned seconds)
{
    unsigned left;
    seconds = (unsigned)__cairn_pinned(seconds);
    left = sleep(seconds);
    __cairn_m_advance((int64_t)(seconds - left) * NANOSECONDS);
    return left;
}

int MODEL(usleep)(useconds_t microseconds)
{
    int answer;
    microseconds = (useconds_t)__cairn_pinned(microseconds);
    answer = usleep(microseconds);
    if (answer == 0)
        __cairn_m_advance((int64_t)microseconds * 1000);
    return answer;
}

int MODEL(nanosleep)(const struct timespec *time, struct timespec *left)
{
    int answer;
    fix(time, sizeof *time);
    answer = nanosleep(time, left);
    if (answer == 0)
        __cairn_m_advance(length_of(time));
    return answer;
}

int MODEL(clock_nanosleep)(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    struct timespec now, wait;
    int answer;
    clock = (clockid_t)__cairn_pinned((size_t)clock);
    flags = (int)__cairn_pinned((size_t)flags);
    fix(time, sizeof *time);
    if (!(flags & TIMER_ABSTIME) || !__cairn_supervised() || !__cairn_m_read_clock(clock, &now)) {
        answer = clock_nanosleep(clock, flags, time, left);
        if (answer == 0 && !(flags & TIMER_ABSTIME))
            __cairn_m_advance(length_of(time));
        return answer;
    }
    wait = __cairn_m_until(clock, time);
    answer = clock_nanosleep(clock, flags & ~TIMER_ABSTIME, &wait, NULL);
    if (answer == 0)
        __cairn_m_advance(length_of(&wait));
    return answer;
}

/* Descriptors that the library waits for: which are ready is its answer, of which no expression is known. */
static void give(const void *descriptors, size_t size)
{
    if (descriptors)
        __cairn_lost_input(descriptors, size);
}

static int waited(int answer, int64_t nanoseconds)
{
    if (answer == 0)
        __cairn_m_advance(nanoseconds);
    return answer;
}

int MODEL(poll)(struct pollfd *descriptors, nfds_t count, int milliseconds)
{
    count = __cairn_pinned(count);
    milliseconds = (int)__cairn_pinned((size_t)milliseconds);
    give(descriptors, count * sizeof *descriptors);
    return waited(poll(descriptors, count, milliseconds), milliseconds * (int64_t)1000000);
}

int MODEL(ppoll)(struct pollfd *descriptors, nfds_t count, const struct timespec *time, const sigset_t *signals)
{
    count = __cairn_pinned(count);
    give(descriptors, count * sizeof *descriptors);
    fix(time, sizeof *time);
    return waited(ppoll(descriptors, count, time, signals), time ? length_of(time) : 0);
}

static void give_sets(fd_set *readable, fd_set *writable, fd_set *exceptional)
{
    give(readable, sizeof *readable);
    give(writable, sizeof *writable);
    give(exceptional, sizeof *exceptional);
}

int MODEL(select)(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, struct timeval *time)
{
    int64_t nanoseconds;
    count = (int)__cairn_pinned((size_t)count);
    give_sets(readable, writable, exceptional);
    fix(time, sizeof *time);
    nanoseconds = time ? time->tv_sec * (int64_t)NANOSECONDS + time->tv_usec * (int64_t)1000 : 0;
    return waited(select(count, readable, writable, exceptional, time), nanoseconds);
}

int MODEL(pselect)(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, const struct timespec *time,
                   const sigset_t *signals)
{
    count = (int)__cairn_pinned((size_t)count);
    give_sets(readable, writable, exceptional);
    fix(time, sizeof *time);
    return waited(pselect(count, readable, writable, exceptional, time, signals), time ? length_of(time) : 0);
}

int MODEL(epoll_wait)(int descriptor, struct epoll_event *events, int most, int milliseconds)
{
    most = (int)__cairn_pinned((size_t)most);
    milliseconds = (int)__cairn_pinned((size_t)milliseconds);
    return waited(epoll_wait(descriptor, events, most, milliseconds), milliseconds * (int64_t)1000000);
}

int MODEL(epoll_pwait)(int descriptor, struct epoll_event *events, int most, int milliseconds, const sigset_t *signals)
{
    most = (int)__cairn_pinned((size_t)most);
    milliseconds = (int)__cairn_pinned((size_t)milliseconds);
    return waited(epoll_pwait(descriptor, events, most, milliseconds, signals), milliseconds * (int64_t)1000000);
}

/* The moment on the library's clock that a moment on the simulated one stands for. */
static struct timespec real_moment(clockid_t clock, const struct timespec *moment)
{
    struct timespec left, now;
    fix(moment, sizeof *moment);
    if (!__cairn_supervised() || !__cairn_m_read_clock(clock, &now))
        return *moment;
    left = __cairn_m_until(clock, moment);
    clock_gettime(clock, &now);
    __cairn_clear(&now, sizeof now);
    now.tv_sec += left.tv_sec + (now.tv_nsec + left.tv_nsec) / NANOSECONDS;
    now.tv_nsec = (now.tv_nsec + left.tv_nsec) % NANOSECONDS;
    return now;
}

/* Advances the simulated clock to a moment that has passed. */
static int passed(int answer, clockid_t clock, const struct timespec *moment)
{
    if (answer == ETIMEDOUT && __cairn_supervised()) {
        struct timespec left = __cairn_m_until(clock, moment);
        __cairn_m_advance(length_of(&left));
    }
    return answer;
}

/* The clock of a condition, which only the library knows: moments on monotonic clocks are a few hours after their start. */
static clockid_t clock_of(const struct timespec *moment)
{
    struct timespec now = {0, 0};
    __cairn_m_read_clock(CLOCK_REALTIME, &now);
    return moment->tv_sec < now.tv_sec / 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int MODEL(pthread_cond_timedwait)(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *moment)
{
    struct timespec real;
    clockid_t clock;
    fix(moment, sizeof *moment);
    clock = clock_of(moment);
    real = real_moment(clock, moment);
    return passed(pthread_cond_timedwait(condition, mutex, &real), clock, moment);
}

int MODEL(pthread_cond_clockwait)(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *moment)
{
    struct timespec real = real_moment(clock, moment);
    return passed(pthread_cond_clockwait(condition, mutex, clock, &real), clock, moment);
}

int MODEL(pthread_mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *moment)
{
    struct timespec real = real_moment(CLOCK_REALTIME, moment);
    return passed(pthread_mutex_timedlock(mutex, &real), CLOCK_REALTIME, moment);
}

int MODEL(sem_timedwait)(sem_t *semaphore, const struct timespec *moment)
{
    struct timespec real = real_moment(CLOCK_REALTIME, moment);
    int answer = sem_timedwait(semaphore, &real);
    passed(answer < 0 ? errno : answer, CLOCK_REALTIME, moment);
    return answer;
}
