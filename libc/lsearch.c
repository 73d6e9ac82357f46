/* lfind, lsearch: linear search in glibc's order */
#include "model.h"

typedef int (*comparison)(const void *, const void *);

void *MODEL(lfind)(const void *key, const void *base, size_t *count, size_t size, comparison compare)
{
    for (size_t i = 0; i < *count; i++) {
        const char *element = (const char *)base + i * size;
        if (compare(key, element) == 0)
            return (void *)element;
    }
    return NULL;
}

void *MODEL(lsearch)(const void *key, void *base, size_t *count, size_t size, comparison compare)
{
    char *found = MODEL(lfind)(key, base, count, size, compare);
    if (found != NULL)
        return found;
    found = (char *)base + *count * size;
    __builtin_memcpy(found, key, size);
    ++*count;
    return found;
}
