//! Classification of a command line: which build it requests, and whether it can be instrumented.

use super::args::{Command, Opt};
use super::input::InputKind;
use super::options::Role;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Action of the driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    /// Run clang on the unchanged command, after a warning if the user would expect instrumentation.
    Plain {
        /// Reason why nothing is instrumented.
        warning: Option<String>,
    },
    /// Compile every input to an object of its own.
    Compile,
    /// Compile the sources, and link.
    Link(Product),
}

/// Output of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// A program, linked with the runtime.
    Executable,
    /// A shared library, which uses the runtime of the program that loads it.
    SharedLibrary,
    /// A relocatable object (`-r`).
    Object,
    /// No output: no file to link, only a query such as `-Wl,--version`.
    Nothing,
}

const PLAIN: Plan = Plan::Plain { warning: None };

/// Returns the action for `command`.
pub fn plan(command: &Command) -> Plan {
    if command.options().any(|opt| opt.role() == Role::NotABuild) || clang_would_refuse(command) {
        return PLAIN;
    }
    let traceable = command.inputs().any(|input| input.kind().is_traceable());
    let product = if command.has(&["-c"]) { None } else { product(command) };
    if !traceable && product.is_none() {
        return if command.has_input(InputKind::Header) { Plan::Compile } else { PLAIN };
    }
    match obstacle(command, product, traceable) {
        Some(Obstacle::Silent) => PLAIN,
        Some(Obstacle::Warned(_)) if !traceable => PLAIN,
        Some(Obstacle::Warned(what)) => Plan::Plain {
            warning: Some(format!(
                "{what} cannot be combined with Cairn's tracing; compiling without instrumentation"
            )),
        },
        None => product.map_or(Plan::Compile, Plan::Link),
    }
}

/// True for errors that clang detects before it starts any work; its own message is the best.
fn clang_would_refuse(command: &Command) -> bool {
    let compiled = command.inputs().filter(|input| input.kind() != InputKind::Linker).count();
    let nameless_stdin = command.inputs().any(|input| input.is_stdin() && input.language().is_none());
    let one_output_for_many = command.has(&["-c"]) && command.output().is_some() && compiled > 1;
    nameless_stdin || one_output_for_many || command.inputs().any(|input| !input.exists())
}

/// Returns the output of the link; `None` if there is no input or only headers to precompile.
fn product(command: &Command) -> Option<Product> {
    let linker_words = command.linker_words();
    let linker_has = |names: &[&str]| linker_words.iter().any(|w| names.iter().any(|n| w == n));
    let files = command.inputs().next().is_some() || command.options().any(|opt| opt.after("-l").is_some());
    if command.has_input(InputKind::Header) || (!files && linker_words.is_empty()) {
        None
    } else if !files {
        Some(Product::Nothing)
    } else if command.has(&["-r"]) || linker_has(&["-r", "--relocatable"]) {
        Some(Product::Object)
    } else if command.has(&["-shared"]) || linker_has(&["-shared", "--shared", "-Bshareable"]) {
        Some(Product::SharedLibrary)
    } else {
        Some(Product::Executable)
    }
}

/// Reason why a command cannot be instrumented.
enum Obstacle {
    /// The user knows it: a freestanding build has no C library.
    Silent,
    /// The user may not expect it; a warning names the option.
    Warned(String),
}

fn obstacle(command: &Command, product: Option<Product>, compiles: bool) -> Option<Obstacle> {
    if let Some(flag) = foreign_target(command) {
        return Some(Obstacle::Warned(flag));
    }
    if let Some(sanitizers) = sanitizers(command) {
        return Some(Obstacle::Warned(format!("-fsanitize={sanitizers}")));
    }
    let no_libc = command.has(&["-nostdlib", "--no-standard-libraries", "-nodefaultlibs", "-nolibc"]);
    let standalone = match product {
        Some(Product::Object) => false,
        // Libtool lists the C library itself; a library needs no runtime anyway.
        Some(Product::SharedLibrary) => no_libc && compiles,
        _ => no_libc,
    };
    let kernel = compiles && command.has(&["-ffreestanding", "-mcmodel=kernel", "-mkernel", "-fapple-kext"]);
    (standalone || kernel).then_some(Obstacle::Silent)
}

