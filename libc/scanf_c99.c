/* sscanf, fscanf, scanf and variants with the semantics of C99: headers call these */
#include "scan.h"

int MODEL(__isoc99_vsscanf)(const char *text, const char *format, va_list arguments)
{
    return __cairn_m_scan_text(text, format, C99, arguments);
}

int MODEL(__isoc99_vfscanf)(FILE *stream, const char *format, va_list arguments)
{
    return __cairn_m_scan_stream(stream, format, C99, arguments);
}

int MODEL(__isoc99_vscanf)(const char *format, va_list arguments)
{
    return __cairn_m_scan_stream(stdin, format, C99, arguments);
}

int MODEL(__isoc99_sscanf)(const char *text, const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_text(text, format, C99, arguments);
    va_end(arguments);
    return answer;
}

int MODEL(__isoc99_fscanf)(FILE *stream, const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_stream(stream, format, C99, arguments);
    va_end(arguments);
    return answer;
}

int MODEL(__isoc99_scanf)(const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_stream(stdin, format, C99, arguments);
    va_end(arguments);
    return answer;
}
