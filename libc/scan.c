/* The engine of the scanf family: walks the format and calls the conversions. */
#include "scan.h"
#include <errno.h>
#include <stdlib.h>

/* The header defines these names as the functions of C99. */
int old_vsscanf(const char *text, const char *format, va_list arguments) __asm__("vsscanf");
int old_vfscanf(FILE *stream, const char *format, va_list arguments) __asm__("vfscanf");

/* State of a call. */
struct scan {
    struct source *source;
    enum dialect dialect;
    /* Space in the format is skipped in the input only when more follows. */
    int skip_space;
    int done;
    va_list first;
    va_list next;
};

static void skip_space(struct scan *scan)
{
    int c;
    do
        c = __cairn_m_next(scan->source);
    while (c != EOF && IS_SPACE(c));
    __cairn_m_put_back(scan->source);
    scan->skip_space = 0;
}

static enum outcome match(struct scan *scan, char literal)
{
    int c;
    if (scan->skip_space)
        skip_space(scan);
    c = __cairn_m_next(scan->source);
    if (c == EOF)
        return NO_INPUT;
    if (c == (unsigned char)literal)
        return CONVERTED;
    __cairn_m_put_back(scan->source);
    return MISMATCH;
}

/* Returns the destination of a conversion; all arguments are pointers. */
static void *argument(struct scan *scan, const struct directive *directive)
{
    va_list list;
    void *pointer = NULL;
    int i;
    if (directive->suppress)
        return NULL;
    if (directive->position == 0)
        return va_arg(scan->next, void *);
    va_copy(list, scan->first);
    for (i = 0; i < directive->position; i++)
        pointer = va_arg(list, void *);
    va_end(list);
    return pointer;
}

static enum outcome convert(struct scan *scan, const struct directive *directive, const struct set *set)
{
    struct source *source = scan->source;
    void *to;
    switch (directive->conversion) {
    case 'b':
        if (scan->dialect != C23)
            return MISMATCH;
        /* fallthrough */
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'p':
        return __cairn_m_scan_integer(source, directive, scan->dialect == C23, argument(scan, directive));
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return __cairn_m_scan_float(source, directive, argument(scan, directive));
    case 's':
        return __cairn_m_scan_string(source, directive, argument(scan, directive));
    case 'c':
        return __cairn_m_scan_characters(source, directive, argument(scan, directive));
    case '[':
        return __cairn_m_scan_set(source, directive, set, argument(scan, directive));
    case '%':
        return match(scan, '%');
    case 'n':
        to = argument(scan, directive);
        if (to != NULL)
            __cairn_m_store(to, directive->size, source->taken);
        return CONVERTED;
    default:
        return MISMATCH;
    }
}

static int is_counted(const struct directive *directive)
{
    return !directive->suppress && directive->conversion != '%' && directive->conversion != 'n';
}

/* Like glibc, an end of input found here sets no error number. */
static void skip_space_of_directive(struct scan *scan)
{
    int saved = errno;
    errno = 0;
    skip_space(scan);
    errno = saved;
}

/* Executes a directive; `*format` is the text after the percent sign. */
static enum outcome follow(struct scan *scan, const char **format)
{
    struct directive directive;
    struct set set = {0};
    enum outcome outcome;
    char conversion;
    *format = __cairn_m_directive(*format, scan->dialect, &directive);
    conversion = directive.conversion;
    if (conversion == '\0')
        return MISMATCH;
    if (conversion == '[')
        *format = __cairn_m_set(*format, &set);
    if (scan->skip_space || (conversion != '[' && conversion != 'c' && conversion != 'n'))
        skip_space_of_directive(scan);
    outcome = convert(scan, &directive, &set);
    scan->done += outcome == CONVERTED && is_counted(&directive);
    return outcome;
}

static enum outcome follow_all(struct scan *scan, const char *format)
{
    enum outcome outcome = CONVERTED;
    while (outcome == CONVERTED && *format != '\0') {
        char c = *format++;
        if (c == '%')
            outcome = follow(scan, &format);
        else if (IS_SPACE(c))
            scan->skip_space = 1;
        else
            outcome = match(scan, c);
    }
    if (outcome == CONVERTED && scan->skip_space)
        skip_space(scan);
    return outcome;
}

static int scan(struct source source, const char *format, enum dialect dialect, va_list arguments)
{
    struct scan scan = {.source = &source, .dialect = dialect};
    enum outcome outcome;
    va_copy(scan.first, arguments);
    va_copy(scan.next, arguments);
    outcome = follow_all(&scan, format);
    va_end(scan.first);
    va_end(scan.next);
    return outcome == NO_INPUT && scan.done == 0 ? EOF : scan.done;
}

/* True if the library handles the call. */
static int is_left_alone(const char *format, enum dialect dialect)
{
    return !__cairn_tracing() || !__cairn_m_plain_characters() || !__cairn_m_can_scan(format, dialect);
}

int __cairn_m_scan_text(const char *text, const char *format, enum dialect dialect, va_list arguments)
{
    if (is_left_alone(format, dialect))
        return dialect == OLD ? old_vsscanf(text, format, arguments) : vsscanf(text, format, arguments);
    return scan((struct source){.text = text}, format, dialect, arguments);
}

int __cairn_m_scan_stream(FILE *stream, const char *format, enum dialect dialect, va_list arguments)
{
    if (is_left_alone(format, dialect))
        return dialect == OLD ? old_vfscanf(stream, format, arguments) : vfscanf(stream, format, arguments);
    return scan((struct source){.stream = stream}, format, dialect, arguments);
}
