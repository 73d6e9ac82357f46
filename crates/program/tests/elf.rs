//! Executables, linked and made by hand.

use cairn_program::testing::Sketch;
use cairn_program::{BranchId, Program, ProgramError, SiteId};
use cairn_wire::ABI_VERSION;
use cairn_wire::meta::{Function, Header, MAGIC, Unit};
use object::{Object, ObjectSegment, ObjectSymbol};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const EXECUTABLE: u16 = 2;
const POSITION_INDEPENDENT: u16 = 3;
const RELOCATABLE: u16 = 1;
const RECORDS_AT: u64 = 0x40_0000;
const COVERAGE_AT: u64 = 0x40_8000;
const META_AT: u64 = 0x3f_0000;
/// Bytes of a program header.
const SEGMENT_SIZE: u16 = 56;
/// Type of the segment that names a program's loader.
const NAMES_LOADER: u32 = 3;

struct Section {
    name: &'static str,
    address: u64,
    data: Vec<u8>,
}

/// Returns a little-endian 64-bit ELF file with these sections, and a segment that marks it as a program.
fn elf(kind: u16, sections: &[Section]) -> Vec<u8> {
    let mut names = vec![0];
    let mut data = Vec::new();
    let mut headers = vec![[0u64; 8]];
    for section in sections {
        headers.push(section_header(names.len(), 1, section.address, 64 + data.len(), section.data.len()));
        names.extend_from_slice(section.name.as_bytes());
        names.push(0);
        data.extend_from_slice(&section.data);
    }
    headers.push(section_header(names.len(), 3, 0, 64 + data.len(), names.len() + 6));
    names.extend_from_slice(b".names\0");
    let last = headers.last_mut().unwrap();
    last[4] = names.len() as u64;
    data.extend_from_slice(&names);

    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([kind, 62].iter().flat_map(|half| half.to_le_bytes()));
    file.extend(1u32.to_le_bytes());
    let sections_at = 64 + data.len() as u64;
    let segments_at = sections_at + 64 * headers.len() as u64;
    file.extend([0, segments_at, sections_at].iter().flat_map(|word| word.to_le_bytes()));
    file.extend(0u32.to_le_bytes());
    let count = headers.len() as u16;
    file.extend([64, SEGMENT_SIZE, 1, 64, count, count - 1].iter().flat_map(|half: &u16| half.to_le_bytes()));
    file.extend(data);
    file.extend(headers.iter().flatten().flat_map(|word| word.to_le_bytes()));
    file.extend(NAMES_LOADER.to_le_bytes());
    file.resize(segments_at as usize + usize::from(SEGMENT_SIZE), 0);
    file
}

fn section_header(name: usize, kind: u64, address: u64, offset: usize, size: usize) -> [u64; 8] {
    [name as u64 | kind << 32, 0, address, offset as u64, size as u64, 0, 1, 0]
}

/// Returns a unit's metadata as the linker leaves it at `address`.
fn blob(unit: &Unit, address: u64, first_site: u64, first_branch: u64) -> Vec<u8> {
    let payload = unit.encode();
    let distance = |at: usize, to: u64| to.wrapping_sub(address + at as u64) as i32 as u32;
    let words = [
        MAGIC,
        ABI_VERSION,
        payload.len() as u32,
        unit.sites.len() as u32,
        unit.sites.iter().map(|site| site.sides.len() as u32).sum(),
        distance(Header::RECORDS_DISTANCE_AT, RECORDS_AT + first_site * 32),
        distance(Header::COVERAGE_DISTANCE_AT, COVERAGE_AT + first_branch),
        0,
    ];
    let mut blob: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    blob.extend(payload);
    blob.resize(blob.len().next_multiple_of(8), 0);
    blob
}

fn records(unit: &Unit) -> Vec<u8> {
    let record = |(local, site): (usize, &cairn_wire::meta::Site)| {
        let mut record = [0; 32];
        record[0] = site.kind as u8;
        record[4..8].copy_from_slice(&(local as u32).to_le_bytes());
        record
    };
    unit.sites.iter().enumerate().flat_map(record).collect()
}

/// Returns two units with eight bytes of padding between them, the second one's sites first.
fn two_units() -> [Section; 3] {
    let (mut first, mut second) = (Sketch::new(), Sketch::new());
    first.branch();
    second.switch(16, &[&[5]]);
    second.concretization();
    let (first, second) = (first.unit(), second.unit());
    let mut meta = blob(&first, META_AT, 2, 2);
    meta.extend([0; 8]);
    meta.extend(blob(&second, META_AT + meta.len() as u64, 0, 0));
    let records = [records(&second), records(&first)].concat();
    [
        Section { name: "cairn_meta", address: META_AT, data: meta },
        Section { name: "cairn_br", address: RECORDS_AT, data: records },
        Section { name: "cairn_cov", address: COVERAGE_AT, data: vec![0; 4] },
    ]
}

