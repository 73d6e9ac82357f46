/* Conversions of scanf that copy text: %s, %c, %[ */
#include "scan.h"
#include <stdlib.h>

void *__cairn_w_realloc(void *block, size_t size);

/* Destination of text: an array, allocated memory, or none. */
struct destination {
    char *to;
    char **owner;
    struct gathered gathered;
};

static struct destination destination(const struct directive *directive, void *to)
{
    struct destination destination = {NULL, NULL, {NULL, 0, 0}};
    if (directive->allocate)
        destination.owner = to;
    else
        destination.to = to;
    return destination;
}

static void put(struct destination *destination, char c)
{
    if (destination->owner != NULL)
        __cairn_m_gather(&destination->gathered, c);
    else if (destination->to != NULL)
        *destination->to++ = c;
}

static enum outcome give_up(struct destination *destination, enum outcome outcome)
{
    if (destination->owner != NULL) {
        free(destination->gathered.start);
        *destination->owner = NULL;
    }
    return outcome;
}

/* Shrinks allocated memory to its contents. */
static enum outcome finish(struct destination *destination)
{
    struct gathered *text = &destination->gathered;
    char *exact;
    if (destination->owner == NULL)
        return CONVERTED;
    if (text->length > text->room)
        return give_up(destination, NO_INPUT);
    exact = __cairn_w_realloc(text->start, text->length);
    *destination->owner = exact != NULL ? exact : text->start;
    return CONVERTED;
}

enum outcome __cairn_m_scan_string(struct source *source, const struct directive *directive, void *to)
{
    struct destination text = destination(directive, to);
    int width = directive->width, c = __cairn_m_next_within(source, &width);
    if (c == EOF)
        return give_up(&text, NO_INPUT);
    for (; c != EOF; c = __cairn_m_next_within(source, &width)) {
        if (IS_SPACE(c)) {
            __cairn_m_put_back(source);
            break;
        }
        put(&text, (char)c);
    }
    put(&text, '\0');
    return finish(&text);
}

enum outcome __cairn_m_scan_characters(struct source *source, const struct directive *directive, void *to)
{
    struct destination text = destination(directive, to);
    int width = directive->width == -1 ? 1 : directive->width, c = __cairn_m_next_within(source, &width);
    if (c == EOF)
        return give_up(&text, NO_INPUT);
    for (; c != EOF; c = __cairn_m_next_within(source, &width))
        put(&text, (char)c);
    return finish(&text);
}

/* One branch per character: the ranges are compared without. */
static int is_member(const struct set *set, int c)
{
    int i, found = 0;
    for (i = 0; i < set->ranges; i++)
        found |= IN_RANGE(c, set->low[i], set->high[i]);
    return found;
}

enum outcome __cairn_m_scan_set(struct source *source, const struct directive *directive,
                                const struct set *set, void *to)
{
    struct destination text = destination(directive, to);
    int width = directive->width, c = __cairn_m_next_within(source, &width);
    size_t before = source->taken;
    if (c == EOF)
        return give_up(&text, NO_INPUT);
    for (; c != EOF; c = __cairn_m_next_within(source, &width)) {
        if (!is_member(set, c)) {
            __cairn_m_put_back(source);
            break;
        }
        put(&text, (char)c);
    }
    if (source->taken < before)
        return give_up(&text, MISMATCH);
    put(&text, '\0');
    return finish(&text);
}
