/*
 * putc, putchar, fwrite and variants, setvbuf and variants
 *
 * Symbolic data is reported to the runtime, since the program may read it back (`runtime/src/outputs.rs`). Results
 * are those of the library, as expressions over the arguments.
 */
#include "stream.h"

static int put(int character, FILE *to)
{
    __cairn_character_out(to, character);
    return fputc((int)__cairn_concrete((size_t)character), to) == EOF ? EOF : (unsigned char)character;
}

#define PUT(name)                                                                                                      \
    int MODEL(name)(int character, FILE *to)                                                                           \
    {                                                                                                                  \
        return put(character, to);                                                                                     \
    }

PUT(putc)
PUT(fputc)
PUT(_IO_putc)
PUT(putc_unlocked)
PUT(fputc_unlocked)

int MODEL(putchar)(int character)
{
    return put(character, stdout);
}

int MODEL(putchar_unlocked)(int character)
{
    return put(character, stdout);
}

/*
 * The size written may be symbolic: all sizes up to the end of the object succeed alike, larger ones are explored
 * apart.
 */
static size_t block(const void *data, size_t size, size_t count, FILE *to)
{
    size_t done;
    __cairn_goes_into(to, data, size * count);
    if (size * count > __cairn_room(data)) {
        size = __cairn_concretized(size);
        count = __cairn_concretized(count);
    }
    done = fwrite(data, __cairn_concrete(size), __cairn_concrete(count), to);
    return size != 0 && done == __cairn_concrete(count) ? count : done;
}

size_t MODEL(fwrite)(const void *data, size_t size, size_t count, FILE *to)
{
    return block(data, size, count, to);
}

size_t MODEL(fwrite_unlocked)(const void *data, size_t size, size_t count, FILE *to)
{
    return block(data, size, count, to);
}

/* Data that is read or printed appears, without labels, in a buffer of the program's. */
static char *buffer_of(FILE *stream, char *buffer)
{
    if (buffer == NULL)
        return NULL;
    __cairn_own_buffer();
    if (__cairn_m_stream(stream)->object != NO_OBJECT)
        __cairn_lost_unlabelled();
    return buffer;
}

int MODEL(setvbuf)(FILE *stream, char *buffer, int mode, size_t size)
{
    return setvbuf(stream, buffer_of(stream, buffer), (int)__cairn_concretized((size_t)mode),
                   __cairn_concretized(size));
}

void MODEL(setbuf)(FILE *stream, char *buffer)
{
    setbuf(stream, buffer_of(stream, buffer));
}

void MODEL(setbuffer)(FILE *stream, char *buffer, size_t size)
{
    setbuffer(stream, buffer_of(stream, buffer), __cairn_concretized(size));
}
