/*
 * cairn-example: markers_verifier
 * input: named
 * branches: 23
 * unreachable: 1
 * faults: 2
 * fault: SIGABRT reach_error
 * fault: SIGABRT __VERIFIER_error
 * strategy: dfs
 * execs: 300
 *
 * A program of Test-Comp: it declares what it uses, and leaves one of the errors to Cairn. Out of reach: inputs that
 * violate the assumption.
 */
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar();
extern short __VERIFIER_nondet_short();
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern void *__VERIFIER_nondet_pointer(void);
extern void __VERIFIER_nondet_memory(void *, size_t);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void) __attribute__((noreturn));
extern void abort(void) __attribute__((noreturn));

void reach_error(void)
{
    abort();
}

int main(void)
{
    struct {
        int a, b;
    } pair;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 5 && n < 8);
    if (n == 6)
        reach_error();
    if (__VERIFIER_nondet_bool())
        return 1;
    if (__VERIFIER_nondet_char() != 'x')
        return 2;
    if (__VERIFIER_nondet_uchar() != 200)
        return 3;
    if (__VERIFIER_nondet_short() != -2)
        return 4;
    if (__VERIFIER_nondet_ushort() != 60000)
        return 5;
    if (__VERIFIER_nondet_uint() != 3000000000u)
        return 6;
    if (__VERIFIER_nondet_long() + __VERIFIER_nondet_ulong() != 123456789012)
        return 7;
    if (__VERIFIER_nondet_size_t() / 1000 != 4)
        return 8;
    if (__VERIFIER_nondet_pointer())
        return 9;
    __VERIFIER_nondet_memory(&pair, sizeof pair);
    if (pair.a - pair.b == 17)
        __VERIFIER_error();
    return 0;
}
