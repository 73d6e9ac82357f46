/* strtok_r */
#include "model.h"

char *MODEL(strtok_r)(char *text, const char *delimiters, char **rest)
{
    return __cairn_m_token(text, delimiters, rest);
}

char *MODEL(__strtok_r)(char *text, const char *delimiters, char **rest)
{
    return __cairn_m_token(text, delimiters, rest);
}
