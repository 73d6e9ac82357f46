//! Symbol interposition: library functions that the program defines itself.
//!
//! A unit that only declares `strtok` calls our model of it. If another unit of the program defines `strtok`,
//! that definition is meant: the linker resolves the model's symbol to it. The models in turn call the C
//! library's functions, whatever the program defines: those that the program interposes are looked up at
//! start-up (`runtime/src/library.rs`).

use super::args::Item;
use super::process::Clang;
use super::{Language, Session};
use crate::symbols::WRAPPER_PREFIX;
use object::read::archive::{ArchiveFile, ArchiveMember};
use object::{Object, ObjectKind, ObjectSymbol};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Prefix of the symbols by which models call the C library's functions.
const LIBRARY_PREFIX: &str = "__cairn_libc_";

/// Returns the link options that resolve models to the program's own functions, and an object with stubs if
/// one is needed. `models` is the archive of the models; `early` is true if the product is a program.
pub fn link_arguments(
    session: &Session,
    items: &[Item],
    models: &Path,
    early: bool,
) -> Result<Vec<OsString>, i32> {
    let mut symbols = Symbols::default();
    files(items).iter().for_each(|path| symbols.read(path));
    let own = symbols.wanted.intersection(&symbols.defined);
    let mut words: Vec<OsString> = own
        .flat_map(|name| [format!("-Wl,-u,{name}"), format!("-Wl,--defsym={WRAPPER_PREFIX}{name}={name}")])
        .map(OsString::from)
        .collect();
    let shared: Vec<&str> = symbols.wanted.intersection(&symbols.shared).map(String::as_str).collect();
    let called = called_by_models(models);
    let hidden: Vec<&str> = called.iter().filter(|name| symbols.has(name)).map(String::as_str).collect();
    if !(shared.is_empty() && hidden.is_empty()) {
        words.push(assemble(session, &stubs(&shared, &hidden, early))?.into_os_string());
    }
    Ok(words)
}

/// Returns the functions of the C library that some model calls.
fn called_by_models(archive: &Path) -> BTreeSet<String> {
    let Ok(bytes) = fs::read(archive) else { return BTreeSet::new() };
    let Ok(archive) = ArchiveFile::parse(&*bytes) else { return BTreeSet::new() };
    let symbols = archive.symbols().ok().flatten().into_iter().flatten().filter_map(Result::ok);
    let names = symbols.filter_map(|symbol| std::str::from_utf8(symbol.name()).ok().map(str::to_owned));
    names.filter_map(|name| name.strip_prefix(LIBRARY_PREFIX).map(str::to_owned)).collect()
}

/// Returns assembly stubs: from models to functions that a shared library of the program defines, and from
/// the models' calls to the C library's functions, which are bound before the program's constructors run.
fn stubs(shared: &[&str], hidden: &[&str], early: bool) -> String {
    let mut text = String::from(".text\n");
    let mut put = |line: std::fmt::Arguments| writeln!(text, "{line}").expect("a string takes everything");
    for name in shared {
        put(format_args!(".globl {WRAPPER_PREFIX}{name}\n.hidden {WRAPPER_PREFIX}{name}"));
        put(format_args!("{WRAPPER_PREFIX}{name}: jmp *{name}@GOTPCREL(%rip)"));
    }
    for name in hidden {
        put(format_args!(".globl {LIBRARY_PREFIX}{name}\n.hidden {LIBRARY_PREFIX}{name}"));
        put(format_args!(".type {LIBRARY_PREFIX}{name},@function"));
        put(format_args!("{LIBRARY_PREFIX}{name}: jmp *.Lplace_{name}(%rip)"));
    }
    if !hidden.is_empty() {
        put(format_args!(".Lbind: lea .Llist(%rip), %rdi\njmp *__cairn_bind@GOTPCREL(%rip)"));
        let section =
            if early { ".preinit_array,\"aw\",@preinit_array" } else { ".init_array.0,\"aw\",@init_array" };
        put(format_args!(".section {section}\n.p2align 3\n.quad .Lbind"));
        put(format_args!(".section .data.rel,\"aw\",@progbits\n.p2align 3\n.Llist:"));
        for name in hidden {
            // Weak: the reference must not pull in an archive member.
            put(format_args!(".weak {name}\n.quad .Lname_{name}, .Lplace_{name}, {name}"));
        }
        put(format_args!(".quad 0"));
        for name in hidden {
            put(format_args!(".Lplace_{name}: .quad {name}"));
        }
        put(format_args!(".section .rodata"));
        for name in hidden {
            put(format_args!(".Lname_{name}: .asciz \"{name}\""));
        }
    }
    put(format_args!(".section .note.GNU-stack,\"\",@progbits"));
    text
}

