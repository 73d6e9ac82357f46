/* sprintf, snprintf, asprintf and their va_list variants */
#include "print.h"

int MODEL(vsnprintf)(char *to, size_t size, const char *format, va_list arguments)
{
    return __cairn_m_print(to, size, format, arguments);
}

int MODEL(vsprintf)(char *to, const char *format, va_list arguments)
{
    return __cairn_m_print(to, NO_LIMIT, format, arguments);
}

int MODEL(vasprintf)(char **to, const char *format, va_list arguments)
{
    return __cairn_m_print_allocated(to, format, arguments);
}

int MODEL(snprintf)(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = __cairn_m_print(to, size, format, arguments);
    va_end(arguments);
    return length;
}

int MODEL(sprintf)(char *to, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = __cairn_m_print(to, NO_LIMIT, format, arguments);
    va_end(arguments);
    return length;
}

int MODEL(asprintf)(char **to, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = __cairn_m_print_allocated(to, format, arguments);
    va_end(arguments);
    return length;
}
