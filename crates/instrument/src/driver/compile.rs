//! Compilation of a source file to an instrumented object: clang's front end, the pass, clang's back end.

use super::args::{Command, Item, Opt};
use super::input::{Input, InputKind};
use super::options::Role;
use super::{Language, Session, coverage_mapping, deps, unit_recording};
use cairn_wire::Checks;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Front-end options for the semantics of the solver and the machine: no type-based aliasing, and address 0
/// is an address, so that a null dereference faults where it happens. They bypass clang's driver, which would
/// warn of conflicts with the user's own options.
const PLAIN_SEMANTICS: [&str; 4] =
    ["-Xclang", "-relaxed-aliasing", "-Xclang", "-fno-delete-null-pointer-checks"];
/// Option for wrapping integers; with overflow checks the pass needs `nsw` and removes it itself.
const WRAPPING: [&str; 2] = ["-Xclang", "-fwrapv"];

/// Options that override the user's. `-O1` keeps clang from marking functions `optnone`; without LLVM passes
/// the branches stay those of the source; lifetime markers would add switches to scopes that are left in
/// several ways.
const OVERRIDES: [&str; 7] = [
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-lifetime-markers",
    "-gline-tables-only",
    "-fno-lto",
];

/// Options that keep calls of library functions as calls: no fortified or inlined versions, no lookups in
/// libc's character tables.
const PLAIN_LIBRARY: [&str; 4] =
    ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0", "-D__NO_STRING_INLINES", "-D__NO_CTYPE"];

/// Option for exact floating point: an expression has one value, so neither the optimiser nor the back end
/// may choose among several, as `-ffast-math` lets them.
const EXACT: &str = "-fno-fast-math";

/// End of the name of the file in which clang lists the headers of a unit.
const HEADERS: &str = "headers";

/// Header included before every C++ source.
const CXX_PREAMBLE: &str = "cairn_libstdcxx.h";

/// Compiles every input to an object of its own, for `-c`. Like clang, continues after a file with errors;
/// returns the first failing exit code.
pub fn compile_all(session: &Session) -> i32 {
    let inputs: Vec<_> = session.command.inputs().filter(|input| input.kind() != InputKind::Linker).collect();
    let mut result = 0;
    for (index, input) in inputs.iter().enumerate() {
        let unit = UnitCompilation { session, input, index, warns_unused: index == 0 };
        let code = match input.kind() {
            InputKind::Header => unit.precompile(),
            kind if kind.is_traceable() => unit.compile_to(&object_name(session.command, input)),
            _ => unit.compile_plain(),
        };
        result = if result == 0 { code } else { result };
    }
    result
}

/// Compiles `input`, the `index`-th of the command, to a temporary object.
pub fn compile_for_link(session: &Session, input: &Input, index: usize) -> Result<PathBuf, i32> {
    let object = session.scratch.path().join(format!("{index}-{}", input.sibling("o").to_string_lossy()));
    let unit = UnitCompilation { session, input, index, warns_unused: false };
    match unit.compile_to(object.as_os_str()) {
        0 => Ok(object),
        code => Err(code),
    }
}

fn object_name(command: &Command, input: &Input) -> OsString {
    command.output().map_or_else(|| input.sibling("o"), OsStr::to_owned)
}

/// Compilation of one translation unit.
struct UnitCompilation<'a> {
    session: &'a Session<'a>,
    input: &'a Input,
    index: usize,
    /// True if clang may warn of unused arguments (once per command).
    warns_unused: bool,
}

