//! Keeps the modules of every crate acyclic.
//!
//! The graph has a level per directory: the top-level modules of a crate, and the modules of each directory.
//! A module and all modules below it are one node of their level; a node has an edge to another one if any of
//! its non-test code names it. Uses between a module and its own parent or children are allowed. A name that
//! a module re-exports counts as a use of the module that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A known cycle: crate, directory within it, and the modules that are strongly connected.
type Cycle = (&'static str, &'static str, &'static [&'static str]);

/// Cycles that are left to be broken. An entry that no longer exists must be removed.
const KNOWN_CYCLES: &[Cycle] = &[
    ("instrument", "pass", &["atomics", "calls", "emit", "function", "outputs", "uninstrumented_calls"]),
];

/// Path of a module from the root of its crate.
type ModulePath = Vec<String>;

/// Modules of a crate with their code.
struct Crate {
    modules: BTreeMap<ModulePath, String>,
    /// Names bound by `use`, by module: the path that each stands for.
    bindings: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
}

/// A strongly connected set of modules in one directory.
#[derive(Debug, PartialEq, Eq)]
struct FoundCycle {
    directory: String,
    modules: Vec<String>,
    /// One round trip, as `a -> b -> a`.
    example: String,
}

impl Crate {
    fn new(sources: impl IntoIterator<Item = (ModulePath, String)>) -> Crate {
        let mut modules: BTreeMap<ModulePath, String> = BTreeMap::new();
        for (path, text) in sources {
            // A crate may have two roots, `lib.rs` and `main.rs`.
            modules.entry(path).or_default().push_str(&without_comments(&text));
        }
        let tests: Vec<ModulePath> =
            modules.iter().flat_map(|(path, code)| test_modules(path, code)).collect();
        modules.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        modules.values_mut().for_each(|code| *code = without_tests(code));
        let mut parsed = Crate { modules, bindings: BTreeMap::new() };
        let bindings =
            parsed.modules.iter().map(|(path, code)| (path.clone(), parsed.bound_names(path, code)));
        parsed.bindings = bindings.collect();
        parsed
    }

    fn read(source: &Path) -> Crate {
        let read = |path: PathBuf| {
            let inside = path.strip_prefix(source).expect("it is inside").with_extension("");
            let mut module: ModulePath =
                inside.iter().map(|part| part.to_str().expect("a plain name").to_owned()).collect();
            if matches!(module.last().map(String::as_str), Some("lib" | "main" | "mod")) {
                module.pop();
            }
            (module, fs::read_to_string(&path).expect("a readable file"))
        };
        Crate::new(rust_files(source).into_iter().map(read))
    }

    /// Returns the names that `use` declarations of a module bind.
    fn bound_names(&self, module: &[String], code: &str) -> BTreeMap<String, Vec<String>> {
        let mut names = BTreeMap::new();
        for statement in use_statements(code) {
            for (path, name) in use_tree(&statement) {
                names.extend(self.absolute(module, &path).map(|absolute| (name, absolute)));
            }
        }
        names
    }

