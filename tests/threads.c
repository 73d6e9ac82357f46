/*
 * cairn-example: threads
 * input: stdin 6
 * branches: 22
 * unreachable: 2
 * faults: 0
 * strategy: dfs
 * execs: 200
 *
 * Threads: each has labels of its own for its registers and its thread-local variables, and memory is shared
 * by all. Two of them compute at the same time; only one at a time decides. Out of reach: a short read, and
 * a variable of another thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct work { const unsigned char *bytes; unsigned sum; };

static __thread unsigned local;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;

/* No decision on the input in here: the order of the two would not be deterministic. */
static void *compute(void *argument)
{
    struct work *work = argument;
    for (int round = 0; round < 200; round++) {
        local = local * 3 + work->bytes[round & 1];
        work->sum ^= local >> 3;
    }
    work->sum = work->bytes[0] * 2u + work->bytes[1];
    pthread_mutex_lock(&mutex);
    total += work->sum;
    pthread_mutex_unlock(&mutex);
    return work;
}

static void *decide(void *argument)
{
    const unsigned char *bytes = argument;
    local = bytes[0];
    if (local == 'd')
        puts("decided in a thread");
    return local > 200 ? argument : NULL;
}

int main(void)
{
    unsigned char in[6];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    struct work work[2] = { { in, 0 }, { in + 2, 0 } };
    pthread_t threads[2], third;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute, &work[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (work[0].sum == 111 && work[1].sum == 222)
        puts("sums");
    if (total == 700)
        puts("total");
    void *answer;
    pthread_create(&third, NULL, decide, in + 4);
    pthread_join(third, &answer);
    if (local == 0 && answer != NULL && in[5] == '?')
        puts("answer");
    return 0;
}
