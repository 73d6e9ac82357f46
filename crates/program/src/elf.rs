//! Finds Cairn's sections in an executable, and the units in them.

use crate::assemble::{PlacedUnit, source_name};
use crate::error::{Damage, ProgramError};
use crate::file::{Reason, Special, read_file};
use crate::kind::FileKind;
use crate::model::{CodeRange, FunctionId, Program};
use cairn_wire::meta::{Header, Unit};
use cairn_wire::site::{COVERAGE_SECTION, META_SECTION, SECTION, USER_MAIN};
use cairn_wire::strings::{STRING_SECTION, decode_strings};
use cairn_wire::{ABI_VERSION, SiteRecord};
use object::elf::DT_NEEDED;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::HashMap;
use std::path::Path;

const RECORD_SIZE: u64 = size_of::<SiteRecord>() as u64;
/// Offsets of `kind` and `local` in a record.
const RECORD_KIND_AT: usize = std::mem::offset_of!(SiteRecord, kind);
const RECORD_LOCAL_AT: usize = std::mem::offset_of!(SiteRecord, local);

/// Maximum size of a program, which may include much debug information; a chosen bound.
const MAX_BYTES: u64 = 8 << 30;
/// Entry point of a fuzz target.
pub const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";
/// Name prefixes of libraries that any program may be linked with.
const STANDARD_LIBRARIES: [&str; 9] = [
    "libc.so",
    "libm.so",
    "libdl.so",
    "librt.so",
    "libpthread.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libc++",
    "ld-linux",
];

impl Program {
    /// Reads the model from an executable.
    pub fn read(path: &Path) -> Result<Program, ProgramError> {
        let bytes = read_file(path, MAX_BYTES).map_err(|error| match &error.reason {
            _ if error.is_missing() => ProgramError::Missing { path: path.to_owned() },
            Reason::Special(Special::Directory) => ReadError::NotExecutable(FileKind::Directory).at(path),
            _ => ProgramError::Unreadable(error),
        })?;
        parse(&bytes).map_err(|error| error.at(path))
    }
}

/// A [`ProgramError`] without its path.
enum ReadError {
    NotExecutable(FileKind),
    NotInstrumented,
    NoMain,
    ForeignMain,
    OtherAbi(u32),
    Damaged(Damage),
}

impl ReadError {
    fn at(self, path: &Path) -> ProgramError {
        let path = path.to_owned();
        match self {
            ReadError::NotExecutable(kind) => ProgramError::NotExecutable { path, kind },
            ReadError::NoMain => ProgramError::NoMain { path },
            ReadError::ForeignMain => ProgramError::ForeignMain { path },
            ReadError::NotInstrumented => ProgramError::NotInstrumented { path },
            ReadError::OtherAbi(found) => ProgramError::OtherAbi { path, found, expected: ABI_VERSION },
            ReadError::Damaged(damage) => ProgramError::Damaged { path, damage },
        }
    }
}

impl From<Damage> for ReadError {
    fn from(damage: Damage) -> Self {
        ReadError::Damaged(damage)
    }
}

fn damaged<T>(what: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError::Damaged(Damage(what.into())))
}

/// The content and address of a section.
#[derive(Clone, Copy)]
struct ElfSection<'a> {
    address: u64,
    size: u64,
    data: &'a [u8],
}

fn parse(bytes: &[u8]) -> Result<Program, ReadError> {
    if let Some(kind) = FileKind::of(bytes) {
        return Err(ReadError::NotExecutable(kind));
    }
    let Ok(file) = object::File::parse(bytes) else {
        return Err(ReadError::NotExecutable(FileKind::DamagedElf));
    };
    let Some(meta) = section(&file, META_SECTION)? else { return Err(ReadError::NotInstrumented) };
    let empty = ElfSection { address: 0, size: 0, data: &[] };
    let records = section(&file, SECTION)?.unwrap_or(empty);
    let coverage = section(&file, COVERAGE_SECTION)?.unwrap_or(empty);
    let units = decode_units(meta, records, coverage)?;
    let described: usize = units.iter().map(|placed| placed.unit.sites.len()).sum();
    if described as u64 != records.size / RECORD_SIZE {
        return damaged("some branch sites belong to no unit");
    }
    let mut program = Program::from_placed_units(units)?;
    program.code = code_ranges(&file, &program);
    let strings = section(&file, STRING_SECTION)?.unwrap_or(empty);
    program.strings = decode_strings(strings.data).into_iter().map(<[u8]>::to_vec).collect();
    check_main(&file, &program)?;
    Ok(program)
}

/// Checks that the program has an entry point in user code. Without a symbol table it passes.
fn check_main(file: &object::File, program: &Program) -> Result<(), ReadError> {
    let is_traced = |name: &str| program.functions().any(|(_, f)| f.counted && *f.name == *name);
    if is_traced("main") || is_traced(FUZZ_TARGET) {
        return Ok(());
    }
    let find = |name: &str| file.symbols().find(|symbol| symbol.name() == Ok(name));
    let is_defined = |name: &str| find(name).is_some_and(|symbol| symbol.is_definition());
    // The runtime's `main`, and the one for fuzz targets that it calls, are weak.
    let is_ours = |name: &str| find(name).is_some_and(|symbol| symbol.is_definition() && symbol.is_weak());
    if is_defined("main") && !is_ours("main") {
        return Err(ReadError::ForeignMain);
    }
    let is_elsewhere = is_defined(FUZZ_TARGET) || needs_libraries(file);
    if is_ours(USER_MAIN) && !is_elsewhere { Err(ReadError::NoMain) } else { Ok(()) }
}

