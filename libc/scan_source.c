/* Input and text buffers of scanf. */
#include "scan.h"
#include <errno.h>
#include <stdlib.h>

int __cairn_w_fgetc(FILE *stream);
int __cairn_w_ungetc(int character, FILE *stream);
void *__cairn_w_realloc(void *block, size_t size);

static int next_of_text(struct source *source)
{
    if (*source->text == '\0')
        return EOF;
    return (unsigned char)*source->text++;
}

int __cairn_m_next(struct source *source)
{
    int c;
    if (source->last == EOF) {
        errno = source->error;
        return EOF;
    }
    c = source->text != NULL ? next_of_text(source) : __cairn_w_fgetc(source->stream);
    source->last = c;
    if (c == EOF)
        source->error = errno;
    else
        source->taken++;
    return c;
}

int __cairn_m_next_within(struct source *source, int *width)
{
    if (*width == 0)
        return EOF;
    if (*width > 0)
        --*width;
    return __cairn_m_next(source);
}

void __cairn_m_put_back(struct source *source)
{
    if (source->last == EOF)
        return;
    source->taken--;
    if (source->text != NULL)
        source->text--;
    else
        __cairn_w_ungetc(source->last, source->stream);
}

static int grow(struct gathered *text)
{
    size_t room = text->room == 0 ? 64 : 2 * text->room;
    char *larger = text->length <= text->room ? __cairn_w_realloc(text->start, room) : NULL;
    if (larger == NULL)
        return 0;
    text->start = larger;
    text->room = room;
    return 1;
}

void __cairn_m_gather(struct gathered *text, char c)
{
    if (text->length >= text->room && !grow(text)) {
        /* The size exceeds the room: the text is recognised as incomplete. */
        text->length = text->room + 1;
        return;
    }
    text->start[text->length++] = c;
}

char *__cairn_m_gathered(struct gathered *text)
{
    __cairn_m_gather(text, '\0');
    if (text->length <= text->room)
        return text->start;
    free(text->start);
    return NULL;
}
