/* No attack: operations of ordinary programs, which must work. */
#include "hostile.h"
#include <pthread.h>
#include <poll.h>
#include <time.h>

static void attack(void)
{
    pthread_attr_t attributes;
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof all, &all);
    pthread_t thread;
    MUST(pthread_create(&thread, &attributes, (void *(*)(void *))abs, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    MUST(system("echo x | sed s/x/y/ | grep -q y && sort </dev/null && ls -l /etc >/dev/null") == 0);
    int pair[2];
    char text[8];
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[0], "x", 1) == 1 && recv(pair[1], text, 8, 0) == 1);
    MUST(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0 && send(pair[0], "x", 1, 0) == 1 && read(pair[1], text, 8) == 1);
    FILE *file = fopen(at("TMPDIR", "file"), "w+");
    MUST(file && fputs("text", file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0 && fclose(file) == 0);
    MUST(chmod(at("TMPDIR", "file"), 0600) == 0 && rename(at("TMPDIR", "file"), at("TMPDIR", "other")) == 0);
    MUST(fopen("/proc/self/maps", "r") && fopen("/proc/self/status", "r") && readlink("/proc/self/exe", text, 8) > 0);
    MUST(fopen("/dev/null", "w") && fopen("/dev/urandom", "r") && fopen("/proc/self/exe", "r"));
    MUST(memfd_create("x", 0) >= 0 && fopen("/etc/passwd", "r") && kill(getpid(), 0) == 0 && isatty(0) == 0);
    MUST(poll(NULL, 0, 1) == 0 && nanosleep(&(struct timespec){0, 1000}, NULL) == 0 && getpid() != getppid());
}
