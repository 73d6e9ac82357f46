//! Input files and their kinds.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Kind of an input file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// C or C++ before preprocessing.
    Source,
    /// C or C++ after preprocessing.
    Preprocessed,
    /// LLVM IR, as bitcode or text.
    Ir,
    /// A header to precompile.
    Header,
    /// A language that clang compiles and that cannot be instrumented: assembly, Objective-C, CUDA….
    Foreign,
    /// An object, archive or shared library, or a file for the linker.
    Linker,
}

impl InputKind {
    /// True if the pass can instrument it.
    pub fn is_traceable(self) -> bool {
        matches!(self, InputKind::Source | InputKind::Preprocessed | InputKind::Ir)
    }

    fn of_extension(extension: &str) -> InputKind {
        match extension {
            "c" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "CC" | "CXX" | "C++" => {
                InputKind::Source
            }
            "i" | "ii" => InputKind::Preprocessed,
            "bc" | "ll" => InputKind::Ir,
            "h" | "H" | "hh" | "hp" | "hxx" | "hpp" | "h++" | "HPP" | "tcc" => InputKind::Header,
            "s" | "S" | "sx" | "asm" => InputKind::Foreign,
            "m" | "M" | "mm" | "mi" | "mii" | "cl" | "clcpp" | "cu" | "cui" | "hip" | "hipi" | "hlsl" => {
                InputKind::Foreign
            }
            "cppm" | "ccm" | "cxxm" | "c++m" | "iim" | "pcm" | "ast" | "rs" | "f" | "F" | "for" | "f90"
            | "F90" => InputKind::Foreign,
            _ => InputKind::Linker,
        }
    }

    fn of_language(language: &str) -> InputKind {
        match language {
            "c" | "c++" => InputKind::Source,
            "cpp-output" | "c++-cpp-output" => InputKind::Preprocessed,
            "ir" => InputKind::Ir,
            "c-header" | "c++-header" => InputKind::Header,
            _ => InputKind::Foreign,
        }
    }
}

/// An input file, with the language that `-x` gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    path: OsString,
    language: Option<OsString>,
}

impl Input {
    /// Returns the file `path`, in the language given by `-x`, if one was.
    pub fn new(path: &OsStr, language: Option<&OsStr>) -> Input {
        Input { path: path.to_owned(), language: language.map(OsStr::to_owned) }
    }

    /// Returns the path as the user wrote it.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    /// Returns the language given by `-x`.
    pub fn language(&self) -> Option<&OsStr> {
        self.language.as_deref()
    }

    /// Returns the kind, by the language or else by the name.
    pub fn kind(&self) -> InputKind {
        match (self.language(), Path::new(&self.path).extension()) {
            (Some(language), _) => InputKind::of_language(&language.to_string_lossy()),
            (None, Some(extension)) => InputKind::of_extension(&extension.to_string_lossy()),
            (None, None) => InputKind::Linker,
        }
    }

    /// True for standard input (`-`).
    pub fn is_stdin(&self) -> bool {
        self.path == "-"
    }

    /// True if clang would find it.
    pub fn exists(&self) -> bool {
        self.is_stdin() || Path::new(&self.path).exists()
    }

    /// Returns the file name with another extension: clang's default name for its output.
    pub fn sibling(&self, extension: &str) -> OsString {
        let name = Path::new(&self.path).file_name().unwrap_or(&self.path);
        Path::new(name).with_extension(extension).into_os_string()
    }

    /// Returns the words that name this file on a command line.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if let Some(language) = &self.language {
            words.extend([OsString::from("-x"), language.clone()]);
        }
        words.push(self.plain_path());
        words
    }

    /// Returns the path, prefixed so that it is not parsed as an option.
    fn plain_path(&self) -> OsString {
        let looks_like_option = self.path.as_bytes().starts_with(b"-") && !self.is_stdin();
        let mut path = OsString::from(if looks_like_option { "./" } else { "" });
        path.push(&self.path);
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, language: Option<&str>, expected: InputKind) {
        let input = Input::new(OsStr::new(path), language.map(OsStr::new));
        assert_eq!(input.kind(), expected, "{path} {language:?}");
    }

    #[test]
    fn names_and_languages_tell_the_kind() {
        check("dir.c/a.c", None, InputKind::Source);
        check("a.C", None, InputKind::Source);
        check("a.i", None, InputKind::Preprocessed);
        check("a.bc", None, InputKind::Ir);
        check("a.h", None, InputKind::Header);
        check("a.S", None, InputKind::Foreign);
        check("a.m", None, InputKind::Foreign);
        check("liba.so.1.2", None, InputKind::Linker);
        check("dir.c/object", None, InputKind::Linker);
        check("a.o", Some("c"), InputKind::Source);
        check("a.c", Some("assembler"), InputKind::Foreign);
        check("a.c", Some("c-header"), InputKind::Header);
        check("-", Some("c"), InputKind::Source);
    }

    #[test]
    fn products_are_named_after_the_file() {
        assert_eq!(Input::new(OsStr::new("../x/a.b.c"), None).sibling("o"), "a.b.o");
        assert_eq!(Input::new(OsStr::new("-"), None).sibling("o"), "-.o");
    }
}
