//! Decoder of clang's coverage mapping: the source ranges of conditions, at which llvm-cov reports branches.
//!
//! The front end emits the mapping next to unchanged code (`driver/coverage_mapping.rs`). It is decoded here
//! as LLVM documents it ("Code Coverage Mapping Format") and removed from the module: the object contains
//! none of it.

use crate::llvm::{Module, Value};
use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

/// ELF sections of the function records and of the list of file names.
const RECORDS: &str = "__llvm_covfun";
const NAMES: &str = "__llvm_covmap";
/// Fields of the function record with the encoded regions, and of the mapping with the names.
const RECORD_DATA: u32 = 4;
const NAMES_DATA: u32 = 1;

/// Line and column, both counted from 1.
pub type Position = (u32, u32);

/// Conditions of all functions, by normalised file name.
#[derive(Debug, Default)]
pub struct CoverageMap(HashMap<PathBuf, FileMap>);

/// Conditions of one file.
#[derive(Debug, Default)]
struct FileMap {
    /// Branch regions by start; of those with the same start the longest first.
    conditions: Vec<Condition>,
    /// Start positions of macro invocations whose expansion contains a condition.
    expansions: BTreeSet<Position>,
}

/// Source range of a condition, the end exclusive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Condition {
    start: Position,
    end: Position,
    /// Index of the smallest enclosing condition.
    parent: Option<usize>,
}

impl Condition {
    fn contains(&self, at: Position) -> bool {
        // A condition inside a macro of a system header has an empty range.
        self.start == at || (self.start <= at && at < self.end)
    }
}

impl CoverageMap {
    /// Decodes the mapping of a module and removes it. Without a mapping, or with one that cannot be decoded,
    /// the result is empty: sites keep the positions of their instructions.
    pub fn take(module: &Module) -> CoverageMap {
        let in_section = |name: &str| -> Vec<Value> {
            module.variables().into_iter().filter(|variable| variable.section() == name).collect()
        };
        let (records, names) = (in_section(RECORDS), in_section(NAMES));
        let files = names.first().and_then(|names| file_names(&names.initializer_field(NAMES_DATA)?));
        let mut map = CoverageMap::default();
        for record in records.iter().filter_map(|record| record.initializer_field(RECORD_DATA)) {
            let decoded = files.as_ref().and_then(|files| MappingReader(&record).function(files));
            decoded.into_iter().for_each(|function| map.add(function));
        }
        let all: Vec<Value> = records.into_iter().chain(names).collect();
        module.release(&all);
        all.into_iter().for_each(Value::delete_global);
        map.0.values_mut().for_each(FileMap::nest_conditions);
        map
    }

    /// True if the module had no mapping.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the start of the condition whose value is computed at `value` and branched on at `decided`;
    /// `None` if the mapping does not have it.
    ///
    /// The value's position lies inside the condition's range, that of the branch never does, except at its
    /// start: it is the position of the enclosing operator or statement. Everything inside a macro's
    /// expansion is positioned at the start of the invocation, in debug information as in llvm-cov's reports.
    pub fn condition_start(&self, file: &str, value: Position, decided: Position) -> Option<Position> {
        let map = self.0.get(&normalised(Path::new(file)))?;
        let condition = map.innermost(value);
        let is_nested = |of: &Condition| of.start < decided && of.contains(decided);
        if map.expansions.contains(&value) && condition.is_none_or(is_nested) {
            return Some(value);
        }
        condition.map(|condition| condition.start)
    }

    fn add(&mut self, function: FunctionRegions) {
        let with_conditions = function.with_conditions();
        for (id, file) in function.files.iter().enumerate() {
            let map = self.0.entry(file.name.clone()).or_default();
            map.conditions.extend(file.conditions.iter().copied());
            let expansions = function.expansions.iter().filter(|expansion| expansion.from == id);
            let expansions = expansions.filter(|expansion| with_conditions.contains(&expansion.to));
            map.expansions.extend(expansions.map(|expansion| expansion.start));
        }
    }
}

