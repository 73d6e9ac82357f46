//! Ways for a value to get from one place of a program to another that instrumentation does not see by itself. Each program
//! aborts for one of its inputs, or does something else that depends on them: the abort is found, or something is counted as
//! missing. Programs of the same kind that lose nothing are exhausted.

use crate::common::{cairn, output_of, write_source};
use serde_json::Value;

/// Expected result of a campaign.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The abort is found.
    Found,
    /// This is counted.
    Gap(&'static str),
    /// Every path was tried, and none aborts.
    Exhausted,
}
use Expected::{Exhausted, Found, Gap};

const LOST: Expected = Gap("lost-value");
const CONCRETIZED: Expected = Gap("concretized");

/// A case: its name, declarations, statements of `main` on the byte `c`, and the expected result.
type Case = (&'static str, &'static str, &'static str, Expected);

fn source(before: &str, rest: &str) -> String {
    let headers = ["errno", "fcntl", "stdint", "stdio", "stdlib", "string", "unistd"];
    let headers: String = headers.iter().map(|name| format!("#include <{name}.h>\n")).collect();
    format!(
        "#define _GNU_SOURCE\n{headers}{before}\n\
         int main(void) {{ unsigned char c; if (read(0, &c, 1) != 1) return 0;\n{rest}\nreturn 0; }}\n"
    )
}

/// Builds and explores one program; the campaign's summary.
fn explore(name: &str, text: &str, flags: &[&str]) -> Value {
    let place = tempfile::tempdir().unwrap();
    write_source(place.path(), name, text);
    let compiler = if name.ends_with(".cc") { "c++" } else { "cc" };
    let mut build = cairn();
    build.args([compiler, "-w", name, "-o", "program"]).args(flags).current_dir(place.path());
    let built = output_of(&mut build);
    assert_eq!(built.code, Some(0), "{}\n{text}", built.stderr);
    let mut run = cairn();
    run.args(["run", "--json", "--no-sanitizers", "--sym-stdin", "1", "--out", "out", "program"]);
    let output = output_of(run.current_dir(place.path()));
    serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}\n{text}"))
}

