/*
 * cairn-example: lists
 * input: stdin 0-6
 * branches: 30
 * unreachable: 0
 * faults: 1
 * fault: SIGSEGV report
 * strategy: dfs
 * execs: 1200
 *
 * Reads nested lists such as `(a(bc))` by recursive descent, and leaves all of it at once by longjmp
 * when something is wrong.
 *
 * The fault: a message about a surplus parenthesis tells the depth it stands at. All goes well for one
 * at the very start, but a list that was closed leaves no current list behind: `())`.
 */
#include <setjmp.h>
#include <stdio.h>

#define MAX_DEPTH 3

enum problem { NONE, SURPLUS, NOT_CLOSED, TOO_DEEP, BAD_CHARACTER };

struct list {
    const struct list *parent;
    int depth, elements;
};

static jmp_buf recovery;
static const struct list outermost = {NULL, 0, 0};
static const struct list *volatile current = &outermost;

static void read_list(const struct list *parent, int depth);

static void fail(enum problem problem)
{
    longjmp(recovery, (int)problem);
}

/* Reads one element; whether there was one before the end of the list. */
static int read_element(struct list *list)
{
    int c = getchar();
    if (c == ')')
        return 0;
    if (c == EOF || c == '\n')
        fail(NOT_CLOSED);
    if (c == '(')
        read_list(list, list->depth + 1);
    else if (c < 'a' || c > 'z')
        fail(BAD_CHARACTER);
    return 1;
}

static void read_list(const struct list *parent, int depth)
{
    struct list list;
    list.parent = parent;
    list.depth = depth;
    list.elements = 0;
    if (depth > MAX_DEPTH)
        fail(TOO_DEEP);
    current = &list;
    while (read_element(&list))
        list.elements++;
    printf("a list of %d at depth %d\n", list.elements, depth);
    current = parent;
}

static void read_lists(void)
{
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (c == ')')
            fail(SURPLUS);
        if (c != '(')
            fail(BAD_CHARACTER);
        read_list(NULL, 1);
    }
}

static void report(enum problem problem)
{
    const struct list *list = current;
    switch (problem) {
    case SURPLUS:
        printf("surplus parenthesis at depth %d\n", list->depth);
        break;
    case NOT_CLOSED:
        printf("not closed: depth %d, %d elements\n", list->depth, list->elements);
        break;
    case TOO_DEEP:
        printf("too deep\n");
        break;
    default:
        printf("bad character\n");
    }
}

int main(void)
{
    int problem = setjmp(recovery);
    if (problem != NONE) {
        report((enum problem)problem);
        return 1;
    }
    read_lists();
    printf("all good\n");
    return 0;
}
