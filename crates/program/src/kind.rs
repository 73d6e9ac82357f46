//! Identifies files that are not programs Cairn can explore, for error messages.

use object::elf::{
    DF_1_PIE, DT_FLAGS_1, ELFMAG, EM_X86_64, ET_CORE, ET_DYN, ET_REL, FileHeader64, PT_INTERP,
};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::fmt;

/// A kind of file that is not a program Cairn can explore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// An empty file.
    Empty,
    /// A directory.
    Directory,
    /// A script that starts with `#!` and the name of this interpreter.
    Script(String),
    /// An object file.
    ObjectFile,
    /// An `ar` archive of object files.
    Archive,
    /// A shared library.
    SharedLibrary,
    /// A core dump.
    CoreDump,
    /// A program for 32-bit x86.
    Program32,
    /// A program for another processor.
    OtherMachine,
    /// A program for macOS.
    MachO,
    /// A program for Windows.
    Windows,
    /// WebAssembly.
    Wasm,
    /// LLVM bitcode whose name does not say so.
    Bitcode,
    /// An ELF file whose tables cannot be read.
    DamagedElf,
    /// Text.
    Text,
    /// Anything else.
    Data,
}

/// Interpreters that are shells.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
const MACH_O: [[u8; 4]; 4] =
    [[0xfe, 0xed, 0xfa, 0xce], [0xfe, 0xed, 0xfa, 0xcf], [0xce, 0xfa, 0xed, 0xfe], [0xcf, 0xfa, 0xed, 0xfe]];
/// Magic number of universal binaries, which Java class files share; the next number, the version of a class
/// file, is larger in those.
const UNIVERSAL: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];
const MAX_UNIVERSAL: u8 = 32;
/// Number of bytes examined to tell text from other data.
const SAMPLE: usize = 4096;

impl FileKind {
    /// Returns the kind of a file with this content; `None` if it is a program for this machine.
    pub(crate) fn of(bytes: &[u8]) -> Option<FileKind> {
        if bytes.starts_with(&ELFMAG) {
            return of_elf(bytes);
        }
        Some(match bytes {
            [] => FileKind::Empty,
            [b'#', b'!', ..] => FileKind::Script(interpreter(bytes)),
            [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => FileKind::Bitcode,
            [0, b'a', b's', b'm', ..] => FileKind::Wasm,
            [b'M', b'Z', ..] => FileKind::Windows,
            _ if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") => FileKind::Archive,
            _ if MACH_O.iter().any(|magic| bytes.starts_with(magic)) => FileKind::MachO,
            [.., _] if bytes.starts_with(&UNIVERSAL) && bytes.get(7).is_some_and(|n| *n < MAX_UNIVERSAL) => {
                FileKind::MachO
            }
            _ if is_text(bytes) => FileKind::Text,
            _ => FileKind::Data,
        })
    }

    /// True if the system may still be able to run it, by itself or with an interpreter.
    pub fn may_run(&self) -> bool {
        matches!(self, FileKind::Script(_) | FileKind::Program32 | FileKind::OtherMachine)
    }

    fn description(&self) -> String {
        match self {
            FileKind::Empty => "empty",
            FileKind::Directory => "a directory",
            FileKind::Script(by) if SHELLS.contains(&by.as_str()) => "a shell script",
            FileKind::Script(by) => return format!("a script for {by}"),
            FileKind::ObjectFile => "an object file",
            FileKind::Archive => "an archive of object files",
            FileKind::SharedLibrary => "a shared library",
            FileKind::CoreDump => "a core dump",
            FileKind::Program32 => "a 32-bit program",
            FileKind::OtherMachine => "a program for another processor",
            FileKind::MachO => "a Mach-O file, for macOS",
            FileKind::Windows => "a program for Windows",
            FileKind::Wasm => "a WebAssembly module",
            FileKind::Bitcode => "LLVM bitcode",
            FileKind::DamagedElf => "a damaged ELF file",
            FileKind::Text => "text",
            FileKind::Data => "neither a program nor source",
        }
        .to_owned()
    }

    /// Returns the advice for the user.
    fn advice(&self) -> &'static str {
        match self {
            FileKind::Directory => "name the program in it, or its C files",
            FileKind::Script(_) => "name the program that it starts (libtool keeps that in .libs)",
            FileKind::ObjectFile | FileKind::Archive => "link it to a program with `cairn cc`",
            FileKind::SharedLibrary => "name a program that loads it, built with `cairn cc`",
            FileKind::Program32 | FileKind::OtherMachine | FileKind::MachO | FileKind::Windows => {
                "build it for 64-bit x86 Linux with `cairn cc`"
            }
            FileKind::Wasm => "build its source for 64-bit x86 Linux with `cairn cc`",
            FileKind::Bitcode => "give it a name that ends in .bc",
            FileKind::Text => {
                "source is known by the end of its name (.c, .cc, .cpp, .cxx, .C, .i, .ii, .bc or .ll)"
            }
            FileKind::Empty | FileKind::CoreDump | FileKind::DamagedElf | FileKind::Data => {
                "name a program built with `cairn cc`, or C files"
            }
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.description(), self.advice())
    }
}

