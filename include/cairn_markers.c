/*
 * cairn_markers.c: the markers of KLEE and of the Test-Comp competition, implemented by those of cairn.h.
 *
 * Not to be compiled by itself: plain builds get it through cairn_replay.c, instrumented ones from Cairn's
 * own library. Every function is weak: the program's own definition takes precedence.
 */
#include "cairn.h"
#include "klee/klee.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MARKER __attribute__((__weak__))

/* Tests a variable for labels, and removes them; in a plain build there are none. */
#ifdef CAIRN_INSTRUMENTED
int __cairn_tracing(void);
int __cairn_any_symbolic(const void *start, size_t size);
void __cairn_clear(const void *start, size_t size);

/* The prefix marks this unit as one of Cairn's own, whose branches do not count as the user's. */
void __cairn_m_markers(void);
void __cairn_m_markers(void)
{
}
#else
#define __cairn_tracing() 0
#define __cairn_any_symbolic(start, size) ((void)(start), 0)
#define __cairn_clear(start, size) ((void)(start))
#endif

/* KLEE. */

MARKER void klee_make_symbolic(void *address, size_t size, const char *name)
{
    cairn_symbolic(address, size, name);
}

MARKER int klee_int(const char *name)
{
    int value;
    cairn_symbolic(&value, sizeof value, name);
    return value;
}

MARKER int klee_range(int begin, int end, const char *name)
{
    int value = begin;
    /* A single value is no choice: KLEE creates no object for it either. */
    if (end - begin == 1)
        return value;
    value = klee_int(name);
    cairn_assume((unsigned)value - (unsigned)begin < (unsigned)end - (unsigned)begin);
    return value;
}

MARKER uintptr_t klee_choose(uintptr_t count)
{
    uintptr_t value;
    cairn_symbolic(&value, sizeof value, "klee_choose");
    cairn_assume(value < count);
    return value;
}

MARKER void klee_assume(uintptr_t condition)
{
    cairn_assume(condition != 0);
}

MARKER void klee_silent_exit(int status)
{
    (void)status;
    cairn_reject();
}

MARKER void klee_abort(void)
{
    abort();
}

MARKER void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
    abort();
}

MARKER unsigned klee_is_symbolic(uintptr_t value)
{
    return __cairn_any_symbolic(&value, sizeof value) != 0;
}

MARKER unsigned klee_is_replay(void)
{
    return !__cairn_tracing();
}

#define GET_VALUE(suffix, type)               \
    MARKER type klee_get_value##suffix(type value) \
    {                                         \
        __cairn_clear(&value, sizeof value);  \
        return value;                         \
    }

GET_VALUE(f, float)
GET_VALUE(d, double)
GET_VALUE(l, long)
GET_VALUE(ll, long long)
GET_VALUE(_i32, int32_t)
GET_VALUE(_i64, int64_t)

MARKER void klee_check_memory_access(const void *address, size_t size)
{
    const volatile char *bytes = (const volatile char *)address;
    size_t i;
    for (i = 0; i < size; i++)
        (void)bytes[i];
}

MARKER int klee_get_errno(void)
{
    return errno;
}

MARKER void klee_warning(const char *message)
{
    fprintf(stderr, "warning: %s\n", message);
}

MARKER void klee_warning_once(const char *message)
{
    static int warned = 0;
    if (!warned)
        klee_warning(message);
    warned = 1;
}

MARKER void klee_print_expr(const char *message, ...)
{
    fprintf(stderr, "%s\n", message);
}

MARKER void klee_prefer_cex(void *object, uintptr_t condition)
{
    (void)object, (void)condition;
}

MARKER void klee_posix_prefer_cex(void *object, uintptr_t condition)
{
    (void)object, (void)condition;
}

MARKER void klee_mark_global(void *object)
{
    (void)object;
}

MARKER void klee_set_forking(unsigned enable)
{
    (void)enable;
}

MARKER void klee_stack_trace(void)
{
}

MARKER void klee_print_range(const char *name, int value)
{
    (void)name, (void)value;
}

MARKER void klee_open_merge(void)
{
}

MARKER void klee_close_merge(void)
{
}

/* Test-Comp. Its programs declare these themselves. */

#define NONDET(name, type)                                                    \
    MARKER type __VERIFIER_nondet_##name(void);                               \
    MARKER type __VERIFIER_nondet_##name(void)                                \
    {                                                                         \
        type value;                                                           \
        cairn_symbolic(&value, sizeof value, "__VERIFIER_nondet_" #name);     \
        return value;                                                         \
    }

NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(float, float)
NONDET(double, double)
NONDET(size_t, size_t)
NONDET(loff_t, long long)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(s8, signed char)
NONDET(s16, short)
NONDET(s32, int)
NONDET(s64, long long)
NONDET(u8, unsigned char)
NONDET(u16, unsigned short)
NONDET(u32, unsigned)
NONDET(u64, unsigned long long)
NONDET(pointer, void *)
NONDET(pchar, char *)
#ifdef __SIZEOF_INT128__
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
#endif

MARKER _Bool __VERIFIER_nondet_bool(void);
MARKER _Bool __VERIFIER_nondet_bool(void)
{
    unsigned char value;
    cairn_symbolic(&value, sizeof value, "__VERIFIER_nondet_bool");
    return value & 1;
}

MARKER void __VERIFIER_nondet_memory(void *address, size_t size);
MARKER void __VERIFIER_nondet_memory(void *address, size_t size)
{
    cairn_symbolic(address, size, "__VERIFIER_nondet_memory");
}

MARKER void __VERIFIER_assume(int condition);
MARKER void __VERIFIER_assume(int condition)
{
    cairn_assume(condition);
}

MARKER CAIRN_NORETURN void __VERIFIER_error(void);
MARKER void __VERIFIER_error(void)
{
    abort();
}

MARKER void __VERIFIER_assert(int condition);
MARKER void __VERIFIER_assert(int condition)
{
    if (!condition)
        abort();
}

MARKER CAIRN_NORETURN void reach_error(void);
MARKER void reach_error(void)
{
    abort();
}

MARKER void __VERIFIER_atomic_begin(void);
MARKER void __VERIFIER_atomic_begin(void)
{
}

MARKER void __VERIFIER_atomic_end(void);
MARKER void __VERIFIER_atomic_end(void)
{
}
