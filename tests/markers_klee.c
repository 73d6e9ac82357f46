/*
 * cairn-example: markers_klee
 * input: named
 * branches: 13
 * unreachable: 5
 * faults: 3
 * fault: SIGABRT klee_report_error
 * fault: SIGABRT klee_abort
 * fault: SIGABRT check
 * strategy: dfs
 * execs: 300
 *
 * A program written for KLEE. The checks in klee_assume, klee_range and klee_choose are no branches of the program.
 */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int index)
{
    klee_assert(index != 6);
}

static int end(int how)
{
    switch (how) {
    case 1:
        klee_report_error(__FILE__, __LINE__, "one", "one.err");
    case 2:
        klee_abort();
    case 3:
        klee_silent_exit(0);
    default:
        return 0;
    }
}

int main(void)
{
    char text[3];
    int index, day;
    klee_make_symbolic(text, sizeof text, "text");
    klee_assume((text[0] > 'f') & (text[0] < 'i'));
    index = klee_range(3, 9, "index");
    klee_prefer_cex(text, text[1] == 'x');
    klee_open_merge();
    if (index == 2)
        puts("never");
    else if (index == 8)
        check(klee_choose(7));
    klee_close_merge();
    day = klee_int("day");
    if (klee_is_symbolic(day) == klee_is_replay() || klee_is_symbolic(klee_get_value_i32(day)))
        puts("never");
    if (text[0] == 'g')
        return end(day);
    if (text[0] != 'h')
        puts("never");
    klee_warning_once("to standard error");
    return 0;
}
