/*
 * sigaction, signal
 *
 * A fault is raised before the address that caused it is recorded. If the program ends there the driver reconstructs
 * it; if the program handles the fault itself the run continues without, and a loss is counted.
 */
#include "model.h"
#include <signal.h>

void __cairn_unfollowed(void);

/* Handlers of the program for SIGSEGV and SIGBUS. */
static struct sigaction own[2];
static char is_own[2];

static int index_of(int number)
{
    return number == SIGSEGV ? 0 : number == SIGBUS ? 1 : -1;
}

static void handle(int number, siginfo_t *info, void *context)
{
    int index = index_of(number);
    struct sigaction action = own[index];
    /* Raised by the kernel, not sent. */
    if (info->si_code > 0)
        __cairn_unfollowed();
    if (action.sa_flags & SA_RESETHAND)
        is_own[index] = 0;
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

/* Returns the action that the program had set, or the previous one. */
static struct sigaction replaced(int index, const struct sigaction *action, const struct sigaction *previous)
{
    struct sigaction before = is_own[index] ? own[index] : *previous;
    if (action != NULL) {
        is_own[index] = action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
        own[index] = *action;
    }
    return before;
}

int MODEL(sigaction)(int number, const struct sigaction *action, struct sigaction *old)
{
    int index;
    struct sigaction installed, previous;
    number = (int)__cairn_concretized((size_t)number);
    index = index_of(number);
    if (index < 0 || (!is_own[index] && !__cairn_tracing()))
        return sigaction(number, action, old);
    if (action != NULL) {
        installed = *action;
        if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
            installed.sa_sigaction = handle;
            installed.sa_flags |= SA_SIGINFO;
        }
    }
    if (sigaction(number, action != NULL ? &installed : NULL, &previous) != 0)
        return -1;
    previous = replaced(index, action, &previous);
    if (old != NULL)
        *old = previous;
    return 0;
}

void (*MODEL(signal)(int number, void (*handler)(int)))(int)
{
    struct sigaction action = {0}, old;
    number = (int)__cairn_concretized((size_t)number);
    if (index_of(number) < 0 || handler == SIG_ERR)
        return signal(number, handler);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaddset(&action.sa_mask, number);
    return MODEL(sigaction)(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
