//! Input that a program writes out and gets back, through the kernel or through the library's streams, is never forgotten: a
//! campaign that did not follow it is not called exhausted. Output that cannot come back costs nothing.

use crate::statements::Campaign;

const HEADERS: &str = r#"
#define _GNU_SOURCE
#include <aio.h>
#include <err.h>
#include <error.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
"#;

/// A program that reads the byte `c`: its name, what stands before `main`, and what it does with the byte.
type Case = (&'static str, &'static str, &'static str);

fn campaign((_, before, rest): &Case, options: &[&str]) -> Campaign {
    let source = format!(
        "{HEADERS}{before}\nint main(void) {{ char c; if (read(0, &c, 1) != 1) return 0; if (c == 'x') return 1;\n{rest}\nreturn 0; }}\n"
    );
    let options: Vec<&str> = ["--sym-stdin", "1"].iter().chain(options).copied().collect();
    Campaign::of(&source, &options)
}

fn assert_gap(cases: &[Case], options: &[&str], gap: &str) {
    for case in cases {
        let campaign = campaign(case, options);
        assert!(campaign.has(gap), "{}: {}", case.0, campaign.summary);
    }
}

/// Ways to write input to an object of the kernel's and to read it back.
const A_KERNEL_OBJECT: &[Case] = &[
    (
        "a pipe",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; write(p[1], &c, 1); read(p[0], &d, 1);
         if (d == 90) abort();",
    ),
    (
        "a pair of sockets",
        "",
        "int p[2]; char d = 0; if (socketpair(AF_UNIX, SOCK_STREAM, 0, p)) return 2;
         send(p[1], &c, 1, 0); recv(p[0], &d, 1, 0); if (d == 90) abort();",
    ),
    (
        "a file by pwrite",
        "",
        r#"char d = 0; int f = memfd_create("x", 0); pwrite(f, &c, 1, 0); pread(f, &d, 1, 0);
         if (d == 90) abort();"#,
    ),
    (
        "a length in a pipe",
        "",
        "int p[2]; char b[256] = {0}; if (pipe(p)) return 2; write(p[1], b, (unsigned char)c);
         if (read(p[0], b, 256) == 90) abort();",
    ),
    (
        "a length in a file",
        "",
        r#"char b[256] = {0}; int f = memfd_create("x", 0); struct stat s;
         write(f, b, (unsigned char)c); fstat(f, &s); if (s.st_size == 90) abort();"#,
    ),
    (
        "a length set by ftruncate",
        "",
        r#"int f = memfd_create("x", 0); struct stat s; ftruncate(f, (unsigned char)c); fstat(f, &s);
         if (s.st_size == 90) abort();"#,
    ),
    (
        "a vector on the heap",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; struct iovec *v = malloc(sizeof *v);
         char *b = malloc(1); *b = c; v->iov_base = b; v->iov_len = 1; writev(p[1], v, 1);
         read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "a message on the heap",
        "",
        "int p[2]; char d = 0; if (socketpair(AF_UNIX, SOCK_STREAM, 0, p)) return 2;
         struct iovec *v = malloc(sizeof *v); v->iov_base = &c; v->iov_len = 1;
         struct msghdr *m = calloc(1, sizeof *m); m->msg_iov = v; m->msg_iovlen = 1;
         sendmsg(p[1], m, 0); read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "pages given to a pipe",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; struct iovec *v = malloc(sizeof *v);
         v->iov_base = &c; v->iov_len = 1; if (vmsplice(p[1], v, 1, 0) != 1) return 2;
         read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "a counter",
        "",
        "int f = eventfd(0, 0); unsigned long v = (unsigned char)c; if (!v) return 0;
         write(f, &v, 8); v = 0; read(f, &v, 8); if (v == 90) abort();",
    ),
    (
        "a request on the heap",
        "",
        "char b[2]={c,0}, d = 0; int p[2]; if (pipe(p)) return 2;
         struct aiocb *a = calloc(1, sizeof *a); a->aio_fildes = p[1]; a->aio_buf = b;
         a->aio_nbytes = 1; aio_write(a); read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "sendfile from standard input",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; lseek(0, 0, SEEK_SET);
         if (sendfile(p[1], 0, 0, 1) != 1) return 2; read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "splice from standard input",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; lseek(0, 0, SEEK_SET);
         if (splice(0, 0, p[1], 0, 1, 0) != 1) return 2; read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "copy_file_range from standard input",
        "",
        r#"char d = 0; int f = memfd_create("x", 0); lseek(0, 0, SEEK_SET);
         if (copy_file_range(0, 0, f, 0, 1, 0) != 1) return 2; pread(f, &d, 1, 0);
         if (d == 90) abort();"#,
    ),
    (
        "the name of the thread",
        "",
        "char b[16] = {c, 0}, d[16] = {0}; prctl(PR_SET_NAME, b); prctl(PR_GET_NAME, d);
         if (d[0] == 90) abort();",
    ),
    (
        "the flags of a descriptor",
        "",
        "int f = dup(1); fcntl(f, F_SETFD, c & 1); if (fcntl(f, F_GETFD) == 1) abort();",
    ),
    (
        "a semaphore",
        "",
        "sem_t s; int v; sem_init(&s, 0, (unsigned char)c); sem_getvalue(&s, &v);
         if (v == 90) abort();",
    ),
    (
        "the environment",
        "",
        r#"char v[2] = {c, 0}; if (!c) return 0; setenv("V", v, 1);
         if (getenv("V")[0] == 90) abort();"#,
    ),
];

#[test]
fn input_read_back_from_a_kernel_object_is_lost() {
    assert_gap(A_KERNEL_OBJECT, &[], "lost-value");
}

/// Ways to store input in memory and to find it at another address.
const A_MAPPING: &[Case] = &[
    (
        "two shared mappings",
        "",
        r#"int f = memfd_create("x", 0); ftruncate(f, 4096);
         char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, f, 0), *b = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0);
         *a = c; if (*b == 90) abort();"#,
    ),
    (
        "a private mapping of the same file",
        "",
        r#"int f = memfd_create("x", 0); ftruncate(f, 4096);
         char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, f, 0), *b = mmap(0, 4096, PROT_READ, MAP_PRIVATE, f, 0);
         *a = c; if (*b == 90) abort();"#,
    ),
    (
        "a mapping read by its descriptor",
        "",
        r#"int f = memfd_create("x", 0); ftruncate(f, 4096);
         char d = 0, *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, f, 0); *a = c;
         pread(f, &d, 1, 0); if (d == 90) abort();"#,
    ),
    (
        "a mapping read by a stream",
        "",
        r#"int f = memfd_create("x", 0); ftruncate(f, 4096); FILE *s = fdopen(f, "r");
         setvbuf(s, 0, _IONBF, 0); char d = 0; fread(&d, 1, 1, s);
         char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, f, 0); a[1] = c;
         fread(&d, 1, 1, s); if (d == 90) abort();"#,
    ),
    (
        "a mapping made again",
        "",
        r#"int f = memfd_create("x", 0); ftruncate(f, 4096);
         char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, f, 0); *a = c; munmap(a, 4096);
         a = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0); if (*a == 90) abort();"#,
    ),
    (
        "a mapping sent elsewhere",
        "",
        r#"int p[2]; char d = 0; if (pipe(p)) return 2; int f = memfd_create("x", 0);
         ftruncate(f, 4096); char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, f, 0);
         *a = c; sendfile(p[1], f, 0, 1); read(p[0], &d, 1); if (d == 90) abort();"#,
    ),
    (
        "a mapping duplicated by mremap",
        "",
        "char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0), *b = mremap(a, 0, 4096, MREMAP_MAYMOVE);
         if (b == MAP_FAILED) return 2; *a = c; if (*b == 90) abort();",
    ),
    (
        "a mapping made writable later",
        "",
        r#"int f = memfd_create("x", 0); ftruncate(f, 4096);
         char *a = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0), *b = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0);
         mprotect(a, 4096, PROT_READ|PROT_WRITE); *a = c; if (*b == 90) abort();"#,
    ),
];

