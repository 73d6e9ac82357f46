/* bsearch: the same comparisons as glibc, in its order */
#include "model.h"

typedef int (*comparison)(const void *, const void *);

void *MODEL(bsearch)(const void *key, const void *base, size_t count, size_t size, comparison compare)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
