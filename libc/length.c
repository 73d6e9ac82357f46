/* Shared parts of the models of string functions: length, membership in a set, concretization. */
#include "model.h"
#include <string.h>

size_t __cairn_m_length(const char *text, size_t limit)
{
    size_t length = strnlen(text, limit);
    if (!symbolic_value(text) && !symbolic_value(limit) && !symbolic(text, length + (length < limit)))
        return length;
    length = 0;
    while (length < limit && text[length] != '\0')
        length++;
    return length;
}

void __cairn_m_concretize(const char *text, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        __cairn_concretized((unsigned char)text[i]);
}

/* One branch per character, not one per pair. */
static int is_member(const char *set, size_t size, char c)
{
    int found = 0;
    size_t i;
    for (i = 0; i < size; i++)
        found |= set[i] == c;
    return found;
}

size_t __cairn_m_span(const char *text, const char *set, int in)
{
    size_t size, length = in ? strspn(text, set) : strcspn(text, set);
    if (!symbolic_value(text) && !symbolic_value(set) && !symbolic(text, length + 1)
        && !symbolic(set, strlen(set) + 1))
        return length;
    size = __cairn_m_length(set, NO_LIMIT);
    for (length = 0; text[length] != '\0' && is_member(set, size, text[length]) == in; length++)
        ;
    return length;
}
