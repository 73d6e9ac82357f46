/*
 * cairn-example: paths
 * input: arg 4
 * branches: 20
 * unreachable: 4
 * faults: 1
 * fault: SIGABRT found
 * strategy: dfs
 * execs: 400
 *
 * The file system is not input, but the name that is looked up is: it is compared with those in the directory.
 * Out of reach: no argument, and a directory that cannot be created.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The only file that is not empty. */
static void found(void)
{
    abort();
}

static void make(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
}

/* What a name stands for in a new directory. It has the same name in every run: the directory above it is looked through
   as well, in an order that depends on its name. */
static struct stat look_up(const char *name)
{
    char directory[512];
    struct stat status = {0};
    int created;
    snprintf(directory, sizeof directory, "%s/cairn-paths", getenv("TMPDIR"));
    if (mkdir(directory, 0700) != 0 || chdir(directory) != 0 || mkdir("d", 0700) != 0)
        exit(9);
    make("f", "");
    make("d/k", "key");
    if (lstat(name, &status) != 0)
        status.st_mode = 0;
    created = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (created >= 0) {
        close(created);
        unlink(name);
    }
    unlink("d/k");
    unlink("f");
    rmdir("d");
    rmdir(directory);
    return status;
}

int main(int argc, char **argv)
{
    struct stat status;
    if (argc < 2 || argv[1][0] == '/')
        return 1;
    status = look_up(argv[1]);
    if (S_ISDIR(status.st_mode))
        puts("a directory");
    if (S_ISREG(status.st_mode) && status.st_size == 0)
        puts("an empty file");
    if (S_ISREG(status.st_mode) && status.st_size == 3)
        found();
    return 0;
}