    /// Returns a path from the root of the crate; None if it leads out of the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.to_vec(), &path[1..]),
            "super" => (module.to_vec(), path),
            child if self.modules.contains_key(&[module, &[child.to_owned()]].concat()) => {
                (module.to_vec(), path)
            }
            _ => return None,
        };
        while rest.first().is_some_and(|first| first == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        Some([&at[..], rest].concat())
    }

    /// Returns the module that defines what a path from the root names; re-exports are followed.
    fn resolve(&self, path: &[String], depth: u32) -> ModulePath {
        let mut module = ModulePath::new();
        for (index, name) in path.iter().enumerate() {
            let child = [&module[..], std::slice::from_ref(name)].concat();
            if self.modules.contains_key(&child) {
                module = child;
                continue;
            }
            let bound = self.bindings.get(&module).and_then(|names| names.get(name));
            return match bound.filter(|_| depth < 8) {
                Some(target) => self.resolve(&[&target[..], &path[index + 1..]].concat(), depth + 1),
                None => module,
            };
        }
        module
    }

    /// Returns the modules that a module's code names.
    fn uses(&self, module: &[String], code: &str) -> BTreeSet<ModulePath> {
        let paths = named_paths(code);
        paths
            .iter()
            .filter_map(|path| self.absolute(module, path))
            .map(|path| self.resolve(&path, 0))
            .collect()
    }

    /// Returns the cycles of all levels.
    fn cycles(&self) -> Vec<FoundCycle> {
        let mut levels: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (module, code) in &self.modules {
            for used in self.uses(module, code) {
                let common = module.iter().zip(&used).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.get(common), used.get(common)) {
                    let level = levels.entry(module[..common].to_vec()).or_default();
                    level.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        levels.iter().flat_map(|(directory, edges)| cycles_in(&directory.join("/"), edges)).collect()
    }
}

/// Returns the strongly connected sets of more than one module.
fn cycles_in(directory: &str, edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<FoundCycle> {
    let mut found: Vec<FoundCycle> = Vec::new();
    for start in edges.keys() {
        if found.iter().any(|cycle| cycle.modules.contains(start)) {
            continue;
        }
        let connected = |other: &&String| path(edges, other, start).is_some();
        let Some(round) = path(edges, start, start) else { continue };
        let modules = edges.keys().filter(|other| path(edges, start, other).is_some()).filter(connected);
        let (directory, modules) = (directory.to_owned(), modules.cloned().collect());
        found.push(FoundCycle { directory, modules, example: round.join(" -> ") });
    }
    found
}

/// Returns a shortest path of at least one edge.
fn path(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut paths = vec![vec![from.to_owned()]];
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            for next in edges.get(path.last().expect("not empty")).into_iter().flatten() {
                let extended = [&path[..], std::slice::from_ref(next)].concat();
                if next == to {
                    return Some(extended);
                }
                if seen.insert(next.clone()) {
                    longer.push(extended);
                }
            }
        }
        paths = longer;
    }
    None
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn without_comments(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        code += line.split("//").next().unwrap_or_default();
        code.push('\n');
    }
    code
}

/// Returns the modules that are declared for tests only.
fn test_modules(module: &[String], code: &str) -> Vec<ModulePath> {
    let declared = code.split("#[cfg(test)]").skip(1).filter_map(|rest| {
        let declaration = rest.split([';', '{']).next()?;
        let name = declaration.trim().strip_prefix("pub ").unwrap_or(declaration.trim());
        Some([module, &[name.strip_prefix("mod ")?.trim().to_owned()]].concat())
    });
    declared.collect()
}

/// Removes the items that are compiled for tests only.
fn without_tests(code: &str) -> String {
    let mut parts = code.split("#[cfg(test)]");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept += &part[end_of_item(part)..];
    }
    kept
}

/// Returns the length of the first item: up to its semicolon or its last brace.
fn end_of_item(code: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in code.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// Returns the trees of all `use` declarations.
fn use_statements(code: &str) -> Vec<String> {
    let mut statements = Vec::new();
    for line_start in code.match_indices("use ").map(|(at, _)| at) {
        let before = code[..line_start].trim_end_matches([' ', '\t']);
        let is_statement =
            before.is_empty() || before.ends_with(['\n', ')', ';', '{', '}']) || before.ends_with("pub");
        if let (true, Some(end)) = (is_statement, code[line_start..].find(';')) {
            statements.push(code[line_start + 4..line_start + end].to_owned());
        }
    }
    statements
}

/// Returns the paths of a tree such as `a::{b, c::d as e}`, each with the name that it binds.
fn use_tree(tree: &str) -> Vec<(Vec<String>, String)> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let (path, renamed) = match tree.split_once(" as ") {
            Some((path, name)) => (path, Some(name.trim().to_owned())),
            None => (tree, None),
        };
        let mut path: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
        return vec![(path, name)];
    };
    let prefix: Vec<String> =
        tree[..open].split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    found.extend(use_tree(&inner[start..at]));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    let with_prefix = |(path, name): (Vec<String>, String)| match path == ["self"] {
        true => (prefix.clone(), prefix.last().cloned().unwrap_or_default()),
        false => ([&prefix[..], &path[..]].concat(), name),
    };
    found.into_iter().map(with_prefix).collect()
}

