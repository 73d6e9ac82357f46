/*
 * getpid, gettid, getppid, kill
 *
 * Two runs on the same input must decide alike, and a program may seed a hash with its process id. So each run that
 * Cairn starts has the id of the first one, whatever process makes it. Processes that it forks keep their own ids.
 */
#include "model.h"
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

/* Functions of the runtime: the id that the program sees for a process, and the reverse. */
pid_t __cairn_seen_process(pid_t process);
pid_t __cairn_real_process(pid_t process);

pid_t MODEL(getpid)(void)
{
    return __cairn_seen_process(getpid());
}

pid_t MODEL(gettid)(void)
{
    return __cairn_seen_process(gettid());
}

pid_t MODEL(getppid)(void)
{
    return __cairn_seen_process(getppid());
}

pid_t MODEL(getpgrp)(void)
{
    return __cairn_seen_process(getpgrp());
}

pid_t MODEL(getpgid)(pid_t process)
{
    process = (pid_t)__cairn_concretized((size_t)process);
    return __cairn_seen_process(getpgid(__cairn_real_process(process)));
}

int MODEL(kill)(pid_t process, int signal)
{
    process = (pid_t)__cairn_concretized((size_t)process);
    signal = (int)__cairn_concretized((size_t)signal);
    return kill(process < 0 ? -__cairn_real_process(-process) : __cairn_real_process(process), signal);
}

int MODEL(killpg)(pid_t group, int signal)
{
    group = (pid_t)__cairn_concretized((size_t)group);
    signal = (int)__cairn_concretized((size_t)signal);
    return killpg(__cairn_real_process(group), signal);
}
