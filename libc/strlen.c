/* strlen, strnlen */
#include "model.h"

size_t MODEL(strlen)(const char *text)
{
    return __cairn_m_length(text, NO_LIMIT);
}

size_t MODEL(strnlen)(const char *text, size_t limit)
{
    return __cairn_m_length(text, limit);
}
