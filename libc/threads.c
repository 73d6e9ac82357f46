/* Shared parts of the models of pthread_create, thrd_create and variants. */
#include "threads.h"
#include <sched.h>

static struct __cairn_m_thread *threads;
static char locked;
static __thread struct __cairn_m_thread *self;

static void lock(void)
{
    while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(void)
{
    __atomic_clear(&locked, __ATOMIC_RELEASE);
}

struct __cairn_m_thread *__cairn_m_new_thread(void *argument)
{
    struct __cairn_m_thread *thread = __cairn_tracing() ? __cairn_w_malloc(sizeof *thread) : NULL;
    if (thread != NULL)
        *thread = (struct __cairn_m_thread){.argument = argument};
    return thread;
}

void __cairn_m_keep_thread(struct __cairn_m_thread *thread)
{
    if (thread == NULL)
        return;
    lock();
    thread->next = threads;
    threads = thread;
    unlock();
}

void __cairn_m_started(struct __cairn_m_thread *thread, pthread_t id, int failed)
{
    if (failed) {
        __cairn_w_free(thread);
        return;
    }
    thread->id = id;
    __cairn_m_keep_thread(thread);
}

void *__cairn_m_thread_main(void *record)
{
    struct __cairn_m_thread *thread = self = record;
    void *result = thread->routine != NULL ? thread->routine(thread->argument)
                                           : (void *)(intptr_t)thread->short_routine(thread->argument);
    __cairn_m_ending(result);
    return result;
}

void __cairn_m_ending(void *result)
{
    if (self != NULL)
        self->result = result;
    else
        /* The first thread, or one that uninstrumented code has started. */
        __cairn_lost_input(&result, sizeof result);
}

/*
 * Ids are reused. The newest thread comes first: detached threads, which are never joined, stay behind it in the
 * list.
 */
struct __cairn_m_thread *__cairn_m_take_thread(pthread_t id)
{
    struct __cairn_m_thread **at, *found;
    lock();
    for (at = &threads; *at != NULL && (*at)->id != id; at = &(*at)->next)
        ;
    found = *at;
    if (found != NULL)
        *at = found->next;
    unlock();
    return found;
}

void *__cairn_m_result(struct __cairn_m_thread *thread, void *result)
{
    void *kept = thread != NULL ? thread->result : NULL;
    __cairn_w_free(thread);
    /* The result of a cancelled thread differs. */
    return __cairn_concrete((size_t)kept) == (size_t)result ? kept : result;
}