fn file(scratch: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = scratch.path().join("target");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(bytes: &[u8]) -> Result<Program, ProgramError> {
    let scratch = TempDir::new().unwrap();
    Program::read(&file(&scratch, bytes))
}

#[test]
fn units_are_found_where_their_headers_point() {
    for kind in [EXECUTABLE, POSITION_INDEPENDENT] {
        let program = read(&elf(kind, &two_units())).unwrap();
        assert_eq!((program.site_count(), program.branch_count()), (3, 4));
        assert_eq!(program.site(SiteId(0)).width, 16);
        assert_eq!(program.site(SiteId(2)).first_branch, BranchId(2));
        assert_eq!(program.site(SiteId(2)).file.as_ref(), "sketch.c");
    }
}

/// Returns the C source of a program that describes itself as `unit`, as the pass does.
fn source(unit: &Unit) -> String {
    let mut bytes = blob(unit, 0, 0, 0);
    let payload = bytes.split_off(Header::SIZE);
    let words: Vec<_> = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let list = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let words = words[..5].iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let sections = [
        format!(".section cairn_meta,\"aw\"; .long {words}; .long records - ., coverage - ., 0"),
        format!(".byte {}", list(&payload)),
        format!(".section cairn_br,\"aw\"; records: .byte {}", list(&records(unit))),
        ".section cairn_cov,\"aw\"; coverage: .zero 2; .text".to_owned(),
    ];
    let assembly: Vec<_> = sections.iter().map(|text| format!("__asm__({text:?});\n")).collect();
    let functions = "__attribute__((noinline)) static int listed(int x) { return x + 1; }\n\
                     int unlisted(int x) { return listed(x) + 2; }\n\
                     int main(int argc, char **argv) { return unlisted(argc); }\n";
    assembly.concat() + functions
}

/// Returns the offset of a symbol from the start of the program.
fn offset(path: &Path, name: &str) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
    symbol.address() - file.segments().map(|segment| segment.address()).min().unwrap()
}

#[test]
fn a_linked_program_is_read_and_its_code_found() {
    let mut sketch = Sketch::new();
    sketch.branch();
    let mut unit = sketch.unit();
    unit.functions.push(Function { name: "listed".into(), internal: true, ..Function::default() });
    let scratch = TempDir::new().unwrap();
    let (file, target) = (scratch.path().join("a.c"), scratch.path().join("a"));
    std::fs::write(&file, source(&unit)).unwrap();
    for kind in ["-pie", "-no-pie"] {
        let compiled = Command::new("clang-19").arg(kind).arg(&file).arg("-o").arg(&target).status().unwrap();
        assert!(compiled.success());
        let program = Program::read(&target).unwrap();
        assert_eq!((program.site_count(), program.branch_count()), (1, 2));
        let function_at = |offset| Some(program.function(program.function_at(offset)?).name.to_string());
        assert_eq!(function_at(offset(&target, "listed") + 1).as_deref(), Some("listed"));
        assert_eq!(function_at(offset(&target, "main")).as_deref(), Some("main"));
        assert_eq!(function_at(offset(&target, "unlisted")), None);
        assert_eq!([function_at(0), function_at(u64::MAX)], [None, None]);
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = Program::read(Path::new("/nowhere/at/all")).unwrap_err();
    assert_eq!(error.to_string(), "no such file: /nowhere/at/all");
}

#[test]
fn a_directory_cannot_be_read() {
    let error = Program::read(Path::new("/")).unwrap_err();
    assert_eq!(error.to_string(), "/ is a directory: name the program in it, or its C files");
}

#[test]
fn other_files_are_not_executables() {
    let object = elf(RELOCATABLE, &two_units());
    for (bytes, kind) in [
        (&b"#!/bin/sh\n"[..], "a shell script"),
        (b"", "empty"),
        (b"\x7fELF", "a damaged ELF file"),
        (&object, "an object file"),
    ] {
        let error = read(bytes).unwrap_err();
        assert!(error.to_string().contains(&format!(" is {kind}: ")), "{error}");
    }
}

#[test]
fn a_plain_executable_was_not_built_with_cairn() {
    let scratch = TempDir::new().unwrap();
    let (source, target) = (scratch.path().join("a.c"), scratch.path().join("a"));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let compiled = Command::new("clang-19").arg(&source).arg("-o").arg(&target).status().unwrap();
    assert!(compiled.success());
    let error = Program::read(&target).unwrap_err();
    assert!(error.to_string().contains("was not built with `cairn cc`: "), "{error}");
}

#[test]
fn another_abi_is_an_error() {
    let mut sections = two_units();
    sections[0].data[4] = 77;
    let error = read(&elf(EXECUTABLE, &sections)).unwrap_err();
    assert!(matches!(error, ProgramError::OtherAbi { found: 77, .. }), "{error}");
}

/// Damages the sections of a sound target and expects an error.
fn check_damaged(name: &str, damage: impl FnOnce(&mut [Section; 3])) {
    let mut sections = two_units();
    damage(&mut sections);
    let error = read(&elf(EXECUTABLE, &sections)).unwrap_err();
    assert!(matches!(error, ProgramError::Damaged { .. }), "{name}: {error}");
}

#[test]
fn damage_is_noticed() {
    check_damaged("magic", |s| s[0].data[0] ^= 1);
    check_damaged("payload", |s| s[0].data[8] = 0xff);
    check_damaged("sites", |s| s[0].data[12] += 1);
    check_damaged("records far away", |s| s[0].data[22] ^= 0xff);
    check_damaged("records not a row", |s| s[0].data[20] ^= 1);
    check_damaged("coverage far away", |s| s[0].data[26] ^= 0xff);
    check_damaged("kind", |s| s[1].data[0] = 3);
    check_damaged("local", |s| s[1].data[4] = 3);
    check_damaged("no records", |s| s[1].data.clear());
    check_damaged("an orphan record", |s| s[1].data.extend([0; 32]));
    check_damaged("short coverage", |s| s[2].data.truncate(3));
}

#[test]
fn no_truncated_file_panics() {
    let whole = elf(EXECUTABLE, &two_units());
    let scratch = TempDir::new().unwrap();
    for len in 0..whole.len() {
        assert!(Program::read(&file(&scratch, &whole[..len])).is_err(), "cut to {len}");
    }
}
