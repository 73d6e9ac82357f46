/*
 * <wctype.h>: ASCII characters have the classes of <ctype.h> in all locales whose byte classes are plain; for others
 * the library is called.
 */
#include "model.h"
#include <wchar.h>
#include <wctype.h>

#define IS_ASCII(c) ((c) < 128)

#define CLASS(name)                                                                                        \
    int __cairn_w_is##name(int c);                                                                          \
    int MODEL(isw##name)(wint_t c)                                                                          \
    {                                                                                                       \
        if (__cairn_m_plain_characters() && IS_ASCII(c))                                                    \
            return __cairn_w_is##name((int)c);                                                              \
        return (isw##name)((wint_t)__cairn_m_concretize_multibyte(c));                                                 \
    }

CLASS(alnum)
CLASS(alpha)
CLASS(blank)
CLASS(cntrl)
CLASS(graph)
CLASS(lower)
CLASS(print)
CLASS(punct)
CLASS(space)
CLASS(upper)
CLASS(xdigit)

int __cairn_w_isdigit(int c);

/* The only transformations, in all locales. */
int MODEL(iswdigit)(wint_t c)
{
    return IN_RANGE(c, '0', '9');
}

wint_t MODEL(towlower)(wint_t c)
{
    if (__cairn_m_plain_characters() && IS_ASCII(c))
        return TO_LOWER(c);
    return (towlower)((wint_t)__cairn_m_concretize_multibyte(c));
}

wint_t MODEL(towupper)(wint_t c)
{
    if (__cairn_m_plain_characters() && IS_ASCII(c))
        return TO_UPPER(c);
    return (towupper)((wint_t)__cairn_m_concretize_multibyte(c));
}

/* A class that has a function of its own. */
struct named {
    const char *name;
    int (*contains)(int c);
};

#define NAMED(name) {#name, __cairn_w_is##name}

static const struct named CLASSES[] = {
    NAMED(alnum), NAMED(alpha), NAMED(blank), NAMED(cntrl), NAMED(digit), NAMED(graph),
    NAMED(lower), NAMED(print), NAMED(punct), NAMED(space), NAMED(upper), NAMED(xdigit),
};

int MODEL(iswctype)(wint_t c, wctype_t class)
{
    size_t i;
    if (__cairn_tracing() && __cairn_m_plain_characters() && symbolic_value(c) && IS_ASCII(c))
        for (i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
            if (class == wctype(CLASSES[i].name))
                return CLASSES[i].contains((int)c);
    return iswctype((wint_t)__cairn_m_concretize_multibyte(c), class);
}

int MODEL(wcwidth)(wchar_t c)
{
    if (__cairn_m_plain_characters() && IS_ASCII((wint_t)c))
        return 2 * IN_RANGE(c, ' ', '~') - 1 + (c == 0);
    return wcwidth((wchar_t)__cairn_m_concretize_multibyte((size_t)c));
}
