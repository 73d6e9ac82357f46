/*
 * The models of writing functions against the functions they model: two files, one written by the models and one by the
 * library, must have the same content after the same calls, and the calls the same results.
 */
#include "differential.h"
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Stand-ins for the runtime, which is told of output and does not change it. */
void __cairn_goes_out(int fd, const void *data, size_t size) { (void)fd; (void)data; (void)size; }
void __cairn_goes_into(FILE *stream, const void *data, size_t size) { (void)stream; (void)data; (void)size; }
void __cairn_character_out(FILE *stream, int character) { (void)stream; (void)character; }
void __cairn_buffer_asked(void) {}
void __cairn_descriptor_changes(int fd) { (void)fd; }
void __cairn_descriptors_change(void) {}
void __cairn_own_buffer(void) {}
size_t __cairn_room(const void *at) { (void)at; return 0; }
void __cairn_lost_unlabelled(void) {}
void __cairn_mapped(int fd, void *start, size_t size, int is_shared) { (void)fd; (void)start; (void)size; (void)is_shared; }
void __cairn_attached(int segment, void *start, size_t size) { (void)segment; (void)start; (void)size; }
void __cairn_memory_stream(void *start, size_t size) { (void)start; (void)size; }
void __cairn_unmapped(void *start, size_t size) { (void)start; (void)size; }
void __cairn_copy(void *to, const void *from, size_t size) { memcpy(to, from, size); }

int __cairn_w_fputc(int, FILE *);
int __cairn_w_putc(int, FILE *);
size_t __cairn_w_fwrite(const void *, size_t, size_t, FILE *);
ssize_t __cairn_w_write(int, const void *, size_t);
ssize_t __cairn_w_pwrite(int, const void *, size_t, off_t);
ssize_t __cairn_w_writev(int, const struct iovec *, int);
int __cairn_w_setvbuf(FILE *, char *, int, size_t);

#define STEP(call_model, call_real)                                                                         \
    do {                                                                                                    \
        long long by_model = (long long)(call_model), by_library = (long long)(call_real);                  \
        EXPECT(by_model == by_library, "%s: %lld, not %lld", #call_model, by_model, by_library);            \
    } while (0)

static FILE *new_file(void)
{
    FILE *file = fdopen(memfd_create("written", 0), "w+");
    EXPECT(file != NULL, "a file in memory");
    return file;
}

static void write_something(FILE *mine, FILE *theirs)
{
    static const char DATA[] = "0123456789abcdef\xff\n";
    int a = fileno(mine), b = fileno(theirs), c = (int)chance(600) - 200, count = (int)chance(4);
    size_t size = chance(sizeof DATA), width = 1 + chance(4);
    struct iovec parts[] = {{(void *)DATA, size}, {NULL, 0}, {(void *)(DATA + size), sizeof DATA - size}};
    switch (chance(7)) {
    case 0: STEP(__cairn_w_fputc(c, mine), fputc(c, theirs)); break;
    case 1: STEP(__cairn_w_putc(c, mine), putc(c, theirs)); break;
    case 2: STEP(__cairn_w_fwrite(DATA, width, size / width, mine), fwrite(DATA, width, size / width, theirs)); break;
    case 3: STEP(__cairn_w_fwrite(DATA, 0, size, mine), fwrite(DATA, 0, size, theirs)); break;
    case 4: STEP(__cairn_w_write(a, DATA, size), write(b, DATA, size)); break;
    case 5: STEP(__cairn_w_pwrite(a, DATA, size, 40), pwrite(b, DATA, size, 40)); break;
    default: STEP(__cairn_w_writev(a, parts, count), writev(b, parts, count)); break;
    }
}

static void compare_contents(FILE *mine, FILE *theirs)
{
    static char left[1 << 16], right[1 << 16];
    fflush(mine);
    fflush(theirs);
    ssize_t by_model = pread(fileno(mine), left, sizeof left, 0), by_library = pread(fileno(theirs), right, sizeof right, 0);
    EXPECT(by_model == by_library && memcmp(left, right, (size_t)by_model) == 0, "contents of %zd and %zd bytes", by_model, by_library);
}

void check_writers(void)
{
    FILE *mine = new_file(), *theirs = new_file();
    if (chance(2))
        STEP(__cairn_w_setvbuf(mine, NULL, _IOLBF, 64), setvbuf(theirs, NULL, _IOLBF, 64));
    for (unsigned steps = 1 + chance(40); steps > 0; steps--)
        write_something(mine, theirs);
    compare_contents(mine, theirs);
    STEP(__cairn_w_write(-1, "x", 1), write(-1, "x", 1));
    fclose(mine);
    fclose(theirs);
}
