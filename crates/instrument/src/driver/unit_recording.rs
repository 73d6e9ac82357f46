//! Adds the record of a translation unit to its object.
//!
//! Contents of sources are a convenience: they make a program independent of its sources, which may have been
//! generated, moved or changed since. Paths and digests are always there. The record takes at most a fixed
//! share of the object, so contents that have no room in it are left out, those of headers first.

use super::args::Command;
use super::input::Input;
use super::options::Role;
use super::{Language, Session};
use crate::build_record::{SourceFile, UNITS_SECTION, UnitRecord, encode, file_digest};
use crate::elf_section;
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Share of the object that contents may add, in percent; a chosen bound. With paths and digests the object
/// stays within 1.5 times its size.
const CONTENT_SHARE: usize = 40;
/// Directories of headers that come with the system: the same on every machine that the object is for.
const SYSTEM: [&str; 2] = ["/usr/include", "/usr/lib"];

/// Adds the record to an object that was just written; `headers` lists the headers of the unit. Best effort:
/// an object without a record is complete, but for reference builds.
pub fn add(session: &Session, input: &Input, headers: &Path, object: &Path) {
    let is_file = object.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_file || !super::records_builds() {
        return;
    }
    let Ok(bytes) = fs::read(object) else { return };
    let Some(record) = record(session, input, headers) else { return };
    let section = encode_within(record, bytes.len() * CONTENT_SHARE / 100);
    if let Some(extended) = elf_section::append(&bytes, UNITS_SECTION, &section) {
        let _ = fs::write(object, extended);
    }
}

/// Encodes a record with all contents, or the source's alone, or none, whatever first fits `most` bytes.
fn encode_within(mut record: UnitRecord, most: usize) -> Vec<u8> {
    for kept in [1, 0] {
        let section = encode(&record);
        if section.len() <= most {
            return section;
        }
        record.files.iter_mut().skip(kept).for_each(|file| file.content = None);
    }
    encode(&record)
}

fn record(session: &Session, input: &Input, headers: &Path) -> Option<UnitRecord> {
    let directory = env::current_dir().ok()?;
    let listed = fs::read_to_string(headers).unwrap_or_default();
    let own = std::iter::once(PathBuf::from(input.path())).filter(|_| !input.is_stdin());
    let mut seen = BTreeSet::new();
    let paths = own.chain(listed.lines().map(PathBuf::from)).map(|path| directory.join(path));
    let paths =
        paths.filter(|path| !is_system(path, &session.tools.include_dir) && seen.insert(path.clone()));
    Some(UnitRecord {
        files: paths.filter_map(source_file).collect(),
        directory: directory.clone().into(),
        is_cxx: session.clang.language() == Language::Cxx,
        options: unit_options(session.command),
        input: input.words(),
    })
}

fn is_system(path: &Path, include_dir: &Path) -> bool {
    path.starts_with(include_dir) || SYSTEM.iter().any(|system| path.starts_with(system))
}

fn source_file(path: PathBuf) -> Option<SourceFile> {
    let content = fs::read(&path).ok()?;
    Some(SourceFile { digest: file_digest(&content), path: path.into(), content: Some(content) })
}

/// Returns the user's options, but for those about outputs.
fn unit_options(command: &Command) -> Vec<OsString> {
    let is_kept = |role| match role {
        Role::Codegen | Role::Debug | Role::Other => true,
        Role::Output | Role::Language | Role::CompileOnly | Role::NotABuild | Role::Dependencies => false,
        Role::Lto | Role::Profile | Role::SideFile => false,
    };
    command.options().filter(|opt| is_kept(opt.role())).flat_map(|opt| opt.words().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build_record::BuildRecords;

    fn file(path: &str, size: u32) -> SourceFile {
        // Not compressible.
        let content: Vec<u8> = (0..size).map(|n| (n.wrapping_mul(n ^ 0x9e37_79b9) >> 13) as u8).collect();
        SourceFile { path: path.into(), digest: file_digest(&content), content: Some(content) }
    }

    #[test]
    fn contents_are_left_out_when_there_is_no_room() {
        let files = vec![file("/a.c", 4000), file("/a.h", 40_000)];
        let (directory, is_cxx) = ("/".into(), false);
        let record = UnitRecord { directory, is_cxx, options: vec![], input: vec!["a.c".into()], files };
        let kept = |most| {
            let section = encode_within(record.clone(), most);
            let directory = tempfile::tempdir().unwrap();
            let program = directory.path().join("program");
            let link = crate::build_record::LinkRecord { directory: "/".into(), is_cxx, items: vec![] };
            let object = elf_section::object_with(UNITS_SECTION, &section);
            let object = elf_section::append(&object, crate::build_record::LINK_SECTION, &encode(&link));
            fs::write(&program, object.unwrap()).unwrap();
            let unit = BuildRecords::read(&program).unwrap().units.remove(0);
            unit.files.iter().filter(|file| file.content.is_some()).count()
        };
        assert_eq!([kept(100_000), kept(10_000), kept(100)], [2, 1, 0]);
    }
}
