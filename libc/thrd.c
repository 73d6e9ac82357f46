/* thrd_create, thrd_exit, thrd_join: argument and result keep their labels */
#include "threads.h"
#include <threads.h>

static int begin(void *thread)
{
    return (int)(intptr_t)__cairn_m_thread_main(thread);
}

int MODEL(thrd_create)(thrd_t *id, thrd_start_t routine, void *argument)
{
    struct __cairn_m_thread *thread = __cairn_m_new_thread(argument);
    int status;
    if (thread == NULL)
        return thrd_create(id, routine, argument);
    thread->short_routine = routine;
    status = thrd_create(id, begin, thread);
    __cairn_m_started(thread, status == thrd_success ? *id : 0, status != thrd_success);
    return status;
}

__attribute__((noreturn)) void MODEL(thrd_exit)(int result)
{
    __cairn_m_ending((void *)(intptr_t)result);
    thrd_exit(result);
}

int MODEL(thrd_join)(thrd_t id, int *result)
{
    struct __cairn_m_thread *thread = __cairn_m_take_thread(id);
    int value = 0, status = thrd_join(id, &value);
    if (status != thrd_success) {
        __cairn_m_keep_thread(thread);
        return status;
    }
    value = (int)(intptr_t)__cairn_m_result(thread, (void *)(intptr_t)value);
    if (result != NULL)
        *result = value;
    return status;
}