/// Returns the name of the interpreter in the first line.
fn interpreter(bytes: &[u8]) -> String {
    let line = bytes[2..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(&line[..line.len().min(SAMPLE)]).into_owned();
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next().unwrap_or("an unnamed interpreter");
    let named = if first == "env" { words.find(|word| !word.starts_with('-')) } else { None };
    named.unwrap_or(first).to_owned()
}

fn is_text(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let is_whole = |error: std::str::Utf8Error| error.error_len().is_none();
    !sample.contains(&0) && std::str::from_utf8(sample).map_or_else(is_whole, |_| true)
}

fn of_elf(bytes: &[u8]) -> Option<FileKind> {
    const CLASS_AT: usize = 4;
    const MACHINE_AT: std::ops::Range<usize> = 18..20;
    if bytes.get(CLASS_AT) == Some(&elf::ELFCLASS32.0) {
        let is_x86 = bytes.get(MACHINE_AT) == Some(&elf::EM_386.0.to_le_bytes());
        return Some(if is_x86 { FileKind::Program32 } else { FileKind::OtherMachine });
    }
    let Ok(header) = FileHeader64::<Endianness>::parse(bytes) else { return Some(FileKind::DamagedElf) };
    let Ok(endian) = header.endian() else { return Some(FileKind::DamagedElf) };
    match header.e_type(endian) {
        ET_REL => Some(FileKind::ObjectFile),
        ET_CORE => Some(FileKind::CoreDump),
        _ if header.e_machine(endian) != EM_X86_64 => Some(FileKind::OtherMachine),
        ET_DYN if !is_position_independent_program(header, endian, bytes) => Some(FileKind::SharedLibrary),
        _ => None,
    }
}

/// True if the file names a loader or is marked as a program; a shared library does neither.
fn is_position_independent_program(
    header: &FileHeader64<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> bool {
    let Ok(segments) = header.program_headers(endian, bytes) else { return true };
    let is_marked = |segment: &elf::ProgramHeader64<Endianness>| {
        let entries = segment.dynamic(endian, bytes).ok().flatten().unwrap_or_default();
        let mut flags = entries.iter().filter(|entry| entry.d_tag(endian) == DT_FLAGS_1);
        flags.any(|entry| entry.d_val(endian) & DF_1_PIE.0 != 0)
    };
    segments.iter().any(|segment| segment.p_type(endian) == PT_INTERP || is_marked(segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_for_what_they_are() {
        let check = |bytes: &[u8], expected: &str| {
            assert_eq!(FileKind::of(bytes).unwrap().description(), expected, "{bytes:?}");
        };
        check(b"", "empty");
        check(b"#!/bin/sh\nexec x\n", "a shell script");
        check(b"#! /usr/bin/env -S python3 -u\n", "a script for python3");
        check(b"#!", "a script for an unnamed interpreter");
        check(b"!<arch>\n", "an archive of object files");
        check(b"\xcf\xfa\xed\xfe\x07", "a Mach-O file, for macOS");
        check(b"\xca\xfe\xba\xbe\0\0\0\x02", "a Mach-O file, for macOS");
        check(b"\xca\xfe\xba\xbe\0\0\0\x41", "neither a program nor source");
        check(b"MZ\x90", "a program for Windows");
        check(b"BC\xc0\xde", "LLVM bitcode");
        check("int main(void) { return 0; } /* ü */".as_bytes(), "text");
        check(b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0", "a 32-bit program");
        check(b"\x7fELF", "a damaged ELF file");
        check(&[0; 9], "neither a program nor source");
    }
}
