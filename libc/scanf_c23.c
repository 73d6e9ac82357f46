/* sscanf, fscanf, scanf and variants with the semantics of C23: newer headers call these */
#include "scan.h"

int MODEL(__isoc23_vsscanf)(const char *text, const char *format, va_list arguments)
{
    return __cairn_m_scan_text(text, format, C23, arguments);
}

int MODEL(__isoc23_vfscanf)(FILE *stream, const char *format, va_list arguments)
{
    return __cairn_m_scan_stream(stream, format, C23, arguments);
}

int MODEL(__isoc23_vscanf)(const char *format, va_list arguments)
{
    return __cairn_m_scan_stream(stdin, format, C23, arguments);
}

int MODEL(__isoc23_sscanf)(const char *text, const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_text(text, format, C23, arguments);
    va_end(arguments);
    return answer;
}

int MODEL(__isoc23_fscanf)(FILE *stream, const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_stream(stream, format, C23, arguments);
    va_end(arguments);
    return answer;
}

int MODEL(__isoc23_scanf)(const char *format, ...)
{
    va_list arguments;
    int answer;
    va_start(arguments, format);
    answer = __cairn_m_scan_stream(stdin, format, C23, arguments);
    va_end(arguments);
    return answer;
}
