/* strtod, strtof, strtold, atof */
#include "float.h"

double MODEL(strtod)(const char *text, char **end)
{
    return __cairn_m_double(text, end);
}

float MODEL(strtof)(const char *text, char **end)
{
    return __cairn_m_float(text, end);
}

long double MODEL(strtold)(const char *text, char **end)
{
    return __cairn_m_long_double(text, end);
}

double MODEL(atof)(const char *text)
{
    return __cairn_m_double(text, NULL);
}
