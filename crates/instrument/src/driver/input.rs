//! Input files: what kind of thing each one is.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What an input file is to the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// C or C++ before preprocessing.
    Source,
    /// C or C++ after preprocessing.
    Preprocessed,
    /// LLVM bitcode or its text.
    Ir,
    /// A header to precompile.
    Header,
    /// Something that clang compiles and that cannot be instrumented: assembly, Objective-C, CUDA….
    Foreign,
    /// An object, archive or shared library, or what only the linker understands.
    Linker,
}

impl Kind {
    /// Whether the pass can work on it.
    pub fn is_traceable(self) -> bool {
        matches!(self, Kind::Source | Kind::Preprocessed | Kind::Ir)
    }

    fn of_extension(extension: &str) -> Kind {
        match extension {
            "c" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "CC" | "CXX" | "C++" => Kind::Source,
            "i" | "ii" => Kind::Preprocessed,
            "bc" | "ll" => Kind::Ir,
            "h" | "H" | "hh" | "hp" | "hxx" | "hpp" | "h++" | "HPP" | "tcc" => Kind::Header,
            "s" | "S" | "sx" | "asm" => Kind::Foreign,
            "m" | "M" | "mm" | "mi" | "mii" | "cl" | "clcpp" | "cu" | "cui" | "hip" | "hipi" | "hlsl" => {
                Kind::Foreign
            }
            "cppm" | "ccm" | "cxxm" | "c++m" | "iim" | "pcm" | "ast" | "rs" | "f" | "F" | "for" | "f90"
            | "F90" => Kind::Foreign,
            _ => Kind::Linker,
        }
    }

    fn of_language(language: &str) -> Kind {
        match language {
            "c" | "c++" => Kind::Source,
            "cpp-output" | "c++-cpp-output" => Kind::Preprocessed,
            "ir" => Kind::Ir,
            "c-header" | "c++-header" => Kind::Header,
            _ => Kind::Foreign,
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
    /// The file `path`, in the language given by `-x`, if one was.
    pub fn new(path: &OsStr, language: Option<&OsStr>) -> Input {
        Input { path: path.to_owned(), language: language.map(OsStr::to_owned) }
    }

    /// The file as the user wrote it.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    /// The language that `-x` gave it.
    pub fn language(&self) -> Option<&OsStr> {
        self.language.as_deref()
    }

    /// What the file is, by its language or else its name.
    pub fn kind(&self) -> Kind {
        match (self.language(), Path::new(&self.path).extension()) {
            (Some(language), _) => Kind::of_language(&language.to_string_lossy()),
            (None, Some(extension)) => Kind::of_extension(&extension.to_string_lossy()),
            (None, None) => Kind::Linker,
        }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        self.path == "-"
    }

    /// Whether clang would find it.
    pub fn exists(&self) -> bool {
        self.is_stdin() || Path::new(&self.path).exists()
    }

    /// The file's own name with another extension: where clang puts what it makes of it.
    pub fn sibling(&self, extension: &str) -> OsString {
        let name = Path::new(&self.path).file_name().unwrap_or(&self.path);
        Path::new(name).with_extension(extension).into_os_string()
    }

    /// The words that name this file on a command line, and nothing else after it.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if let Some(language) = &self.language {
            words.extend([OsString::from("-x"), language.clone()]);
        }
        words.push(self.plain_path());
        words
    }

    /// The path, so that it is not taken for an option.
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

    fn check(path: &str, language: Option<&str>, expected: Kind) {
        let input = Input::new(OsStr::new(path), language.map(OsStr::new));
        assert_eq!(input.kind(), expected, "{path} {language:?}");
    }

    #[test]
    fn names_and_languages_tell_the_kind() {
        check("dir.c/a.c", None, Kind::Source);
        check("a.C", None, Kind::Source);
        check("a.i", None, Kind::Preprocessed);
        check("a.bc", None, Kind::Ir);
        check("a.h", None, Kind::Header);
        check("a.S", None, Kind::Foreign);
        check("a.m", None, Kind::Foreign);
        check("liba.so.1.2", None, Kind::Linker);
        check("dir.c/object", None, Kind::Linker);
        check("a.o", Some("c"), Kind::Source);
        check("a.c", Some("assembler"), Kind::Foreign);
        check("a.c", Some("c-header"), Kind::Header);
        check("-", Some("c"), Kind::Source);
    }

    #[test]
    fn products_are_named_after_the_file() {
        assert_eq!(Input::new(OsStr::new("../x/a.b.c"), None).sibling("o"), "a.b.o");
        assert_eq!(Input::new(OsStr::new("-"), None).sibling("o"), "-.o");
    }
}
