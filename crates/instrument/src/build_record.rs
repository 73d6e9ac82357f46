//! Records of how a program was built, in sections of its objects and of itself.
//!
//! Each object of `cairn cc` has a record of its translation unit: command, directory, and source files with
//! their digests and contents. The linker concatenates these, so a program has the records of exactly the
//! units that were linked into it. Its own record says what else was on the link line. From both, the program
//! can be built again without instrumentation, with sanitizers or with coverage counters.

mod read;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::io::{Read, Write};

pub use read::{BuildRecords, ReadError};
pub(crate) use read::{has_units, is_rebuildable_library};

/// Section with the records of translation units. It is not loaded into memory.
pub const UNITS_SECTION: &str = ".cairn.units";
/// Section of a program or shared library with the record of its link.
pub const LINK_SECTION: &str = ".cairn.link";
/// Beginning of a record: magic and version of the encoding.
const MAGIC: [u8; 4] = *b"CRB1";
/// Most bytes of a record after decompression; a chosen bound against hostile files.
const MAX_RECORD: u64 = 1 << 30;

/// First 16 bytes of the SHA-256 of a file.
pub type FileDigest = [u8; 16];

/// A source file of a translation unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Absolute path.
    pub path: OsString,
    /// Digest of its content when it was compiled.
    pub digest: FileDigest,
    /// The content, if there was room for it in the object.
    pub content: Option<Vec<u8>>,
}

/// Record of the compilation of a translation unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitRecord {
    /// Working directory.
    pub directory: OsString,
    /// True for `cairn c++`.
    pub is_cxx: bool,
    /// The user's options, but for those about outputs.
    pub options: Vec<OsString>,
    /// The source file as the user named it, with its `-x` if there was one.
    pub input: Vec<OsString>,
    /// The source file and the headers that are no part of the system.
    pub files: Vec<SourceFile>,
}

/// An item of a link line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LinkItem {
    /// An option, with its value.
    Option(Vec<OsString>),
    /// A file that is linked as it is, by its absolute path and with its `-x` if there was one: an object of
    /// another compiler, assembly, a library.
    File(Vec<OsString>),
    /// A shared library of `cairn cc`, which has records of its own.
    Library(OsString),
}

/// Record of the link of a program or shared library, apart from the units in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinkRecord {
    /// Working directory.
    pub directory: OsString,
    /// True for `cairn c++`.
    pub is_cxx: bool,
    /// The link line without its objects that have records.
    pub items: Vec<LinkItem>,
}

/// Returns the digest of a file's content.
pub fn file_digest(content: &[u8]) -> FileDigest {
    let whole = Sha256::digest(content);
    std::array::from_fn(|index| whole[index])
}

/// Encodes a record: magic, length of the rest, compressed content.
pub(crate) fn encode<T: Serialize>(record: &T) -> Vec<u8> {
    let plain = postcard::to_stdvec(record).expect("records can be encoded");
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(&plain).and_then(|()| encoder.finish());
    let packed = packed.expect("a vector takes everything");
    let length = u32::try_from(packed.len()).unwrap_or(0).to_le_bytes();
    [&MAGIC[..], &length, &packed].concat()
}

/// Decodes the records of a section; None if it has anything else.
fn decode<T: DeserializeOwned>(mut section: &[u8]) -> Option<Vec<T>> {
    let mut records = Vec::new();
    while !section.is_empty() {
        let rest = section.strip_prefix(&MAGIC)?;
        let (length, rest) = rest.split_first_chunk()?;
        let (packed, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let mut plain = Vec::new();
        DeflateDecoder::new(packed).take(MAX_RECORD).read_to_end(&mut plain).ok()?;
        records.push(postcard::from_bytes(&plain).ok()?);
        section = rest;
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str) -> UnitRecord {
        let file =
            SourceFile { path: name.into(), digest: file_digest(b"int x;"), content: Some(b"int x;".into()) };
        UnitRecord {
            directory: "/work".into(),
            is_cxx: false,
            options: vec!["-O2".into(), "-DX=\"a b\"".into()],
            input: vec![name.into()],
            files: vec![file],
        }
    }

    #[test]
    fn a_section_has_the_records_of_all_its_objects() {
        let units = [unit("a.c"), unit("b.c")];
        let section: Vec<u8> = units.iter().flat_map(encode).collect();
        assert_eq!(decode(&section), Some(units.to_vec()));
        assert_eq!(decode::<UnitRecord>(&[]), Some(vec![]));
    }

    #[test]
    fn damaged_sections_are_refused() {
        let section = encode(&unit("a.c"));
        for end in 1..section.len() {
            assert_eq!(decode::<UnitRecord>(&section[..end]), None, "{end}");
        }
        assert_eq!(decode::<UnitRecord>(b"CRB0"), None);
    }
}
