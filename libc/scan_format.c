/* Parser of scanf's formats. */
#include "scan.h"

/* Position and width both begin with a digit. */
static const char *before_size(const char *format, struct directive *directive)
{
    if (IN_RANGE(*format, '0', '9')) {
        directive->width = __cairn_m_format_number(&format);
        if (*format != '$')
            return format;
        directive->position = directive->width;
        directive->width = 0;
        format++;
    }
    for (; *format == '*' || *format == '\'' || *format == 'I'; format++) {
        directive->suppress |= *format == '*';
        directive->localized |= *format != '*';
    }
    directive->width = __cairn_m_format_number(&format);
    return format;
}

/* Parses a length modifier, or the modifier for allocation. */
static const char *read_size(const char *format, enum dialect dialect, struct directive *directive)
{
    if (*format == 'm') {
        directive->allocate = 1;
        directive->size = format[1] == 'l' ? LONG : INT;
        return format + 1 + (format[1] == 'l');
    }
    if (dialect == OLD && *format == 'a' && (format[1] == 's' || format[1] == 'S' || format[1] == '[')) {
        directive->allocate = 1;
        return format + 1;
    }
    directive->size = __cairn_m_format_size(&format);
    return format;
}

const char *__cairn_m_directive(const char *format, enum dialect dialect, struct directive *directive)
{
    struct directive empty = {0, 0, 0, 0, 0, INT, '\0'};
    *directive = empty;
    format = read_size(before_size(format, directive), dialect, directive);
    if (directive->width <= 0)
        directive->width = -1;
    directive->conversion = *format;
    return format + (*format != '\0');
}

static void add(unsigned char *members, unsigned char low, unsigned char high)
{
    unsigned c;
    for (c = low; c <= high; c++)
        members[c] = 1;
}

/* Parses the members of a set; returns its end. */
static const unsigned char *read_members(const unsigned char *at, unsigned char members[256])
{
    if (*at == ']' || *at == '-')
        members[*at++] = 1;
    for (; *at != '\0' && *at != ']'; at++) {
        if (*at == '-' && at[1] != '\0' && at[1] != ']' && at[-1] <= at[1])
            add(members, at[-1], at[1]);
        else
            members[*at] = 1;
    }
    return at;
}

const char *__cairn_m_set(const char *format, struct set *set)
{
    unsigned char members[256] = {0};
    int c, inverted = *format == '^';
    const unsigned char *end = read_members((const unsigned char *)format + inverted, members);
    set->ranges = 0;
    for (c = 0; c < 256; c++) {
        if (members[c] == inverted)
            continue;
        if (c == 0 || members[c - 1] == inverted)
            set->low[set->ranges++] = (unsigned char)c;
        set->high[set->ranges - 1] = (unsigned char)c;
    }
    return *end == ']' ? (const char *)end + 1 : NULL;
}

/* True if supported: wide characters and locale-specific digits are left to the library. */
static int is_known(const struct directive *directive)
{
    switch (directive->conversion) {
    case 'C':
    case 'S':
        return 0;
    case 'c':
    case 's':
    case '[':
        return directive->size < LONG && !directive->localized;
    default:
        return !directive->localized;
    }
}

int __cairn_m_can_scan(const char *format, enum dialect dialect)
{
    struct directive directive;
    struct set set;
    while (*format != '\0') {
        if ((unsigned char)*format > 127)
            return 0;
        if (*format++ != '%')
            continue;
        format = __cairn_m_directive(format, dialect, &directive);
        if (!is_known(&directive))
            return 0;
        if (directive.conversion == '[' && (format = __cairn_m_set(format, &set)) == NULL)
            return 0;
    }
    return 1;
}
