//! Functions that may be given symbolic data without anything being lost. Those that print it are in `outputs.rs`.

/// Nothing comes after them, or nothing of what they were given is used again.
const END: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "__assert_fail",
    "__assert",
    "__assert_perror_fail",
    "err",
    "errx",
    "verr",
    "verrx",
    "__stack_chk_fail",
    "__cxa_throw",
    "__cxa_rethrow",
    "_Unwind_Resume",
    "free",
    "cfree",
    "close",
    "fclose",
    "munmap",
];

/// The memory they are given is for their answer: whatever was in it before is not looked at.
const ANSWER: &[&str] = &[
    "time",
    "gettimeofday",
    "clock_gettime",
    "clock_getres",
    "times",
    "getrusage",
    "getrlimit",
    "getitimer",
    "fstat",
    "fstat64",
    "uname",
    "getcwd",
    "gethostname",
    "getgroups",
    "getlogin_r",
    "pipe",
    "pipe2",
    "tcgetattr",
    "sigemptyset",
    "sigfillset",
    "sigprocmask",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "pthread_self",
    "getrandom",
];

/// What they are given a pointer to is for the program's own functions, which look at it themselves.
const PASSED_ON: &[&str] = &[
    "atexit",
    "__cxa_atexit",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "__cxa_get_exception_ptr",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
];

/// Locks and their like: what they are given is theirs alone, though it may lie in a struct with symbolic data.
const LOCKS: &[&str] = &[
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutex_destroy",
    "pthread_cond_init",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "pthread_rwlock_init",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_destroy",
    "pthread_once",
    "pthread_key_create",
    "sem_init",
    "sem_wait",
    "sem_post",
    "sem_destroy",
];

/// Functions of the lists above that do read one object: the argument that points to it.
const READ: &[(&str, usize)] =
    &[("sigprocmask", 1), ("pthread_mutex_init", 1), ("pthread_cond_init", 1), ("pthread_rwlock_init", 1)];

/// Functions that put another program in the place of this one, and come back only if they fail.
pub const REPLACES: &[&str] =
    &["execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve", "execveat", "fexecve"];

/// Functions that jump, and tell who is there a number: that is pinned where they are called.
pub const JUMPS: &[&str] = &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

/// Functions that release or flush the object their first argument points to: the pointer is concretized, as for `free`.
pub const RELEASES: &[&str] = &[
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "closedir",
    "fflush",
    "fflush_unlocked",
    "freeaddrinfo",
    "regfree",
];

/// Whether symbolic data may go to a function and be forgotten.
pub fn is_sink(name: &str) -> bool {
    [END, JUMPS, RELEASES].iter().any(|names| names.contains(&name))
}

/// True if a function reads the memory that its argument at `index` points to. Of some only values matter, such as a signal's
/// number, or one object among several.
pub fn reads_memory(name: &str, index: usize) -> bool {
    READ.contains(&(name, index)) || ![ANSWER, PASSED_ON, LOCKS].iter().any(|names| names.contains(&name))
}
