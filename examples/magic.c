/*
 * cairn-example: magic
 * input: file 0-20
 * branches: 40
 * unreachable: 2
 * faults: 1
 * fault: SIGSEGV title_length
 * strategy: dfs
 * execs: 200
 *
 * Reads the header of a picture file: `magic FILE`. Numbers of one, two, four and eight bytes, some
 * with the high byte first, some with the low byte first.
 *
 *     0  magic   4 bytes, 89 'C' 'R' 'N'
 *     4  version 2 bytes, high first
 *     6  flags   2 bytes, low first
 *     8  pixels  4 bytes, low first: width in the low half, height in the high half
 *    12  stamp   8 bytes, high first
 *
 * The fault: version 2 may have a title, and has no room for one unless the stamp is negative; the
 * flag alone is trusted.
 *
 * Out of reach: the wrong number of arguments, and a file that cannot be opened.
 */
#include <stdint.h>
#include <stdio.h>

#define HEADER_SIZE 20

enum { FLAG_GREY = 1, FLAG_ALPHA = 2, FLAG_TITLE = 0x8000, KNOWN_FLAGS = FLAG_GREY | FLAG_ALPHA | FLAG_TITLE };

struct header {
    uint16_t version, flags, width, height;
    int64_t stamp;
    const char *volatile title;
};

static uint32_t high_first(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    int i;
    for (i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t low_first(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    while (count > 0)
        value = value << 8 | bytes[--count];
    return value;
}

static const char *parse(const uint8_t *bytes, struct header *header)
{
    uint32_t pixels;
    if (high_first(bytes, 4) != 0x8943524eu)
        return "wrong magic";
    header->version = (uint16_t)high_first(bytes + 4, 2);
    if (header->version < 1 || header->version > 3)
        return "unknown version";
    header->flags = (uint16_t)low_first(bytes + 6, 2);
    if ((header->flags & ~KNOWN_FLAGS) != 0)
        return "unknown flag";
    if ((header->flags & FLAG_TITLE) && header->version < 2)
        return "version 1 has no title";
    pixels = low_first(bytes + 8, 4);
    header->width = (uint16_t)pixels;
    header->height = (uint16_t)(pixels >> 16);
    if (header->width == 0 || header->height == 0)
        return "empty";
    if ((uint64_t)header->width * header->height > 0x3fffffff)
        return "too large";
    header->stamp = (int64_t)((uint64_t)high_first(bytes + 12, 4) << 32 | high_first(bytes + 16, 4));
    header->title = NULL;
    if (header->stamp < 0 || header->version == 3)
        header->title = "untitled";
    return NULL;
}

static int bytes_per_pixel(const struct header *header)
{
    switch (header->flags & (FLAG_GREY | FLAG_ALPHA)) {
    case 0:
        return 3;
    case FLAG_GREY:
        return 1;
    case FLAG_GREY | FLAG_ALPHA:
        return 2;
    default:
        return 4;
    }
}

static int title_length(const struct header *header)
{
    int length = 0;
    while (header->title[length] != '\0')
        length++;
    return length;
}

int main(int argc, char **argv)
{
    uint8_t bytes[HEADER_SIZE];
    struct header header;
    const char *problem;
    FILE *file;
    size_t size;
    if (argc != 2 || (file = fopen(argv[1], "rb")) == NULL) {
        printf("usage: magic FILE\n");
        return 2;
    }
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    problem = size < sizeof bytes ? "too short" : parse(bytes, &header);
    if (problem != NULL) {
        printf("%s\n", problem);
        return 1;
    }
    printf("version %d, %d by %d, %d bytes a pixel\n", header.version, header.width, header.height,
           bytes_per_pixel(&header));
    if (header.flags & FLAG_TITLE)
        printf("title of %d characters\n", title_length(&header));
    return 0;
}
