/* wcscpy, wmemcpy, wmemmove, wmemset: labels are copied */
#include "model.h"
#include <wchar.h>

size_t __cairn_w_wcslen(const wchar_t *text);

wchar_t *MODEL(wcscpy)(wchar_t *to, const wchar_t *from)
{
    __builtin_memmove(to, from, (__cairn_w_wcslen(from) + 1) * sizeof *to);
    return to;
}

wchar_t *MODEL(wmemcpy)(wchar_t *to, const wchar_t *from, size_t count)
{
    __builtin_memcpy(to, from, count * sizeof *to);
    return to;
}

wchar_t *MODEL(wmemmove)(wchar_t *to, const wchar_t *from, size_t count)
{
    __builtin_memmove(to, from, count * sizeof *to);
    return to;
}

wchar_t *MODEL(wmemset)(wchar_t *to, wchar_t c, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        to[i] = c;
    return to;
}
