/*
 * A program that misbehaves towards the system and towards Cairn's own processes, each time in another way: the first
 * byte of the input says how. What it starts is bounded in number and in time, should nobody stop it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LIFETIME 60
#define MOST_PROCESSES 3000
#define MEBIBYTE (1 << 20)

static _Atomic int *processes;

/* A new process, of which there are not too many. */
static pid_t another(void)
{
    if (++*processes > MOST_PROCESSES)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        alarm(LIFETIME);
    return pid;
}

static void for_ever(void)
{
    alarm(LIFETIME);
    for (volatile long n = 0;; n++)
        ;
}

static void sleep_for_ever(void)
{
    alarm(LIFETIME);
    for (;;)
        pause();
}

static void deaf(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int signal_number = 1; signal_number < 65; signal_number++)
        signal(signal_number, SIG_IGN);
    for (int seconds = 0; seconds < LIFETIME; seconds++)
        sleep(1);
}

static void eat_crumbs(void)
{
    for (int n = 0; n < 1 << 20; n++) {
        char *crumb = malloc(16000);
        if (!crumb)
            abort();
        memset(crumb, n, 16000);
    }
}

static void eat_lumps(void)
{
    for (int n = 0; n < 128; n++)
        mmap(NULL, 128 * MEBIBYTE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

__attribute__((noinline)) static int descend(volatile char *above, int depth)
{
    volatile char here[4096];
    here[0] = above[0] + 1;
    return depth < 1 << 30 ? descend(here, depth + 1) + here[0] : 0;
}

/* Every process forks, again and again. */
static void fork_bomb(void)
{
    while (another() >= 0)
        ;
    sleep_for_ever();
}

/* One process at a time, never the same, each in a session of its own. */
static void comet(void)
{
    while (another() == 0)
        setsid();
}

static void daemonise(void)
{
    if (another() != 0)
        return;
    setsid();
    if (another() != 0)
        _exit(0);
    for (int n = 0; n < 3; n++)
        another();
    deaf();
}

/* Five processes that nothing but a kill ends, and one that waits for them. */
static void keep_company(void)
{
    for (int n = 0; n < 5; n++)
        if (another() == 0) {
            setsid();
            deaf();
            _exit(0);
        }
    deaf();
}

static void close_all(void)
{
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}

static void write_to_all(void)
{
    for (int fd = 0; fd < 1024; fd++)
        if (write(fd, "garbage", 7) < 0)
            continue;
}

static void flood(void)
{
    static char much[MEBIBYTE];
    for (int n = 0; n < 4096; n++)
        if (write(n & 1 ? STDOUT_FILENO : STDERR_FILENO, much, sizeof much) < 0)
            return;
}

/* Whether signals to Cairn's own processes are refused. Without that, what comes next would hit the whole machine. */
static int is_confined(void)
{
    return kill(getppid(), 0) < 0 && errno == EPERM && kill(1, 0) < 0 && errno == EPERM;
}

static void kill_everybody(void)
{
    if (is_confined())
        kill(-1, SIGKILL);
}

static void kill_from_within(void)
{
    setpgid(0, getpgid(getppid()));
    if (getpgrp() == getpid() || is_confined())
        kill(0, SIGTERM);
    signal(SIGTERM, SIG_IGN);
}

static void break_free(void)
{
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    for (int resource = 0; resource < RLIMIT_NLIMITS; resource++)
        setrlimit(resource, &none);
    prctl(PR_SET_PDEATHSIG, 0);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0)
        for_ever();
    if (another() == 0)
        deaf();
}

static void write_much(void)
{
    static char much[MEBIBYTE];
    char name[512];
    snprintf(name, sizeof name, "%s/much", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    for (int n = 0; n < 2048; n++)
        if (write(fd, much, sizeof much) < 0)
            break;
    if (ftruncate(fd, 1L << 40) == 0)
        for_ever();
}

/* Traps for who tidies up. */
static void litter(void)
{
    if (!getenv("TMPDIR") || chdir(getenv("TMPDIR")) < 0)
        return;
    mkdir("d", 0700);
    mkdir("d/e", 0700);
    if (symlink(getenv("OUTSIDE"), "d/link") || symlink(getenv("OUTSIDE"), "link") || mkfifo("fifo", 0600))
        return;
    chmod("d", 0);
    chmod(".", 0);
}

/* Makes itself heard outside, if it can: a file in the directory it is started in, one beside its scratch directory, a
   datagram. */
static void reach_out(void)
{
    char beside[512];
    snprintf(beside, sizeof beside, "%s/escaped", getenv("OUTSIDE"));
    for (int n = 0; n < 2; n++) {
        int fd = open(n ? beside : "escaped", O_CREAT | O_WRONLY, 0600);
        if (fd >= 0 && write(fd, "x", 1) == 1)
            close(fd);
    }
    snprintf(beside, sizeof beside, "%s/treasure", getenv("OUTSIDE"));
    chmod(beside, 0);
    unlink(beside);
    if (truncate(beside, 0) == 0 || rename(beside, "treasure") == 0 || socket(AF_INET, SOCK_DGRAM, 0) >= 0
        || socket(AF_INET6, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0
        || open("/dev/shm/cairn-escaped", O_CREAT | O_WRONLY, 0600) >= 0)
        abort();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        abort();
}

/* Changes what belongs to others and has no contents: limits and priority of processes, attributes of files. A device in its
   own directory would be as good as the one in another. */
static void meddle(void)
{
    struct rlimit few = {64, 64};
    if (prlimit(getppid(), RLIMIT_NOFILE, &few, NULL) == 0 || setpriority(PRIO_PROCESS, getppid(), 19) == 0)
        abort();
    if (prlimit(0, RLIMIT_NOFILE, &few, NULL) < 0 || setpriority(PRIO_PROCESS, 0, 19) < 0)
        abort();
    char name[512];
    snprintf(name, sizeof name, "%s/treasure", getenv("OUTSIDE"));
    int fd = open(name, O_RDONLY), before = 0, after = 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &before) == 0) {
        int flags = before ^ FS_NOATIME_FL;
        ioctl(fd, FS_IOC_SETFLAGS, &flags);
        if (ioctl(fd, FS_IOC_GETFLAGS, &after) < 0 || after != before)
            abort();
    }
    snprintf(name, sizeof name, "%s/device", getenv("TMPDIR"));
    if (mknod(name, S_IFCHR | 0600, makedev(1, 3)) == 0)
        abort();
}

/* Waits for ever in the hands of a debugger, who is its parent. */
static void be_traced(void)
{
    alarm(LIFETIME);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
}

static void misbehave(char how)
{
    switch (how) {
    case 'a': for_ever(); break;
    case 'b': sleep_for_ever(); break;
    case 'c': eat_crumbs(); break;
    case 'd': eat_lumps(); break;
    case 'e': descend("", 0); break;
    case 'f': fork_bomb(); break;
    case 'g': daemonise(); break;
    case 'h': close_all(); break;
    case 'i': write_to_all(); break;
    case 'j': flood(); break;
    case 'k': kill(getppid(), SIGKILL); break;
    case 'l': kill(0, SIGKILL); break;
    case 'm': kill_everybody(); break;
    case 'n': _exit(7);
    case 'o': execl("/bin/sleep", "sleep", "60", NULL); break;
    case 'p': comet(); break;
    case 'q': deaf(); break;
    case 'r': break_free(); break;
    case 's': write_much(); break;
    case 't': litter(); break;
    case 'u': reach_out(); break;
    case 'v': kill_from_within(); break;
    case 'w': keep_company(); break;
    case 'x': meddle(); break;
    case 'y': be_traced(); break;
    }
}

int main(void)
{
    char text[3] = "";
    processes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!fgets(text, sizeof text, stdin))
        return 1;
    misbehave(text[0]);
    if (text[0] == 'z' && text[1] == '!')
        abort();
    return text[1] == '?' ? 3 : 0;
}
