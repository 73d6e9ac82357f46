/*
 * Functions that wait for some time
 *
 * They wait as long as they would without Cairn, and advance the simulated clock (clock.c) by that time: a program
 * that measures afterwards how long it has waited gets the same result in every run.
 */
#include "clock.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <unistd.h>

unsigned MODEL(sleep)(unsigned seconds)
{
    unsigned left;
    seconds = (unsigned)__cairn_concretized(seconds);
    left = sleep(seconds);
    __cairn_m_advance((int64_t)(seconds - left) * NANOSECONDS);
    return left;
}

int MODEL(usleep)(useconds_t microseconds)
{
    int answer;
    microseconds = (useconds_t)__cairn_concretized(microseconds);
    answer = usleep(microseconds);
    if (answer == 0)
        __cairn_m_advance((int64_t)microseconds * 1000);
    return answer;
}

int MODEL(nanosleep)(const struct timespec *time, struct timespec *left)
{
    int answer;
    concretize_time(time, sizeof *time);
    answer = nanosleep(time, left);
    if (answer == 0)
        __cairn_m_advance(length_of(time));
    return answer;
}

int MODEL(thrd_sleep)(const struct timespec *time, struct timespec *left)
{
    int answer;
    concretize_time(time, sizeof *time);
    answer = thrd_sleep(time, left);
    if (answer == 0)
        __cairn_m_advance(length_of(time));
    return answer;
}

/* Descriptors that the library waits for: which are ready has no expression, so symbolic ones are counted as lost. */
static void lose_descriptors(const void *descriptors, size_t size)
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
    count = __cairn_concretized(count);
    milliseconds = (int)__cairn_concretized((size_t)milliseconds);
    lose_descriptors(descriptors, count * sizeof *descriptors);
    return waited(poll(descriptors, count, milliseconds), milliseconds * (int64_t)1000000);
}

int MODEL(ppoll)(struct pollfd *descriptors, nfds_t count, const struct timespec *time, const sigset_t *signals)
{
    count = __cairn_concretized(count);
    lose_descriptors(descriptors, count * sizeof *descriptors);
    concretize_time(time, sizeof *time);
    return waited(ppoll(descriptors, count, time, signals), time ? length_of(time) : 0);
}

static void lose_sets(fd_set *readable, fd_set *writable, fd_set *exceptional)
{
    lose_descriptors(readable, sizeof *readable);
    lose_descriptors(writable, sizeof *writable);
    lose_descriptors(exceptional, sizeof *exceptional);
}

int MODEL(select)(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, struct timeval *time)
{
    int64_t nanoseconds;
    count = (int)__cairn_concretized((size_t)count);
    lose_sets(readable, writable, exceptional);
    concretize_time(time, sizeof *time);
    nanoseconds = time ? time->tv_sec * (int64_t)NANOSECONDS + time->tv_usec * (int64_t)1000 : 0;
    return waited(select(count, readable, writable, exceptional, time), nanoseconds);
}

int MODEL(pselect)(int count, fd_set *readable, fd_set *writable, fd_set *exceptional, const struct timespec *time,
                   const sigset_t *signals)
{
    count = (int)__cairn_concretized((size_t)count);
    lose_sets(readable, writable, exceptional);
    concretize_time(time, sizeof *time);
    return waited(pselect(count, readable, writable, exceptional, time, signals), time ? length_of(time) : 0);
}

int MODEL(epoll_wait)(int descriptor, struct epoll_event *events, int most, int milliseconds)
{
    most = (int)__cairn_concretized((size_t)most);
    milliseconds = (int)__cairn_concretized((size_t)milliseconds);
    return waited(epoll_wait(descriptor, events, most, milliseconds), milliseconds * (int64_t)1000000);
}

int MODEL(epoll_pwait)(int descriptor, struct epoll_event *events, int most, int milliseconds, const sigset_t *signals)
{
    most = (int)__cairn_concretized((size_t)most);
    milliseconds = (int)__cairn_concretized((size_t)milliseconds);
    return waited(epoll_pwait(descriptor, events, most, milliseconds, signals), milliseconds * (int64_t)1000000);
}
