//! Library directories that a program itself names for the dynamic linker.

use object::Endianness;
use object::elf::{DT_RPATH, DT_RUNPATH, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use std::path::{Path, PathBuf};

/// Returns the directories of a program's run path, with `$ORIGIN` replaced by its own directory; empty if it
/// is not an executable.
pub fn library_directories(program: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = std::fs::read(program) else { return Vec::new() };
    let origin = std::fs::canonicalize(program).ok().and_then(|path| path.parent().map(Path::to_owned));
    let origin = origin.unwrap_or_default().to_string_lossy().into_owned();
    let lists = run_paths(&bytes).unwrap_or_default();
    let named = lists.iter().flat_map(|list| list.split(':')).filter(|directory| !directory.is_empty());
    named.map(|name| name.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin).into()).collect()
}

/// Returns the values of `DT_RPATH` and `DT_RUNPATH`.
fn run_paths(bytes: &[u8]) -> object::Result<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let segments = header.program_headers(endian, bytes)?;
    let mut entries = &[][..];
    for segment in segments {
        entries = segment.dynamic(endian, bytes)?.unwrap_or(entries);
    }
    let strings = header.sections(endian, bytes)?;
    let strings = match strings.dynamic(endian, bytes)? {
        Some((_, link)) => strings.strings(endian, bytes, link)?,
        None => return Ok(Vec::new()),
    };
    let paths = entries.iter().filter(|entry| [DT_RPATH, DT_RUNPATH].contains(&entry.d_tag(endian)));
    let text =
        |offset: u64| strings.get(offset as u32).map(|text| String::from_utf8_lossy(text).into_owned());
    Ok(paths.filter_map(|entry| text(entry.d_val(endian)).ok()).collect())
}
