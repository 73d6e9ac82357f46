/*
 * stat: mean, median and deviation of a growing list that is kept sorted.
 *
 * The list outlives a call of the driver, as in the original, where it outlives a test: three calls, each with a number
 * of its own, see all that a row of tests would.
 */
#include "cairn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 3, ADDED_PER_CALL = 4 };

static struct {
    int values[CALLS * ADDED_PER_CALL];
    int size, count;
    double sum, sum_of_squares, mean, deviation;
} list;

/* Where the value is, or -1 - (where it belongs). */
static int search(int value)
{
    int low = 0, high = list.size - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (list.values[middle] < value)
            low = middle + 1;
        else if (list.values[middle] > value)
            high = middle - 1;
        else
            return middle;
    }
    return -low - 1;
}

static void insert(int place, int value)
{
    memmove(&list.values[place + 1], &list.values[place], (size_t)(list.size - place) * sizeof(int));
    list.values[place] = value;
    list.size++;
}

static void add_value(int value)
{
    int place = search(value);
    if (place >= 0 && place < list.size)
        insert(place, value);
    else if (place == list.size || list.size == 0)
        insert(list.size, value);
    else
        insert(-place - 1, value);
    list.count++;
    list.sum += value;
    list.sum_of_squares += (double)value * value;
    list.mean = list.sum / list.count;
    list.deviation = sqrt(list.sum_of_squares / list.count - list.mean * list.mean);
}

static void run(int value)
{
    for (int i = 0; i < ADDED_PER_CALL; i++)
        add_value(value);
    if (list.values[list.size / 2] == 3)
        puts("the median is 3");
    if (list.deviation <= 0.82915619758885)
        puts("they are close together");
}

int main(void)
{
    int values[CALLS];
    cairn_symbolic(&values[0], sizeof(int), "first");
    cairn_symbolic(&values[1], sizeof(int), "second");
    cairn_symbolic(&values[2], sizeof(int), "third");
    for (int i = 0; i < CALLS; i++)
        run(values[i]);
    return 0;
}
