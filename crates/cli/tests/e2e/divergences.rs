//! Text that library functions make of symbolic values, and faults inside of library functions: runs go where they were
//! predicted to, and what is reported is placed in the user's code.

use crate::common::{CommandOutput, build_instrumented, cairn, root, run, write_source};
use std::path::Path;

/// Compiles and explores a program over some bytes of standard input.
fn explore(directory: &Path, text: &str, bytes: &str, options: &[&str]) -> CommandOutput {
    let (source, program) = (write_source(directory, "program.c", text), directory.join("program"));
    build_instrumented(&source, &program);
    let mut arguments = vec!["run", "--json", "--sym-stdin", bytes, "--out"];
    let (out, program) = (directory.join("out"), program.to_str().unwrap().to_owned());
    arguments.push(out.to_str().unwrap());
    arguments.extend(options);
    arguments.push(&program);
    run(arguments)
}

fn figure<'a>(
    result: &CommandOutput,
    summary: &'a mut serde_json::Value,
    name: &str,
) -> &'a serde_json::Value {
    *summary = serde_json::from_str(&result.stdout).unwrap_or_else(|_| panic!("{result:?}"));
    &summary[name]
}

/// The library writes the text of floats and of wide characters: what the text depends on is concretized, and other values
/// are tried. It was a constant, which no decision depended on, and every path was said to be tried.
#[test]
fn text_that_the_library_formats_is_no_constant() {
    let formats = [
        ("snprintf(text, sizeof text, \"%.1f\", number / 2.0)", "1.5"),
        ("sprintf(text, \"%d%g\", number, (float)number * 0.25)", "30.75"),
        ("sprintf(text, \"%lc\", (wint_t)(L'a' + number))", "d"),
        ("sprintf(text, \"%ls\", (wchar_t[]){L'a' + number, 0})", "d"),
        ("sprintf(text, \"%*.1f\", number + 3, 2.5)", "   2.5"),
    ];
    for (call, expected) in formats {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <wchar.h>\n\
             int main(void) {{\n    char text[64];\n    int number = getchar() & 3;\n    {call};\n\
             \x20   if (strcmp(text, \"{expected}\") == 0)\n        abort();\n    return 0;\n}}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let result = explore(directory.path(), &text, "1", &[]);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&result, &mut summary, "crashes"), 1, "{call}: {result:?}");
        assert_eq!(*figure(&result, &mut summary, "divergences"), 0, "{call}: {result:?}");
    }
}

/// Formats that the models do not know: the library prints. If that depends on the input, no path is known to its end.
#[test]
fn an_unknown_format_is_no_reason_to_call_a_program_exhausted() {
    for (argument, exhausted) in [("number", false), ("200", true)] {
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             int main(void) {{\n    char text[64];\n    int number = getchar();\n\
             \x20   sprintf(text, \"%2$d %1$d\", {argument}, 7);\n\
             \x20   return strcmp(text, \"7 200\") == 0 && number == 'x';\n}}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let result = explore(directory.path(), &text, "1", &[]);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&result, &mut summary, "exhausted"), exhausted, "{argument}: {result:?}");
    }
}

/// A library function that is not followed decides how the run goes on: it is named.
#[test]
fn a_divergence_after_a_foreign_function_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let text = "\
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char digit[2] = {(char)getchar(), 0};
    if (a64l(digit) > 10)
        return 1;
    if (digit[0] == 'z')
        return 2;
    return 0;
}
";
    let result = explore(directory.path(), text, "1", &[]);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&result, &mut summary, "divergences"), 1, "{result:?}");
    assert_eq!(*figure(&result, &mut summary, "divergences_after_losses"), 1, "{result:?}");
    let why = "1 path divergence, after values were lost in a64l (1);";
    assert!(result.stderr.contains(why), "{result:?}");
    let cause = &figure(&result, &mut summary, "divergence_causes")[0];
    assert_eq!((&cause["after"], &cause["runs"]), (&"a64l".into(), &1.into()), "{result:?}");
    assert!(cause["place"].as_str().unwrap().ends_with("program.c:7:9"), "{result:?}");
}

/// A printer and parser of JSON numbers, and a ring buffer that text drives: programs whose runs used to diverge.
#[test]
fn programs_that_format_what_they_read_do_not_diverge() {
    for name in ["json_round_trip", "ring_buffer"] {
        let directory = tempfile::tempdir().unwrap();
        let text =
            std::fs::read_to_string(root().join("tests/regressions").join(format!("{name}.c"))).unwrap();
        let result = explore(directory.path(), &text, "16", &["--execs", "600", "--time", "20s"]);
        let mut summary = serde_json::Value::Null;
        let executions = figure(&result, &mut summary, "executions").as_u64().unwrap();
        let divergences = figure(&result, &mut summary, "divergences").as_u64().unwrap();
        assert!(executions > 100 && 200 * divergences < executions, "{name}: {result:?}");
    }
}

/// Faults at any depth of a library function's model, of the C library behind it, and of the runtime.
const FAULTS_IN_LIBRARY_FUNCTIONS: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *bad;
static int order(const void *a, const void *b) {
    if (*(const char *)a == 'Q')
        abort();
    return *(const char *)a - *(const char *)b;
}
int main(void) {
    unsigned char in[4];
    char text[32] = {0}, word[4] = {0};
    if (read(0, in, 4) < 4)
        return 1;
    memcpy(word, in, 3);
    switch (in[0] & 15) {
    case 1: return (int)strlen(bad);
    case 2: return strtod((char *)16, NULL) > 1;
    case 3: memcpy(bad, in, 4); break;
    case 4: qsort(word, 3, 1, order); break;
    case 5: return atoi((char *)(long)in[1]);
    case 6: return strcmp(word, bad);
    case 7: sprintf(bad, \"%d\", in[1]); break;
    case 8: return sscanf((char *)32, \"%31s\", text);
    case 9: strcpy(bad, word); break;
    case 10: return strstr(word, bad) != 0;
    case 11: return sprintf(text, \"%s\", (char *)(in[1] + 1L));
    case 12: fgets(bad, 4, stdin); break;
    case 13: return (int)strtol(word, (char **)24, 10);
    case 14: strncpy(bad, word, 3); break;
    case 15: return sprintf(bad, \"%.3f\", in[1] / 7.0);
    }
    return 0;
}
";

#[test]
fn a_fault_in_a_library_function_is_placed_in_the_users_code() {
    let directory = tempfile::tempdir().unwrap();
    let result = explore(directory.path(), FAULTS_IN_LIBRARY_FUNCTIONS, "8", &["--time", "30s"]);
    let reports: Vec<serde_json::Value> = std::fs::read_dir(directory.path().join("out/crashes/reports"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    let places: Vec<String> = reports.iter().map(|report| report["place"].to_string()).collect();
    for line in (18..=32).filter(|line| *line != 21).chain([8]) {
        let wanted = format!("\"line\":{line}");
        assert!(places.iter().any(|place| place.contains(&wanted)), "line {line} in {places:#?}: {result:?}");
    }
    let text = format!("{result:?} {reports:?}");
    for own in ["libc/", "crates/runtime", "__cairn", "library/core"] {
        assert!(!text.contains(own), "{own} in {text}");
    }
}

/// Concretized inside of a model: the place is the decision in the user's code before.
#[test]
fn doctor_names_no_line_of_a_model() {
    let directory = tempfile::tempdir().unwrap();
    let text = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char text[16], digits[8] = {0};
    int number = getchar();
    if (number < 'a')
        return 1;
    sprintf(text, \"%.2f\", number / 3.0);
    digits[0] = text[0];
    fread(digits + 1, 1, 6, stdin);
    return strtod(digits, NULL) > 2.5e30 || strcmp(text, \"33.00\") == 0;
}
";
    let (source, program) =
        (write_source(directory.path(), "program.c", text), directory.path().join("program"));
    build_instrumented(&source, &program);
    let result = run(["doctor", "--sym-stdin", "8", "--execs", "200", program.to_str().unwrap()]);
    assert!(result.stdout.contains("in a library function: after the decision at "), "{result:?}");
    assert!(result.stdout.contains("program.c:7 ("), "{result:?}");
    assert!(!result.stdout.contains("libc/"), "{result:?}");
}

/// A hash table over the input, seeded with what differs from run to run outside of Cairn.
fn seeded_table(includes: &str, seeding: &str) -> String {
    format!(
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n{includes}\n\
         int main(void) {{\n    unsigned seed = 0;\n    {seeding}\n    seed ^= seed >> 16;\n    seed ^= seed >> 8;\n\
         \x20   int used[8] = {{0}}, sum = 0, c;\n    for (int i = 0; i < 5 && (c = getchar()) != EOF; i++) {{\n\
         \x20       if ((c ^ seed) & 1)\n            sum++;\n        if (used[(c * 31 + seed) & 7]++ > 0)\n            sum += 2;\n\
         \x20   }}\n    return sum == 7;\n}}\n"
    )
}

/// Runs on the same input decide alike, whatever a program seeds its hash with: 10 % of the runs of luac, which takes the
/// time and addresses of variables, used to diverge, and most of those of the programs here.
#[test]
fn a_hash_is_seeded_alike_in_every_run() {
    let seeds = [
        (
            "#include <time.h>",
            "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); seed = (unsigned)t.tv_nsec;",
        ),
        ("#include <time.h>", "struct timespec t; timespec_get(&t, TIME_UTC); seed = (unsigned)t.tv_nsec;"),
        ("#include <sys/time.h>", "struct timeval t; gettimeofday(&t, NULL); seed = (unsigned)t.tv_usec;"),
        ("#include <time.h>", "seed = (unsigned)clock();"),
        ("#include <sys/random.h>", "if (getrandom(&seed, sizeof seed, 0) < 0) return 3;"),
        (
            "",
            "FILE *f = fopen(\"/dev/urandom\", \"r\"); if (fread(&seed, 1, 4, f) != 4) return 3; fclose(f);",
        ),
        ("", "FILE *f = fopen(\"/dev/urandom\", \"r\"); seed = 257u * getc(f); fclose(f);"),
        (
            "#include <fcntl.h>\n#include <unistd.h>",
            "int f = open(\"/dev/urandom\", O_RDONLY); if (read(f, &seed, 4) != 4) return 3; close(f);",
        ),
        (
            "#include <unistd.h>",
            "char name[] = \"xXXXXXX\"; close(mkstemp(name)); unlink(name); seed = 7u * name[3];",
        ),
        (
            "#include <stdlib.h>",
            "char name[] = \"xXXXXXX\"; mkdtemp(name); remove(name); seed = 7u * name[3];",
        ),
        ("#include <unistd.h>", "char name[] = \"xXXXXXX\"; seed = 7u * mktemp(name)[3];"),
        ("", "char name[L_tmpnam]; tmpnam(name); seed = 7u * name[10];"),
        ("", "char *name = tempnam(NULL, \"x\"); while (name[seed]) seed++; seed = 7u * name[seed - 3];"),
        ("#include <unistd.h>", "seed = (unsigned)getpid() + 3u * (unsigned)getpgrp();"),
        ("", "seed = (unsigned)__builtin_readcyclecounter();"),
        ("", "seed = (unsigned)__builtin_ia32_rdtsc();"),
        ("", "unsigned cpu; seed = (unsigned)__builtin_ia32_rdtscp(&cpu); seed += cpu;"),
        (
            "",
            "seed = (unsigned)(uintptr_t)malloc(9) ^ (unsigned)(uintptr_t)&seed ^ (unsigned)(uintptr_t)main;",
        ),
    ];
    for (includes, seeding) in seeds {
        let directory = tempfile::tempdir().unwrap();
        let options = ["--execs", "150", "--fork-each"];
        let result = explore(directory.path(), &seeded_table(includes, seeding), "5", &options);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&result, &mut summary, "executions"), 150, "{seeding}: {result:?}");
        assert_eq!(*figure(&result, &mut summary, "divergences"), 0, "{seeding}: {result:?}");
    }
}

/// What one fork server shows a program, another does too, in a shell with another environment.
#[test]
fn a_program_sees_the_same_in_every_fork_server() {
    let text = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
    unsigned long canary;
    __asm__(\"mov %%fs:0x28, %0\" : \"=r\"(canary));
    printf(\"%lx %ld %d\\n\", canary, (long)time(NULL), argc);
    fwrite((void *)getauxval(AT_RANDOM), 1, 16, stdout);
    printf(\"%p %p %p\\n\", (void *)&canary, (void *)argv, (void *)environ);
    printf(\"%p %p\\n\", malloc(9), mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    printf(\"%p %p\\n\", (void *)main, (void *)printf);
    return getenv(\"CAIRN_PADDING\") || getenv(\"CAIRN_PADDING_2\") ? 1 : getchar() == 'x';
}
";
    let directory = tempfile::tempdir().unwrap();
    let (program, test) = (directory.path().join("program"), directory.path().join("test"));
    build_instrumented(&write_source(directory.path(), "program.c", text), &program);
    std::fs::write(&test, "a").unwrap();
    let replayed = |variable: &str| {
        let mut command = cairn();
        command.arg("replay").arg(&program).arg(&test).env("SOME_VARIABLE", variable);
        let said = command.output().unwrap();
        assert_eq!(said.status.code(), Some(0), "{said:?}");
        said.stdout
    };
    let first = replayed("");
    assert!(first.len() > 80, "{:?}", String::from_utf8_lossy(&first));
    for len in [1, 8, 9, 24, 333, 2000] {
        let other = replayed(&"x".repeat(len));
        assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&other), "{len}");
    }
}

/// A load at a symbolic index of a buffer that the input fills in part: what it reads depends on the input's
/// length, which no branch decides. zlib reads on behind a stored block like that, and 13 % of its runs diverged.
#[test]
fn a_buffer_that_is_filled_in_part_depends_on_the_length() {
    let text = "\
#include <stdio.h>
static unsigned char data[256];
int main(void) {
    size_t n = fread(data, 1, sizeof data, stdin), at = data[0] & 31;
    if (n < 3)
        return 1;
    if (at >= n)
        return 2;
    if (data[at] == 'x')
        return 3;
    if (data[at] < 'd' && n > 4)
        return 4;
    return data[1] == 'y' ? 5 : 0;
}
";
    let directory = tempfile::tempdir().unwrap();
    let said = explore(directory.path(), text, "12", &["--oracle"]);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&said, &mut summary, "divergences"), 0, "{said:?}");
    assert_eq!(*figure(&said, &mut summary, "exhausted"), true, "{said:?}");
}

/// Reads of a size that the input gives: where the next one begins depends on the input, and so does whether it finds
/// anything. The position was concretized before that was decided, which runs at the end of the input did not do.
#[test]
fn reads_after_a_read_of_symbolic_size_do_not_diverge() {
    let ways = [
        ("fread(text, 1, size, stdin)", "fread(&c, 1, 1, stdin) != 1"),
        ("read(0, text, size)", "read(0, &c, 1) != 1"),
        ("readv(0, (struct iovec[]){{text, size}}, 1)", "readv(0, (struct iovec[]){{&c, 1}}, 1) != 1"),
        ("lseek(0, size, SEEK_CUR)", "pread(0, &c, 1, lseek(0, 0, SEEK_CUR)) != 1"),
    ];
    for (of_symbolic_size, of_one) in ways {
        let first = of_symbolic_size.replace("size", "1").replace("text", "&c");
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/uio.h>\n#include <unistd.h>\n\
             int main(void) {{\n    unsigned char c = 0, text[4];\n    size_t size;\n    pread(0, &c, 1, 0);\n\
             \x20   {first};\n    size = c & 3;\n    {of_symbolic_size};\n    if ({of_one})\n        return 1;\n\
             \x20   if ({of_one})\n        return 2;\n    if (c == 'q')\n        abort();\n    return 0;\n}}\n"
        );
        let directory = tempfile::tempdir().unwrap();
        let result = explore(directory.path(), &text, "9", &["--execs", "1000"]);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&result, &mut summary, "divergences"), 0, "{of_symbolic_size}: {result:?}");
        assert_eq!(*figure(&result, &mut summary, "exhausted"), true, "{of_symbolic_size}: {result:?}");
        assert_eq!(*figure(&result, &mut summary, "crashes"), 1, "{of_symbolic_size}: {result:?}");
    }
}

/// The id that a program has in every run is the one by which it signals itself.
#[test]
fn a_program_signals_itself_by_the_id_it_sees() {
    let text = "\
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t signals;
static void count(int number) { signals += number == SIGUSR1; }
int main(void) {
    int c = getchar(), status = 0;
    pid_t self = getpid(), child;
    signal(SIGUSR1, count);
    if (kill(self, SIGUSR1) || kill(-getpgrp(), SIGUSR1) || raise(SIGUSR1) || signals != 3)
        abort();
    if (getpgid(0) != self || getpgid(self) != self || getppid() == self)
        abort();
    child = fork();
    if (child == 0)
        _exit(getppid() == self && getpid() != self ? 7 : 8);
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        abort();
    return c == 'x';
}
";
    for option in ["--fork-each", "--no-sandbox"] {
        let directory = tempfile::tempdir().unwrap();
        let said = explore(directory.path(), text, "1", &["--execs", "4", option]);
        let mut summary = serde_json::Value::Null;
        assert_eq!(*figure(&said, &mut summary, "crashes"), 0, "{said:?}");
    }
}

/// A clock that stands still would have such a loop wait for ever; one that is real would make the campaign take that long.
#[test]
fn a_loop_that_waits_for_time_to_pass_ends() {
    let text = "\
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    time_t start = time(NULL), rounds = 0;
    while (time(NULL) - start < 600)
        rounds++;
    struct timespec before, after, pause = {0, 2000000};
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    if ((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec != 3000000)
        abort();
    return rounds > 0 && getchar() == 'x';
}
";
    let directory = tempfile::tempdir().unwrap();
    let result = explore(directory.path(), text, "1", &["--time", "20s"]);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&result, &mut summary, "exhausted"), true, "{result:?}");
    assert_eq!(*figure(&result, &mut summary, "crashes"), 0, "{result:?}");
}

/// Waits a fifth of a second in every way that takes a moment, which is one on the simulated clock and not on the library's:
/// the wait must be over neither at once nor when the other clock is there, and take as long by the simulated clock.
const WAITS_UNTIL_A_MOMENT: &str = "\
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static mtx_t plain, timed;
static cnd_t event;
static long milliseconds(struct timespec t) { return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
static struct timespec now(clockid_t clock, int is_real) {
    struct timespec t;
    if (is_real)
        syscall(SYS_clock_gettime, clock, &t);
    else
        clock_gettime(clock, &t);
    return t;
}
static int timer(struct timespec *until) {
    struct itimerspec value = {.it_value = *until};
    unsigned long expired;
    int fd = timerfd_create(CLOCK_REALTIME, 0);
    int failed = timerfd_settime(fd, TFD_TIMER_ABSTIME, &value, NULL) != 0 || read(fd, &expired, 8) != 8;
    close(fd);
    return failed;
}
static int timed_out(int way, struct timespec *until) {
    switch (way) {
    case 0: return pthread_cond_timedwait(&condition, &mutex, until) == ETIMEDOUT;
    case 1: return pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, until) == ETIMEDOUT;
    case 2: return pthread_mutex_timedlock(&taken, until) == ETIMEDOUT;
    case 3: return pthread_mutex_clocklock(&taken, CLOCK_REALTIME, until) == ETIMEDOUT;
    case 4: return pthread_rwlock_timedrdlock(&lock, until) == ETIMEDOUT;
    case 5: return pthread_rwlock_timedwrlock(&lock, until) == ETIMEDOUT;
    case 6: return sem_timedwait(&semaphore, until) < 0 && errno == ETIMEDOUT;
    case 7: return sem_clockwait(&semaphore, CLOCK_REALTIME, until) < 0 && errno == ETIMEDOUT;
    case 8: return cnd_timedwait(&event, &plain, until) == thrd_timedout;
    case 9: return mtx_timedlock(&timed, until) == thrd_timedout;
    case 10: return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, until, NULL) == 0;
    default: return timer(until) == 0;
    }
}
static int order(void *unused) {
    pthread_mutex_lock(&taken);
    pthread_rwlock_wrlock(&lock);
    mtx_lock(&timed);
    return unused != NULL;
}
int main(void) {
    thrd_t other;
    sem_init(&semaphore, 0, 0);
    mtx_init(&plain, mtx_plain);
    mtx_init(&timed, mtx_timed);
    cnd_init(&event);
    thrd_create(&other, order, NULL);
    thrd_join(other, NULL);
    pthread_mutex_lock(&mutex);
    mtx_lock(&plain);
    for (int way = 0; way < 12; way++) {
        struct timespec until = now(CLOCK_REALTIME, 0), real = now(CLOCK_MONOTONIC, 1);
        long start = milliseconds(until);
        until.tv_nsec += 200000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        int did = timed_out(way, &until);
        long waited = milliseconds(now(CLOCK_MONOTONIC, 1)) - milliseconds(real);
        long simulated = milliseconds(now(CLOCK_REALTIME, 0)) - start;
        if (!did || waited < 190 || waited > 5000 || (way < 11 && (simulated < 200 || simulated > 203))) {
            fprintf(stderr, \"way %d: %d, waited %ld, simulated %ld\\n\", way, did, waited, simulated);
            abort();
        }
    }
    struct timespec wrong = {.tv_nsec = 1000000000};
    if (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &wrong, NULL) != EINVAL)
        abort();
    if (pthread_mutex_timedlock(&taken, &wrong) != EINVAL)
        abort();
    return getchar() == 'x';
}
";

#[test]
fn a_wait_until_a_moment_takes_as_long_as_without_cairn() {
    let directory = tempfile::tempdir().unwrap();
    let options = ["--timeout", "60000", "--execs", "2"];
    let result = explore(directory.path(), WAITS_UNTIL_A_MOMENT, "1", &options);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&result, &mut summary, "executions"), 2, "{result:?}");
    assert_eq!(*figure(&result, &mut summary, "crashes"), 0, "{result:?}");
    assert_eq!(*figure(&result, &mut summary, "hangs"), 0, "{result:?}");
}

