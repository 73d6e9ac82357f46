/* mempcpy, bzero, explicit_bzero, reallocarray */
#include "model.h"
#include <errno.h>

void *__cairn_w_realloc(void *block, size_t size);

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

void MODEL(explicit_bzero)(void *at, size_t size)
{
    __builtin_memset(at, 0, size);
    __asm__ volatile("" ::: "memory");
}

void *MODEL(reallocarray)(void *block, size_t count, size_t size)
{
    if (size != 0 && count > NO_LIMIT / size) {
        errno = ENOMEM;
        return NULL;
    }
    return __cairn_w_realloc(block, count * size);
}