impl FileMap {
    fn nest_conditions(&mut self) {
        self.conditions.sort_by_key(|condition| (condition.start, std::cmp::Reverse(condition.end)));
        self.conditions.dedup();
        let mut around: Vec<usize> = Vec::new();
        for index in 0..self.conditions.len() {
            let end = self.conditions[index].end;
            while around.last().is_some_and(|outer| self.conditions[*outer].end < end) {
                around.pop();
            }
            self.conditions[index].parent = around.last().copied();
            around.push(index);
        }
    }

    fn innermost(&self, at: Position) -> Option<&Condition> {
        let behind = self.conditions.partition_point(|condition| condition.start <= at);
        let mut candidate = behind.checked_sub(1);
        while let Some(condition) = candidate.map(|index| &self.conditions[index]) {
            if condition.contains(at) {
                return Some(condition);
            }
            candidate = condition.parent;
        }
        None
    }
}

/// Branch regions of a function, by the files and macro expansions that it consists of.
struct FunctionRegions {
    files: Vec<FileRegions>,
    expansions: Vec<Expansion>,
}

struct FileRegions {
    name: PathBuf,
    conditions: Vec<Condition>,
}

/// A macro invocation or an `#include` inside a function, and the file id of its expansion.
struct Expansion {
    from: usize,
    to: usize,
    start: Position,
}

impl FunctionRegions {
    /// Returns the file ids that contain conditions, directly or by expansion.
    fn with_conditions(&self) -> BTreeSet<usize> {
        let own = self.files.iter().enumerate().filter(|(_, file)| !file.conditions.is_empty());
        let mut found: BTreeSet<usize> = own.map(|(id, _)| id).collect();
        loop {
            let outer = self.expansions.iter().filter(|inner| found.contains(&inner.to));
            let more: Vec<usize> = outer.map(|inner| inner.from).filter(|id| !found.contains(id)).collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }
}

/// Decodes the names of a unit's files. The first is the compilation directory, to which the others are
/// relative.
fn file_names(data: &[u8]) -> Option<Vec<PathBuf>> {
    let mut reader = MappingReader(data);
    let (count, _, compressed) = (reader.int()?, reader.int()?, reader.int()?);
    if compressed != 0 {
        return None;
    }
    let names: Option<Vec<PathBuf>> = (0..count).map(|_| reader.path()).collect();
    let names = names?;
    let directory = names.first()?.clone();
    Some(names.iter().map(|name| normalised(&directory.join(name))).collect())
}

/// Returns a path without `.` and `..`, by its text alone, as clang normalises those of the mapping.
fn normalised(path: &Path) -> PathBuf {
    let mut parts: Vec<Component> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.into_iter().collect()
}

/// Kinds of regions without a counter of their own.
const SKIPPED: u64 = 2;
const BRANCH: u64 = 4;
/// Bit that marks an expansion region, below its file id.
const EXPANSION_BIT: u64 = 1 << 2;
const KIND_SHIFT: u32 = 3;
/// Low bits with the kind of a counter; 0 is the constant zero.
const COUNTER_TAG: u64 = 3;
/// Bit of an end column that marks a gap region.
const GAP_BIT: u64 = 1 << 31;

enum RegionKind {
    Condition,
    Expansion(usize),
    Other,
}

struct MappingReader<'a>(&'a [u8]);

