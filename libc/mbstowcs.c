/* mbstowcs, wcstombs: character by character */
#include "model.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

size_t __cairn_w_mbrtowc(wchar_t *to, const char *text, size_t size, mbstate_t *state);
size_t __cairn_w_wcrtomb(char *to, wchar_t c, mbstate_t *state);

size_t MODEL(mbstowcs)(wchar_t *to, const char *text, size_t count)
{
    mbstate_t state = {0};
    size_t i, length;
    if (!__cairn_tracing())
        return mbstowcs(to, text, count);
    for (i = 0; to == NULL || i < count; i++, text += length) {
        wchar_t c;
        length = __cairn_w_mbrtowc(&c, text, strnlen(text, MB_LEN_MAX) + 1, &state);
        if (length > MB_LEN_MAX)
            return (size_t)-1;
        if (to != NULL)
            to[i] = c;
        if (length == 0)
            return i;
    }
    return i;
}

size_t MODEL(wcstombs)(char *to, const wchar_t *text, size_t size)
{
    mbstate_t state = {0};
    char bytes[MB_LEN_MAX];
    size_t length, total = 0;
    if (!__cairn_tracing())
        return wcstombs(to, text, size);
    for (;; text++) {
        length = __cairn_w_wcrtomb(bytes, *text, &state);
        if (length == (size_t)-1)
            return length;
        if (to != NULL && total + length > size)
            return total;
        if (to != NULL)
            __builtin_memcpy(to + total, bytes, length);
        if (*text == L'\0')
            return total;
        total += length;
    }
}
