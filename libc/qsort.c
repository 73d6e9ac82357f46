/*
 * qsort
 *
 * The comparison's answer may be symbolic even if what is sorted are concrete pointers, so all of a traced
 * run is sorted here. As glibc's: by merging, stable, with the same comparisons in the same order.
 */
#include "model.h"
#include <stdlib.h>

typedef int (*comparison)(const void *, const void *);

struct sort {
    size_t size;
    comparison compare;
    char *scratch;
};

/* Merges two sorted halves. */
static void merge(const struct sort *sort, char *base, size_t left, size_t right)
{
    size_t size = sort->size;
    char *a = base, *a_end = base + left * size, *b = a_end, *b_end = b + right * size, *to = sort->scratch;
    for (; a < a_end && b < b_end; to += size) {
        char **from = sort->compare(a, b) <= 0 ? &a : &b;
        __builtin_memcpy(to, *from, size);
        *from += size;
    }
    /* What is left of the right half is in its place already. */
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

void MODEL(qsort)(void *base, size_t count, size_t size, comparison compare)
{
    struct sort sort = {size, compare, NULL};
    if (__cairn_tracing() && count > 1 && size > 0)
        sort.scratch = __cairn_w_malloc(count * size);
    if (sort.scratch == NULL) {
        qsort(base, count, size, compare);
        return;
    }
    sort_by_merging(&sort, base, count);
    free(sort.scratch);
}