fn assemble(session: &Session, text: &str) -> Result<PathBuf, i32> {
    let directory = session.scratch.path();
    let source = directory.join("cairn-own.s");
    fs::write(&source, text)
        .map_err(|error| super::fail(&format!("cannot write '{}': {error}", source.display())))?;
    let words = ["--target=x86_64-linux-gnu", "-c", "cairn-own.s"].map(OsString::from);
    match Clang::new(&session.tools.clang, Language::C).run_in(directory, &words) {
        0 => Ok(directory.join("cairn-own.o")),
        code => Err(code),
    }
}

/// Returns the files of a link line, including `-l` libraries in the user's directories.
fn files(items: &[Item]) -> Vec<PathBuf> {
    let options = || items.iter().filter_map(|i| if let Item::Opt(opt) = i { Some(opt) } else { None });
    let directories: Vec<&OsStr> = options().filter_map(|opt| opt.value_of("-L")).collect();
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Input(input) => found.push(PathBuf::from(input.path())),
            Item::Opt(opt) => found.extend(opt.value_of("-l").and_then(|name| library(name, &directories))),
        }
    }
    found
}

/// Returns the file of a `-l` library in the user's directories.
pub fn library(name: &OsStr, directories: &[&OsStr]) -> Option<PathBuf> {
    let name = name.to_string_lossy();
    let names = match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        // In the linker's order of preference.
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    let places =
        directories.iter().flat_map(|directory| names.iter().map(|name| Path::new(directory).join(name)));
    places.into_iter().find(|path| path.is_file())
}

/// Symbols of the files of a link line, as far as library functions are concerned.
#[derive(Default)]
struct Symbols {
    /// Functions called through a redirected declaration.
    wanted: BTreeSet<String>,
    /// Symbols defined by objects and archives.
    defined: BTreeSet<String>,
    /// Symbols defined by shared libraries.
    shared: BTreeSet<String>,
}

impl Symbols {
    /// True if the program or one of its libraries defines the symbol.
    fn has(&self, name: &str) -> bool {
        self.defined.contains(name) || self.shared.contains(name)
    }

    /// Adds the symbols of a file. Unreadable files are left to the linker's diagnostics.
    fn read(&mut self, path: &Path) {
        let Ok(bytes) = fs::read(path) else { return };
        match ArchiveFile::parse(&*bytes) {
            Ok(archive) => {
                for member in archive.members().filter_map(Result::ok) {
                    self.read_member(&member, &bytes, path);
                }
            }
            Err(_) => self.read_object(&bytes),
        }
    }

    fn read_member(&mut self, member: &ArchiveMember, archive: &[u8], path: &Path) {
        if member.is_thin() {
            let name = String::from_utf8_lossy(member.name()).into_owned();
            let beside = path.parent().unwrap_or(Path::new("")).join(name);
            fs::read(beside).into_iter().for_each(|bytes| self.read_object(&bytes));
        } else if let Ok(bytes) = member.data(archive) {
            self.read_object(bytes);
        }
    }

    fn read_object(&mut self, bytes: &[u8]) {
        let Ok(file) = object::File::parse(bytes) else { return };
        if file.kind() == ObjectKind::Dynamic {
            return self.read_library(&file);
        }
        for symbol in file.symbols().filter(|s| s.is_global()) {
            let Ok(name) = symbol.name() else { continue };
            match name.strip_prefix(WRAPPER_PREFIX) {
                Some(function) if symbol.is_undefined() => drop(self.wanted.insert(function.to_owned())),
                None if symbol.is_definition() || symbol.is_common() => {
                    self.defined.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }

    fn read_library(&mut self, file: &object::File) {
        let definitions = file.dynamic_symbols().filter(|s| s.is_global() && s.is_definition());
        let names: Vec<&str> = definitions.filter_map(|symbol| symbol.name().ok()).collect();
        // glibc's own libraries, recognised by the symbols of its versions, define the functions that are
        // modelled.
        if !names.iter().any(|name| name.starts_with("GLIBC_")) {
            self.shared.extend(names.into_iter().map(str::to_owned));
        }
    }
}
