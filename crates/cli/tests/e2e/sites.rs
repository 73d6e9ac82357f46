//! In which function a plain build crashed.

use object::{Object, ObjectSymbol, SymbolKind};
use std::path::Path;

/// The functions of a program, by address.
pub struct Functions(Vec<(u64, u64, String)>);

impl Functions {
    pub fn read(program: &Path) -> Functions {
        let bytes = std::fs::read(program).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let is_function = |s: &object::Symbol| s.kind() == SymbolKind::Text && s.size() > 0;
        let entry =
            |s: object::Symbol| Some((s.address(), s.address() + s.size(), s.name().ok()?.to_owned()));
        Functions(file.symbols().filter(is_function).filter_map(entry).collect())
    }

    /// The innermost function of the program itself, from what a crash printed.
    pub fn crashed_in(&self, stderr: &[u8]) -> Option<&str> {
        let text = String::from_utf8_lossy(stderr);
        let frames = text.lines().filter_map(|l| l.strip_prefix("fault frame 0x"));
        let addresses = frames.filter_map(|hex| u64::from_str_radix(hex, 16).ok());
        addresses.filter_map(|address| self.at(address)).find(|name| !name.starts_with("fault_"))
    }

    /// A return address may lie just behind the function that called.
    fn at(&self, address: u64) -> Option<&str> {
        let inside = address.checked_sub(1)?;
        self.0
            .iter()
            .find(|(start, end, _)| (*start..*end).contains(&inside))
            .map(|(_, _, name)| name.as_str())
    }
}
