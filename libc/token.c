/* Shared part of strtok and strtok_r. */
#include "model.h"

char *__cairn_m_token(char *text, const char *delimiters, char **rest)
{
    char *end;
    text = text != NULL ? text : *rest;
    text += __cairn_m_span(text, delimiters, 1);
    if (*text == '\0') {
        *rest = text;
        return NULL;
    }
    end = text + __cairn_m_span(text, delimiters, 0);
    if (*end != '\0')
        *end++ = '\0';
    *rest = end;
    return text;
}
