/* pthread_setspecific, pthread_getspecific, tss_set, tss_get: thread-specific values keep their labels */
#include "model.h"
#include <limits.h>
#include <pthread.h>
#include <threads.h>

/* Symbolic values of this thread, by key; NULL as long as there are none. */
static __thread const void **values;
/* Keys whose values are passed to a destructor, which the library calls. */
static char has_destructor[PTHREAD_KEYS_MAX];

static void note_key(size_t key, int destroyed)
{
    if (key < PTHREAD_KEYS_MAX)
        has_destructor[key] = (char)destroyed;
}

static void keep(size_t key, const void *value)
{
    int is_symbolic = symbolic_value(value);
    if (key >= PTHREAD_KEYS_MAX)
        return;
    if (values == NULL && is_symbolic && (values = __cairn_w_malloc(PTHREAD_KEYS_MAX * sizeof *values)) != NULL)
        __builtin_memset(values, 0, PTHREAD_KEYS_MAX * sizeof *values);
    if (is_symbolic && (values == NULL || has_destructor[key]))
        __cairn_lost_input(&value, sizeof value);
    if (values != NULL)
        values[key] = value;
}

/* Returns the library's value, with its label if it equals the kept one. */
static void *kept(size_t key, void *value)
{
    const void *found = key < PTHREAD_KEYS_MAX && values != NULL ? values[key] : NULL;
    return __cairn_concrete((size_t)found) == (size_t)value ? (void *)found : value;
}

int MODEL(pthread_key_create)(pthread_key_t *key, void (*destructor)(void *))
{
    int error = pthread_key_create(key, destructor);
    if (error == 0)
        note_key(*key, destructor != NULL);
    return error;
}

int MODEL(pthread_setspecific)(pthread_key_t key, const void *value)
{
    key = (pthread_key_t)__cairn_concretized(key);
    keep(key, value);
    return pthread_setspecific(key, value);
}

void *MODEL(pthread_getspecific)(pthread_key_t key)
{
    key = (pthread_key_t)__cairn_concretized(key);
    return kept(key, pthread_getspecific(key));
}

int MODEL(tss_create)(tss_t *key, tss_dtor_t destructor)
{
    int status = tss_create(key, destructor);
    if (status == thrd_success)
        note_key(*key, destructor != NULL);
    return status;
}

int MODEL(tss_set)(tss_t key, void *value)
{
    key = (tss_t)__cairn_concretized(key);
    keep(key, value);
    return tss_set(key, value);
}

void *MODEL(tss_get)(tss_t key)
{
    key = (tss_t)__cairn_concretized(key);
    return kept(key, tss_get(key));
}
