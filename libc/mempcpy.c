/* mempcpy, bzero */
#include "model.h"

void *MODEL(mempcpy)(void *to, const void *from, size_t size)
{
    __builtin_memcpy(to, from, size);
    return (char *)to + size;
}

void *MODEL(__mempcpy)(void *to, const void *from, size_t size)
{
    __builtin_memcpy(to, from, size);
    return (char *)to + size;
}

void MODEL(bzero)(void *at, size_t size)
{
    __builtin_memset(at, 0, size);
}
