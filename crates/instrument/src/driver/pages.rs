//! The objects at both ends of a program's link line.
//!
//! The runtime maps shared memory over section `cairn_cov`, so the section must have its pages to
//! itself. The linker lays a section's pieces out in the order of the objects: the first object
//! aligns the section's start, and the last one brings a page of its own, which begins and
//! ends at a page's border. The other sections are named so that they exist in every program.

use super::process::Clang;
use super::{Language, Toolchain};
use cairn_wire::site::{COVERAGE_SECTION, META_SECTION, SECTION};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The first and the last object of a program.
pub struct Ends {
    /// Goes before the user's first object.
    pub first: PathBuf,
    /// Goes after everything else.
    pub last: PathBuf,
}

/// Makes both objects in `dir`.
pub fn assemble(tools: &Toolchain, dir: &Path) -> Result<Ends, i32> {
    let texts = [("cairn-first.s", first()), ("cairn-last.s", last())];
    for (name, text) in &texts {
        let path = dir.join(name);
        fs::write(&path, text)
            .map_err(|error| super::fail(&format!("cannot write '{}': {error}", path.display())))?;
    }
    let words = ["--target=x86_64-linux-gnu", "-c", "cairn-first.s", "cairn-last.s"].map(OsString::from);
    match Clang::new(&tools.clang, Language::C).run_in(dir, &words) {
        0 => Ok(Ends { first: dir.join("cairn-first.o"), last: dir.join("cairn-last.o") }),
        code => Err(code),
    }
}

/// `R` keeps the sections when the linker collects garbage.
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
