/*
 * cairn-example: input_seek
 * input: file 0-8
 * branches: 26
 * unreachable: 6
 * faults: 1
 * fault: SIGABRT mapped
 * strategy: dfs
 * execs: 100
 *
 * The end of the input is a position and the size of a file, and both depend on the length.
 * Out of reach: no memory, a file that cannot be opened, mapped, queried for its size, or read up to it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The usual way to read a whole file. */
static void whole(FILE *file)
{
    char *text;
    long size;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    if (size == 5)
        puts("five bytes");
    text = malloc(size + 1);
    if (text == NULL)
        return;
    if (fread(text, 1, size, file) != (size_t)size)
        puts("less than promised");
    text[size] = '\0';
    if (size >= 4 && text[size - 1] == ';')
        puts("ends well");
    free(text);
}

static void by_size(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    if (fstat(fd, &status) == 0 && status.st_size == 3)
        puts("three bytes");
    if (lseek(fd, -2, SEEK_END) == 5)
        puts("seven bytes");
    close(fd);
}

static void mapped(const char *path)
{
    int fd = open(path, O_RDONLY);
    struct stat status;
    char *text;
    if (fstat(fd, &status) != 0 || status.st_size < 6)
        return;
    text = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return;
    if (text[1] == 'a' && text[5] == 'z')
        abort();
    munmap(text, status.st_size);
    close(fd);
}

int main(int argc, char **argv)
{
    FILE *file = fopen(argv[argc - 1], "r");
    int way;
    if (file == NULL)
        return 1;
    way = fgetc(file);
    if (way == 'w')
        whole(file);
    else if (way == 'm')
        mapped(argv[argc - 1]);
    else
        by_size(argv[argc - 1]);
    return 0;
}
