//! An example or file test, and what its header says about it.

use crate::common::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub struct Example {
    pub name: String,
    pub source: PathBuf,
    /// Branches that can be reached.
    pub branches: u64,
    /// Branches that cannot.
    pub unreachable: u64,
    /// Signal and function of every planted fault.
    pub faults: BTreeSet<(String, String)>,
    pub strategy: String,
    pub execs: u64,
    /// Symbolic parts of the input.
    pub parts: Vec<Part>,
    /// True if the length of streams is symbolic too; tests of something else do without.
    pub any_length: bool,
}

impl Example {
    /// Reads all programs of a directory: `examples`, which users read, or `tests`, one feature each.
    pub fn all(directory: &str) -> Vec<Example> {
        let directory = std::fs::read_dir(root().join(directory)).unwrap();
        let mut sources: Vec<PathBuf> = directory.map(|entry| entry.unwrap().path()).collect();
        sources.retain(|path| path.extension().is_some_and(|e| e == "c" || e == "cc"));
        sources.sort();
        sources.into_iter().map(Example::read).collect()
    }

    /// The one of this name.
    pub fn named(name: &str) -> Example {
        Example::read(root().join("examples").join(name).with_extension("c"))
    }

    /// Options of `cairn run` that make the input symbolic.
    pub fn options(&self) -> Vec<String> {
        let fixed = (!self.any_length).then(|| "--fixed-length".to_owned());
        self.parts.iter().flat_map(Part::options).chain(fixed).collect()
    }

    /// Arguments of the program.
    pub fn args(&self) -> Vec<String> {
        self.parts.iter().filter(|p| matches!(p, Part::File(_))).map(|_| "@@".to_owned()).collect()
    }

    fn read(source: PathBuf) -> Example {
        let text = std::fs::read_to_string(&source).unwrap();
        let mut keys: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let header = text.lines().skip(1).map(|line| line.trim_start_matches(" *").trim());
        for (key, value) in
            header.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(": "))
        {
            keys.entry(key).or_default().push(value.trim());
        }
        let one = |key: &str| {
            *keys.get(key).unwrap_or_else(|| panic!("{}: no {key}", source.display())).first().unwrap()
        };
        let number = |key| one(key).parse::<u64>().unwrap_or_else(|_| panic!("{}: {key}", source.display()));
        let faults = keys.get("fault").into_iter().flatten().map(|f| f.split_once(' ').unwrap());
        let faults: BTreeSet<_> =
            faults.map(|(signal, function)| (signal.to_owned(), function.to_owned())).collect();
        assert_eq!(faults.len() as u64, number("faults"), "{}", source.display());
        let parts: Vec<Part> = one("input").split(", ").flat_map(Part::read).collect();
        Example {
            name: one("cairn-example").to_owned(),
            branches: number("branches"),
            unreachable: number("unreachable"),
            strategy: one("strategy").to_owned(),
            execs: number("execs"),
            faults,
            any_length: one("input").contains("0-"),
            parts,
            source,
        }
    }
}

/// A part of an input such as `args 5 2, stdin 0-3`.
pub enum Part {
    Stdin(usize),
    Arg(usize),
    /// From so many to so many arguments of up to so many bytes.
    Optional([usize; 3]),
    /// The file that `@@` names.
    File(usize),
    /// A file that the program opens by itself.
    Open(String, usize),
}

impl Part {
    /// The parts of `kind word word …`.
    fn read(text: &str) -> Vec<Part> {
        let (kind, words) = text.split_once(' ').unwrap_or((text, ""));
        let numbers = || words.split(' ').map(limit);
        match kind {
            "named" => Vec::new(),
            "stdin" => numbers().map(Part::Stdin).collect(),
            "arg" | "args" => numbers().map(Part::Arg).collect(),
            "optional" => vec![Part::Optional(numbers().collect::<Vec<_>>().try_into().unwrap())],
            "file" => numbers().map(Part::File).collect(),
            "open" => {
                let (name, len) = words.split_once(' ').unwrap();
                vec![Part::Open(name.to_owned(), limit(len))]
            }
            other => panic!("what is {other} input?"),
        }
    }

    /// As options of `cairn run`.
    fn options(&self) -> Vec<String> {
        let text = match self {
            Part::Stdin(len) => format!("--sym-stdin {len}"),
            Part::Arg(len) => format!("--sym-arg {len}"),
            Part::Optional([least, most, len]) => format!("--sym-args {least} {most} {len}"),
            Part::File(len) => format!("--sym-file {len}"),
            Part::Open(name, len) => format!("--sym-file {name} {len}"),
        };
        text.split(' ').map(str::to_owned).collect()
    }
}

/// `N`, or `0-N` of something whose length is input.
fn limit(text: &str) -> usize {
    text.trim_start_matches("0-").parse().unwrap_or_else(|_| panic!("{text} is no length"))
}
