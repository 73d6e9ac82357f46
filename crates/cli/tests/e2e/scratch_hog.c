/* Fills its scratch directory, in the way that its first byte of input says. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 4 << 20, PIECES = 20, DEPTH = 1000 };

static char content[PIECE];

static int file(int number)
{
    char name[32];
    snprintf(name, sizeof name, "file-%d", number);
    return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

static int filled_file(int number)
{
    int fd = file(number);
    if (fd < 0 || write(fd, content, PIECE) != PIECE) _exit(9);
    return fd;
}

static void fill(int is_kept)
{
    for (int i = 0; i < PIECES; i++) {
        int fd = filled_file(i);
        if (is_kept) close(fd);
        else if (i % 2) unlink("file-1");
    }
}

static void fill_deep(void)
{
    for (int i = 0; i < 40; i++)
        if (mkdir("directory", 0700) || chdir("directory")) _exit(8);
    fill(1);
}

static void fill_hidden(void)
{
    for (int i = 0; i < PIECES; i++) {
        int fd = filled_file(0);
        unlink("file-0");
        mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
    }
}

static void fill_unreadable(void)
{
    if (mkdir("locked", 0300) || chdir("locked")) _exit(7);
    fill(1);
}

int main(void)
{
    char way = 0;
    if (read(0, &way, 1) != 1) return 1;
    if (chdir(getenv("TMPDIR"))) return 5;
    switch (way) {
    case 'b': fill(1); break;
    case 'd': fill_deep(); break;
    case 'h': fill_hidden(); break;
    case 'l': fill_unreadable(); break;
    case 'q': fill(1); return 4;
    case 'e': for (int i = 0;; i++) close(file(i));
    case 'n':
        for (int i = 0; i < DEPTH; i++)
            if (mkdir("directory", 0700) || chdir("directory")) return 6;
        return 3;
    case 'o': close(filled_file(0)); return 3;
    default: return 2;
    }
    for (;;) pause();
}
