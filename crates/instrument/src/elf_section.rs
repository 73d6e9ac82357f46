//! Adds a section that is not loaded to a relocatable ELF file, without moving any other: the contents, a longer
//! table of section names and a longer section header table come last.

use std::ops::Range;

/// Size of the file header, and the offsets of its fields.
const FILE_HEADER: usize = 64;
const TABLE_OFFSET: usize = 0x28;
const ENTRY_SIZE: usize = 0x3a;
const ENTRY_COUNT: usize = 0x3c;
const NAMES_INDEX: usize = 0x3e;
/// Size of a section header, and the offsets of its fields.
const ENTRY: usize = 64;
const KIND: usize = 4;
const FLAGS: usize = 8;
const OFFSET: usize = 24;
const SIZE: usize = 32;
const LINK: usize = 40;
const ALIGNMENT: usize = 48;
/// First number of sections that does not fit the file header: it is then in the first section header.
const RESERVED: usize = 0xff00;
/// Index of the names that stands for one in the first section header.
const EXTENDED: usize = 0xffff;
/// Flag of a section that is kept whatever refers to it; it belongs to GNU's variant of ELF.
const RETAIN: u64 = 1 << 21;
const OS_ABI: usize = 7;
const GNU: u8 = 3;
const PROGBITS: u32 = 1;
const STRTAB: u32 = 3;

/// Returns the file with another section; None if it is no 64-bit little-endian ELF file.
pub fn append(file: &[u8], name: &str, content: &[u8]) -> Option<Vec<u8>> {
    if !file.starts_with(b"\x7fELF\x02\x01") || half(file, ENTRY_SIZE)? != ENTRY {
        return None;
    }
    let table = long(file, TABLE_OFFSET)?;
    let first = file.get(table..table.checked_add(ENTRY)?)?;
    let count = match half(file, ENTRY_COUNT)? {
        0 => long(first, SIZE)?,
        count => count,
    };
    let names = match half(file, NAMES_INDEX)? {
        EXTENDED => word(first, LINK)?,
        index => index,
    };
    let table_end = table.checked_add(count.checked_mul(ENTRY)?)?;
    let mut headers = file.get(table..table_end)?.to_vec();
    let names_header = headers.get_mut(names.checked_mul(ENTRY)?..)?.get_mut(..ENTRY)?;
    let (start, length) = (long(names_header, OFFSET)?, long(names_header, SIZE)?);
    let mut strings = file.get(start..start.checked_add(length)?)?.to_vec();
    let name_at = u32::try_from(strings.len()).ok()?;
    strings.extend(name.bytes().chain([0]));

    let mut result = file[..tail(file, table..table_end, start..start + length)].to_vec();
    let content_at = result.len();
    result.extend(content);
    put(names_header, OFFSET, &(result.len() as u64).to_le_bytes());
    put(names_header, SIZE, &(strings.len() as u64).to_le_bytes());
    result.extend(strings);
    result.resize(result.len().next_multiple_of(8), 0);
    headers.extend(header(name_at, PROGBITS, content_at, content.len()));
    let (new_table, new_count) = (result.len() as u64, count + 1);
    if new_count >= RESERVED {
        put(&mut headers, SIZE, &(new_count as u64).to_le_bytes());
        put(&mut result, ENTRY_COUNT, &[0, 0]);
    } else {
        put(&mut result, ENTRY_COUNT, &(new_count as u16).to_le_bytes());
    }
    put(&mut result, TABLE_OFFSET, &new_table.to_le_bytes());
    result.extend(headers);
    Some(result)
}

/// Returns where the part of a file begins that consists of these two tables, which are written again: its end
/// if others come last.
fn tail(file: &[u8], headers: Range<usize>, strings: Range<usize>) -> usize {
    const PADDING: usize = 8;
    let end = if headers.end == file.len() { headers.start } else { file.len() };
    let is_before = (strings.end..strings.end + PADDING).contains(&end);
    if is_before { strings.start } else { end }
}