impl UnitCompilation<'_> {
    fn compile_to(&self, object: &OsStr) -> i32 {
        let code = self.compile_in_steps(object);
        if code != 0 {
            remove_product(Path::new(object));
        }
        code
    }

    fn compile_in_steps(&self, object: &OsStr) -> i32 {
        let plain = self.temporary("plain.bc");
        let traced = self.temporary("traced.bc");
        let mapping = match self.run_front_end(&plain) {
            Ok(mapping) => mapping,
            Err(code) => return code,
        };
        let bitcode = match self.session.pass.instrument(&plain, mapping.as_deref(), &traced) {
            Ok(()) => traced,
            Err(reason) => {
                let name = self.input.path().to_string_lossy();
                super::warn(&format!("{name}: compiled without instrumentation: {reason}"));
                plain
            }
        };
        match self.session.back_end.run(&self.back_end_words(&bitcode, object)) {
            0 => unit_recording::add(self.session, self.input, &self.temporary(HEADERS), Path::new(object)),
            code => return code,
        }
        0
    }

    /// Emits bitcode, with the coverage mapping in it or in another file, whose path is returned. Without a
    /// mapping the positions of branches are less exact.
    ///
    /// If compilation with the mapping fails it is repeated without it. So only regular files are mapped,
    /// which can be read twice.
    fn run_front_end(&self, bitcode: &Path) -> Result<Option<PathBuf>, i32> {
        let headers = self.temporary(HEADERS);
        let clang = self.session.clang.listing_headers(&headers);
        let is_mapped = self.input.kind() == InputKind::Source && Path::new(self.input.path()).is_file();
        if is_mapped {
            let mapping = coverage_mapping::options(self.session.scratch.path())
                .map_err(|error| super::fail(&format!("cannot write a temporary file: {error}")))?;
            if clang.try_run(&self.front_end_words(bitcode, mapping)) {
                return Ok(None);
            }
        }
        match clang.run(&self.front_end_words(bitcode, Vec::new())) {
            0 if is_mapped => Ok(self.emit_mapping_separately()),
            0 => Ok(None),
            code => Err(code),
        }
    }

    /// Emits a module with the coverage mapping of a source that was compiled without it.
    fn emit_mapping_separately(&self) -> Option<PathBuf> {
        let mapping = self.temporary("mapping.bc");
        if self.session.clang.succeeds(&self.front_end_words(&mapping, coverage_mapping::mapping_alone())) {
            return Some(mapping);
        }
        let name = self.input.path().to_string_lossy();
        super::warn(&format!(
            "{name}: clang failed to map its conditions; compiled without their exact places"
        ));
        None
    }

    fn temporary(&self, suffix: &str) -> PathBuf {
        self.session.scratch.path().join(format!("{}-{suffix}", self.index))
    }

    /// Precompiles a header, with the options under which it will be used.
    fn precompile(&self) -> i32 {
        let mut words = self.adjusted_words();
        words.extend(options_with(
            self.session.command,
            &[Role::Output, Role::CompileOnly, Role::Dependencies],
        ));
        words.extend(self.input.words());
        self.session.clang.run(&words)
    }

    fn compile_plain(&self) -> i32 {
        let mut words: Vec<_> = self.session.command.options().flat_map(|opt| opt.words().cloned()).collect();
        words.extend(self.quiet());
        words.extend(self.input.words());
        self.session.clang.run(&words)
    }

    fn front_end_words(&self, bitcode: &Path, mapping: Vec<OsString>) -> Vec<OsString> {
        let mut words = self.adjusted_words();
        words.extend(mapping);
        words.extend(deps::options(self.session.command, self.input));
        words.extend(["-emit-llvm", "-c", "-o"].map(OsString::from));
        words.push(bitcode.into());
        if self.warns_unused {
            // The inputs for the linker are passed so that clang can warn that they are unused.
            let unused = self.session.command.inputs().filter(|input| input.kind() == InputKind::Linker);
            words.extend(unused.flat_map(Input::words));
        }
        words.extend(self.input.words());
        words
    }

    /// Returns the user's front-end options between our own, without output and input.
    fn adjusted_words(&self) -> Vec<OsString> {
        let command = self.session.command;
        let mut words: Vec<_> = PLAIN_SEMANTICS.map(OsString::from).into();
        if !self.session.pass.checks().contains(Checks::OVERFLOW) {
            words.extend(WRAPPING.map(OsString::from));
        }
        words.extend(command.options().filter(|opt| goes_to_front_end(opt)).flat_map(front_end_option));
        words.push(EXACT.into());
        words.extend(OVERRIDES.map(OsString::from));
        if matches!(self.input.kind(), InputKind::Source | InputKind::Header) {
            words.extend(PLAIN_LIBRARY.map(OsString::from));
            words.extend(macros_of_level(command).iter().map(OsString::from));
            words.extend(wants_fast_math(command).then(|| "-D__FAST_MATH__=1".into()));
            words.extend(["-idirafter".into(), self.session.tools.include_dir.clone().into_os_string()]);
            words.extend(self.preamble());
        }
        words.extend(self.quiet());
        words
    }

    /// Returns the options to include the header that makes libstdc++'s string templates instantiate in the
    /// program.
    fn preamble(&self) -> Vec<OsString> {
        if self.session.clang.language() != Language::Cxx {
            return Vec::new();
        }
        vec!["-include".into(), self.session.tools.include_dir.join(CXX_PREAMBLE).into()]
    }

    fn quiet(&self) -> Option<OsString> {
        let quiet = !self.warns_unused || self.input.kind() == InputKind::Ir;
        quiet.then(|| OsString::from("-Qunused-arguments"))
    }

    fn back_end_words(&self, bitcode: &Path, object: &OsStr) -> Vec<OsString> {
        let mut words: Vec<OsString> = ["-x", "ir"].map(OsString::from).into();
        words.push(bitcode.into());
        words.extend(["-c", "-O2", "-Xclang", "-disable-llvm-passes"].map(OsString::from));
        let options = self.session.command.options().filter(|opt| opt.role() == Role::Codegen);
        words.extend(options.flat_map(exact_option));
        words.push(EXACT.into());
        // The front end has printed all diagnostics of the source.
        words.extend(["-w", "-Qunused-arguments", "-o"].map(OsString::from));
        words.push(object.to_owned());
        words
    }
}

