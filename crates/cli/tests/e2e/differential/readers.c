/*
 * The models of reading functions against the functions they model: two streams over one file, one read by
 * the models and one by the library, must stay in step whatever is done to them.
 */
#include "differential.h"
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Stands in for the runtime: one symbolic stream, and its length. */
static int symbolic_fd = -1;
static size_t symbolic_length;

int __cairn_stream(int fd) { return fd == symbolic_fd ? 0 : -1; }
int __cairn_stream_of_file(dev_t device, ino_t inode) { (void)device; (void)inode; return -1; }
size_t __cairn_length(int object) { (void)object; return symbolic_length; }
int __cairn_character(int object, off_t from, int character) { (void)object; (void)from; return character; }
size_t __cairn_concrete(size_t value) { return value; }
size_t __cairn_concretized(size_t value) { return value; }
void __cairn_fresh(void *start, size_t size) { (void)start; (void)size; }

/* What is said to have been received must be what the file has there, unless something else was pushed back. */
static char content[9000];
static int wrong, pushed_back;

void __cairn_received(void *to, size_t size, int object, off_t from)
{
    if (object == 0 && !pushed_back)
        wrong |= from + size > symbolic_length || memcmp(to, content + from, size) != 0;
}

int __cairn_w_fgetc(FILE *);
int __cairn_w_ungetc(int, FILE *);
char *__cairn_w_fgets(char *, int, FILE *);
size_t __cairn_w_fread(void *, size_t, size_t, FILE *);
ssize_t __cairn_w_getline(char **, size_t *, FILE *);
int __cairn_w_fseek(FILE *, long, int);
long __cairn_w_ftell(FILE *);
void __cairn_w_rewind(FILE *);
int __cairn_w_fclose(FILE *);
ssize_t __cairn_w_read(int, void *, size_t);
ssize_t __cairn_w_pread(int, void *, size_t, off_t);
ssize_t __cairn_w_readv(int, const struct iovec *, int);
off_t __cairn_w_lseek(int, off_t, int);

static FILE *open_again(int fd)
{
    char path[64];
    sprintf(path, "/proc/self/fd/%d", fd);
    return fopen(path, "r");
}

#define STEP(call_model, call_real)                                                                         \
    do {                                                                                                    \
        long long by_model = (long long)(call_model), by_library = (long long)(call_real);                  \
        EXPECT(by_model == by_library, "%s: %lld, not %lld", #call_model, by_model, by_library);            \
    } while (0)

static char mine[10000], theirs[10000];
static char *my_line, *their_line;
static size_t my_room, their_room;

static void step(FILE *model, FILE *real)
{
    unsigned size = chance(4) == 0 ? chance(9000) : chance(12);
    int whence = (int)chance(3), c;
    long offset = (long)chance(2 * (unsigned)symbolic_length + 2) - (whence == SEEK_SET ? 0 : (long)symbolic_length);
    switch (chance(9)) {
    case 0: STEP(__cairn_w_fgets(mine, (int)size, model) != NULL, fgets(theirs, (int)size, real) != NULL); break;
    case 1: STEP(__cairn_w_fread(mine, 1 + size % 3, size, model), fread(theirs, 1 + size % 3, size, real)); break;
    case 2: STEP(__cairn_w_getline(&my_line, &my_room, model), getline(&their_line, &their_room, real)); break;
    case 3: STEP(__cairn_w_fseek(model, offset, whence), fseek(real, offset, whence)); break;
    case 4: __cairn_w_rewind(model), rewind(real); break;
    case 5:
        c = fgetc(real);
        STEP(__cairn_w_fgetc(model), c);
        if (c != EOF && chance(8) == 0)
            c++, pushed_back = 1;
        STEP(__cairn_w_ungetc(c, model), ungetc(c, real));
        break;
    default:
        STEP(__cairn_w_fgetc(model), fgetc(real));
    }
    STEP(feof(model), feof(real));
    if (chance(3) == 0)
        STEP(__cairn_w_ftell(model), ftell(real));
    STEP(memcmp(mine, theirs, sizeof mine) != 0 || wrong, 0);
    if (my_line != NULL && their_line != NULL)
        STEP(strcmp(my_line, their_line), 0);
}

static void step_descriptor(int model, int real)
{
    unsigned size = chance(4) == 0 ? chance(9000) : chance(12), half = chance(size + 1);
    struct iovec my_parts[] = {{mine, half}, {mine + half, size - half}};
    struct iovec their_parts[] = {{theirs, half}, {theirs + half, size - half}};
    off_t offset = chance((unsigned)symbolic_length + 5);
    int whence = (int)chance(3);
    switch (chance(4)) {
    case 0: STEP(__cairn_w_read(model, mine, size), read(real, theirs, size)); break;
    case 1: STEP(__cairn_w_pread(model, mine, size, offset), pread(real, theirs, size, offset)); break;
    case 2: STEP(__cairn_w_readv(model, my_parts, 2), readv(real, their_parts, 2)); break;
    default: STEP(__cairn_w_lseek(model, offset - 3, whence), lseek(real, offset - 3, whence)); break;
    }
    STEP(memcmp(mine, theirs, sizeof mine) != 0 || wrong, 0);
}

void check_readers(void)
{
    /* A stream is read by models from the first byte to the last, or by none. */
    always_tracing = 1;
    for (int round = 0; round < 300; round++) {
        int fd = memfd_create("content", 0);
        FILE *model, *real;
        pushed_back = 0;
        symbolic_length = chance(3) == 0 ? chance(sizeof content) : chance(40);
        for (size_t i = 0; i < symbolic_length; i++)
            content[i] = "ab\n\377"[chance(4)];
        if (write(fd, content, symbolic_length) != (ssize_t)symbolic_length)
            exit(2);
        model = open_again(fd), real = open_again(fd);
        symbolic_fd = chance(4) == 0 ? -1 : fileno(model);
        for (int i = 0; i < 100; i++)
            step(model, real);
        for (int i = 0; i < 50; i++)
            step_descriptor(fileno(model), fileno(real));
        __cairn_w_fclose(model), fclose(real);
        close(fd);
    }
    always_tracing = 0;
}