/// Regular expressions of the C library, on a symbolic pattern and on a symbolic text: every error and every
/// match is found, nothing is lost and nothing diverges. At \b and \B glibc misses matches, so these count as
/// lost.
#[test]
fn regular_expressions_are_followed() {
    let text = "\
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char pattern[4] = \"\", line[5] = \"\";
    regex_t fixed, read;
    if (regcomp(&fixed, \"^[a-c]+(x|[[:digit:]]{2})$\", REG_EXTENDED) != 0)
        return 1;
    fread(line, 1, 4, stdin);
    if (regexec(&fixed, line, 0, NULL, 0) == 0)
        puts(\"matches\");
    regfree(&fixed);
    fread(pattern, 1, 3, stdin);
    for (int i = 0; i < 2; i++)
        if (pattern[i] == '\\\\' && (pattern[i + 1] | 32) == 'b')
            return 9;
    switch (regcomp(&read, pattern, REG_EXTENDED)) {
    case 0: break;
    case REG_EBRACK: return 2;
    case REG_EPAREN: return 3;
    case REG_BADRPT: return 4;
    case REG_EESCAPE: return 5;
    case REG_EBRACE: return 6;
    default: return 7;
    }
    int found = regexec(&read, \"(y)\", 0, NULL, 0) == 0;
    regfree(&read);
    return found ? 8 : 0;
}
";
    let directory = tempfile::tempdir().unwrap();
    let result = explore(directory.path(), text, "7", &["--execs", "5000", "--time", "60s"]);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&result, &mut summary, "divergences"), 0, "{result:?}");
    assert!(figure(&result, &mut summary, "gaps").get("lost-value").is_none(), "{result:?}");
    let covered = figure(&result, &mut summary, "branches_covered").as_u64().unwrap();
    let total = figure(&result, &mut summary, "branches_total").as_u64().unwrap();
    // All but one: that the fixed pattern is wrong.
    assert_eq!(covered, total - 1, "{result:?}");
}

/// Reports in all formats place a fault inside of a modelled function at the user's call.
#[test]
fn no_report_names_a_line_of_a_model() {
    let directory = tempfile::tempdir().unwrap();
    let text = "\
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static char *bad;
int main(void) {
    switch (getchar()) {
    case 'a': return (int)strlen(bad);
    case 'b': memcpy(bad, \"text\", 4); break;
    case 'c': return strtod(NULL, NULL) > 1;
    case 'd': printf(\"%s\", (char *)1); break;
    case 'e': time((time_t *)8); break;
    case 'f': clock_gettime(CLOCK_REALTIME, (struct timespec *)8); break;
    case 'g': return regexec((regex_t *)8, \"a\", 0, NULL, 0);
    case 'h': regcomp(&(regex_t){0}, (char *)8, 0); break;
    }
    return 0;
}
";
    let result = explore(directory.path(), text, "1", &["--time", "30s"]);
    let mut summary = serde_json::Value::Null;
    assert_eq!(*figure(&result, &mut summary, "crashes"), 8, "{result:?}");
    for format in ["html", "sarif", "lcov", "json", "junit"] {
        let out = directory.path().join(format!("report.{format}"));
        let options = ["report", directory.path().join("out").to_str().unwrap(), "--format", format, "--out"]
            .map(str::to_owned);
        let result = run(options.into_iter().chain([out.to_str().unwrap().to_owned()]));
        assert!(matches!(result.code, Some(0 | 1)), "{format}: {result:?}");
        let report = std::fs::read_to_string(&out).unwrap();
        for own in ["libc/", "__cairn_", "crates/runtime"] {
            let at = report.find(own);
            let around = at.map(|at| report[at.saturating_sub(80)..].chars().take(200).collect::<String>());
            assert!(around.is_none(), "{own} in {format}: {around:?}");
        }
    }
}
