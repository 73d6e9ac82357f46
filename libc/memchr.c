/* memchr, memrchr */
#include "model.h"
#include <string.h>

void *MODEL(memchr)(const void *block, int c, size_t size)
{
    const char *at = block;
    char *place = memchr(block, c, size);
    size_t seen = place ? (size_t)(place - at) + 1 : size;
    size_t i;
    if (!symbolic_value(block) && !symbolic_value(c) && !symbolic_value(size) && !symbolic(block, seen))
        return place;
    for (i = 0; i < size; i++)
        if (at[i] == (char)c)
            return (void *)(at + i);
    return NULL;
}

void *MODEL(memrchr)(const void *block, int c, size_t size)
{
    const char *at = block;
    char *place = memrchr(block, c, size);
    const char *seen = place ? place : at;
    size_t i;
    if (!symbolic_value(block) && !symbolic_value(c) && !symbolic_value(size)
        && !symbolic(seen, (size_t)(at + size - seen)))
        return place;
    for (i = size; i > 0; i--)
        if (at[i - 1] == (char)c)
            return (void *)(at + i - 1);
    return NULL;
}
