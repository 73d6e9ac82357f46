//! Builds a program again from the records in it, without instrumentation: plain, with sanitizers, or with
//! coverage counters.
//!
//! The records are data of a program that may be hostile, and a compiler option can run any code. So the
//! compiler runs as the program itself does: in the sandbox, where it may write to one directory only.

mod compiler;
mod link_line;
mod unit_sources;

use crate::compile::is_cxx;
use crate::error::Error;
use crate::toolchain;
use cairn_instrument::build_record::{BuildRecords, UnitRecord};
use cairn_instrument::driver::Toolchain;
use compiler::Compiler;
use link_line::LinkLine;
use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Prefix of the names of directories in which builds are made.
const WORK: &str = ".build-";

/// Options that the program itself was built without.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name, for messages.
    pub name: &'static str,
    /// Options of each compilation and of the link, after the user's own.
    pub options: Vec<OsString>,
    /// Options of the link alone.
    pub link_options: &'static [&'static str],
    /// Sources of Cairn's that are linked as well, from the directory of its headers.
    pub own: &'static [&'static str],
}

/// Description of a rebuild: the program with the records, and how the compiler runs.
#[derive(Clone, Debug)]
pub struct Rebuild {
    /// The program with the records.
    pub program: PathBuf,
    /// True if the compiler runs in the sandbox.
    pub is_sandboxed: bool,
    /// Flag that cancels it.
    pub stop: Arc<AtomicBool>,
}

impl Rebuild {
    /// Builds a variant as the file `to`; `progress` gets the number of units done and of all units.
    pub fn build(
        &self,
        variant: &Variant,
        to: &Path,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), Error> {
        let tools = toolchain::find()?;
        let records = BuildRecords::read(&self.program).map_err(Error::new)?;
        let line = LinkLine::of(records)?;
        let parent = to.parent().unwrap_or(Path::new("."));
        remove_leftovers(parent);
        let work = tempfile::Builder::new().prefix(WORK).tempdir_in(std::path::absolute(parent)?)?;
        let compiler = Compiler { tools: &tools, rebuild: self, work: work.path() };
        let mut objects = Vec::new();
        for (number, unit) in line.units.iter().enumerate() {
            progress(number, line.units.len());
            objects.push(self.compile(&compiler, unit, number, variant)?);
        }
        for name in variant.own {
            objects.push(compile_own(&compiler, name)?);
        }
        progress(line.units.len(), line.units.len());
        let program = work.path().join("program");
        compiler.run(&line.directory, line.is_cxx, &line.words(&objects, variant, &program), &[])?;
        // The compiler may have run as another user: the copy is this one's.
        let _ = std::fs::remove_file(to);
        std::fs::copy(&program, to).map_err(|error| Error::cannot("write", to, error))?;
        // Some linkers set the permissions afterwards, which the sandbox denies.
        std::fs::set_permissions(to, Permissions::from_mode(0o755))?;
        Ok(())
    }

    fn compile(
        &self,
        compiler: &Compiler,
        unit: &UnitRecord,
        number: usize,
        variant: &Variant,
    ) -> Result<PathBuf, Error> {
        let sources = unit_sources::restore(unit, &compiler.work.join(number.to_string()), &self.program)?;
        let object = compiler.work.join(format!("{number}.o"));
        let mut words = sources.options;
        words.extend(variant.options.iter().cloned());
        words.extend(common_options(compiler.tools));
        words.extend(["-c".into(), "-o".into(), object.clone().into()]);
        words.extend(sources.input);
        let directory = Path::new(&unit.directory);
        let files: Vec<PathBuf> = unit.files.iter().map(|file| PathBuf::from(&file.path)).collect();
        compiler.run(directory, unit.is_cxx, &words, &files)?;
        Ok(object)
    }
}

/// Removes the directories of builds that were killed: the campaign that these belong to is locked.
fn remove_leftovers(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(WORK) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Compiles a source of Cairn's, without the options of the variant: it is neither checked nor counted.
fn compile_own(compiler: &Compiler, name: &str) -> Result<PathBuf, Error> {
    let (source, object) =
        (compiler.tools.include_dir.join(name), compiler.work.join(name).with_extension("o"));
    let mut words: Vec<OsString> = vec!["-O1".into(), "-fPIC".into()];
    words.extend(common_options(compiler.tools));
    words.extend(["-c".into(), "-o".into(), object.clone().into(), source.clone().into()]);
    compiler.run(compiler.work, is_cxx(&source), &words, &[source])?;
    Ok(object)
}

/// Returns the options of every compilation: no warnings, which the user has seen, and Cairn's headers.
fn common_options(tools: &Toolchain) -> [OsString; 4] {
    ["-w".into(), "-Qunused-arguments".into(), "-idirafter".into(), tools.include_dir.clone().into()]
}
