//! Parser of the user's command line: options and inputs.

use super::input::{Input, InputKind};
use super::options::{self, Role};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// An option, with its value if that is a word of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opt {
    word: OsString,
    value: Option<OsString>,
}

/// An item of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// An option.
    Opt(Opt),
    /// A file to compile or link.
    Input(Input),
}

/// The command line, in order; `-x` has been folded into the inputs it applies to.
#[derive(Clone, Debug, Default)]
pub struct Command {
    items: Vec<Item>,
}

impl Opt {
    fn new(word: impl Into<OsString>, value: Option<OsString>) -> Opt {
        Opt { word: word.into(), value }
    }

    /// Returns the option's role.
    pub fn role(&self) -> Role {
        options::role(&self.word.to_string_lossy())
    }

    /// True if this is exactly the option `name`.
    pub fn is(&self, name: &str) -> bool {
        self.word == name
    }

    /// Returns the part of the word after `prefix`, if it begins with that.
    pub fn after(&self, prefix: &str) -> Option<&OsStr> {
        self.word.as_bytes().strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes)
    }

    /// Returns the value of option `name`, joined or separate, if this is that option.
    pub fn value_of(&self, name: &str) -> Option<&OsStr> {
        if self.is(name) { self.value.as_deref() } else { self.after(name) }
    }

    /// Returns the words of the option, as on a command line.
    pub fn words(&self) -> impl Iterator<Item = &OsString> {
        std::iter::once(&self.word).chain(&self.value)
    }
}

impl Command {
    /// Parses `args`, in which response files have been expanded; `None` if clang would reject them (and
    /// should print the error itself).
    pub fn parse(args: &[OsString]) -> Option<Command> {
        let mut parser = Parser { words: args.iter(), items: Vec::new(), language: None };
        parser.run()?;
        Some(Command { items: parser.items })
    }

    /// Returns options and inputs, in order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the options, in order.
    pub fn options(&self) -> impl DoubleEndedIterator<Item = &Opt> {
        self.items.iter().filter_map(|item| if let Item::Opt(opt) = item { Some(opt) } else { None })
    }

    /// Returns the inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.items.iter().filter_map(|item| if let Item::Input(input) = item { Some(input) } else { None })
    }

    /// True if some input is of this kind.
    pub fn has_input(&self, kind: InputKind) -> bool {
        self.inputs().any(|input| input.kind() == kind)
    }

    /// True if one of these options is given.
    pub fn has(&self, names: &[&str]) -> bool {
        self.options().any(|opt| names.iter().any(|name| opt.is(name)))
    }

    /// Returns the value of the last `-o`, not of options that merely begin with these letters.
    pub fn output(&self) -> Option<&OsStr> {
        self.options().rev().filter(|opt| opt.role() == Role::Output).find_map(|opt| opt.value_of("-o"))
    }

    /// Returns the arguments passed to the linker through `-Wl,`, `-Xlinker` and `-z`.
    pub fn linker_words(&self) -> Vec<OsString> {
        self.options().flat_map(linker_words).collect()
    }
}

/// Returns the arguments that `opt` passes to the linker.
pub fn linker_words(opt: &Opt) -> Vec<OsString> {
    if let Some(list) = opt.after("-Wl,") {
        return list.as_bytes().split(|&b| b == b',').map(|w| OsStr::from_bytes(w).to_owned()).collect();
    }
    match opt.value_of("-Xlinker") {
        Some(word) => vec![word.to_owned()],
        None if opt.is("-z") => opt.words().cloned().collect(),
        None => Vec::new(),
    }
}

struct Parser<'a> {
    words: std::slice::Iter<'a, OsString>,
    items: Vec<Item>,
    language: Option<OsString>,
}

