//! The sources of a unit: those on disk if they are still the same, otherwise those of the record.

use crate::error::Error;
use cairn_instrument::build_record::{SourceFile, UnitRecord, file_digest};
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Options that name a file or directory, which may be relative.
const PATH_OPTIONS: [&str; 7] =
    ["-I", "-iquote", "-isystem", "-idirafter", "-include", "-imacros", "--sysroot="];

/// Sources that are ready to be compiled.
pub(super) struct UnitSources {
    /// The user's options, and those that put the sources of the record in place of those on disk.
    pub options: Vec<OsString>,
    /// The source file, with its `-x` if there was one.
    pub input: Vec<OsString>,
}

/// Restores the sources of a unit of `program` that are missing or have changed, in a new directory.
pub(super) fn restore(unit: &UnitRecord, directory: &Path, program: &Path) -> Result<UnitSources, Error> {
    let input = unit.input.last().map(OsString::as_os_str).unwrap_or_default();
    if input == "-" {
        return Err(Error::new(format_args!(
            "a part of {} was compiled from standard input, which is not kept",
            program.display()
        )));
    }
    let mut replaced = Vec::new();
    for (number, file) in unit.files.iter().enumerate().filter(|(_, file)| !is_unchanged(file)) {
        let path = Path::new(&file.path);
        let Some(content) = &file.content else { return Err(changed(path, program)) };
        fs::create_dir_all(directory)?;
        let copy =
            directory.join(number.to_string()).with_added_extension(path.extension().unwrap_or_default());
        fs::write(&copy, content).map_err(|error| Error::cannot("write", &copy, error))?;
        replaced.push((path.to_owned(), copy));
    }
    let (mut options, mut input) = (unit.options.clone(), unit.input.clone());
    let built_in = Path::new(&unit.directory);
    if !built_in.is_dir() {
        options = with_absolute_paths(&options, built_in);
        input.last_mut().into_iter().for_each(|file| *file = built_in.join(&*file).into());
        options.push(format!("-fmacro-prefix-map={}/=", built_in.display()).into());
        options.push(format!("-fdebug-compilation-dir={}", built_in.display()).into());
    }
    // Clang's driver looks for its input on the disk.
    let missing = replaced.first().filter(|(path, _)| !path.exists() && is_source(unit, path));
    if let (Some((path, copy)), Some(named)) = (missing, unit.input.last()) {
        let above = path.parent().unwrap_or(Path::new("/"));
        options.extend(["-iquote".into(), above.into()]);
        options.push(format!("-ffile-prefix-map={}={}", copy.display(), named.display()).into());
        input.last_mut().into_iter().for_each(|file| *file = copy.clone().into());
    }
    if !replaced.is_empty() {
        let overlay = directory.join("overlay.json");
        fs::write(&overlay, overlay_text(&replaced))?;
        options.extend(["-ivfsoverlay".into(), overlay.into()]);
    }
    Ok(UnitSources { options, input })
}

/// Returns options with the paths in them made absolute, for a working directory that is gone.
fn with_absolute_paths(options: &[OsString], directory: &Path) -> Vec<OsString> {
    let mut is_value = false;
    let absolute = |option: &OsString| {
        if std::mem::take(&mut is_value) {
            return directory.join(option).into();
        }
        let text = option.to_string_lossy();
        let named = PATH_OPTIONS.iter().find_map(|name| Some((name, text.strip_prefix(name)?)));
        is_value = named.is_some_and(|(_, path)| path.is_empty());
        match named {
            Some((name, path)) if !path.is_empty() => {
                format!("{name}{}", directory.join(path).display()).into()
            }
            _ => option.clone(),
        }
    };
    options.iter().map(absolute).collect()
}

/// True for the source file of a unit, not a header of it.
fn is_source(unit: &UnitRecord, path: &Path) -> bool {
    unit.files.first().is_some_and(|file| Path::new(&file.path) == path)
}

fn is_unchanged(file: &SourceFile) -> bool {
    fs::read(&file.path).is_ok_and(|content| file_digest(&content) == file.digest)
}

fn changed(path: &Path, program: &Path) -> Error {
    let what = if path.exists() { "has changed" } else { "was removed" };
    Error::new(format_args!("{} {what} since {} was built", path.display(), program.display()))
}

/// Returns clang's description of a file system in which the first paths have the contents of the second.
fn overlay_text(replaced: &[(PathBuf, PathBuf)]) -> String {
    let file = |(path, copy): &(PathBuf, PathBuf)| json!({ "type": "file", "name": path.to_string_lossy(), "external-contents": copy.to_string_lossy() });
    let roots: Vec<_> = replaced.iter().map(file).collect();
    json!({ "version": 0, "use-external-names": false, "roots": roots }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_options_are_made_absolute() {
        let options = ["-Iinc", "-I", ".", "-DX=-Iy", "-include", "c.h", "-isystem/x", "-O2"];
        let absolute = with_absolute_paths(&options.map(OsString::from), Path::new("/gone"));
        let expected =
            ["-I/gone/inc", "-I", "/gone/.", "-DX=-Iy", "-include", "/gone/c.h", "-isystem/x", "-O2"];
        assert_eq!(absolute, expected.map(OsString::from));
    }
}
