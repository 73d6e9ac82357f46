/* Threads and their results, for the models of two interfaces to them. */
#ifndef CAIRN_THREADS_H
#define CAIRN_THREADS_H

#include "model.h"
#include <pthread.h>
#include <stdint.h>

/*
 * A thread that the program has started. Its argument and its result lie here, with their labels, while the library,
 * which sees no labels, hands on their values.
 */
struct __cairn_m_thread {
    struct __cairn_m_thread *next;
    pthread_t id;
    void *(*routine)(void *);
    int (*short_routine)(void *);
    void *argument;
    void *result;
};

/* A record of a new thread; NULL if the run is not traced, or if there is no memory. */
struct __cairn_m_thread *__cairn_m_new_thread(void *argument);

/* Records that the thread has started with this id or, with `failed`, that it has not. */
void __cairn_m_started(struct __cairn_m_thread *thread, pthread_t id, int failed);

/* First function of a thread whose argument is its record. */
void *__cairn_m_thread_main(void *thread);

/* Keeps a result of the thread that ends. */
void __cairn_m_ending(void *result);

/* Takes the record of a thread off the list; NULL if there is none. */
struct __cairn_m_thread *__cairn_m_take_thread(pthread_t id);

/* The value that a thread has ended with, which the library says is `result`, with its label. Frees the record. */
void *__cairn_m_result(struct __cairn_m_thread *thread, void *result);

/* Puts the record of a thread back that was not joined. */
void __cairn_m_keep_thread(struct __cairn_m_thread *thread);

#endif
