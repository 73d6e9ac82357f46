/* fgetc, getc, getchar, ungetc and variants */
#include "random.h"
#include "stream.h"

static int get_concrete(FILE *from)
{
    int character = fgetc(from);
    unsigned char byte = (unsigned char)character;
    if (character == EOF)
        return EOF;
    __cairn_m_received_from(from, &byte, 1);
    return byte;
}

static int get(FILE *from)
{
    struct cairn_stream *stream;
    if (!__cairn_tracing())
        return get_concrete(from);
    stream = __cairn_m_stream(from);
    return stream->object == NO_OBJECT ? get_concrete(from) : __cairn_m_get(stream);
}

int MODEL(fgetc)(FILE *from)
{
    return get(from);
}

int MODEL(getc)(FILE *from)
{
    return get(from);
}

int MODEL(_IO_getc)(FILE *from)
{
    return get(from);
}

int MODEL(fgetc_unlocked)(FILE *from)
{
    return get(from);
}

int MODEL(getc_unlocked)(FILE *from)
{
    return get(from);
}

int MODEL(getchar)(void)
{
    return get(stdin);
}

int MODEL(getchar_unlocked)(void)
{
    return get(stdin);
}

/*
 * The next read labels the byte before the stream's position as input if it has the same value. So the path must
 * contain that a symbolic character equals the byte of the input there; any other character is lost.
 */
static void pushed_back(struct cairn_stream *stream, int character, int is_in_place)
{
    int byte = (unsigned char)__cairn_concrete((size_t)character);
    if (is_in_place)
        byte = __cairn_character(stream->object, stream->position, byte);
    if (!is_in_place || (unsigned char)character != (unsigned char)byte)
        __cairn_lost_input(&character, sizeof character);
}

int MODEL(ungetc)(int character, FILE *to)
{
    struct cairn_stream *stream = __cairn_m_stream(to);
    const char *before = to->_IO_read_ptr;
    int failed = ungetc((int)__cairn_concrete(character), to) == EOF;
    /* One step back in the library's buffer is one byte back in the file. */
    int is_back = stream->next == before && before != NULL && to->_IO_read_ptr == before - 1;
    if (is_back) {
        stream->next = before - 1;
        stream->position--;
    }
    if (failed)
        return EOF;
    pushed_back(stream, character, is_back && stream->object != NO_OBJECT);
    return (unsigned char)character;
}
