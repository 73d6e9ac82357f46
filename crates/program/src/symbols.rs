//! Maps code addresses of the program to source locations.

use crate::assemble::source_name;
use addr2line::Loader;
use object::{Object, ObjectSection, SectionKind};
use std::fmt;
use std::path::Path;

/// A function, and the line in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceFrame {
    /// Name in the source, or in the symbol table if that is all there is.
    pub function: String,
    /// Source file and line, if the program was compiled with line tables.
    pub line: Option<(String, u32)>,
}

impl fmt::Display for SourceFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.function)?;
        match &self.line {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// Opcode of a direct call; the displacement from the next instruction follows.
const CALL: u8 = 0xe8;
const CALL_LENGTH: u64 = 5;

/// The line tables of an executable, and its code.
pub struct Symbols {
    loader: Loader,
    /// Address and bytes of each code section.
    code: Vec<(u64, Vec<u8>)>,
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbols").finish_non_exhaustive()
    }
}

impl Symbols {
    /// Reads those of an executable; `None` if it cannot be read.
    pub fn read(path: &Path) -> Option<Symbols> {
        Some(Symbols { loader: Loader::new(path).ok()?, code: code(path).unwrap_or_default() })
    }

    /// Returns the target of the direct call whose last byte is at `offset`; `None` if it is no such call.
    pub fn called_by(&self, offset: u64) -> Option<u64> {
        let base = self.loader.relative_address_base();
        let after = offset + base + 1;
        let instruction = self.bytes_at(after.checked_sub(CALL_LENGTH)?)?;
        let [CALL, distance @ ..] = instruction else { return None };
        let distance = i64::from(i32::from_le_bytes(*distance));
        after.checked_add_signed(distance)?.checked_sub(base)
    }

    fn bytes_at(&self, address: u64) -> Option<&[u8; CALL_LENGTH as usize]> {
        self.code.iter().find_map(|(start, bytes)| {
            let from = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(from..)?.first_chunk()
        })
    }

    /// Returns the functions an instruction belongs to, inlined ones first; empty if nothing is known.
    /// `offset` counts from the start of the program in memory.
    pub fn frames(&self, offset: u64) -> Vec<SourceFrame> {
        let address = offset + self.loader.relative_address_base();
        let mut found = self.inlined(address);
        if found.is_empty() {
            found.extend(self.symbol(address).map(|function| SourceFrame { function, line: None }));
        }
        found
    }

    fn inlined(&self, address: u64) -> Vec<SourceFrame> {
        let mut found = Vec::new();
        let Ok(mut frames) = self.loader.find_frames(address) else { return found };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
            let name = name.map(|name| source_name(&name).to_owned());
            let line = frame
                .location
                .and_then(|location| Some((relative_to_current_dir(location.file?), location.line?)));
            if let Some(function) = name.or_else(|| self.symbol(address)) {
                found.push(SourceFrame { function, line });
            }
        }
        found
    }

    fn symbol(&self, address: u64) -> Option<String> {
        self.loader.find_symbol(address).map(|name| source_name(name).to_owned())
    }
}

fn code(path: &Path) -> Option<Vec<(u64, Vec<u8>)>> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let sections = file.sections().filter(|section| section.kind() == SectionKind::Text);
    Some(sections.filter_map(|section| Some((section.address(), section.data().ok()?.to_vec()))).collect())
}

/// Shortens a file's name relative to the current directory.
pub fn relative_to_current_dir(file: &str) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.as_deref().and_then(|here| Path::new(file).strip_prefix(here).ok());
    inside.map_or_else(|| file.to_owned(), |inside| inside.display().to_string())
}
