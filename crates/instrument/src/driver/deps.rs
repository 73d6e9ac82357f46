//! Dependency files: `-MD` and `-MMD` name them after the output the user asked for.
//!
//! The front end writes to a temporary file, so both names that clang would derive from its output are passed
//! explicitly.

use super::args::{Command, Opt};
use super::input::Input;
use super::options::Role;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Returns the dependency options for compiling `input`, with the names that clang would have chosen.
pub fn options(command: &Command, input: &Input) -> Vec<OsString> {
    let given: Vec<&Opt> = command.options().filter(|opt| opt.role() == Role::Dependencies).collect();
    let mut words: Vec<OsString> = given.iter().flat_map(|opt| opt.words().cloned()).collect();
    let has = |name: &str| given.iter().any(|opt| opt.after(name).is_some());
    if !command.has(&["-MD", "-MMD"]) {
        return words;
    }
    if !has("-MF") {
        words.extend([OsString::from("-MF"), dependency_file(command.output(), input)]);
    }
    if !has("-MT") && !has("-MQ") {
        let target = command.output().map_or_else(|| input.sibling("o"), OsStr::to_owned);
        words.extend([OsString::from("-MQ"), target]);
    }
    words
}

fn dependency_file(output: Option<&OsStr>, input: &Input) -> OsString {
    match output {
        Some(output) => Path::new(output).with_extension("d").into_os_string(),
        None => input.sibling("d"),
    }
}
