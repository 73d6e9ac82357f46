/* fmemopen, fopencookie: streams over the program's own memory and functions */
#include "stream.h"

/* Data that the program stores there later is read without labels. */
FILE *MODEL(fmemopen)(void *memory, size_t size, const char *mode)
{
    FILE *stream;
    size = __cairn_concretized(size);
    if (memory != NULL)
        __cairn_lost_input(memory, size);
    stream = fmemopen(memory, size, mode);
    if (stream != NULL && memory != NULL) {
        __cairn_m_forget_always();
        __cairn_memory_stream(memory, size);
    }
    return stream;
}

/* Data that its functions return to the library is read without labels. */
FILE *MODEL(fopencookie)(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    if (functions.read != NULL)
        __cairn_lost_unlabelled();
    return fopencookie(cookie, mode, functions);
}