#[test]
fn input_stored_in_memory_that_is_mapped_twice_is_lost() {
    assert_gap(A_MAPPING, &[], "lost-value");
}

/// Ways to print input and to get it back.
const A_STREAM: &[Case] = &[
    (
        "a file by fwrite",
        "",
        r#"FILE *f = fdopen(memfd_create("x", 0), "w+"); char d = 0; fwrite(&c, 1, 1, f);
         fseek(f, 0, SEEK_SET); fread(&d, 1, 1, f); if (d == 90) abort();"#,
    ),
    (
        "a memory stream",
        "",
        "char *t; size_t n; FILE *f = open_memstream(&t, &n); fputc(c, f); fflush(f);
         if (t[0] == 90) abort();",
    ),
    (
        "a memory stream by fprintf",
        "",
        r#"char *t; size_t n; FILE *f = open_memstream(&t, &n); fprintf(f, "%c", c); fclose(f);
         if (t[0] == 90) abort();"#,
    ),
    (
        "a stream into a buffer",
        "",
        r#"char t[8] = {0}; FILE *f = fmemopen(t, 8, "w"); fputs((char[]){c, 0}, f); fclose(f);
         if (t[0] == 90) abort();"#,
    ),
    (
        "a stream out of a buffer",
        "",
        r#"char t[8] = {0}; FILE *f = fmemopen(t, 8, "r"); t[0] = c; if (fgetc(f) == 90) abort();"#,
    ),
    (
        "a stream out of a function",
        "static char g; static ssize_t rd(void *k, char *b, size_t n) { b[0] = g; return n > 0; }",
        r#"g = c; FILE *f = fopencookie(0, "r", (cookie_io_functions_t){.read = rd});
         if (fgetc(f) == 90) abort();"#,
    ),
    (
        "a stream into a function",
        "static char g; static ssize_t wr(void *k, const char *b, size_t n) { g = b[0]; return n; }",
        r#"FILE *f = fopencookie(0, "w", (cookie_io_functions_t){.write = wr}); fputc(c, f);
         fflush(f); if (g == 90) abort();"#,
    ),
    (
        "another standard output",
        "",
        r#"char *t; size_t n; FILE *old = stdout; stdout = open_memstream(&t, &n); printf("%c", c);
         fflush(stdout); stdout = old; if (t[0] == 90) abort();"#,
    ),
    (
        "a buffer of the program's",
        "",
        "static char b[64]; setvbuf(stdout, b, _IOFBF, 64); putchar(c); if (b[0] == 90) abort();",
    ),
    (
        "a buffer of the program's by printf",
        "",
        r#"static char b[64]; setvbuf(stdout, b, _IOFBF, 64); printf("%c", c);
         if (b[0] == 90) abort();"#,
    ),
    (
        "a buffer of the program's for input",
        "",
        "static char b[BUFSIZ]; setbuf(stdin, b); lseek(0, 0, SEEK_SET); getchar();
         if (b[0] == 90) abort();",
    ),
    (
        "a pipe as standard output",
        "",
        r#"int p[2]; char d = 0; if (pipe(p)) return 2; dup2(p[1], 1); printf("%c", c);
         fflush(stdout); read(p[0], &d, 1); if (d == 90) abort();"#,
    ),
    (
        "a pipe as standard output before it is flushed",
        "",
        r#"int p[2]; char d = 0; if (pipe(p)) return 2; printf("%c", c); dup2(p[1], 1);
         fflush(stdout); read(p[0], &d, 1); if (d == 90) abort();"#,
    ),
    (
        "a pipe after standard output was closed",
        "",
        "char d = 0; int p[2]; putchar(c); close(1); if (pipe(p)) return 2;
         if (p[0] == 1) { fflush(stdout); } dup2(p[1], 1); fflush(stdout); read(p[0], &d, 1);
         if (d == 90) abort();",
    ),
    (
        "standard output reopened",
        "",
        r#"char d = 0; int p[2]; if (pipe(p)) return 2; char n[30];
         sprintf(n, "/proc/self/fd/%d", p[1]); if (!freopen(n, "w", stdout)) return 2; putchar(c);
         fflush(stdout); read(p[0], &d, 1); if (d == 90) abort();"#,
    ),
    (
        "a pipe as standard output by a system call",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; putchar(c); fflush(stdout);
         syscall(SYS_dup2, p[1], 1); putchar(c); fflush(stdout); read(p[0], &d, 1);
         if (d == 90) abort();",
    ),
    (
        "a pipe as standard output after other output",
        "",
        "int p[2]; char d = 0; if (pipe(p)) return 2; write(1, &c, 1); dup2(p[1], 1);
         write(1, &c, 1); read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "a stream over a pipe",
        "",
        r#"char d = 0; int p[2]; if (pipe(p)) return 2; FILE *f = fdopen(p[1], "w");
         putc_unlocked(c, f); fflush(f); read(p[0], &d, 1); if (d == 90) abort();"#,
    ),
    (
        "a pipe by dprintf",
        "",
        r#"int p[2]; char d = 0; if (pipe(p)) return 2; dprintf(p[1], "%c", c); read(p[0], &d, 1);
         if (d == 90) abort();"#,
    ),
    (
        "a text in a list of arguments",
        "static void say(int fd, const char *f, ...) { va_list l; va_start(l, f);
         vdprintf(fd, f, l); va_end(l); }",
        r#"int p[2]; char d[2] = {0}, *b = malloc(16); b[3] = c; b[4] = 0; if (pipe(p)) return 2;
         say(p[1], "%s", b + 3); read(p[0], d, 1); if (d[0] == 90) abort();"#,
    ),
    (
        "a value in a list of arguments",
        "static void say(int fd, const char *f, ...) { va_list l; va_start(l, f);
         vdprintf(fd, f, l); va_end(l); }",
        r#"int p[2]; char d[2] = {0}; if (pipe(p)) return 2;
         say(p[1], "%d%d%d%d%d%d%d%c", 1,2,3,4,5,6,7,c); read(p[0], d, 1); read(p[0], d, 1);
         read(p[0], d, 1); read(p[0], d, 1); read(p[0], d, 1); read(p[0], d, 1); read(p[0], d, 1);
         read(p[0], d, 1); if (d[0] == 90) abort();"#,
    ),
    (
        "a pipe as standard error by perror",
        "",
        "int p[2]; char d = 0, b[2] = {c, 0}; if (pipe(p)) return 2; dup2(p[1], 2); perror(b);
         read(p[0], &d, 1); if (d == 90) abort();",
    ),
    (
        "a pipe as standard error by warnx",
        "",
        r#"int p[2]; char d[99]={0}, b[2] = {c, 0}; if (pipe(p)) return 2; dup2(p[1], 2);
         warnx("%s", b); int n = read(p[0], d, 99); if (n > 2 && d[n-2] == 90) abort();"#,
    ),
    (
        "a pipe as standard error by syslog",
        "",
        r#"int p[2]; char d[99]={0}, b[2] = {c, 0}; if (pipe(p)) return 2; dup2(p[1], 2);
         openlog("", LOG_PERROR, 0); syslog(1, "%s", b); int n = read(p[0], d, 99);
         if (n > 2 && d[n-2] == 90) abort();"#,
    ),
    ("another character pushed back", "", "ungetc(c ^ 1, stdin); if (getchar() == 90) abort();"),
    (
        "a character pushed back to a file",
        "",
        r#"FILE *f = fdopen(memfd_create("x", 0), "w+"); ungetc(c, f); if (fgetc(f) == 90) abort();"#,
    ),
    ("a wide character", "", "rewind(stdin); if (fgetwc(stdin) == 90) abort();"),
    (
        "a vector at an offset",
        "",
        "rewind(stdin); char b[4]; lseek(0,0,0); struct iovec v = {b, 1}; preadv(0, &v, 1, 0);
         if (b[0] == 90) abort();",
    ),
];

