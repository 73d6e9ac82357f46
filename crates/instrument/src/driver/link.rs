//! Linking: the user's link line, extended by the runtime and the library models.

use super::args::{Item, Opt, linker_words};
use super::options::Role;
use super::plan::Product;
use super::{Session, compile, coverage_pages, interposition, link_recording};
use cairn_wire::site::USER_MAIN;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Archive of the runtime.
const RUNTIME: &str = "libcairn_runtime.a";
/// Archive of the library models, with an object for each function or family.
const MODELS: &str = "libcairn_models.a";

/// Compiles the sources and links everything to `product`.
pub fn compile_and_link(session: &Session, product: Product) -> i32 {
    match link_words(session, product) {
        Ok(words) => session.clang.run_long(&words, session.scratch.path()),
        Err(code) => code,
    }
}

/// Option against the start-up object that clang links with `-ffast-math`: it flushes denormal numbers to
/// zero.
const DENORMALS: &str = "-mno-daz-ftz";

fn link_words(session: &Session, product: Product) -> Result<Vec<OsString>, i32> {
    let items = compile::with_objects(session)?;
    let compiled = items.as_slice() != session.command.items();
    let mut words = user_words(session, &items, product);
    words.push(DENORMALS.into());
    if compiled {
        // Compiler options are unused in this step, which is no mistake of the user.
        words.push("-Qunused-arguments".into());
    }
    if product != Product::Object {
        words.extend(linker_choice(session).into_iter().map(OsString::from));
    }
    match product {
        Product::Executable => {
            let models = models(session)?;
            let own = interposition::link_arguments(session, &items, &models, true)?;
            words.extend(link_recording::object(session, &items)?.map(PathBuf::into_os_string));
            surround(session, words, own, models)
        }
        // A library may be loaded by a program without the models that it calls.
        Product::SharedLibrary => {
            let models = models(session)?;
            words.extend(interposition::link_arguments(session, &items, &models, false)?);
            words.extend(link_recording::object(session, &items)?.map(PathBuf::into_os_string));
            words.extend(archives([models]));
            Ok(words)
        }
        Product::Object | Product::Nothing => Ok(words),
    }
}

/// Returns the path of the models' archive; an error if it was not built.
fn models(session: &Session) -> Result<PathBuf, i32> {
    let path = session.tools.library_dir.join(MODELS);
    if path.is_file() {
        return Ok(path);
    }
    let directory = session.tools.library_dir.display();
    Err(super::fail(&format!("{MODELS} was not found beside {RUNTIME} in {directory}")))
}

/// Returns archives as linker arguments, independent of the user's `--whole-archive` state.
fn archives<const N: usize>(paths: [PathBuf; N]) -> impl Iterator<Item = OsString> {
    let before = OsString::from("-Wl,--push-state,--no-whole-archive");
    let paths = paths.into_iter().map(PathBuf::into_os_string);
    std::iter::once(before).chain(paths).chain(std::iter::once("-Wl,--pop-state".into()))
}

/// Returns the user's own link line, in order.
fn user_words(session: &Session, items: &[Item], product: Product) -> Vec<OsString> {
    let ours = [RUNTIME, MODELS].map(|name| session.tools.library_dir.join(name));
    let mut filter = UndefinedSymbolFilter::default();
    let mut words = Vec::new();
    for item in items {
        match item {
            Item::Opt(opt) if product == Product::SharedLibrary => words.extend(filter.pass(opt)),
            Item::Opt(opt) => words.extend(link_option(opt)),
            // Build systems that parse `-v` may name our archives themselves.
            Item::Input(input) if ours.iter().any(|archive| archive == Path::new(input.path())) => {}
            Item::Input(input) => {
                words.extend(input.words());
                if input.language().is_some() {
                    words.extend(["-x", "none"].map(OsString::from));
                }
            }
        }
    }
    words
}

fn link_option(opt: &Opt) -> Vec<OsString> {
    match opt.role() {
        Role::Lto | Role::Profile | Role::SideFile => Vec::new(),
        _ => opt.words().cloned().collect(),
    }
}

/// Returns options for LLVM's linker, unless the user chose one; like others, it must accept version scripts
/// that name undefined symbols.
fn linker_choice(session: &Session) -> Vec<&'static str> {
    let chosen = |opt: &Opt| opt.after("-fuse-ld=").is_some() || opt.after("--ld-path=").is_some();
    if session.command.options().any(chosen) {
        return Vec::new();
    }
    vec!["-fuse-ld=lld", "-Wl,--undefined-version"]
}

/// Returns the link line of a program: models and runtime, which instrumented libraries loaded later use as
/// well, and the objects at both ends.
fn surround(
    session: &Session,
    user: Vec<OsString>,
    interposed: Vec<OsString>,
    models: PathBuf,
) -> Result<Vec<OsString>, i32> {
    let ends = coverage_pages::assemble(session.tools, session.scratch.path())?;
    // The program's `main` may be in an archive, which some linkers search only once.
    let mut words = vec![ends.first.into_os_string(), format!("-Wl,-u,{USER_MAIN}").into()];
    words.extend(user);
    words.extend(interposed);
    words.push("-Wl,--export-dynamic-symbol=__cairn_*".into());
    words.extend(archives([models, session.tools.library_dir.join(RUNTIME)]));
    words.push(ends.last.into_os_string());
    Ok(words)
}

/// Linker options that reject undefined symbols in a library; the runtime's are defined by the program.
const STRICT_OPTIONS: [&str; 6] = [
    "--no-undefined",
    "-no-undefined",
    "-zdefs",
    "--no-allow-shlib-undefined",
    "-no-allow-shlib-undefined",
    "--unresolved-symbols=report-all",
];

/// Filter that removes such options from a library's link line.
#[derive(Default)]
struct UndefinedSymbolFilter {
    /// True after a `-z` whose keyword, perhaps in the next option, is still to come.
    pending_z: bool,
}

impl UndefinedSymbolFilter {
    fn pass(&mut self, opt: &Opt) -> Vec<OsString> {
        let words = linker_words(opt);
        if words.is_empty() {
            return link_option(opt);
        }
        let kept = words.iter().flat_map(|word| self.pass_word(word));
        kept.flat_map(|word| [OsString::from("-Xlinker"), word]).collect()
    }

    fn pass_word(&mut self, word: &OsStr) -> Vec<OsString> {
        let keyword = std::mem::replace(&mut self.pending_z, false);
        if keyword {
            return if word == "defs" { vec![] } else { vec!["-z".into(), word.into()] };
        }
        self.pending_z = word == "-z";
        if self.pending_z || STRICT_OPTIONS.iter().any(|strict| word == *strict) {
            vec![]
        } else {
            vec![word.into()]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::args::Command;

    fn check(line: &str, expected: &str) {
        let args: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let mut filter = UndefinedSymbolFilter::default();
        let words: Vec<_> =
            Command::parse(&args).unwrap().options().flat_map(|opt| filter.pass(opt)).collect();
        assert_eq!(words.join(OsStr::new(" ")), OsStr::new(expected), "{line}");
    }

    #[test]
    fn libraries_may_leave_symbols_undefined() {
        check("-shared -Wl,-z,defs,-z,now", "-shared -Xlinker -z -Xlinker now");
        check("-Wl,-z -Wl,defs -Wl,-soname,x", "-Xlinker -soname -Xlinker x");
        check("-Xlinker -z -g -Xlinker defs -z relro", "-g -Xlinker -z -Xlinker relro");
        check("-Wl,--no-undefined -z defs -Wl,-zdefs", "");
    }
}
