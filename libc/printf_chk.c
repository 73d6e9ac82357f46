/* sprintf and its variants, under the names that fortified headers call */
#include "print.h"
#include <string.h>

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments);
int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments);
int __vasprintf_chk(char **to, int flag, const char *format, va_list arguments);

/* True if the library may reject the format itself. */
static int is_suspect(int flag, const char *format)
{
    return flag > 0 && strchr(format, 'n') != NULL;
}

/* On an overflow the library is called, which aborts. */
static int print(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments)
{
    if (room < size || is_suspect(flag, format))
        return __vsnprintf_chk(to, size, flag, room, format, arguments);
    return __cairn_m_print(to, size, format, arguments);
}

/* Without a size limit, overflow is detected by the length. */
static int print_unlimited(char *to, int flag, size_t room, const char *format, va_list arguments)
{
    va_list again;
    int length;
    if (is_suspect(flag, format))
        return __vsprintf_chk(to, flag, room, format, arguments);
    va_copy(again, arguments);
    length = __cairn_m_print(to, room, format, arguments);
    if (length >= 0 && (size_t)length >= room)
        length = __vsprintf_chk(to, flag, room, format, again);
    va_end(again);
    return length;
}

static int print_allocated(char **to, int flag, const char *format, va_list arguments)
{
    if (is_suspect(flag, format))
        return __vasprintf_chk(to, flag, format, arguments);
    return __cairn_m_print_allocated(to, format, arguments);
}

int MODEL(__vsnprintf_chk)(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments)
{
    return print(to, size, flag, room, format, arguments);
}

int MODEL(__vsprintf_chk)(char *to, int flag, size_t room, const char *format, va_list arguments)
{
    return print_unlimited(to, flag, room, format, arguments);
}

int MODEL(__vasprintf_chk)(char **to, int flag, const char *format, va_list arguments)
{
    return print_allocated(to, flag, format, arguments);
}

int MODEL(__snprintf_chk)(char *to, size_t size, int flag, size_t room, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = print(to, size, flag, room, format, arguments);
    va_end(arguments);
    return length;
}

int MODEL(__sprintf_chk)(char *to, int flag, size_t room, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = print_unlimited(to, flag, room, format, arguments);
    va_end(arguments);
    return length;
}

int MODEL(__asprintf_chk)(char **to, int flag, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = print_allocated(to, flag, format, arguments);
    va_end(arguments);
    return length;
}