/// True if the program links shared libraries other than those of the language: they may define the fuzz
/// target.
fn needs_libraries(file: &object::File) -> bool {
    const ENTRY: usize = 16;
    let data = |name: &str| file.section_by_name(name).and_then(|section| section.data().ok());
    let (Some(entries), Some(names)) = (data(".dynamic"), data(".dynstr")) else { return false };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let needed = entries.chunks_exact(ENTRY).filter(|entry| word(&entry[..8]) == DT_NEEDED.0 as u64);
    let mut names = needed.filter_map(|entry| names.get(word(&entry[8..]) as usize..));
    names.any(|name| !STANDARD_LIBRARIES.iter().any(|standard| name.starts_with(standard.as_bytes())))
}

/// Finds the code of functions by their names in the symbol table.
fn code_ranges(file: &object::File, program: &Program) -> Vec<CodeRange> {
    let ids: HashMap<&str, FunctionId> =
        program.functions().map(|(id, function)| (function.name.as_ref(), id)).collect();
    let base = file.segments().map(|segment| segment.address()).min().unwrap_or(0);
    let range = |symbol: object::Symbol| {
        let function = *ids.get(source_name(symbol.name().ok()?))?;
        let start = symbol.address().checked_sub(base)?;
        (symbol.kind() == SymbolKind::Text).then(|| CodeRange { start, end: start + symbol.size(), function })
    };
    let mut code: Vec<_> = file.symbols().filter_map(range).collect();
    code.sort_by_key(|code| (code.start, code.function));
    code
}

fn section<'a>(file: &object::File<'a>, name: &str) -> Result<Option<ElfSection<'a>>, ReadError> {
    let Some(section) = file.section_by_name(name) else { return Ok(None) };
    let Ok(data) = section.data() else { return damaged(format!("section {name} lies outside the file")) };
    Ok(Some(ElfSection { address: section.address(), size: section.size(), data }))
}

/// Decodes the units in the metadata section.
fn decode_units(
    meta: ElfSection,
    records: ElfSection,
    coverage: ElfSection,
) -> Result<Vec<PlacedUnit>, ReadError> {
    let mut units = Vec::new();
    let mut at = 0;
    while let Some(rest) = meta.data.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.iter().take(8).all(|&byte| byte == 0) {
            at += 8; // The linker may pad between two files.
            continue;
        }
        let Some(header) = Header::read(rest) else { return damaged("a unit has no header") };
        if header.abi != ABI_VERSION {
            return Err(ReadError::OtherAbi(header.abi));
        }
        units.push(decode_unit(&header, rest, meta.address + at as u64, records, coverage)?);
        at += header.stride();
    }
    Ok(units)
}

fn decode_unit(
    header: &Header,
    blob: &[u8],
    address: u64,
    records: ElfSection,
    coverage: ElfSection,
) -> Result<PlacedUnit, ReadError> {
    let payload = blob.get(Header::SIZE..Header::SIZE + header.payload as usize);
    let Some(unit) = payload.and_then(Unit::decode) else { return damaged("a unit cannot be decoded") };
    let field = address + Header::RECORDS_DISTANCE_AT as u64;
    let records_at = field.wrapping_add_signed(header.records_distance.into());
    let field = address + Header::COVERAGE_DISTANCE_AT as u64;
    let coverage_at = field.wrapping_add_signed(header.coverage_distance.into());
    let sides: usize = unit.sites.iter().map(|site| site.sides.len()).sum();
    if unit.sites.len() != header.sites as usize || sides > header.sides as usize {
        return damaged(format!("unit {}: its header and its content differ", unit.source));
    }
    // A unit without sites may point anywhere.
    let first_site = match unit.sites.is_empty() {
        true => 0,
        false => check_records(&unit, records, records_at)?,
    };
    let first_branch = match sides {
        0 => 0,
        _ => inside(coverage, coverage_at).ok_or_else(|| outside(&unit))?,
    };
    Ok(PlacedUnit { first_site, first_branch, program_branches: coverage.size as u32, unit })
}

/// Returns the offset of an address in a section.
fn inside(section: ElfSection, address: u64) -> Option<u32> {
    let offset = address.checked_sub(section.address).filter(|offset| *offset < section.size)?;
    u32::try_from(offset).ok()
}

fn outside(unit: &Unit) -> ReadError {
    ReadError::Damaged(Damage(format!("unit {}: it points outside its sections", unit.source)))
}

/// Returns the id of a unit's first site, after checking that its records match its sites.
fn check_records(unit: &Unit, records: ElfSection, address: u64) -> Result<u32, ReadError> {
    let offset = inside(records, address).ok_or_else(|| outside(unit))?;
    if !u64::from(offset).is_multiple_of(RECORD_SIZE) {
        return Err(outside(unit));
    }
    let rows = records.data.get(offset as usize..).unwrap_or(&[]).chunks_exact(RECORD_SIZE as usize);
    if rows.len() < unit.sites.len() {
        return Err(outside(unit));
    }
    for (local, (row, site)) in rows.zip(&unit.sites).enumerate() {
        let recorded = u32::from_le_bytes(row[RECORD_LOCAL_AT..RECORD_LOCAL_AT + 4].try_into().unwrap());
        if row[RECORD_KIND_AT] != site.kind as u8 || recorded as usize != local {
            return damaged(format!("unit {}: record {local} is not that of its site", unit.source));
        }
    }
    Ok(offset / RECORD_SIZE as u32)
}
