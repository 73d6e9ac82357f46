/* strtok */
#include "model.h"

char *MODEL(strtok)(char *text, const char *delimiters)
{
    static char *rest;
    return __cairn_m_token(text, delimiters, &rest);
}