/// Returns an object without any code, with one section.
pub fn object_with(name: &str, content: &[u8]) -> Vec<u8> {
    const RELOCATABLE: u16 = 1;
    const X86_64: u16 = 62;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(FILE_HEADER, 0);
    put(&mut file, 0x10, &RELOCATABLE.to_le_bytes());
    put(&mut file, 0x12, &X86_64.to_le_bytes());
    put(&mut file, 0x14, &1u32.to_le_bytes());
    put(&mut file, 0x34, &(FILE_HEADER as u16).to_le_bytes());
    put(&mut file, ENTRY_SIZE, &(ENTRY as u16).to_le_bytes());
    put(&mut file, ENTRY_COUNT, &2u16.to_le_bytes());
    put(&mut file, NAMES_INDEX, &1u16.to_le_bytes());
    let names = b"\0.shstrtab\0";
    let table = FILE_HEADER + names.len().next_multiple_of(8);
    put(&mut file, TABLE_OFFSET, &(table as u64).to_le_bytes());
    file.extend(names);
    file.resize(table, 0);
    file.extend([0; ENTRY]);
    file.extend(header(1, STRTAB, FILE_HEADER, names.len()));
    // Linkers take an object without this section for one that needs an executable stack.
    let file = append(&file, ".note.GNU-stack", b"").expect("it is such a file");
    let mut file = append(&file, name, content).expect("it is such a file");
    // GNU ld collects a section that nothing refers to, unless it is marked.
    let last = file.len() - ENTRY;
    put(&mut file, last + FLAGS, &RETAIN.to_le_bytes());
    put(&mut file, OS_ABI, &[GNU]);
    file
}

/// Returns the header of a section that is not loaded.
fn header(name: u32, kind: u32, offset: usize, size: usize) -> [u8; ENTRY] {
    let mut header = [0; ENTRY];
    put(&mut header, 0, &name.to_le_bytes());
    put(&mut header, KIND, &kind.to_le_bytes());
    put(&mut header, OFFSET, &(offset as u64).to_le_bytes());
    put(&mut header, SIZE, &(size as u64).to_le_bytes());
    put(&mut header, ALIGNMENT, &1u64.to_le_bytes());
    header
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize)
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSection};

    #[test]
    fn an_object_gets_a_section() {
        let once = object_with(".cairn.one", b"first");
        let twice = append(&once, ".cairn.two", b"second").unwrap();
        let file = object::File::parse(&*twice).unwrap();
        let data = |name| file.section_by_name(name).unwrap().data().unwrap();
        assert_eq!((data(".cairn.one"), data(".cairn.two")), (&b"first"[..], &b"second"[..]));
    }

    #[test]
    fn nothing_but_the_section_is_added() {
        let object = object_with(".a", b"x");
        let more = append(&object, ".b", &[7; 1000]).unwrap();
        assert!(more.len() <= object.len() + 1000 + ENTRY + 16, "{} {}", object.len(), more.len());
    }

    #[test]
    fn many_sections_are_counted_in_the_first_header() {
        let mut file = object_with(".a", b"x");
        let table = long(&file, TABLE_OFFSET).unwrap();
        // Empty sections after the four that there are.
        file.resize(table + RESERVED * ENTRY, 0);
        put(&mut file, ENTRY_COUNT, &[0, 0]);
        put(&mut file, table + SIZE, &(RESERVED as u64).to_le_bytes());
        let more = append(&file, ".b", b"y").unwrap();
        let read = object::File::parse(&*more).unwrap();
        assert_eq!(read.section_by_name(".b").unwrap().data().unwrap(), b"y");
        assert_eq!(read.section_by_name(".a").unwrap().data().unwrap(), b"x");
    }

    #[test]
    fn other_files_are_left_alone() {
        assert_eq!(append(b"!<arch>\n", ".x", b""), None);
        let object = object_with(".a", b"x");
        assert!((0..object.len()).all(|end| append(&object[..end], ".x", b"").is_none()));
    }
}
