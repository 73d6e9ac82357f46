//! Libraries that the dynamic linker finds through a program's run path.
//!
//! A program may name any directory in its run path, including the user's home. So a run path stands for the
//! shared libraries in its directories, and for nothing else there.

use object::Endianness;
use object::elf::{DT_RPATH, DT_RUNPATH, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Directories of the system's libraries, which every program may read.
const SYSTEM: [&str; 4] = ["/usr", "/lib", "/lib32", "/lib64"];
const ELF_MAGIC: [u8; 4] = *b"\x7fELF";

/// Returns the shared libraries in the directories of a program's run path, without the system's. `$ORIGIN`
/// is replaced by the program's own directory; empty if it is not an executable.
pub fn libraries(program: &Path) -> Vec<PathBuf> {
    let directories = library_directories(program);
    let is_own = |directory: &PathBuf| {
        let directory = std::fs::canonicalize(directory);
        directory.is_ok_and(|directory| !SYSTEM.iter().any(|system| directory.starts_with(system)))
    };
    let entries = directories.iter().filter(|directory| is_own(directory)).map(std::fs::read_dir);
    let paths = entries.flatten().flatten().flatten().map(|entry| entry.path());
    paths.filter(|path| is_library(path)).collect()
}

/// True for a file with the name and the magic number of a shared library.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or(OsStr::new("")).to_string_lossy();
    let magic = || {
        let mut bytes = [0; ELF_MAGIC.len()];
        File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map(|()| bytes)
    };
    // Opening a pipe would wait for a writer.
    name.contains(".so") && path.is_file() && magic().is_ok_and(|bytes| bytes == ELF_MAGIC)
}

/// Returns the directories of a program's run path.
fn library_directories(program: &Path) -> Vec<PathBuf> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_libraries_are_taken_for_libraries() {
        let place = tempfile::tempdir().unwrap();
        let check = |name: &str, bytes: &[u8], expected: bool| {
            let path = place.path().join(name);
            fs::write(&path, bytes).unwrap();
            assert_eq!(is_library(&path), expected, "{name}");
        };
        check("libx.so", b"\x7fELF\x02\x01", true);
        check("libx.so.1.2", b"\x7fELF\x02\x01", true);
        check("id_rsa", b"\x7fELF\x02\x01", false);
        check("secret.so", b"secret", false);
        check("short.so", b"\x7fE", false);
        fs::create_dir(place.path().join("directory.so")).unwrap();
        assert!(!is_library(&place.path().join("directory.so")));
    }
}
