/*
 * qsort, qsort_r
 *
 * The comparison's result may be symbolic even if the sorted elements are concrete pointers, so a traced run always
 * sorts here. As in glibc: a stable merge sort, with the same comparisons in the same order.
 */
#include "model.h"
#include <stdlib.h>

typedef int (*comparison)(const void *, const void *);
typedef int (*comparison_with)(const void *, const void *, void *);

struct sort {
    size_t size;
    comparison_with compare;
    void *argument;
    char *scratch;
};

/* Merges two sorted halves. */
static void merge(const struct sort *sort, char *base, size_t left, size_t right)
{
    size_t size = sort->size;
    char *a = base, *a_end = base + left * size, *b = a_end, *b_end = b + right * size, *to = sort->scratch;
    for (; a < a_end && b < b_end; to += size) {
        char **from = sort->compare(a, b, sort->argument) <= 0 ? &a : &b;
        __builtin_memcpy(to, *from, size);
        *from += size;
    }
    /* The rest of the right half is in place already. */
    __builtin_memcpy(to, a, (size_t)(a_end - a));
    to += a_end - a;
    __builtin_memcpy(base, sort->scratch, (size_t)(to - sort->scratch));
}

static void sort_by_merging(const struct sort *sort, char *base, size_t count)
{
    size_t left = count / 2;
    if (count < 2)
        return;
    sort_by_merging(sort, base, left);
    sort_by_merging(sort, base + left * sort->size, count - left);
    merge(sort, base, left, count - left);
}

/* Comparison without an argument: the comparison function is the argument. */
static int compare_without(const void *a, const void *b, void *compare)
{
    return ((comparison)compare)(a, b);
}

/* Sorts, if the run is traced and memory can be allocated; returns true if so. */
static int is_sorted_here(void *base, size_t count, size_t size, comparison_with compare, void *argument)
{
    struct sort sort = {size, compare, argument, NULL};
    if (__cairn_tracing() && count > 1 && size > 0)
        sort.scratch = __cairn_w_malloc(count * size);
    if (sort.scratch == NULL)
        return 0;
    sort_by_merging(&sort, base, count);
    free(sort.scratch);
    return 1;
}

void MODEL(qsort)(void *base, size_t count, size_t size, comparison compare)
{
    if (!is_sorted_here(base, count, size, compare_without, (void *)compare))
        qsort(base, count, size, compare);
}

void MODEL(qsort_r)(void *base, size_t count, size_t size, comparison_with compare, void *argument)
{
    if (!is_sorted_here(base, count, size, compare, argument))
        qsort_r(base, count, size, compare, argument);
}
