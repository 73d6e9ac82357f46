/* pthread_create, pthread_exit, pthread_join and variants: argument and result keep their labels */
#include "threads.h"

int MODEL(pthread_create)(pthread_t *id, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
    struct __cairn_m_thread *thread = __cairn_m_new_thread(argument);
    int error;
    if (thread == NULL)
        return pthread_create(id, attributes, routine, argument);
    thread->routine = routine;
    error = pthread_create(id, attributes, __cairn_m_thread_main, thread);
    __cairn_m_started(thread, error ? 0 : *id, error);
    return error;
}

__attribute__((noreturn)) void MODEL(pthread_exit)(void *result)
{
    __cairn_m_ending(result);
    pthread_exit(result);
}

/* Completes a join that returned `error`. */
static int joined(struct __cairn_m_thread *thread, int error, void *value, void **result)
{
    if (error) {
        __cairn_m_keep_thread(thread);
        return error;
    }
    value = __cairn_m_result(thread, value);
    if (result != NULL)
        *result = value;
    return 0;
}

int MODEL(pthread_join)(pthread_t id, void **result)
{
    struct __cairn_m_thread *thread = __cairn_m_take_thread(id);
    void *value = NULL;
    int error = pthread_join(id, &value);
    return joined(thread, error, value, result);
}

int MODEL(pthread_tryjoin_np)(pthread_t id, void **result)
{
    struct __cairn_m_thread *thread = __cairn_m_take_thread(id);
    void *value = NULL;
    int error = pthread_tryjoin_np(id, &value);
    return joined(thread, error, value, result);
}

int MODEL(pthread_timedjoin_np)(pthread_t id, void **result, const struct timespec *until)
{
    struct __cairn_m_thread *thread = __cairn_m_take_thread(id);
    void *value = NULL;
    int error = pthread_timedjoin_np(id, &value, until);
    return joined(thread, error, value, result);
}

int MODEL(pthread_clockjoin_np)(pthread_t id, void **result, clockid_t clock, const struct timespec *until)
{
    struct __cairn_m_thread *thread = __cairn_m_take_thread(id);
    void *value = NULL;
    int error = pthread_clockjoin_np(id, &value, clock, until);
    return joined(thread, error, value, result);
}
