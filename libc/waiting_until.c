/*
 * Functions that wait until a moment
 *
 * Programs compute moments from the simulated clock (clock.c), which differs from the library's: a moment is
 * converted, so that the wait takes as long as it would without Cairn. Then the simulated clock is advanced to the
 * moment.
 */
#include "clock.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/timerfd.h>
#include <threads.h>

/* True if the moment is valid for the library. */
static int is_moment(const struct timespec *moment)
{
    return moment && moment->tv_nsec >= 0 && moment->tv_nsec < NANOSECONDS;
}

/* Converts a moment on the simulated clock to the library's clock. */
static struct timespec real_moment(clockid_t clock, const struct timespec *moment)
{
    struct timespec left, now;
    concretize_time(moment, sizeof *moment);
    if (!__cairn_supervised() || !is_moment(moment) || !__cairn_m_read_clock(clock, &now))
        return *moment;
    left = __cairn_m_until(clock, moment);
    clock_gettime(clock, &now);
    __cairn_clear(&now, sizeof now);
    now.tv_sec += left.tv_sec + (now.tv_nsec + left.tv_nsec) / NANOSECONDS;
    now.tv_nsec = (now.tv_nsec + left.tv_nsec) % NANOSECONDS;
    return now;
}

/* Advances the simulated clock to a moment that has passed. */
static void pass(clockid_t clock, const struct timespec *moment)
{
    struct timespec left = __cairn_m_until(clock, moment);
    __cairn_m_advance(length_of(&left));
}

int MODEL(clock_nanosleep)(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    struct timespec now, wait;
    int answer;
    clock = (clockid_t)__cairn_concretized((size_t)clock);
    flags = (int)__cairn_concretized((size_t)flags);
    concretize_time(time, sizeof *time);
    if (!(flags & TIMER_ABSTIME) || !__cairn_supervised() || !is_moment(time) || !__cairn_m_read_clock(clock, &now)) {
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

/*
 * Returns the clock of a condition or timer, which only the library knows: moments on monotonic clocks are a few
 * hours after their start.
 */
static clockid_t clock_of(const struct timespec *moment)
{
    struct timespec now = {0, 0};
    __cairn_m_read_clock(CLOCK_REALTIME, &now);
    return moment->tv_sec < now.tv_sec / 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

static int passed(int answer, clockid_t clock, const struct timespec *moment)
{
    if (answer == ETIMEDOUT)
        pass(clock, moment);
    return answer;
}

int MODEL(pthread_cond_timedwait)(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *moment)
{
    struct timespec real;
    clockid_t clock;
    concretize_time(moment, sizeof *moment);
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

/* Locks with a deadline, on the realtime clock or on a given one. */
#define LOCKS(function, type)                                                                                          \
    int MODEL(function)(type * lock, const struct timespec *moment)                                                    \
    {                                                                                                                  \
        struct timespec real = real_moment(CLOCK_REALTIME, moment);                                                    \
        return passed(function(lock, &real), CLOCK_REALTIME, moment);                                                  \
    }
#define LOCKS_BY_CLOCK(function, type)                                                                                 \
    int MODEL(function)(type * lock, clockid_t clock, const struct timespec *moment)                                   \
    {                                                                                                                  \
        struct timespec real = real_moment(clock, moment);                                                             \
        return passed(function(lock, clock, &real), clock, moment);                                                    \
    }

LOCKS(pthread_mutex_timedlock, pthread_mutex_t)
LOCKS(pthread_rwlock_timedrdlock, pthread_rwlock_t)
LOCKS(pthread_rwlock_timedwrlock, pthread_rwlock_t)
LOCKS_BY_CLOCK(pthread_mutex_clocklock, pthread_mutex_t)
LOCKS_BY_CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t)
LOCKS_BY_CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t)

int MODEL(sem_timedwait)(sem_t *semaphore, const struct timespec *moment)
{
    struct timespec real = real_moment(CLOCK_REALTIME, moment);
    int answer = sem_timedwait(semaphore, &real);
    passed(answer < 0 ? errno : 0, CLOCK_REALTIME, moment);
    return answer;
}

int MODEL(sem_clockwait)(sem_t *semaphore, clockid_t clock, const struct timespec *moment)
{
    struct timespec real = real_moment(clock, moment);
    int answer = sem_clockwait(semaphore, clock, &real);
    passed(answer < 0 ? errno : 0, clock, moment);
    return answer;
}

int MODEL(cnd_timedwait)(cnd_t *condition, mtx_t *mutex, const struct timespec *moment)
{
    struct timespec real = real_moment(CLOCK_REALTIME, moment);
    int answer = cnd_timedwait(condition, mutex, &real);
    passed(answer == thrd_timedout ? ETIMEDOUT : 0, CLOCK_REALTIME, moment);
    return answer;
}

int MODEL(mtx_timedlock)(mtx_t *mutex, const struct timespec *moment)
{
    struct timespec real = real_moment(CLOCK_REALTIME, moment);
    int answer = mtx_timedlock(mutex, &real);
    passed(answer == thrd_timedout ? ETIMEDOUT : 0, CLOCK_REALTIME, moment);
    return answer;
}

/* Timers: zero disarms. */

static struct itimerspec real_timer(const struct itimerspec *timer)
{
    struct itimerspec real = *timer;
    if (real.it_value.tv_sec != 0 || real.it_value.tv_nsec != 0)
        real.it_value = real_moment(clock_of(&timer->it_value), &timer->it_value);
    return real;
}

int MODEL(timerfd_settime)(int fd, int flags, const struct itimerspec *timer, struct itimerspec *old)
{
    struct itimerspec real;
    flags = (int)__cairn_concretized((size_t)flags);
    concretize_time(timer, sizeof *timer);
    if (!(flags & TFD_TIMER_ABSTIME))
        return timerfd_settime(fd, flags, timer, old);
    real = real_timer(timer);
    return timerfd_settime(fd, flags, &real, old);
}

int MODEL(timer_settime)(timer_t id, int flags, const struct itimerspec *timer, struct itimerspec *old)
{
    struct itimerspec real;
    flags = (int)__cairn_concretized((size_t)flags);
    concretize_time(timer, sizeof *timer);
    if (!(flags & TIMER_ABSTIME))
        return timer_settime(id, flags, timer, old);
    real = real_timer(timer);
    return timer_settime(id, flags, &real, old);
}