#[test]
fn input_read_back_from_a_stream_is_lost() {
    assert_gap(A_STREAM, &[], "lost-value");
}

/// Uses of what an output function answers, or of what it leaves in its stream.
const A_RESULT: &[Case] = &[
    ("the result of printf", "", r#"char b[3] = {c, c == 90, 0}; if (printf("%s", b) == 2) abort();"#),
    ("the result of fprintf", "", r#"if (fprintf(stderr, "%d", c) == 3) abort();"#),
    ("a width", "", r#"if (printf("%*d", c & 127, 1) == 90) abort();"#),
    ("a count stored by printf", "", r#"int n; printf("%*d%n", c & 127, 1, &n); if (n == 90) abort();"#),
    ("a format", "", "char b[3] = {'%', c, 0}; printf(b, (void*)0);"),
    ("the result of puts", "", "char b[3] = {c, 'x', 0}; if (puts(b) == 1) abort();"),
    ("the result of putwchar", "", "if (putwchar(c & 127) == 90) abort();"),
    (
        "the result of writing more than there can be",
        "",
        "int n = c << 24; char b[1]; if (write(1, b, n) == -1) abort();",
    ),
    (
        "the position of standard output",
        "",
        r#"char b[3] = {c, 'x', 0}; printf("%s", b); if (ftell(stdout) == 0) abort();"#,
    ),
    (
        "the bytes in the buffer",
        "",
        "char b[3] = {c, 'x', 0}; fputs(b, stdout); if (__fpending(stdout) == 0) abort();",
    ),
    (
        "the position by fgetpos",
        "",
        "char b[3] = {c, 'x', 0}; fpos_t p; fputs(b, stdout); fgetpos(stdout, &p);
         if (p.__pos == 0) abort();",
    ),
];

#[test]
fn a_result_that_depends_on_printed_input_is_lost() {
    assert_gap(A_RESULT, &[], "lost-value");
}

/// Crashes behind what an output function answers or does.
const A_CRASH: &[Case] = &[
    ("the result of putchar", "", "if (putchar(c) == 90) abort();"),
    (
        "the result of fputc through a pointer",
        "int (*volatile put)(int, FILE *) = fputc;",
        "if (put(c, stdout) == 90) abort();",
    ),
    ("the result of write", "", "char b[256] = {0}; if (write(1, b, (unsigned char)c) == 90) abort();"),
    (
        "the result of fwrite",
        "",
        "static char b[256]; if (fwrite(b, 1, (unsigned char)c, stdout) == 90) abort();",
    ),
    (
        "a bad pointer printed by printf",
        r#"static const char *names[8] = {"a", "b", "c", "d", "e", (char *)5, "g", "h"};"#,
        r#"printf("%s\n", names[c & 7]);"#,
    ),
    (
        "a bad pointer printed by puts",
        r#"static const char *names[8] = {"a", "b", "c", "d", "e", (char *)5, "g", "h"};"#,
        "puts(names[c & 7]);",
    ),
    (
        "memory moved by mremap",
        "",
        "char *a = mmap(0, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
         a[100] = c; char *b = mremap(a, 8192, 1 << 20, MREMAP_MAYMOVE);
         if (b == MAP_FAILED) return 2; if (b[100] == 90) abort();",
    ),
    (
        "the environment in the program's memory",
        "",
        r#"static char v[] = "V=x"; if (!c) return 0; putenv(v); v[2] = c;
         if (getenv("V")[0] == 90) abort();"#,
    ),
    (
        "a symbolic descriptor",
        "",
        r#"char d[1] = {0}; int p[2]; if (pipe(p)) return 2; int n = 40 + (c & 3); dup2(p[1], n);
         if (write(42, "x", 1) == 1) abort();"#,
    ),
];

#[test]
fn a_result_that_can_be_expressed_is_explored() {
    for case in A_CRASH {
        let campaign = campaign(case, &[]);
        assert_eq!(campaign.summary["exhausted"], true, "{}: {}", case.0, campaign.summary);
        assert_eq!(campaign.summary["crashes"], 1, "{}: {}", case.0, campaign.summary);
    }
}

/// Output that cannot come back, and concrete data that does.
const NOTHING: &[Case] = &[
    ("printf", "", r#"printf("%c %d\n", c, c); if (c == 90) return 3;"#),
    ("putchar", "", "putchar(c); if (c == 90) return 3;"),
    ("the result of writing so many bytes", "", "if (write(1, &c, 1) != 1) abort();"),
    (
        "a copy by read and write",
        "",
        "char b[8]; lseek(0, 0, SEEK_SET); ssize_t n = read(0, b, 8);
         if (write(1, b, n) != n) abort();",
    ),
    (
        "a copy by fread and fwrite",
        "",
        "char b[8]; rewind(stdin); size_t n = fread(b, 1, 8, stdin);
         if (fwrite(b, 1, n, stdout) != n) abort();",
    ),
    (
        "fflush and fclose",
        "",
        r#"printf("%c", c); if (fflush(stdout)) abort(); if (fclose(stdout)) abort();"#,
    ),
    ("fputs and puts", "", "char b[2] = {c, 0}; if (fputs(b, stdout) == EOF) abort(); puts(b);"),
    ("standard error", "", r#"fprintf(stderr, "%c\n", c); char b[2] = {c, 0}; perror(b);"#),
    (
        "/dev/null by name",
        "",
        r#"FILE *f = fopen("/dev/null", "w"); if (!f) return 2; fprintf(f, "%c\n", c); fputc(c, f);
         fclose(f);"#,
    ),
    (
        "concrete data in a pipe",
        "",
        "char d = 'x'; int p[2]; if (pipe(p)) return 2; write(p[1], &d, 1); read(p[0], &d, 1);
         if (d == 90) abort();",
    ),
    ("the result of concrete data", "", r#"if (printf("hello %d\n", 7) != 8) abort();"#),
    (
        "the same character pushed back",
        "",
        "rewind(stdin); int d = getchar(); ungetc(d, stdin); if (getchar() == 90) return 3;",
    ),
    (
        "the same character pushed back as another type",
        "",
        "rewind(stdin); char d = getchar(); ungetc((unsigned char)d, stdin);
         if (getchar() == 90) return 3;",
    ),
    (
        "a list of arguments",
        "static void say(const char *f, ...) { va_list l; va_start(l, f); vfprintf(stderr, f, l);
         va_end(l); }",
        r#"char b[2] = {c, 0}; say("%s %d\n", b, c);"#,
    ),
    ("no buffer", "", r#"setvbuf(stdout, 0, _IONBF, 0); printf("%c", c);"#),
    ("a line buffer", "", "setlinebuf(stdout); putchar(c); if (c == 90) return 3;"),
    (
        "private memory",
        "",
        "char *a = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0); *a = c;
         if (*a == 90) return 3; munmap(a, 4096);",
    ),
    (
        "mapped input",
        "",
        "char *a = mmap(0, 1, PROT_READ, MAP_PRIVATE, 0, 0); if (a[0] == 90) return 3;
         munmap(a, 1);",
    ),
    (
        "a concrete text beside input",
        "struct s { char c; const char *name; };",
        r#"struct s *s = malloc(sizeof *s); s->c = c; s->name = "x"; printf("%s\n", s->name);"#,
    ),
    (
        "a copy of standard output",
        "",
        r#"int f = dup(1); dprintf(f, "%c", c); FILE *g = fdopen(f, "w"); fprintf(g, "%d", c);
         fclose(g);"#,
    ),
    (
        "system calls that read no input",
        "",
        "int t = syscall(SYS_gettid), w = 0; syscall(SYS_futex, &w, 1, 0, 0, 0, 0); if (t < 0) abort();
         if (c == 90) abort();",
    ),
    ("a status that ends the program", "", r#"error(c == 90, 0, "x"); if (c == 90) abort();"#),
];

#[test]
fn output_that_cannot_come_back_is_not_lost() {
    for case in NOTHING {
        let campaign = campaign(case, &[]);
        assert_eq!(campaign.summary["exhausted"], true, "{}: {}", case.0, campaign.summary);
    }
}

/// Ways for input to become something that the file system tells.
const A_FILE_SYSTEM: &[Case] = &[
    (
        "the name of a file",
        "",
        r#"char n[2] = {c, 0}; if (c == '/' || c == '.' || !c) return 0;
         int f = open(n, O_CREAT | O_RDWR, 0600); if (f < 0) return 3;
         if (!access("Z", 0)) abort();"#,
    ),
    (
        "the name of a directory",
        "",
        r#"char n[2] = {c, 0}; if (c == '/' || c == '.' || !c) return 0;
         if (mkdir(n, 0700)) return 3; if (!chdir("Z")) abort();"#,
    ),
    (
        "the text of a link",
        "",
        r#"char n[2] = {c, 0}, b[2]; if (!c) return 0; if (symlink(n, "link")) return 3;
         if (readlink("link", b, 1) == 1 && b[0] == 90) abort();"#,
    ),
    (
        "a file's time",
        "",
        r#"struct utimbuf u = {(unsigned char)c, 1}; struct stat s; close(creat("f", 0600));
         utime("f", &u); stat("f", &s); if (s.st_atime == 90) abort();"#,
    ),
];

#[test]
fn input_that_the_file_system_keeps_is_lost() {
    assert_gap(A_FILE_SYSTEM, &["--scratch"], "lost-value");
}

/// Objects with input that are given to functions of which other arguments do not matter.
const AN_OPTION: &[Case] = &[
    (
        "a set of signals",
        "",
        "sigset_t s, o; sigemptyset(&s); s.__val[0] = (unsigned long)(unsigned char)c << 8;
         sigprocmask(SIG_BLOCK, &s, 0); sigprocmask(0, 0, &o); if (sigismember(&o, 10)) abort();",
    ),
    (
        "attributes of a mutex",
        "#include <pthread.h>",
        "pthread_mutexattr_t a; pthread_mutexattr_init(&a); memcpy(&a, &(int){c & 3}, sizeof a);
         pthread_mutex_t m; pthread_mutex_init(&m, &a); pthread_mutex_lock(&m);
         if (!pthread_mutex_trylock(&m)) abort();",
    ),
];

#[test]
fn input_in_lock_attributes_and_signal_sets_is_lost() {
    assert_gap(AN_OPTION, &[], "lost-value");
}

#[test]
fn input_in_shared_memory_that_is_attached_twice_is_lost() {
    let case: Case = (
        "shared memory",
        "",
        "int i = shmget(IPC_PRIVATE, 4096, 0600); if (i < 0) return 2;
         char *a = shmat(i, 0, 0), *b = shmat(i, 0, 0); shmctl(i, IPC_RMID, 0); *a = c;
         if (*b == 90) abort();",
    );
    // In the sandbox there is none.
    assert_gap(&[case], &["--no-sandbox"], "lost-value");
}

#[test]
fn a_child_of_vfork_that_ends_with_the_input_is_noticed() {
    let case: Case = (
        "vfork",
        "",
        "int s; pid_t p = vfork(); if (p == 0) _exit((unsigned char)c); waitpid(p, &s, 0);
         if (WEXITSTATUS(s) == 90) abort();",
    );
    assert_gap(&[case], &[], "child-process");
}

/// Programs that inherit the input.
const ANOTHER_PROGRAM: &[Case] = &[
    ("system", "", r#"lseek(0, 0, SEEK_SET); if (!system("grep -q Z")) abort();"#),
    ("popen", "", r#"lseek(0, 0, SEEK_SET); if (getc(popen("cat", "r")) == 90) abort();"#),
    (
        "posix_spawn",
        "#include <spawn.h>\nextern char **environ;",
        r#"lseek(0, 0, SEEK_SET); pid_t p; int s; char *a[] = {"grep", "-q", "Z", 0};
         posix_spawn(&p, "/bin/grep", 0, 0, a, environ); waitpid(p, &s, 0); if (!s) abort();"#,
    ),
    (
        "fork by its number",
        "",
        "int s; long p = syscall(SYS_fork); if (p == 0) _exit(c == 90); waitpid(p, &s, 0);
         if (s) abort();",
    ),
];

#[test]
fn a_program_that_inherits_the_input_is_noticed() {
    assert_gap(ANOTHER_PROGRAM, &[], "child-process");
}

/// System calls that give input to the program.
const BY_NUMBER: &[Case] = &[
    ("read", "", "char d = 0; lseek(0, 0, SEEK_SET); syscall(SYS_read, 0, &d, 1); if (d == 90) abort();"),
    (
        "mmap",
        "",
        "char *p = (char *)syscall(SYS_mmap, 0, 1, PROT_READ, MAP_PRIVATE, 0, 0); if (*p == 90) abort();",
    ),
];

#[test]
fn input_that_a_system_call_by_number_gives_is_lost() {
    assert_gap(BY_NUMBER, &[], "lost-value");
}
