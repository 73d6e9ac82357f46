/*
 * The victim of hostile targets: a process with one of everything that a user owns. It prints their names, and then,
 * for every line that it reads, their state.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static char *shared;
static int shm, sem, msg, dgram, stream, abstract_socket, tcp, udp;
static mqd_t queue;
static char queue_name[64];
static char terminal[64];
static int keyboard, screen;
static volatile sig_atomic_t signals;
static volatile char memory[] = "memory of the victim";

static void count(int number)
{
    (void)number;
    signals++;
}

static int unix_socket(int type, const char *name, int is_abstract)
{
    struct sockaddr_un address = {AF_UNIX, ""};
    strcpy(address.sun_path + is_abstract, name);
    int fd = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
    if (bind(fd, (struct sockaddr *)&address, is_abstract ? sizeof(sa_family_t) + 1 + strlen(name) : sizeof address))
        perror(name), exit(1);
    if (type == SOCK_STREAM)
        listen(fd, 5);
    return fd;
}

static int inet_socket(int type)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, type | SOCK_NONBLOCK, 0);
    if (bind(fd, (struct sockaddr *)&address, sizeof address))
        perror("bind"), exit(1);
    if (type == SOCK_STREAM)
        listen(fd, 5);
    return fd;
}

static int port(int fd)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    getsockname(fd, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

static int typed(void)
{
    int bytes = 0;
    ioctl(screen, FIONREAD, &bytes);
    return bytes;
}

/* A terminal on which something was typed that was not read yet. */
static void make_terminal(void)
{
    keyboard = posix_openpt(O_RDWR | O_NOCTTY);
    if (keyboard < 0 || grantpt(keyboard) || unlockpt(keyboard) || ptsname_r(keyboard, terminal, sizeof terminal))
        perror("terminal"), exit(1);
    screen = open(terminal, O_RDWR | O_NOCTTY);
    if (screen < 0 || write(keyboard, "typed\n", 6) != 6)
        perror(terminal), exit(1);
    /* The kernel passes it on in its own time. */
    for (int tries = 0; typed() < 6 && tries < 5000; tries++)
        usleep(1000);
}

static void make(const char *directory)
{
    struct {
        long type;
        char text[8];
    } message = {1, "message"};
    char path[4096];
    shm = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    shared = shmat(shm, NULL, 0);
    strcpy(shared, "shared");
    sem = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    semctl(sem, 0, SETVAL, 3);
    msg = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    msgsnd(msg, &message, sizeof message.text, 0);
    snprintf(queue_name, sizeof queue_name, "/cairn-hostile-%d", getpid());
    struct mq_attr few = {.mq_maxmsg = 2, .mq_msgsize = 16};
    queue = mq_open(queue_name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, &few);
    mq_send(queue, "one", 4, 0);
    snprintf(path, sizeof path, "%s/dgram", directory);
    dgram = unix_socket(SOCK_DGRAM, path, 0);
    snprintf(path, sizeof path, "%s/stream", directory);
    stream = unix_socket(SOCK_STREAM, path, 0);
    abstract_socket = unix_socket(SOCK_DGRAM, queue_name, 1);
    tcp = inet_socket(SOCK_STREAM);
    udp = inet_socket(SOCK_DGRAM);
    make_terminal();
    if (shm_open(queue_name, O_CREAT | O_RDWR, 0600) < 0)
        perror("shm_open"), exit(1);
    printf("TERMINAL=%s POSIX_SHM=/dev/shm%s ", terminal, queue_name);
    printf("VICTIM=%d SHM=%d SEM=%d MSG=%d MQ=%s ABSTRACT=%s DGRAM=%s/dgram STREAM=%s/stream TCP=%d UDP=%d MEMORY=%p\n", getpid(),
           shm, sem, msg, queue_name, queue_name, directory, directory, port(tcp), port(udp), (void *)memory);
}

static int messages(int fd)
{
    char text[100];
    return recv(fd, text, sizeof text, MSG_DONTWAIT | MSG_PEEK) >= 0;
}

static int connections(int fd)
{
    return accept(fd, NULL, NULL) >= 0;
}

static void tell(void)
{
    struct msqid_ds state = {0};
    struct mq_attr queued = {0};
    struct rlimit files = {0};
    cpu_set_t processors;
    struct mq_attr attributes;
    mqd_t again = mq_open(queue_name, O_RDONLY);
    char score[16] = "";
    FILE *file = fopen("/proc/self/oom_score_adj", "r");
    if (!file || !fgets(score, sizeof score, file))
        strcpy(score, "?\n");
    if (file)
        fclose(file);
    msgctl(msg, IPC_STAT, &state);
    mq_getattr(queue, &queued);
    getrlimit(RLIMIT_NOFILE, &files);
    sched_getaffinity(0, sizeof processors, &processors);
    printf("shm %s %d, sem %d, msg %lu, mq %d %ld, dgram %d, stream %d, abstract %d, tcp %d, udp %d, nice %d, io %ld, "
           "scheduler %d, processors %d, files %lu, signals %d, memory %s, typed %d, oom %s",
           shared, shmget(IPC_PRIVATE, 0, 0) < 0 && shmctl(shm, IPC_STAT, &(struct shmid_ds){0}) == 0, semctl(sem, 0, GETVAL),
           (unsigned long)state.msg_qnum, again >= 0 && mq_getattr(again, &attributes) == 0, queued.mq_curmsgs, messages(dgram),
           connections(stream), messages(abstract_socket), connections(tcp), messages(udp), getpriority(PRIO_PROCESS, 0),
           syscall(SYS_ioprio_get, 1, 0), sched_getscheduler(0), CPU_COUNT(&processors), (unsigned long)files.rlim_cur,
           (int)signals, (char *)memory, typed(), score);
    if (again >= 0)
        mq_close(again);
}

int main(int argc, char **argv)
{
    char line[16];
    if (argc < 2 || getuid() == 0)
        return 2;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    /* As accessible to debuggers as possible. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    for (int number = 1; number < 32; number++)
        if (number != SIGTERM && number != SIGPIPE)
            signal(number, count);
    make(argv[1]);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        tell();
        fflush(stdout);
    }
    shmctl(shm, IPC_RMID, NULL);
    semctl(sem, 0, IPC_RMID);
    msgctl(msg, IPC_RMID, NULL);
    mq_unlink(queue_name);
    shm_unlink(queue_name);
    return 0;
}
