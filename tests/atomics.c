/*
 * cairn-example: atomics
 * input: stdin 8
 * branches: 34
 * unreachable: 4
 * faults: 0
 * strategy: random-branch
 * execs: 300
 *
 * Atomic updates: the old value is returned, the new one is in memory, and both are symbolic. Out of reach: a short
 * read, an exchange that fails spuriously, and branches that the old value implies.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic unsigned counter, flags, limit;
static _Atomic short lowest;
static _Atomic unsigned char lock;
static _Atomic unsigned long ticket;
static const char *_Atomic name = "nobody";

static void arithmetic(const unsigned char *in)
{
    atomic_store(&counter, in[0]);
    unsigned before = atomic_fetch_add(&counter, in[1]);
    if (before == 200 && atomic_load(&counter) == 211)
        puts("added");
    atomic_fetch_sub_explicit(&counter, 5u, memory_order_relaxed);
    if (counter == 17)
        puts("subtracted");
}

static void bits(const unsigned char *in)
{
    flags = in[2];
    atomic_fetch_or(&flags, 0x100u);
    atomic_fetch_and(&flags, 0x1f0u);
    atomic_fetch_xor(&flags, 0x10u);
    if (flags == 0x1a0)
        puts("bits");
    if (__atomic_fetch_nand((unsigned *)&flags, 0xffu, __ATOMIC_SEQ_CST) == 0x140 && flags == ~0x40u)
        puts("nand");
}

static void extremes(const unsigned char *in)
{
    limit = 100;
    lowest = -3;
    __atomic_fetch_max((unsigned *)&limit, in[3], __ATOMIC_RELAXED);
    __atomic_fetch_min((short *)&lowest, (short)(in[3] - 250), __ATOMIC_RELAXED);
    if (limit == 222)
        puts("maximum");
    if (lowest == -50)
        puts("minimum");
}

static void exchanges(const unsigned char *in)
{
    lock = in[4];
    if (atomic_exchange(&lock, in[5]) == 'l' && lock == 'u')
        puts("exchanged");
    unsigned long expected = 7;
    ticket = in[6];
    if (atomic_compare_exchange_strong(&ticket, &expected, in[7])) {
        if (ticket == 77)
            puts("replaced");
    } else if (expected == 8) {
        puts("kept");
    }
    /* A compare-and-exchange loop. */
    unsigned long seen = ticket, wanted;
    do {
        wanted = seen * 3;
    } while (!atomic_compare_exchange_weak(&ticket, &seen, wanted));
    if (ticket == 3 * 78)
        puts("multiplied");
    atomic_store(&name, in[5] == 'n' ? "somebody" : "nobody");
    puts(atomic_load(&name));
    atomic_thread_fence(memory_order_seq_cst);
}

int main(void)
{
    unsigned char in[8];
    if (read(STDIN_FILENO, in, sizeof in) != sizeof in)
        return 1;
    arithmetic(in);
    bits(in);
    extremes(in);
    exchanges(in);
    return 0;
}
