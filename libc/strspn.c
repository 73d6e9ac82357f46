/* strspn, strcspn, strpbrk */
#include "model.h"

size_t MODEL(strspn)(const char *text, const char *set)
{
    return __cairn_m_span(text, set, 1);
}

size_t MODEL(strcspn)(const char *text, const char *set)
{
    return __cairn_m_span(text, set, 0);
}

char *MODEL(strpbrk)(const char *text, const char *set)
{
    text += __cairn_m_span(text, set, 0);
    return *text != '\0' ? (char *)text : NULL;
}
