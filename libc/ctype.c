/*
 * <ctype.h>: the bits of glibc's tables as expressions. In locales other than C (and UTF-8, where the classes of
 * bytes are the same) the tables are read.
 */
#include "model.h"
#include <ctype.h>

#define UPPER(c) IN_RANGE(c, 'A', 'Z')
#define LOWER(c) IN_RANGE(c, 'a', 'z')
#define DIGIT(c) IN_RANGE(c, '0', '9')
#define ALNUM(c) (IS_LETTER(c) | DIGIT(c))
#define GRAPH(c) IN_RANGE(c, '!', '~')

#define CLASS(name, bit, test)                                                                              \
    int MODEL(name)(int c)                                                                                  \
    {                                                                                                       \
        return __cairn_m_plain_characters() ? (int)(test) * (bit) : (name)(c);                              \
    }

CLASS(isupper, _ISupper, UPPER(c))
CLASS(islower, _ISlower, LOWER(c))
CLASS(isalpha, _ISalpha, IS_LETTER(c))
CLASS(isdigit, _ISdigit, DIGIT(c))
CLASS(isxdigit, _ISxdigit, DIGIT(c) | IN_RANGE((unsigned)(c) | 32u, 'a', 'f'))
CLASS(isspace, _ISspace, IS_SPACE(c))
CLASS(isprint, _ISprint, IN_RANGE(c, ' ', '~'))
CLASS(isgraph, _ISgraph, GRAPH(c))
CLASS(isblank, _ISblank, (c == ' ') | (c == '\t'))
CLASS(iscntrl, _IScntrl, IN_RANGE(c, 0, 31) | (c == 127))
CLASS(ispunct, _ISpunct, GRAPH(c) & !ALNUM(c))
CLASS(isalnum, _ISalnum, ALNUM(c))

int MODEL(isascii)(int c)
{
    return (c & ~127) == 0;
}

int MODEL(toascii)(int c)
{
    return c & 127;
}

/* A byte that was taken for a negative character; glibc converts it to a byte again. */
#define NEGATIVE(c) (IN_RANGE(c, -128, -2) << 8)

int MODEL(toupper)(int c)
{
    return __cairn_m_plain_characters() ? (int)(TO_UPPER((unsigned)c) + NEGATIVE(c)) : (toupper)(c);
}

int MODEL(tolower)(int c)
{
    return __cairn_m_plain_characters() ? (int)(TO_LOWER((unsigned)c) + NEGATIVE(c)) : (tolower)(c);
}
