/* wcslen, wcscmp, wcsncmp, wcschr, wmemchr, wmemcmp */
#include "model.h"
#include <wchar.h>

#define BYTES(count) ((count) * sizeof(wchar_t))

size_t MODEL(wcslen)(const wchar_t *text)
{
    size_t length = wcslen(text);
    if (!symbolic_value(text) && !symbolic(text, BYTES(length + 1)))
        return length;
    for (length = 0; text[length] != L'\0';)
        length++;
    return length;
}

static int differ(const wchar_t *a, const wchar_t *b, size_t limit)
{
    size_t i;
    for (i = 0; i < limit; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
        if (a[i] == L'\0')
            return 0;
    }
    return 0;
}

/* Both strings are tested to their ends: wide strings are short. */
static int is_concrete(const wchar_t *a, const wchar_t *b, size_t limit)
{
    size_t a_size = BYTES(wcsnlen(a, limit)), b_size = BYTES(wcsnlen(b, limit));
    return !symbolic(a, a_size + sizeof *a) && !symbolic(b, b_size + sizeof *b);
}

int MODEL(wcscmp)(const wchar_t *a, const wchar_t *b)
{
    if (!__cairn_tracing() || (!symbolic_value(a) && !symbolic_value(b) && is_concrete(a, b, NO_LIMIT)))
        return wcscmp(a, b);
    return differ(a, b, NO_LIMIT);
}

int MODEL(wcsncmp)(const wchar_t *a, const wchar_t *b, size_t limit)
{
    if (!__cairn_tracing()
        || (!symbolic_value(a) && !symbolic_value(b) && !symbolic_value(limit) && is_concrete(a, b, limit)))
        return wcsncmp(a, b, limit);
    return differ(a, b, limit);
}

wchar_t *MODEL(wcschr)(const wchar_t *text, wchar_t c)
{
    wchar_t *place = wcschr(text, c);
    size_t seen = place ? (size_t)(place - text) + 1 : wcslen(text) + 1;
    if (!symbolic_value(text) && !symbolic_value(c) && !symbolic(text, BYTES(seen)))
        return place;
    for (; *text != c; text++)
        if (*text == L'\0')
            return NULL;
    return (wchar_t *)text;
}

wchar_t *MODEL(wmemchr)(const wchar_t *block, wchar_t c, size_t count)
{
    wchar_t *place = wmemchr(block, c, count);
    size_t i, seen = place ? (size_t)(place - block) + 1 : count;
    if (!symbolic_value(block) && !symbolic_value(c) && !symbolic_value(count) && !symbolic(block, BYTES(seen)))
        return place;
    for (i = 0; i < count; i++)
        if (block[i] == c)
            return (wchar_t *)block + i;
    return NULL;
}

int MODEL(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t count)
{
    size_t i;
    if (!symbolic_value(a) && !symbolic_value(b) && !symbolic_value(count) && !symbolic(a, BYTES(count))
        && !symbolic(b, BYTES(count)))
        return wmemcmp(a, b, count);
    for (i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
