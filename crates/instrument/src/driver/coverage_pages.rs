//! Objects at both ends of a program's link line, which align the coverage section to pages.
//!
//! The runtime maps shared memory over section `cairn_cov`, so the section must share no page with others.
//! The linker lays out a section's pieces in the order of the objects: the first object aligns the section's
//! start, and the last one adds a whole, aligned page. The other sections are declared so that they exist in
//! every program.

use super::process::Clang;
use super::{Language, Toolchain};
use cairn_wire::site::{COVERAGE_SECTION, META_SECTION, SECTION};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// First and last object of a program.
pub struct EndObjects {
    /// Object before the user's first.
    pub first: PathBuf,
    /// Object after everything else.
    pub last: PathBuf,
}

/// Assembles both objects in `dir`.
pub fn assemble(tools: &Toolchain, dir: &Path) -> Result<EndObjects, i32> {
    let texts = [("cairn-first.s", first()), ("cairn-last.s", last())];
    for (name, text) in &texts {
        let path = dir.join(name);
        fs::write(&path, text)
            .map_err(|error| super::fail(&format!("cannot write '{}': {error}", path.display())))?;
    }
    let words = ["--target=x86_64-linux-gnu", "-c", "cairn-first.s", "cairn-last.s"].map(OsString::from);
    match Clang::new(&tools.clang, Language::C).run_in(dir, &words) {
        0 => Ok(EndObjects { first: dir.join("cairn-first.o"), last: dir.join("cairn-last.o") }),
        code => Err(code),
    }
}

/// Returns the first object's assembly. Flag `R` keeps the sections from the linker's garbage collection.
fn first() -> String {
    format!(
        ".section {COVERAGE_SECTION},\"awR\",@progbits\n.p2align 12\n\
         .section {SECTION},\"awR\",@progbits\n.p2align 5\n\
         .section {META_SECTION},\"aR\",@progbits\n.p2align 3\n{NO_EXECUTABLE_STACK}"
    )
}

fn last() -> String {
    format!(".section {COVERAGE_SECTION},\"awR\",@progbits\n.p2align 12\n.zero 4096\n{NO_EXECUTABLE_STACK}")
}

const NO_EXECUTABLE_STACK: &str = ".section .note.GNU-stack,\"\",@progbits\n";
