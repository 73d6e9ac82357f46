/* sscanf, fscanf, scanf and their va_list variants, with the semantics before C99 */
#include "scan.h"

int MODEL(vsscanf)(const char *text, const char *format, va_list arguments)
{
    return __cairn_m_scan_text(text, format, OLD, arguments);
}

int MODEL(vfscanf)(FILE *stream, const char *format, va_list arguments)
{
    return __cairn_m_scan_stream(stream, format, OLD, arguments);
}

int MODEL(vscanf)(const char *format, va_list arguments)
{
    return __cairn_m_scan_stream(stdin, format, OLD, arguments);
}

int MODEL(sscanf)(const char *text, const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_text(text, format, OLD, arguments);
    va_end(arguments);
    return answer;
}

int MODEL(fscanf)(FILE *stream, const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_stream(stream, format, OLD, arguments);
    va_end(arguments);
    return answer;
}

int MODEL(scanf)(const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_stream(stdin, format, OLD, arguments);
    va_end(arguments);
    return answer;
}
