//! Reads the records of objects, archives, libraries and programs.

use super::{LINK_SECTION, LinkRecord, UNITS_SECTION, UnitRecord, decode};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSection};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Records of a program or shared library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildRecords {
    /// Its units, in the order in which they were linked.
    pub units: Vec<UnitRecord>,
    /// How it was linked.
    pub link: LinkRecord,
}

/// Reason why a program has no records. Each is one sentence for the user.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The program.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file has none.
    #[error("{} does not say how it was built: it was stripped, or not linked by this `cairn cc`", .0.display())]
    NoRecords(PathBuf),
    /// The records cannot be decoded.
    #[error("{} was built by another version of Cairn: rebuild it with this `cairn cc`", .0.display())]
    Undecodable(PathBuf),
}

impl BuildRecords {
    /// Reads the records of a program or shared library.
    pub fn read(path: &Path) -> Result<BuildRecords, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(unreadable)?;
        let missing = || ReadError::NoRecords(path.to_owned());
        let file = object::File::parse(&*bytes).map_err(|_| missing())?;
        let link = section(&file, LINK_SECTION).ok_or_else(missing)?;
        let units = section(&file, UNITS_SECTION).unwrap_or_default();
        let undecodable = || ReadError::Undecodable(path.to_owned());
        // Later ones would be of another file that was linked in, which is not possible for programs.
        let link = decode::<LinkRecord>(link).and_then(|links| links.into_iter().next());
        Ok(BuildRecords {
            units: decode(units).ok_or_else(undecodable)?,
            link: link.ok_or_else(undecodable)?,
        })
    }
}

/// True for an object with records, and for an archive of nothing else.
pub(crate) fn has_units(path: &Path) -> bool {
    let Ok(bytes) = fs::read(path) else { return false };
    match ArchiveFile::parse(&*bytes) {
        Ok(archive) => archive.members().all(|member| {
            let Ok(member) = member else { return false };
            if member.is_thin() {
                let name = String::from_utf8_lossy(member.name()).into_owned();
                let beside = path.parent().unwrap_or(Path::new("")).join(name);
                return fs::read(beside).is_ok_and(|bytes| object_has_units(&bytes));
            }
            member.data(&*bytes).is_ok_and(object_has_units)
        }),
        Err(_) => object_has_units(&bytes),
    }
}

fn object_has_units(bytes: &[u8]) -> bool {
    object::File::parse(bytes)
        .is_ok_and(|file| file.kind() == ObjectKind::Relocatable && section(&file, UNITS_SECTION).is_some())
}

/// True for a shared library with a link record.
pub(crate) fn is_rebuildable_library(path: &Path) -> bool {
    let Ok(bytes) = fs::read(path) else { return false };
    object::File::parse(&*bytes)
        .is_ok_and(|file| file.kind() == ObjectKind::Dynamic && section(&file, LINK_SECTION).is_some())
}

fn section<'a>(file: &object::File<'a>, name: &str) -> Option<&'a [u8]> {
    file.section_by_name(name)?.data().ok()
}
