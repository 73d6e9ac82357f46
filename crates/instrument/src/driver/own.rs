//! Library functions that a program defines itself.
//!
//! A unit that only declares `strtok` calls our model of it. If another unit of the program defines a
//! `strtok`, that is the one meant: the linker is told to take it for the model.

use super::args::Item;
use crate::pass::WRAPPER_PREFIX;
use object::read::archive::{ArchiveFile, ArchiveMember};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Options for the linker that give the program its own functions back.
pub fn preferences(items: &[Item]) -> Vec<OsString> {
    let mut symbols = Symbols::default();
    files(items).iter().for_each(|path| symbols.read(path));
    let own = symbols.wanted.intersection(&symbols.defined);
    own.flat_map(|name| [format!("-Wl,-u,{name}"), format!("-Wl,--defsym={WRAPPER_PREFIX}{name}={name}")])
        .map(OsString::from)
        .collect()
}

/// The files on a link line, `-l` in directories of the user included.
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

fn library(name: &OsStr, directories: &[&OsStr]) -> Option<PathBuf> {
    let name = name.to_string_lossy();
    let file = name.strip_prefix(':').map_or_else(|| format!("lib{name}.a"), str::to_owned);
    directories.iter().map(|directory| Path::new(directory).join(&file)).find(|path| path.is_file())
}

/// What the files of a link line say about library functions.
#[derive(Default)]
struct Symbols {
    /// Called through a redirected declaration.
    wanted: BTreeSet<String>,
    /// Defined under their own names, or any other.
    defined: BTreeSet<String>,
}

impl Symbols {
    /// What cannot be read is for the linker to complain of.
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
        for symbol in file.symbols().chain(file.dynamic_symbols()).filter(|s| s.is_global()) {
            let Ok(name) = symbol.name() else { continue };
            match name.strip_prefix(WRAPPER_PREFIX) {
                Some(function) if symbol.is_undefined() => drop(self.wanted.insert(function.to_owned())),
                None if symbol.is_definition() => drop(self.defined.insert(name.to_owned())),
                _ => {}
            }
        }
    }
}
