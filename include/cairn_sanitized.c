/*
 * cairn_sanitized.c: linked by `cairn run` into its build with sanitizers, with `-Wl,--wrap=main`.
 *
 * The program behaves alike however it is started: no leak detection, which sandboxes do not allow, and no
 * abort on an allocation that is too large.
 *
 * Started by `cairn run` it is a server, stopped before `main`: for each command it forks one run, so that
 * the sanitizers start only once. CAIRN_RUN_SERVER names two pipes, "COMMANDS,STATUS". A command is the size of
 * what follows, then the arguments of the run, each with a zero at its end. The server greets with GREETING and
 * answers each command with the wait status of the run, and 1 if the run has left processes behind.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Forks without the handlers of pthread_atfork: AddressSanitizer's take a millisecond. From glibc 2.34 on. */
pid_t _Fork(void) __attribute__((weak));

#define CHANNEL "CAIRN_RUN_SERVER"
#define GREETING 0x52554e31u

const char *__asan_default_options(void);
int __real_main(int argc, char **argv, char **envp);
int __wrap_main(int argc, char **argv, char **envp);

const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16";
}

/* Reads or writes all of it; 0 at the end of the pipe. */
static int transfer(int descriptor, void *bytes, size_t size, int writes)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t done = writes ? write(descriptor, at, size) : read(descriptor, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return 0;
        at += done;
        size -= (size_t)done;
    }
    return 1;
}

/* Becomes one run: its own arguments, and the input from its beginning. */
static int begin_run(char *program, char *arguments, size_t size, char **envp)
{
    char *at, **argv;
    int argc = 1;
    for (at = arguments; at < arguments + size; at += strlen(at) + 1)
        argc++;
    argv = mmap(NULL, ((size_t)argc + 1) * sizeof *argv, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (argv == MAP_FAILED)
        _exit(127);
    argc = 0;
    argv[argc++] = program;
    for (at = arguments; at < arguments + size; at += strlen(at) + 1)
        argv[argc++] = at;
    lseek(0, 0, SEEK_SET);
    return __real_main(argc, argv, envp);
}

/* Serves commands; returns in each run, with its exit code, and never in the server. */
static int serve(int commands, int status, char *program, char **envp)
{
    unsigned greeting = GREETING, size;
    pid_t server = getpid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!transfer(status, &greeting, sizeof greeting, 1))
        _exit(0);
    while (transfer(commands, &size, sizeof size, 0)) {
        int answer[2] = {0, 0};
        pid_t run, ended;
        char *arguments = NULL;
        if (size > 0)
            arguments = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (arguments == MAP_FAILED || !transfer(commands, arguments, size, 0))
            _exit(0);
        run = _Fork ? _Fork() : fork();
        if (run < 0)
            _exit(0);
        if (run == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != server)
                _exit(0);
            close(commands);
            close(status);
            return begin_run(program, arguments, size, envp);
        }
        while (waitpid(run, &answer[0], 0) < 0 && errno == EINTR)
            ;
        do
            ended = waitpid(-1, NULL, WNOHANG);
        while (ended > 0);
        answer[1] = ended == 0;
        if (arguments)
            munmap(arguments, size);
        if (!transfer(status, answer, sizeof answer, 1))
            break;
    }
    _exit(0);
}

int __wrap_main(int argc, char **argv, char **envp)
{
    const char *channel = getenv(CHANNEL);
    int commands, status;
    if (!channel || sscanf(channel, "%d,%d", &commands, &status) != 2)
        return __real_main(argc, argv, envp);
    unsetenv(CHANNEL);
    return serve(commands, status, argv[0], envp);
}
