/*
 * mbrtowc, mbrlen, mbtowc, mblen, btowc, wctob, wcrtomb, wctomb
 *
 * An ASCII character that does not continue a multibyte one converts to itself. Everything else, including the
 * conversion state, is left to the library.
 */
#include "model.h"
#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

#define IS_ASCII(c) ((unsigned)(c) < 128)

/* True if the library's internal state holds part of a character. */
static int has_partial;

/* True if an ASCII character at `text` would be complete. */
static int is_fresh(const char *text, size_t size, const mbstate_t *state)
{
    if (text == NULL || size == 0 || !__cairn_m_plain_characters())
        return 0;
    return state != NULL ? mbsinit(state) : !has_partial;
}

/* Concretizes the bytes of a character, of which only the last may be ASCII. */
static void concretize(const char *text, size_t size)
{
    size_t i;
    for (i = 0; text != NULL && i < size && i < MB_LEN_MAX; i++)
        if (IS_ASCII(__cairn_m_concretize_multibyte((unsigned char)text[i])))
            return;
}

static size_t remember(size_t answer, const mbstate_t *state)
{
    if (state == NULL)
        has_partial = answer == (size_t)-2;
    return answer;
}

size_t MODEL(mbrtowc)(wchar_t *to, const char *text, size_t size, mbstate_t *state)
{
    if (is_fresh(text, size, state) && IS_ASCII((unsigned char)*text)) {
        if (to != NULL)
            *to = (unsigned char)*text;
        return *text != '\0';
    }
    concretize(text, size);
    return remember(mbrtowc(to, text, size, state), state);
}

size_t MODEL(mbrlen)(const char *text, size_t size, mbstate_t *state)
{
    static mbstate_t own;
    state = state != NULL ? state : &own;
    if (is_fresh(text, size, state) && IS_ASCII((unsigned char)*text))
        return *text != '\0';
    concretize(text, size);
    return mbrlen(text, size, state);
}

int MODEL(mbtowc)(wchar_t *to, const char *text, size_t size)
{
    if (is_fresh(text, size, &(mbstate_t){0}) && IS_ASCII((unsigned char)*text)) {
        if (to != NULL)
            *to = (unsigned char)*text;
        return *text != '\0';
    }
    concretize(text, size);
    return mbtowc(to, text, size);
}

int MODEL(mblen)(const char *text, size_t size)
{
    if (is_fresh(text, size, &(mbstate_t){0}) && IS_ASCII((unsigned char)*text))
        return *text != '\0';
    concretize(text, size);
    return mblen(text, size);
}

wint_t MODEL(btowc)(int c)
{
    if (__cairn_m_plain_characters() && IS_ASCII(c))
        return (wint_t)c;
    return btowc((int)__cairn_m_concretize_multibyte((size_t)c));
}

int MODEL(wctob)(wint_t c)
{
    if (__cairn_m_plain_characters() && IS_ASCII(c))
        return (int)c;
    return wctob((wint_t)__cairn_m_concretize_multibyte(c));
}

size_t MODEL(wcrtomb)(char *to, wchar_t c, mbstate_t *state)
{
    if (to != NULL && __cairn_m_plain_characters() && (state == NULL || mbsinit(state)) && IS_ASCII(c)) {
        *to = (char)c;
        return 1;
    }
    return wcrtomb(to, (wchar_t)__cairn_m_concretize_multibyte((size_t)c), state);
}

int MODEL(wctomb)(char *to, wchar_t c)
{
    if (to != NULL && __cairn_m_plain_characters() && IS_ASCII(c)) {
        *to = (char)c;
        return 1;
    }
    return wctomb(to, (wchar_t)__cairn_m_concretize_multibyte((size_t)c));
}