/// Returns all paths that begin with `crate` or `super`, in `use` declarations and elsewhere, and those of
/// `use` declarations that begin with a child module.
fn named_paths(code: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> =
        use_statements(code).iter().flat_map(|tree| use_tree(tree)).map(|(path, _)| path).collect();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_inner = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            let end = code[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let text = code[at..at + end.unwrap_or(code.len() - at)].trim_end_matches(':');
            if !is_inner && !code[..at].ends_with("in ") {
                paths.push(text.split("::").map(str::to_owned).collect());
            }
        }
    }
    paths
}

fn made_up(sources: &[(&str, &str)]) -> Vec<FoundCycle> {
    let module = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    Crate::new(sources.iter().map(|(path, code)| (module(path), (*code).to_owned()))).cycles()
}

fn modules(cycles: &[FoundCycle]) -> Vec<(&str, Vec<&str>)> {
    let names = |cycle| {
        let FoundCycle { directory, modules, .. }: &FoundCycle = cycle;
        (directory.as_str(), modules.iter().map(String::as_str).collect())
    };
    cycles.iter().map(names).collect()
}

#[test]
fn planted_cycles_are_found() {
    let direct = [("a", "use crate::b::B;"), ("b", "fn f() { super::a::g(); }")];
    assert_eq!(modules(&made_up(&direct)), [("", vec!["a", "b"])]);
    let long =
        [("a", "use super::{b::B, x};"), ("b", "use crate::{c::{C, D as E}};"), ("c", "use crate::a;")];
    assert_eq!(made_up(&long)[0].example, "a -> b -> c -> a");
    let of_children =
        [("a/x", "use crate::b::y::Y;"), ("b/y", "use crate::a::z::Z;"), ("a/z", ""), ("a", ""), ("b", "")];
    assert_eq!(modules(&made_up(&of_children)), [("", vec!["a", "b"])]);
    let siblings = [("a", "mod x; mod y;"), ("a/x", "use super::y::Y;"), ("a/y", "use crate::a::x::X;")];
    assert_eq!(modules(&made_up(&siblings)), [("a", vec!["x", "y"])]);
    let by_re_export = [("", "pub use b::B;"), ("a", "use crate::B;"), ("b", "use crate::a::A;")];
    assert_eq!(modules(&made_up(&by_re_export)), [("", vec!["a", "b"])]);
}

#[test]
fn allowed_uses_are_no_cycles() {
    let with_parent = [("a", "mod x; use x::X; struct A;"), ("a/x", "use super::A; struct X;")];
    assert_eq!(made_up(&with_parent), []);
    let chain =
        [("a", "use crate::b::B;"), ("b", "use crate::c::C;"), ("c", "// crate::a is only mentioned\n")];
    assert_eq!(made_up(&chain), []);
    let in_tests = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n    fn f() { g(); }\n}\nfn last() {}\n";
    assert_eq!(made_up(&[("a", "use crate::b::B;"), ("b", in_tests)]), []);
    let test_file = [("a", "use crate::b::B;"), ("b", "#[cfg(test)]\nmod t;"), ("b/t", "use crate::a::A;")];
    assert_eq!(made_up(&test_file), []);
}

#[test]
fn modules_are_acyclic() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned();
    let mut names: Vec<PathBuf> =
        fs::read_dir(&crates).expect("crates").map(|c| c.expect("an entry").path()).collect();
    names.sort();
    let (mut unknown, mut left) = (String::new(), KNOWN_CYCLES.to_vec());
    for path in names.iter().filter(|path| path.join("src").is_dir()) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        for cycle in Crate::read(&path.join("src")).cycles() {
            let is_it =
                |known: &Cycle| known.0 == name && known.1 == cycle.directory && cycle.modules == known.2;
            match left.iter().position(is_it) {
                Some(known) => drop(left.remove(known)),
                None => unknown += &format!("{name}: {cycle:?}\n"),
            }
        }
    }
    assert!(unknown.is_empty(), "new cycles of modules:\n{unknown}");
    assert!(left.is_empty(), "these cycles no longer exist, remove them from the list: {left:?}");
}
