/* exit, on_exit: handlers receive the status and their argument with labels */
#include "model.h"
#include <stdlib.h>

/* Returns the status that main has returned, with its label, if it equals `status`. */
int __cairn_main_status(int status);

struct handler {
    void (*function)(int, void *);
    void *argument;
};

/* Argument of exit. */
static int given;
static int is_given;

static void handle(int status, void *record)
{
    const struct handler *handler = record;
    int labelled = is_given ? given : __cairn_main_status(status);
    if (__cairn_concrete((size_t)labelled) != (size_t)status)
        labelled = status;
    handler->function(labelled, handler->argument);
}

int MODEL(on_exit)(void (*function)(int, void *), void *argument)
{
    struct handler *handler = __cairn_tracing() ? __cairn_w_malloc(sizeof *handler) : NULL;
    if (handler == NULL)
        return on_exit(function, argument);
    *handler = (struct handler){function, argument};
    return on_exit(handle, handler);
}

__attribute__((noreturn)) void MODEL(exit)(int status)
{
    given = status;
    is_given = 1;
    exit((int)__cairn_concrete((size_t)status));
}