impl Parser<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(word) = self.words.next() {
            match word.as_bytes() {
                b"--" => break,
                b"-" => self.input(word),
                [b'-', ..] => self.option(word)?,
                _ => self.input(word),
            }
        }
        // After `--` every word is a file.
        while let Some(word) = self.words.next() {
            self.input(word);
        }
        Some(())
    }

    fn input(&mut self, path: &OsStr) {
        self.items.push(Item::Input(Input::new(path, self.language.as_deref())));
    }

    fn option(&mut self, word: &OsString) -> Option<()> {
        let mut opt = Opt::new(word.clone(), None);
        if let Some((short, value)) = word.to_str().and_then(options::canonical) {
            opt = Opt::new(short, value.map(OsString::from));
        }
        if opt.value.is_none() && options::takes_value(&opt.word.to_string_lossy()) {
            opt.value = Some(self.words.next()?.clone());
        }
        match opt.role() {
            Role::Language => self.set_language(&opt),
            _ => self.push(opt),
        }
        Some(())
    }

    fn set_language(&mut self, opt: &Opt) {
        self.language = opt.value_of("-x").filter(|&language| language != "none").map(OsStr::to_owned);
    }

    /// Adds an option; like clang, treats `-Wp,-MD,FILE` as `-MD -MF FILE`.
    fn push(&mut self, opt: Opt) {
        let parts: Vec<_> =
            opt.after("-Wp,").map(|l| l.as_bytes().split(|&b| b == b',').collect()).unwrap_or_default();
        let (Some(&(b"-MD" | b"-MMD")), true) = (parts.first(), parts.len() <= 2) else {
            return self.items.push(Item::Opt(opt));
        };
        self.items.push(Item::Opt(Opt::new(OsStr::from_bytes(parts[0]), None)));
        if let Some(file) = parts.get(1) {
            self.items.push(Item::Opt(Opt::new("-MF", Some(OsStr::from_bytes(file).to_owned()))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints the parsed items: options as they are, inputs in brackets with their language.
    fn check(line: &str, expected: &str) {
        let args: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        let shown: Vec<_> = match Command::parse(&args) {
            Some(command) => command.items.iter().map(show).collect(),
            None => vec!["refused".to_owned()],
        };
        assert_eq!(shown.join(" "), expected, "{line}");
    }

    fn show(item: &Item) -> String {
        match item {
            Item::Opt(opt) => opt.words().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join("~"),
            Item::Input(input) => {
                let language = input.language().map(|l| format!(":{}", l.to_string_lossy()));
                format!("[{}{}]", input.path().to_string_lossy(), language.unwrap_or_default())
            }
        }
    }

    #[test]
    fn values_are_not_inputs() {
        check("-c a.c -o a.o", "-c [a.c] -o~a.o");
        check("-I dir -Idir -include x.h a.c", "-I~dir -Idir -include~x.h [a.c]");
        check("-Xlinker -z -Xlinker defs -z now b.o", "-Xlinker~-z -Xlinker~defs -z~now [b.o]");
        check("-target x86_64-linux-gnu -mllvm -x=1 a.c", "-target~x86_64-linux-gnu -mllvm~-x=1 [a.c]");
    }

    #[test]
    fn languages_hold_until_the_next() {
        check("a.c -x c++ b.c -xnone c.c", "[a.c] [b.c:c++] [c.c]");
        check("-x c - --language=ir y", "[-:c] [y:ir]");
    }

    #[test]
    fn other_spellings_are_understood() {
        check("--compile --output=a.o a.c", "-c -o~a.o [a.c]");
        check("--output a.o a.c", "-o~a.o [a.c]");
        check("-Wp,-MMD,x.d a.c", "-MMD -MF~x.d [a.c]");
        check("-Wp,-DX,-DY a.c", "-Wp,-DX,-DY [a.c]");
        check("-c -- -odd.c", "-c [-odd.c]");
    }

    #[test]
    fn a_missing_value_is_left_to_clang() {
        check("a.c -o", "refused");
        check("a.c -Xlinker", "refused");
    }

    #[test]
    fn the_last_output_counts() {
        let args = ["-o", "a", "-ob", "-objcmt-x"].map(OsString::from);
        assert_eq!(Command::parse(&args).unwrap().output(), Some(OsStr::new("b")));
    }
}
