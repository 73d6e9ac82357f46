/* memccpy, swab */
#include "model.h"
#include <sys/types.h>

void *__cairn_w_memchr(const void *block, int c, size_t size);

void *MODEL(memccpy)(void *to, const void *from, int c, size_t size)
{
    const char *last = __cairn_w_memchr(from, c, size);
    size_t length = last != NULL ? (size_t)(last - (const char *)from) + 1 : size;
    __builtin_memcpy(to, from, length);
    return last != NULL ? (char *)to + length : NULL;
}

void MODEL(swab)(const void *from, void *to, ssize_t size)
{
    const char *in = from;
    char *out = to;
    for (; size > 1; size -= 2, in += 2, out += 2) {
        char first = in[0];
        out[0] = in[1];
        out[1] = first;
    }
}
