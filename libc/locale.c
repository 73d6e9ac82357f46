/* Tests for the character classes and the collation of the C locale. */
#include "model.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of bytes above 127 that are in some class, or have another case. */
static int specials(const unsigned short *classes)
{
    const int *lower = *__ctype_tolower_loc(), *upper = *__ctype_toupper_loc();
    int c, count = 0;
    for (c = 128; c < 256; c++)
        count += classes[c] != 0 || lower[c] != c || upper[c] != c;
    for (c = -128; c < -1; c++)
        count += classes[c] != 0 || lower[c] != c + 256 || upper[c] != c + 256;
    return count;
}

int __cairn_m_plain_characters(void)
{
    static const unsigned short *plain, *special;
    const unsigned short *classes = *__ctype_b_loc();
    if (classes == plain)
        return 1;
    if (classes == special)
        return 0;
    if (specials(classes) != 0) {
        special = classes;
        return 0;
    }
    plain = classes;
    return 1;
}

/* In locales with collation rules, strings are transformed for comparison. */
int __cairn_m_plain_order(void)
{
    char probe[4];
    return strxfrm(probe, "a-B", sizeof probe) == 3 && strcmp(probe, "a-B") == 0;
}

size_t __cairn_m_concretize_multibyte(size_t c)
{
    return MB_CUR_MAX > 1 ? __cairn_concretized(c) : c;
}
