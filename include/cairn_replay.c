/*
 * cairn_replay.c: runs a generated test on a plain build.
 *
 * Link this file into a program that uses cairn.h or an equivalent (crest.h, klee/klee.h, the functions of
 * Test-Comp, LLVMFuzzerTestOneInput), and name the test in the environment:
 *
 *     clang program.c cairn_replay.c -o program
 *     CAIRN_TEST=000007.ktest ./program
 *
 * Each call of cairn_symbolic takes the next named object of the test. Objects that the test lacks are
 * zero, so the program also runs without a test. Standard input, files and arguments of the test are
 * ignored here: give them to the program in the usual way (`cairn replay` does).
 *
 * A test file is a list of big-endian 32-bit numbers and byte strings:
 *
 *     "KTEST" version  count {length bytes}  [arguments, argument length: from version 2]
 *     count {length name, length bytes}
 */
#include "cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_VERSION 3UL

struct bytes {
    const unsigned char *at;
    size_t length;
};

static struct bytes rest; /* unread part of the test */
static unsigned long objects_left;

CAIRN_NORETURN static void refuse(const char *path, const char *problem)
{
    fprintf(stderr, "cairn: %s: %s\n", path, problem);
    exit(2);
}

/* Removes `length` bytes from the front of the rest; empty beyond its end. */
static struct bytes cut(unsigned long length)
{
    struct bytes front;
    front.at = rest.at;
    front.length = length <= rest.length ? (size_t)length : rest.length;
    rest.at += front.length;
    rest.length -= front.length;
    return front;
}

static unsigned long cut_number(void)
{
    struct bytes word = cut(4);
    unsigned long value = 0;
    size_t i;
    for (i = 0; i < word.length; i++)
        value = value << 8 | word.at[i];
    return word.length == 4 ? value : 0;
}

/* Reads a whole file into memory that lives as long as the program. */
static struct bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *memory = NULL;
    size_t used = 0, size = 0, got;
    struct bytes content;
    if (!file)
        refuse(path, "cannot be opened");
    do {
        unsigned char *larger;
        size += 4096;
        larger = (unsigned char *)realloc(memory, size);
        if (!larger)
            refuse(path, "is too large");
        memory = larger;
        got = fread(memory + used, 1, size - used, file);
        used += got;
    } while (used == size);
    fclose(file);
    content.at = memory;
    content.length = used;
    return content;
}

static void open_test(const char *path)
{
    struct bytes magic;
    unsigned long version, arguments;
    rest = read_file(path);
    magic = cut(5);
    version = cut_number();
    if (magic.length < 5 || memcmp(magic.at, "KTEST", 5) != 0 || version < 1)
        refuse(path, "is not a test file");
    if (version > NEWEST_VERSION)
        refuse(path, "has a version that is too new");
    for (arguments = cut_number(); arguments > 0 && rest.length > 0; arguments--)
        cut(cut_number());
    if (version >= 2)
        cut(8);
    objects_left = cut_number();
}

static int is(struct bytes name, const char *text)
{
    size_t length = strlen(text);
    return name.length == length && memcmp(name.at, text, length) == 0;
}

static int ends_with(struct bytes name, const char *text)
{
    size_t length = strlen(text);
    return name.length >= length && memcmp(name.at + name.length - length, text, length) == 0;
}

/* `arg01` and the like: at least two digits. */
static int is_argument(struct bytes name)
{
    size_t i;
    for (i = 3; i < name.length && name.at[i] >= '0' && name.at[i] <= '9'; i++)
        ;
    return name.length >= 5 && memcmp(name.at, "arg", 3) == 0 && i == name.length;
}

/* True if an object reaches the program by itself and not through cairn_symbolic. */
static int is_stream_or_argument(struct bytes name)
{
    if (name.length > 0 && name.at[0] == '\\')
        return 0; /* a name that would be taken for one of those below */
    return is(name, "stdin") || is(name, "n_args") || is_argument(name) || ends_with(name, "-data")
        || ends_with(name, "-stat") || ends_with(name, "model_version");
}

static struct bytes next_named_object(void)
{
    struct bytes none = {NULL, 0};
    while (objects_left > 0) {
        struct bytes name = cut(cut_number());
        struct bytes content = cut(cut_number());
        objects_left--;
        if (!is_stream_or_argument(name))
            return content;
    }
    return none;
}

void cairn_symbolic(void *object, size_t size, const char *name)
{
    static int opened = 0;
    struct bytes content;
    const char *path = getenv("CAIRN_TEST");
    (void)name;
    if (!opened && path)
        open_test(path);
    opened = 1;
    content = next_named_object();
    memset(object, 0, size);
    if (content.length > 0)
        memcpy(object, content.at, content.length < size ? content.length : size);
}

void cairn_reject(void)
{
    exit(0);
}

#include "cairn_fuzzer.c"
#include "cairn_markers.c"