impl MappingReader<'_> {
    fn int(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn word(&mut self) -> Option<u32> {
        self.int()?.try_into().ok()
    }

    fn path(&mut self) -> Option<PathBuf> {
        let length = self.int()? as usize;
        let (name, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(PathBuf::from(String::from_utf8_lossy(name).into_owned()))
    }

    fn function(&mut self, names: &[PathBuf]) -> Option<FunctionRegions> {
        let count = self.int()?;
        let files: Option<Vec<FileRegions>> = (0..count)
            .map(|_| {
                let name = names.get(self.int()? as usize)?.clone();
                Some(FileRegions { name, conditions: Vec::new() })
            })
            .collect();
        let mut function = FunctionRegions { files: files?, expansions: Vec::new() };
        for _ in 0..self.int()? {
            // Counter expressions.
            self.int()?;
            self.int()?;
        }
        for id in 0..function.files.len() {
            self.regions(id, &mut function)?;
        }
        Some(function)
    }

    fn regions(&mut self, id: usize, function: &mut FunctionRegions) -> Option<()> {
        let mut line = 0_u32;
        for _ in 0..self.int()? {
            let kind = self.region_kind()?;
            line = line.checked_add(self.word()?)?;
            let start = (line, self.word()?);
            let last_line = line.checked_add(self.word()?)?;
            let end = (last_line, (self.int()? & !GAP_BIT).try_into().ok()?);
            match kind {
                RegionKind::Condition => {
                    function.files[id].conditions.push(Condition { start, end, parent: None });
                }
                RegionKind::Expansion(to) => function.expansions.push(Expansion { from: id, to, start }),
                RegionKind::Other => {}
            }
        }
        Some(())
    }

    fn region_kind(&mut self) -> Option<RegionKind> {
        let header = self.int()?;
        if header & COUNTER_TAG != 0 {
            return Some(RegionKind::Other);
        }
        if header & EXPANSION_BIT != 0 {
            return Some(RegionKind::Expansion((header >> KIND_SHIFT) as usize));
        }
        match header >> KIND_SHIFT {
            0 | SKIPPED => Some(RegionKind::Other),
            BRANCH => {
                // A condition that is constant at compile time has zero counters: it is no branch.
                let counters = (self.int()?, self.int()?);
                Some(if counters == (0, 0) { RegionKind::Other } else { RegionKind::Condition })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: Position, end: Position) -> Condition {
        Condition { start, end, parent: None }
    }

    fn map(conditions: &[Condition], expansions: &[Position]) -> CoverageMap {
        let mut file =
            FileMap { conditions: conditions.to_vec(), expansions: expansions.iter().copied().collect() };
        file.nest_conditions();
        CoverageMap(HashMap::from([(PathBuf::from("/src/a.c"), file)]))
    }

    #[test]
    fn the_innermost_condition_around_a_value_is_its_own() {
        // if (f(a && b) &&\n c)
        let map = map(
            &[
                region((2, 2), (2, 3)),
                region((1, 5), (1, 14)),
                region((1, 7), (1, 8)),
                region((1, 12), (1, 13)),
            ],
            &[],
        );
        let place = |value| map.condition_start("/src/./x/../a.c", value, (1, 1));
        assert_eq!(place((1, 5)), Some((1, 5)));
        assert_eq!(place((1, 12)), Some((1, 12)));
        assert_eq!(place((1, 9)), Some((1, 5)));
        assert_eq!(place((2, 2)), Some((2, 2)));
        assert_eq!(place((3, 1)), None);
        assert_eq!(map.condition_start("/src/b.c", (2, 2), (1, 1)), None);
    }

    #[test]
    fn a_condition_inside_a_macro_is_where_the_macro_is_invoked() {
        // if (!M(x)), where M has a condition of its own
        let map = map(&[region((1, 5), (1, 10))], &[(1, 6)]);
        assert_eq!(map.condition_start("/src/a.c", (1, 6), (1, 6)), Some((1, 6)), "that of the macro");
        assert_eq!(map.condition_start("/src/a.c", (1, 6), (1, 5)), Some((1, 5)), "that of the statement");
    }

    #[test]
    fn a_damaged_record_is_refused() {
        // One file, no expressions, one branch region with two counters.
        let data = [1, 1, 0, 1, (BRANCH << KIND_SHIFT) as u8, 5, 9, 3, 4, 0, 9];
        let names = [PathBuf::from("/"), PathBuf::from("/a.c")];
        let whole = MappingReader(&data).function(&names).unwrap();
        assert_eq!(whole.files[0].conditions, [region((3, 4), (3, 9))]);
        for length in 0..data.len() {
            assert!(MappingReader(&data[..length]).function(&names).is_none(), "cut to {length}");
        }
        assert!(MappingReader(&data).function(&names[..1]).is_none(), "an unknown file");
    }
}
