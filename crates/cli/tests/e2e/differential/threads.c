/* Threads: results and values of a thread are those that the library gives. */
#include "differential.h"
#include <pthread.h>
#include <stdint.h>
#include <threads.h>
#include <unistd.h>

int __cairn_w_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __cairn_w_pthread_join(pthread_t, void **), __cairn_w_pthread_tryjoin_np(pthread_t, void **);
void __cairn_w_pthread_exit(void *);
int __cairn_w_pthread_key_create(pthread_key_t *, void (*)(void *)), __cairn_w_pthread_setspecific(pthread_key_t, const void *);
void *__cairn_w_pthread_getspecific(pthread_key_t);
int __cairn_w_thrd_create(thrd_t *, thrd_start_t, void *), __cairn_w_thrd_join(thrd_t, int *);
void __cairn_w_thrd_exit(int);

static void *twice(void *number)
{
    return (void *)((intptr_t)number * 2);
}

static void *leave(void *number)
{
    __cairn_w_pthread_exit((void *)((intptr_t)number * 2));
    return NULL;
}

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int short_twice(void *number)
{
    return (int)(intptr_t)number * 2;
}

static int short_leave(void *number)
{
    __cairn_w_thrd_exit((int)(intptr_t)number * 2);
    return 0;
}

static void check_results(void)
{
    pthread_t threads[8];
    void *result;
    for (intptr_t i = 0; i < 8; i++)
        __cairn_w_pthread_create(&threads[i], NULL, chance(2) ? twice : leave, (void *)i);
    for (intptr_t i = 0; i < 8; i++) {
        EXPECT(__cairn_w_pthread_join(threads[i], &result) == 0, "pthread_join");
        EXPECT((intptr_t)result == i * 2, "pthread_join: %zd", (intptr_t)result);
    }
    EXPECT(__cairn_w_pthread_create(&threads[0], NULL, wait_for_ever, NULL) == 0, "pthread_create");
    EXPECT(__cairn_w_pthread_tryjoin_np(threads[0], &result) != 0, "pthread_tryjoin_np");
    pthread_cancel(threads[0]);
    EXPECT(__cairn_w_pthread_join(threads[0], &result) == 0 && result == PTHREAD_CANCELED, "a cancelled thread");
}

static void check_short_results(void)
{
    thrd_t threads[8];
    int result;
    for (intptr_t i = 0; i < 8; i++)
        __cairn_w_thrd_create(&threads[i], chance(2) ? short_twice : short_leave, (void *)(i - 4));
    for (int i = 0; i < 8; i++) {
        EXPECT(__cairn_w_thrd_join(threads[i], &result) == thrd_success, "thrd_join");
        EXPECT(result == (i - 4) * 2, "thrd_join: %d", result);
    }
}

static void check_values(void)
{
    pthread_key_t key;
    int first, second;
    __cairn_w_pthread_key_create(&key, NULL);
    EXPECT(__cairn_w_pthread_getspecific(key) == NULL, "pthread_getspecific");
    __cairn_w_pthread_setspecific(key, &first);
    EXPECT(__cairn_w_pthread_getspecific(key) == &first, "pthread_getspecific");
    /* By code that the models do not see. */
    pthread_setspecific(key, &second);
    EXPECT(__cairn_w_pthread_getspecific(key) == &second, "pthread_getspecific");
    pthread_key_delete(key);
}

void check_threads(void)
{
    check_results();
    check_short_results();
    check_values();
}