fn options_with<'a>(command: &'a Command, roles: &'a [Role]) -> impl Iterator<Item = OsString> + 'a {
    command.options().filter(|opt| roles.contains(&opt.role())).flat_map(|opt| opt.words().cloned())
}

fn goes_to_front_end(opt: &Opt) -> bool {
    match opt.role() {
        Role::Codegen | Role::Other => true,
        Role::Output | Role::Language | Role::CompileOnly | Role::NotABuild | Role::Dependencies => false,
        Role::Debug | Role::Lto | Role::Profile | Role::SideFile => false,
    }
}

/// Returns an option with `-ffp-contract=fast`, which fuses operations across statements, reduced to `on`.
fn exact_option(opt: &Opt) -> Vec<OsString> {
    match opt.after("-ffp-contract=") {
        Some(how) if how.to_string_lossy().starts_with("fast") => vec!["-ffp-contract=on".into()],
        _ => opt.words().cloned().collect(),
    }
}

/// Returns an option as the front end gets it: without `-Ofast`, whose level is overridden, and without
/// `-Wp,-D_FORTIFY_SOURCE=…`, which clang would read last.
fn front_end_option(opt: &Opt) -> Vec<OsString> {
    if opt.is("-Ofast") {
        return Vec::new();
    }
    let Some(list) = opt.after("-Wp,") else {
        return exact_option(opt);
    };
    let list = list.to_string_lossy();
    let kept: Vec<_> = list.split(',').filter(|word| !word.contains("_FORTIFY_SOURCE")).collect();
    if kept.is_empty() { Vec::new() } else { vec![format!("-Wp,{}", kept.join(",")).into()] }
}

/// Returns options that undo the effect of our `-O1` on predefined macros, so that the source is preprocessed
/// as in the user's build.
fn macros_of_level(command: &Command) -> &'static [&'static str] {
    let mut levels = command.options().filter_map(|opt| opt.after("-O"));
    match levels.next_back().map(|level| level.to_string_lossy()).as_deref() {
        None | Some("0") => &["-U__OPTIMIZE__", "-D__NO_INLINE__=1"],
        Some("s" | "z") => &["-D__OPTIMIZE_SIZE__=1"],
        Some(_) => &[],
    }
}

/// True if the user requests fast floating point. The source then gets `__FAST_MATH__`, but neither the
/// arithmetic nor `__FINITE_MATH_ONLY__`.
fn wants_fast_math(command: &Command) -> bool {
    const OPTIONS: [&str; 3] = ["-ffast-math", "-fno-fast-math", "-Ofast"];
    let mut given = command.options().filter(|opt| OPTIONS.iter().any(|word| opt.is(word)));
    given.next_back().is_some_and(|opt| !opt.is("-fno-fast-math"))
}

/// Removes the output of a failed build, if it is a regular file, as clang does.
fn remove_product(path: &Path) {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        // Best effort: the exit code reports the failure.
        let _ = fs::remove_file(path);
    }
}

/// Returns the items of the command with every traceable input replaced by its object.
pub fn with_objects(session: &Session) -> Result<Vec<Item>, i32> {
    let mut items = Vec::new();
    let mut failure = 0;
    for (index, item) in session.command.items().iter().enumerate() {
        match item {
            Item::Input(input) if input.kind().is_traceable() => {
                match compile_for_link(session, input, index) {
                    Ok(object) => items.push(Item::Input(Input::new(object.as_os_str(), None))),
                    Err(code) => failure = if failure == 0 { code } else { failure },
                }
            }
            _ => items.push(item.clone()),
        }
    }
    if failure == 0 { Ok(items) } else { Err(failure) }
}
