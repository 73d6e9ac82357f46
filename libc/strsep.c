/* strsep */
#include "model.h"

char *MODEL(strsep)(char **rest, const char *delimiters)
{
    char *text = *rest, *end;
    if (text == NULL)
        return NULL;
    end = text + __cairn_m_span(text, delimiters, 0);
    if (*end != '\0') {
        *end = '\0';
        *rest = end + 1;
    } else {
        *rest = NULL;
    }
    return text;
}
