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
    /// Options of `cairn run` that make the input symbolic.
    pub options: Vec<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
}

impl Example {
    /// All programs of a directory: `examples`, which users read, or `tests`, one feature each.
    pub fn all(directory: &str) -> Vec<Example> {
        let directory = std::fs::read_dir(root().join(directory)).unwrap();
        let mut sources: Vec<PathBuf> = directory.map(|entry| entry.unwrap().path()).collect();
        sources.retain(|path| path.extension().is_some_and(|e| e == "c"));
        sources.sort();
        sources.into_iter().map(Example::read).collect()
    }

    /// The one of this name.
    pub fn named(name: &str) -> Example {
        Example::read(root().join("examples").join(name).with_extension("c"))
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
        let (options, args) = input(one("input"));
        Example {
            name: one("cairn-example").to_owned(),
            branches: number("branches"),
            unreachable: number("unreachable"),
            strategy: one("strategy").to_owned(),
            execs: number("execs"),
            faults,
            options,
            args,
            source,
        }
    }
}

/// What `cairn run` needs to know about an input such as `args 5 2, stdin 3`.
fn input(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut options, mut args) = (Vec::new(), Vec::new());
    for part in text.split(", ") {
        let mut words = part.split(' ');
        let kind = words.next().unwrap();
        let option = match kind {
            "named" => continue,
            "stdin" => "--sym-stdin",
            "arg" | "args" => "--sym-arg",
            "file" => {
                args.push("@@".to_owned());
                "--sym-file"
            }
            other => panic!("what is {other} input?"),
        };
        options.extend(words.flat_map(|len| [option.to_owned(), len.to_owned()]));
    }
    (options, args)
}