fn check_in(name: &str, flags: &[&str], cases: &[Case]) {
    let mut wrong = Vec::new();
    for (what, before, rest, expected) in cases {
        let summary = explore(name, &source(before, rest), flags);
        let holds = match expected {
            Found => summary["crashes"] == 1,
            Gap(gap) => summary["exhausted"] == false && summary["gaps"][gap].as_u64() > Some(0),
            Exhausted => summary["exhausted"] == true && summary["crashes"] == 0,
        };
        if !holds {
            wrong.push(format!(
                "{what}: expected {expected:?}, {} crashes, gaps {}",
                summary["crashes"], summary["gaps"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(cases: &[Case]) {
    check_in("program.c", &["-lm"], cases);
}

#[test]
fn values_go_through_posix_threads() {
    check(&[
        (
            "argument and result",
            "#include <pthread.h>\nvoid *f(void *p) { return (void *)((long)p * 2); }",
            "pthread_t t; void *r; pthread_create(&t, 0, f, (void *)(long)c); pthread_join(t, &r);\n\
             if ((long)r == 180) abort();",
            Found,
        ),
        (
            "computing with them in a thread",
            "#include <pthread.h>\nvoid *f(void *p) { return (void *)((long)p * 2); }",
            "pthread_t t; void *r; pthread_create(&t, 0, f, (void *)(long)c); pthread_join(t, &r);\n\
             if ((long)r == 180) return 1;",
            Gap("threads"),
        ),
        (
            "a result that the thread only passes on",
            "#include <pthread.h>\nvoid *f(void *p) { return p; }",
            "pthread_t t; void *r; pthread_create(&t, 0, f, (void *)(long)c); pthread_join(t, &r);\n\
             if ((long)r == 90) return 1;",
            Exhausted,
        ),
        (
            "pthread_exit",
            "#include <pthread.h>\nchar g; void *f(void *p) { pthread_exit((void *)(long)g); }",
            "pthread_t t; void *r; g = c; pthread_create(&t, 0, f, 0); pthread_join(t, &r);\n\
             if ((long)r == 90) abort();",
            Found,
        ),
        (
            "the result of a thread with another that ends later",
            "#include <pthread.h>\nvoid *f(void *p) { return p; }",
            "pthread_t t, u; void *r, *s; pthread_create(&t, 0, f, (void *)(long)c);\n\
             pthread_create(&u, 0, f, (void *)7L); pthread_join(u, &s); pthread_join(t, &r);\n\
             if ((long)s != 7) return 3; if ((long)r == 90) abort();",
            Found,
        ),
        (
            "a cancelled thread",
            "#include <pthread.h>\nvoid *f(void *p) { for (;;) pause(); }",
            "pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_cancel(t); pthread_join(t, &r);\n\
             if (r != PTHREAD_CANCELED) abort(); if (c == 90) return 1;",
            Exhausted,
        ),
        (
            "a value of the thread",
            "#include <pthread.h>",
            "pthread_key_t k; pthread_key_create(&k, 0); pthread_setspecific(k, (void *)(long)c);\n\
             if ((long)pthread_getspecific(k) == 90) abort();",
            Found,
        ),
        (
            "a value that goes to a destructor",
            "#include <pthread.h>\npthread_key_t k; char g; void d(void *v) { if ((long)v == 90) abort(); }\n\
             void *f(void *p) { pthread_setspecific(k, (void *)(long)g); return 0; }",
            "pthread_t t; g = c; pthread_key_create(&k, d); pthread_create(&t, 0, f, 0); pthread_join(t, 0);",
            LOST,
        ),
        (
            "an argument of a clean-up function",
            "#include <pthread.h>\nchar g; void d(void *v) { if ((long)v == 90) abort(); }\n\
             void *f(void *p) { pthread_cleanup_push(d, (void *)(long)g); pthread_exit(0); pthread_cleanup_pop(0); }",
            "pthread_t t; g = c; pthread_create(&t, 0, f, 0); pthread_join(t, 0);",
            Found,
        ),
        (
            "a semaphore's value",
            "#include <semaphore.h>",
            "sem_t s; int v; sem_init(&s, 0, c); sem_getvalue(&s, &v); if (v == 90) abort();",
            LOST,
        ),
        (
            "threads beside symbolic memory",
            "#include <pthread.h>\nstatic char b[16]; int n; void *f(void *p) { n = 7; return p; }",
            "b[0] = c; pthread_t t; void *r; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m);\n\
             pthread_create(&t, 0, f, b); pthread_mutex_unlock(&m); pthread_join(t, &r);\n\
             if (r != b || n != 7) return 3; if (b[0] == 90) return 1;",
            Exhausted,
        ),
    ]);
}

#[test]
fn values_go_through_threads_of_the_language() {
    check(&[
        (
            "argument and result",
            "#include <threads.h>\nint f(void *p) { return (long)p - 100; }",
            "thrd_t t; int r; thrd_create(&t, f, (void *)(long)c); thrd_join(t, &r); if (r == -10) abort();",
            Found,
        ),
        (
            "thrd_exit",
            "#include <threads.h>\nchar g; int f(void *p) { thrd_exit(g); }",
            "thrd_t t; int r; g = c; thrd_create(&t, f, 0); thrd_join(t, &r); if (r == 90) abort();",
            Found,
        ),
        (
            "a value of the thread",
            "#include <threads.h>",
            "tss_t k; tss_create(&k, 0); tss_set(k, (void *)(long)c); if ((long)tss_get(k) == 90) abort();",
            Found,
        ),
        (
            "a concrete thread",
            "#include <threads.h>\nint f(void *p) { return (long)p + 1; }",
            "thrd_t t; int r; thrd_create(&t, f, (void *)6L); thrd_join(t, &r); if (r != 7) abort();\n\
             if (c == 90) return 1;",
            Exhausted,
        ),
    ]);
}

#[test]
fn values_go_to_functions_that_the_library_calls() {
    check(&[
        (
            "on_exit, its argument",
            "void h(int s, void *a) { if ((long)a == 90) abort(); }",
            "on_exit(h, (void *)(long)c);",
            Found,
        ),
        (
            "on_exit, the status of exit",
            "void h(int s, void *a) { if (s == 90) abort(); }",
            "on_exit(h, 0); exit(c);",
            Found,
        ),
        (
            "on_exit, the status of main",
            "void h(int s, void *a) { if (s == 90) abort(); }",
            "on_exit(h, 0); return c;",
            Found,
        ),
        (
            "__cxa_atexit",
            "int __cxa_atexit(void (*)(void *), void *, void *); void h(void *a) { if ((long)a == 90) abort(); }",
            "__cxa_atexit(h, (void *)(long)c, 0);",
            LOST,
        ),
        (
            "makecontext",
            "#include <ucontext.h>\nucontext_t m, n; char st[65536]; void h(int a) { if (a == 90) abort(); }",
            "getcontext(&n); n.uc_stack.ss_sp = st; n.uc_stack.ss_size = sizeof st; n.uc_link = &m;\n\
             makecontext(&n, (void (*)(void))h, 1, (int)c); swapcontext(&m, &n);",
            LOST,
        ),
        (
            "sigqueue",
            "#include <signal.h>\nvoid h(int s, siginfo_t *i, void *x) { if (i->si_value.sival_int == 90) abort(); }",
            "struct sigaction a = {0}; a.sa_sigaction = h; a.sa_flags = SA_SIGINFO; sigaction(SIGUSR1, &a, 0);\n\
             union sigval v = {0}; v.sival_int = c; sigqueue(getpid(), SIGUSR1, v);",
            LOST,
        ),
        (
            "raise",
            "#include <signal.h>\nvoid h(int s) { if (s == 10) abort(); }",
            "for (int i = 1; i < 65; i++) signal(i, h); raise(c);",
            LOST,
        ),
        (
            "twalk_r",
            "#include <search.h>\nint k(const void *a, const void *b) { return 0; }\n\
             void h(const void *n, VISIT v, void *x) { if ((long)x == 90) abort(); }",
            "void *r = 0; tsearch(\"a\", &r, k); twalk_r(r, h, (void *)(long)c);",
            LOST,
        ),
        (
            "qsort_r",
            "int h(const void *a, const void *b, void *x) { if ((long)x == 90) abort(); return 0; }",
            "int a[2] = {1, 2}; qsort_r(a, 2, 4, h, (void *)(long)c);",
            Found,
        ),
        (
            "a handler that reads a variable",
            "#include <signal.h>\nint g; void h(int s) { if (g == 90) abort(); }",
            "g = c; signal(SIGUSR1, h); raise(SIGUSR1);",
            Found,
        ),
        (
            "the address of a fault that is handled",
            "#include <signal.h>\nvoid h(int s, siginfo_t *i, void *x) { if ((long)i->si_addr == 90) abort(); _exit(0); }",
            "struct sigaction a = {0}, o; a.sa_sigaction = h; a.sa_flags = SA_SIGINFO; sigaction(SIGSEGV, &a, 0);\n\
             sigaction(SIGSEGV, 0, &o); if (o.sa_sigaction != h) return 3; *(volatile char *)(long)c = 1;",
            LOST,
        ),
        (
            "handlers of faults that do not happen",
            "#include <signal.h>\nint n; void h(int s) { n++; }",
            "if (signal(SIGSEGV, h) == h || signal(SIGBUS, h) == h || signal(SIGSEGV, h) != h) abort();\n\
             raise(SIGSEGV); raise(SIGBUS); if (n != 2) abort(); if (c == 90) return 1;",
            Exhausted,
        ),
        (
            "exit without a handler that looks at the status",
            "#include <stdlib.h>\nvoid h(void) {} void k(int s, void *a) {}",
            "atexit(h); on_exit(k, 0); if (c == 90) exit(1); exit(c);",
            Exhausted,
        ),
    ]);
}

#[test]
fn the_library_keeps_values_of_the_program() {
    check(&[
        (
            "the key of a search tree",
            "#include <search.h>\nint k(const void *a, const void *b) { return 0; }",
            "void *r = 0; void *n = tsearch((void *)(long)c, &r, k); if (*(long *)n == 90) abort();",
            Found,
        ),
        (
            "a hash table",
            "#include <search.h>",
            "hcreate(10); ENTRY e = {\"k\", (void *)(long)c}, q = {\"k\", 0}; hsearch(e, ENTER);\n\
             if ((long)hsearch(q, FIND)->data == 90) abort();",
            LOST,
        ),
        (
            "a key behind a pointer in a struct passed by value",
            "#include <search.h>",
            "char k[4] = {c, 0}; hcreate(10); ENTRY e = {\"Z\", 0}, q = {k, 0}; hsearch(e, ENTER);\n\
             if (hsearch(q, FIND)) abort();",
            LOST,
        ),
        (
            "the environment",
            "",
            "char b[8] = {c, 0}; setenv(\"X\", b, 1); if (getenv(\"X\")[0] == 90) abort();",
            LOST,
        ),
        ("the alarm", "", "alarm(c); if (alarm(0) == 90) abort();", LOST),
        (
            "a descriptor",
            "",
            "int p = open(\"/dev/null\", O_RDONLY); if (dup2(p, 90) != 90) return 1; if (c > 80 && !close(c)) abort();",
            CONCRETIZED,
        ),
        (
            "a jump",
            "#include <setjmp.h>",
            "jmp_buf j; int r = setjmp(j); if (r == 90) abort(); if (!r) longjmp(j, c);",
            CONCRETIZED,
        ),
        (
            "a variable across a jump",
            "#include <setjmp.h>",
            "jmp_buf j; volatile int v = 0; if (!setjmp(j)) { v = c; longjmp(j, 1); } if (v == 90) abort();",
            Found,
        ),
    ]);
}

#[test]
fn pointers_that_lead_to_symbolic_memory_are_followed() {
    check(&[
        (
            "a local pointer that the callee clears",
            "#include <wchar.h>",
            "char b[8] = {c, 0}; const char *p = b; wchar_t o[8]; mbstate_t s = {0};\n\
             mbsrtowcs(o, &p, 8, &s); if (o[0] == 90) abort();",
            LOST,
        ),
        (
            "a local pointer that the callee advances",
            "#include <iconv.h>",
            "char b[8] = {c, 0}, o[64]; char *p = b, *q = o; size_t n = 1, m = 64;\n\
             iconv(iconv_open(\"UTF-16LE\", \"LATIN1\"), &p, &n, &q, &m); if (o[0] == 90) abort();",
            LOST,
        ),
        (
            "a pointer into the middle of a block",
            "#include <wchar.h>",
            "char *h = calloc(64, 1); h[40] = c; const char *p = h + 40; wchar_t o[8]; mbstate_t s = {0};\n\
             mbsrtowcs(o, &p, 1, &s); if (o[0] == 90) abort();",
            LOST,
        ),
        (
            "a vector of buffers in a block",
            "#include <sys/uio.h>\n#include <sys/syscall.h>",
            "int p[2]; if (pipe(p)) return 1; struct iovec *v = malloc(sizeof *v); v->iov_base = malloc(4);\n\
             *(char *)v->iov_base = c; v->iov_len = 1; vmsplice(p[1], v, 1, 0); char o;\n\
             syscall(SYS_read, p[0], &o, 1); if (o == 90) abort();",
            LOST,
        ),
        (
            "a list of arguments in a block",
            "#include <spawn.h>\n#include <sys/wait.h>",
            "char **l = malloc(4 * sizeof *l), *s = malloc(32); strcpy(s, \"test Z = \"); s[9] = c; s[10] = 0;\n\
             l[0] = \"sh\"; l[1] = \"-c\"; l[2] = s; l[3] = 0; pid_t pid; int st;\n\
             if (posix_spawn(&pid, \"/bin/sh\", 0, 0, l, 0)) return 2; waitpid(pid, &st, 0); if (!st) abort();",
            LOST,
        ),
        (
            "a pointer as an integer",
            "#include <sys/syscall.h>",
            "int p[2]; if (pipe(p)) return 1; char b[4] = {c}, o; syscall(SYS_write, p[1], (long)b, 1L);\n\
             syscall(SYS_read, p[0], &o, 1L); if (o == 90) abort();",
            LOST,
        ),
        (
            "an argument list on a thread's stack",
            "#include <pthread.h>\nvoid *f(void *p) { char b[8] = {*(char *)p, 0}; if (a64l(b) == 37) abort(); return 0; }",
            "pthread_t t; pthread_create(&t, 0, f, &c); pthread_join(t, 0);",
            LOST,
        ),
        (
            "pointers to concrete memory",
            "#include <time.h>\n#include <wchar.h>",
            "char b[8] = {'Q', 0}; const char *p = b; wchar_t o[8]; mbstate_t s = {0}; time_t t = 0; struct tm m;\n\
             mbsrtowcs(o, &p, 8, &s); gmtime_r(&t, &m); if (o[0] != 'Q' || m.tm_year != 70) abort(); if (c == 90) return 1;",
            Exhausted,
        ),
        (
            "a block that the library has freed and unmapped",
            "#include <dlfcn.h>",
            "char **p = malloc(1 << 20), **q = p; ((void (*)(void *))dlsym(RTLD_DEFAULT, \"free\"))(p);\n\
             memfrob(&q, 0); if (c == 90) return 1;",
            Exhausted,
        ),
    ]);
}

#[test]
fn sizes_decide_if_there_is_room() {
    check(&[
        ("malloc", "", "if (!malloc((size_t)c << 38)) return 1;", LOST),
        ("malloc of some sizes", "", "if (!malloc((size_t)c << 30)) return 1;", LOST),
        ("malloc of impossible sizes", "", "if (!malloc((size_t)c << 48)) abort();", Found),
        ("calloc", "", "if (!calloc((size_t)c << 30, (size_t)c << 30)) return 1;", LOST),
        ("realloc", "", "if (!realloc(0, (size_t)c << 38)) return 1;", LOST),
        ("realloc to nothing", "", "char *p = malloc(1); if (!realloc(p, c)) abort();", Found),
        ("reallocarray", "", "if (!reallocarray(0, (size_t)c << 38, 2)) return 1;", LOST),
        ("aligned_alloc", "", "if (!aligned_alloc(16, (size_t)c << 38)) return 1;", LOST),
        ("a local array", "", "if (!c) return 0; volatile char v[(size_t)c << 16]; v[0] = 1;", Found),
        (
            "the usable size",
            "#include <malloc.h>",
            "char *p = malloc(c); if (malloc_usable_size(p) == 104) abort();",
            LOST,
        ),
        (
            "the usable size of other blocks",
            "#include <malloc.h>",
            "char *p = malloc(100); if (malloc_usable_size(p) < 100) abort(); if (c == 90) return 1;",
            Exhausted,
        ),
        (
            "a small block",
            "",
            "char *p = malloc(c + 1); if (!p) return 1; p[0] = c; if (p[0] == 90) return 2;",
            Exhausted,
        ),
        (
            "a small array",
            "",
            "char *p = calloc(c, c); if (!p) return 1; if (c == 90) return 2; free(p);",
            Exhausted,
        ),
        ("a small local array", "", "char v[c + 1]; v[0] = 1; if (c == 90) return v[0];", Exhausted),
        (
            "a block that grows a little",
            "",
            "char *p = malloc(1); *p = 5; p = realloc(p, c + 1); if (!p || *p != 5) abort(); if (c == 90) return 2;",
            Exhausted,
        ),
    ]);
}

/// A list of `count` items, the last of which is `last`.
fn list(count: usize, item: impl Fn(usize) -> String, last: &str) -> String {
    let mut items: Vec<String> = (0..count - 1).map(item).collect();
    items.push(last.to_owned());
    items.join(", ")
}

#[test]
fn arguments_without_room_for_their_labels_are_lost() {
    let parameters = list(80, |index| format!("int a{index}"), "int last");
    let arguments = |count| list(count, |_| "0".to_owned(), "c");
    let structs = list(20, |index| format!("struct s s{index}"), "struct s last");
    let values = list(20, |_| "z".to_owned(), "k");
    let variadic = |ty: &str| {
        format!(
            "#include <stdarg.h>\nstruct s {{ long a[5]; }}; {ty} f(int n, ...) {{ va_list l; va_start(l, n); {ty} r;\n\
             for (int i = 0; i < n; i++) r = va_arg(l, {ty}); return r; }}"
        )
    };
    let noinline = "__attribute__((noinline))";
    let programs = [
        (
            format!("{noinline} int f({parameters}) {{ return last; }}"),
            format!("if (f({}) == 90) abort();", arguments(80)),
        ),
        (
            format!("{noinline} int f({parameters}) {{ return last; }} int (*volatile g)({parameters}) = f;"),
            format!("if (g({}) == 90) abort();", arguments(80)),
        ),
        (variadic("int"), format!("if (f(100, {}) == 90) abort();", arguments(100))),
        (
            String::new(),
            format!(
                "char b[200]; snprintf(b, 200, \"{}%c\", {}); if (b[99] == 90) abort();",
                "%d".repeat(99),
                arguments(100)
            ),
        ),
        (
            format!("struct s {{ long a[5]; }}; {noinline} long f({structs}) {{ return last.a[4]; }}"),
            format!("struct s z = {{0}}, k = {{0}}; k.a[4] = c; if (f({values}) == 90) abort();"),
        ),
        (
            variadic("struct s"),
            format!("struct s z = {{0}}, k = {{0}}; k.a[4] = c; if (f(20, {values}).a[4] == 90) abort();"),
        ),
    ];
    for (before, rest) in programs {
        let summary = explore("program.c", &source(&before, &rest), &[]);
        assert!(summary["gaps"]["lost-value"].as_u64() > Some(0), "{summary}\n{before}\n{rest}");
    }
    let before = format!("{noinline} int f({parameters}) {{ return last; }}");
    let concrete = list(80, |_| "0".to_owned(), "7");
    let rest = format!("if (f({concrete}) != 7) abort(); if (c == 90) return 1;");
    let summary = explore("program.c", &source(&before, &rest), &[]);
    assert_eq!(summary["exhausted"], true, "{summary}");
}

#[test]
fn functions_and_instructions_without_labels_are_counted() {
    let vectors = "#include <immintrin.h>";
    check_in(
        "program.c",
        &["-mavx2"],
        &[
            (
                "a tail call that must be one",
                "__attribute__((noinline)) int g(int x) { return x * 2; }\n\
                 __attribute__((noinline)) int f(int x) { __attribute__((musttail)) return g(x); }",
                "if (f(c) == 180) abort();",
                LOST,
            ),
            (
                "a global variable in a function with asm goto",
                "int g, h; __attribute__((noinline)) int f(void) { __asm__ goto(\"\" :::: l); h = g; l: return 0; }",
                "g = c; f(); if (h == 90) abort();",
                LOST,
            ),
            (
                "a global variable in a naked function",
                "int g, h; __attribute__((naked, noinline)) void f(void)\n\
                 { __asm__(\"mov g(%rip), %eax; mov %eax, h(%rip); ret\"); }",
                "g = c; f(); if (h == 90) abort();",
                LOST,
            ),
            (
                "assembly with a pointer in a register",
                "",
                "int r, x = c; int *p = &x; __asm__ volatile(\"mov (%1), %0\" : \"=r\"(r) : \"r\"(p) : \"memory\");\n\
                 if (r == 90) abort();",
                LOST,
            ),
            (
                "a barrier",
                "",
                "int x = c; int *p = &x; __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); if (x == 90) abort();",
                Found,
            ),
            (
                "lddqu",
                vectors,
                "char b[16] = {0}, o[16]; b[3] = c; _mm_storeu_si128((void *)o, _mm_lddqu_si128((void *)b)); if (o[3] == 90) abort();",
                LOST,
            ),
            (
                "a masked load",
                vectors,
                "int b[4] = {0}; b[3] = c; __m128i v = _mm_maskload_epi32(b, _mm_set1_epi32(-1));\n\
                 if (_mm_extract_epi32(v, 3) == 90) abort();",
                LOST,
            ),
            (
                "a gathering load",
                vectors,
                "int b[4] = {0}; b[3] = c; __m128i v = _mm_i32gather_epi32(b, _mm_set1_epi32(3), 4);\n\
                 if (_mm_extract_epi32(v, 3) == 90) abort();",
                LOST,
            ),
            (
                "a masked store",
                vectors,
                "int o[4] = {0}; _mm_maskstore_epi32(o, _mm_set1_epi32(-1), _mm_set1_epi32(c)); if (o[3] == 90) abort();",
                LOST,
            ),
            (
                "masked loads of concrete memory",
                vectors,
                "int b[4] = {7, 7, 7, 7}; __m128i v = _mm_maskload_epi32(b, _mm_set1_epi32(-1));\n\
                 if (_mm_extract_epi32(v, 3) != 7) abort(); if (c == 90) return 1;",
                Exhausted,
            ),
        ],
    );
}

#[test]
fn side_effects_of_arithmetic_are_counted_where_they_are_looked_at() {
    check(&[
        (
            "fetestexcept",
            "#include <fenv.h>",
            "volatile double a = c, b; feclearexcept(FE_ALL_EXCEPT); b = 1 / (a - 90); if (fetestexcept(FE_DIVBYZERO)) abort();",
            LOST,
        ),
        (
            "fegetexceptflag",
            "#include <fenv.h>",
            "volatile double a = c, b; feclearexcept(FE_ALL_EXCEPT); b = 1 / (a - 90); fexcept_t e;\n\
             fegetexceptflag(&e, FE_DIVBYZERO); if (e) abort();",
            LOST,
        ),
        (
            "fesetround",
            "#include <fenv.h>",
            "int m[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}; fesetround(m[c & 3]);\n\
             volatile double a = 1, b = 3; if (a / b > 0.33333333333333333) abort();",
            LOST,
        ),
        (
            "errno of a function of the mathematical library",
            "#include <math.h>",
            "volatile double a = c, b; errno = 0; b = log(a - 90); if (errno == ERANGE) abort();",
            LOST,
        ),
        ("errno as a variable", "", "errno = c; if (errno == 90) abort();", Found),
        (
            "errno after integers",
            "#include <math.h>",
            "volatile double a = c, b = log(a); errno = 0; if (close(-1) != -1 || errno != EBADF) abort(); if (c == 90) return 1;",
            Exhausted,
        ),
        (
            "flags after concrete arithmetic",
            "#include <fenv.h>",
            "volatile double a = 3, b; feclearexcept(FE_ALL_EXCEPT); b = 1 / a; if (!fetestexcept(FE_INEXACT)) abort();\n\
             if (c == 90) return 1;",
            Exhausted,
        ),
    ]);
}

#[test]
fn blocks_that_cxx_deletes_are_concretized() {
    check_in(
        "program.cc",
        &[],
        &[
            (
                "delete",
                "",
                "int *a[256]; for (int i = 0; i < 256; i++) a[i] = new int(i); delete a[c]; delete a[90];",
                CONCRETIZED,
            ),
            (
                "an exception",
                "struct E { int v; };",
                "try { throw E{c}; } catch (E &e) { if (e.v == 90) abort(); }",
                Found,
            ),
        ],
    );
}
