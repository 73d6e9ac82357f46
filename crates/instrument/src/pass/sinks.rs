//! Library functions that may consume symbolic data without a loss. Output functions are in `outputs.rs`.

/// Functions that do not return, or whose arguments are not used again.
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

/// Functions that only write to the memory they are given: its previous contents are not read.
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

/// Functions that pass their pointer on to the program's own functions, which are instrumented.
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

/// Synchronisation functions: the object they are given is theirs alone, though it may lie in a struct with
/// symbolic data.
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

/// Functions of the lists above that do read one object, with the index of the argument that points to it.
const READ: &[(&str, usize)] =
    &[("sigprocmask", 1), ("pthread_mutex_init", 1), ("pthread_cond_init", 1), ("pthread_rwlock_init", 1)];

/// Functions that replace the process image, and return only if they fail.
pub const REPLACES: &[&str] =
    &["execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve", "execveat", "fexecve"];

/// Functions that jump and pass a value to the target: it is concretized at the call.
pub const JUMPS: &[&str] = &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

/// Functions that release or flush the object their first argument points to: the pointer is concretized, as
/// for `free`.
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

/// True if labels of a function's arguments are no loss.
pub fn is_sink(name: &str) -> bool {
    [END, JUMPS, RELEASES].iter().any(|names| names.contains(&name))
}

/// True if a function reads the memory that its argument at `index` points to. For some only the argument
/// values matter, such as a signal's number, or one object among several.
pub fn reads_memory(name: &str, index: usize) -> bool {
    READ.contains(&(name, index)) || ![ANSWER, PASSED_ON, LOCKS].iter().any(|names| names.contains(&name))
}