/// Returns the option that selects a target other than 64-bit x86 Linux.
fn foreign_target(command: &Command) -> Option<String> {
    let bits =
        command.options().rev().find(|opt| ["-m16", "-m32", "-mx32", "-m64"].iter().any(|m| opt.is(m)));
    if let Some(opt) = bits.filter(|opt| !opt.is("-m64")) {
        return Some(text(opt));
    }
    let triple = |opt: &Opt| opt.after("--target=").or_else(|| opt.value_of("-target")).map(OsStr::to_owned);
    let triple = command.options().rev().find_map(triple)?.to_string_lossy().into_owned();
    let arch = triple.split('-').next().unwrap_or_default();
    let linux = arch == triple || (triple.contains("linux") && !triple.ends_with("x32"));
    let ours = matches!(arch, "x86_64" | "amd64") && linux;
    (!ours).then(|| format!("--target={triple}"))
}

/// Returns the sanitizers that remain enabled, as a list.
fn sanitizers(command: &Command) -> Option<String> {
    let mut on = BTreeSet::new();
    for opt in command.options() {
        if let Some(list) = opt.after("-fsanitize=") {
            on.extend(names(list));
        } else if let Some(list) = opt.after("-fno-sanitize=") {
            let off: Vec<_> = names(list).collect();
            on.retain(|name| !off.contains(name) && !off.iter().any(|name| name == "all"));
        }
    }
    (!on.is_empty()).then(|| on.into_iter().collect::<Vec<_>>().join(","))
}

fn names(list: &OsStr) -> impl Iterator<Item = String> {
    list.as_bytes().split(|&b| b == b',').map(|name| String::from_utf8_lossy(name).into_owned())
}

fn text(opt: &Opt) -> String {
    opt.words().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn plan_of(line: &str) -> Plan {
        // The files exist, so that only the options decide.
        let here = tempfile::tempdir().unwrap();
        let word = |word: &str| {
            let is_file = !word.starts_with('-') && word.contains('.') && !word.contains('=');
            if is_file {
                std::fs::write(here.path().join(word), "").unwrap();
                here.path().join(word).into_os_string()
            } else {
                OsString::from(word)
            }
        };
        let args: Vec<_> = line.split_whitespace().map(word).collect();
        plan(&Command::parse(&args).unwrap())
    }

    fn check(line: &str, expected: Plan) {
        assert_eq!(plan_of(line), expected, "{line}");
    }

    #[test]
    fn builds_are_instrumented() {
        check("-c a.c", Plan::Compile);
        check("-c a.c b.S", Plan::Compile);
        check("a.c", Plan::Link(Product::Executable));
        check("a.o -lm", Plan::Link(Product::Executable));
        check("-shared a.o", Plan::Link(Product::SharedLibrary));
        check("-Wl,-shared a.o", Plan::Link(Product::SharedLibrary));
        check("-shared -nostdlib a.o", Plan::Link(Product::SharedLibrary));
        check("-r a.o b.o", Plan::Link(Product::Object));
        check("-r -nostdlib a.c", Plan::Link(Product::Object));
        check("-Wl,--version", Plan::Link(Product::Nothing));
        check("-x c - -c", Plan::Compile);
        check("a.h", Plan::Compile);
        check("-m32 -m64 a.c", Plan::Link(Product::Executable));
        check("--target=x86_64-pc-linux-gnu -c a.c", Plan::Compile);
        check("-fsanitize=address -fno-sanitize=all -c a.c", Plan::Compile);
    }

    #[test]
    fn the_rest_is_left_to_clang() {
        for line in [
            "-E a.c",
            "-S a.c",
            "-M a.c",
            "-MM a.c",
            "-fsyntax-only a.c",
            "-### a.c",
            "--version",
            "-v",
            "--help",
        ] {
            check(line, PLAIN);
        }
        for line in ["-dumpmachine", "-print-file-name=crt1.o", "-c a.S", "-c a.m", "-emit-llvm -c a.c", ""] {
            check(line, PLAIN);
        }
        for line in
            ["-nostdlib a.c", "-ffreestanding -c a.c", "-nodefaultlibs -c a.c", "-c a.c b.c -o x", "-c -"]
        {
            check(line, PLAIN);
        }
        check("-fsanitize=address a.o", PLAIN);
        check("-m32 a.o", PLAIN);
    }

    #[test]
    fn a_missing_file_is_left_to_clang() {
        let args = ["-c", "/nonexistent/a.c"].map(OsString::from);
        assert_eq!(plan(&Command::parse(&args).unwrap()), PLAIN);
    }

    #[test]
    fn an_uninstrumented_link_is_warned_of() {
        for (line, what) in [
            ("-fsanitize=undefined,address -c a.c", "-fsanitize=address,undefined"),
            ("-m32 a.c", "-m32"),
            ("-target aarch64-linux-gnu -c a.c", "--target=aarch64-linux-gnu"),
        ] {
            let Plan::Plain { warning: Some(warning) } = plan_of(line) else { panic!("{line}") };
            assert!(warning.starts_with(&format!("{what} cannot be combined")), "{warning}");
        }
    }
}
