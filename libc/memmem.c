/* memmem, strcasestr */
#include "model.h"
#include <string.h>

static int is_same(const char *a, const char *b, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

void *MODEL(memmem)(const void *block, size_t size, const void *part, size_t length)
{
    const char *at = block;
    char *place = memmem(block, size, part, length);
    size_t seen = place ? (size_t)(place - at) + length : size;
    if (!symbolic_value(block) && !symbolic_value(size) && !symbolic_value(part) && !symbolic_value(length)
        && !symbolic(block, seen) && !symbolic(part, length))
        return place;
    for (; size >= length; at++, size--)
        if (is_same(at, part, length))
            return (void *)at;
    return NULL;
}

static int starts_with(const char *text, const char *start)
{
    for (; *start != '\0'; text++, start++)
        if (TO_LOWER((unsigned char)*text) != TO_LOWER((unsigned char)*start))
            return 0;
    return 1;
}

char *MODEL(strcasestr)(const char *text, const char *part)
{
    char *place = strcasestr(text, part);
    size_t length = strlen(part);
    size_t seen = place ? (size_t)(place - text) + length : strlen(text) + 1;
    if (!__cairn_m_plain_characters()
        || (!symbolic_value(text) && !symbolic_value(part) && !symbolic(text, seen) && !symbolic(part, length + 1)))
        return place;
    for (;; text++) {
        if (starts_with(text, part))
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}
