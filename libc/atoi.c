/* atoi, atol, atoll */
#include "number.h"

int MODEL(atoi)(const char *text)
{
    return (int)__cairn_m_number(text, NULL, 10, SIGNED, 0);
}

long MODEL(atol)(const char *text)
{
    return (long)__cairn_m_number(text, NULL, 10, SIGNED, 0);
}

long long MODEL(atoll)(const char *text)
{
    return (long long)__cairn_m_number(text, NULL, 10, SIGNED, 0);
}
