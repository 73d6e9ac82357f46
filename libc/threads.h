/* Threads and their results, shared by the models of pthread_create and thrd_create. */
#ifndef CAIRN_THREADS_H
#define CAIRN_THREADS_H

#include "model.h"
#include <pthread.h>
#include <stdint.h>

/*
 * A thread that the program has started. Its argument and result are kept here with their labels, while the library,
 * which sees no labels, passes their values.
 */
struct __cairn_m_thread {
    struct __cairn_m_thread *next;
    pthread_t id;
    void *(*routine)(void *);
    int (*short_routine)(void *);
    void *argument;
    void *result;
};

/* Creates the record of a new thread; NULL if the run is not traced, or without memory. */
struct __cairn_m_thread *__cairn_m_new_thread(void *argument);

/* Records that the thread has started with this id or, if `failed`, that it has not. */
void __cairn_m_started(struct __cairn_m_thread *thread, pthread_t id, int failed);

/* Start routine of a thread whose argument is its record. */
void *__cairn_m_thread_main(void *thread);

/* Records the result of the calling thread. */
void __cairn_m_ending(void *result);

/* Removes the record of a thread from the list; NULL if there is none. */
struct __cairn_m_thread *__cairn_m_take_thread(pthread_t id);

/* Returns the result of a thread, which is `result` according to the library, with its label. Frees the record. */
void *__cairn_m_result(struct __cairn_m_thread *thread, void *result);

/* Puts back the record of a thread that was not joined. */
void __cairn_m_keep_thread(struct __cairn_m_thread *thread);

#endif
