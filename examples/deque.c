/*
 * cairn-example: deque
 * input: stdin 0-5
 * branches: 32
 * unreachable: 0
 * faults: 1
 * fault: SIGABRT check
 * strategy: dfs
 * execs: 1500
 *
 * Carries out a line of commands on a short list: a digit is put at the back, `<` moves the last
 * number to the front, `-` drops the front, `r` reverses, `u` undoes the last change. Lists are passed
 * and kept by value, numbers moved with memmove, commands called through pointers.
 *
 * The fault: an undone list gets its numbers back but keeps the total it had. That shows only when
 * the change that is undone has changed the total.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 2

struct list {
    int numbers[CAPACITY];
    int length, total;
};

typedef struct list command(struct list list);

static struct list appended(struct list list, int number)
{
    if (list.length == CAPACITY)
        return list;
    list.numbers[list.length++] = number;
    list.total += number;
    return list;
}

static struct list rotated(struct list list)
{
    int last;
    if (list.length < 2)
        return list;
    last = list.numbers[list.length - 1];
    memmove(list.numbers + 1, list.numbers, sizeof *list.numbers * (size_t)(list.length - 1));
    list.numbers[0] = last;
    return list;
}

static struct list dropped(struct list list)
{
    if (list.length == 0)
        return list;
    list.length--;
    list.total -= list.numbers[0];
    memmove(list.numbers, list.numbers + 1, sizeof *list.numbers * (size_t)list.length);
    return list;
}

static void reverse(int *numbers, int length)
{
    int first;
    if (length >= 2) {
        first = numbers[0];
        numbers[0] = numbers[length - 1];
        numbers[length - 1] = first;
        reverse(numbers + 1, length - 2);
    }
}

static struct list reversed(struct list list)
{
    reverse(list.numbers, list.length);
    return list;
}

static command *find_command(char c)
{
    switch (c) {
    case '<':
        return rotated;
    case '-':
        return dropped;
    case 'r':
        return reversed;
    default:
        return NULL;
    }
}

static struct list undone(struct list list, const struct list *before)
{
    list.length = before->length;
    memcpy(list.numbers, before->numbers, sizeof list.numbers);
    return list;
}

static void check(const struct list *list)
{
    int i, sum = 0;
    for (i = 0; i < list->length; i++)
        sum += list->numbers[i];
    if (sum != list->total)
        abort();
}

/* The list after the command `c`; whether there is such a command. */
static int carry_out(char c, struct list *list, struct list *before)
{
    struct list old = *list;
    command *run = find_command(c);
    if (c >= '0' && c <= '9')
        *list = appended(old, c - '0');
    else if (c == 'u')
        *list = undone(old, before);
    else if (run != NULL)
        *list = run(old);
    else
        return 0;
    *before = old;
    return 1;
}

int main(void)
{
    struct list list = {{0}, 0, 0}, before = list;
    char line[16] = "";
    const char *at = line;
    if (fgets(line, sizeof line, stdin) == NULL)
        return 2;
    for (; *at != '\0' && *at != '\n'; at++) {
        if (!carry_out(*at, &list, &before)) {
            printf("no such command\n");
            return 1;
        }
        check(&list);
    }
    printf("%d numbers, total %d, first %d\n", list.length, list.total, list.numbers[0]);
    return 0;
}
