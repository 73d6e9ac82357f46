/* strdup, strndup */
#include "model.h"

static char *duplicate(const char *text, size_t length)
{
    char *copy = __cairn_w_malloc(length + 1);
    if (copy != NULL) {
        __builtin_memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *MODEL(strdup)(const char *text)
{
    return duplicate(text, __cairn_m_length(text, NO_LIMIT));
}

char *MODEL(__strdup)(const char *text)
{
    return duplicate(text, __cairn_m_length(text, NO_LIMIT));
}

char *MODEL(strndup)(const char *text, size_t limit)
{
    return duplicate(text, __cairn_m_length(text, limit));
}
