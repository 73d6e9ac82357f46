//! Table of clang's options: which take the next word as their value, and which step of a build each is for.

/// Role of an option: the build steps to which the driver passes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `-o`.
    Output,
    /// `-x`.
    Language,
    /// `-c`.
    CompileOnly,
    /// Requests something other than an object file or a program.
    NotABuild,
    /// `-MD` and variants: a dependency file in addition to the object.
    Dependencies,
    /// `-g…`.
    Debug,
    /// Link-time optimisation, which would run before the pass.
    Lto,
    /// Clang's profiling and coverage, whose passes do not run.
    Profile,
    /// Writes additional files next to the object.
    SideFile,
    /// Code generation (or its display, as `-v`): applies to the back end.
    Codegen,
    /// Any other: for the front end or the linker.
    Other,
}

/// Options that take the next word if no value is joined to them.
const SEPARATE: &[&str] = &[
    "--analyzer-output",
    "--assert",
    "--config",
    "--define-macro",
    "--for-linker",
    "--force-link",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--include-prefix",
    "--include-with-prefix",
    "--include-with-prefix-after",
    "--include-with-prefix-before",
    "--language",
    "--library-directory",
    "--output",
    "--param",
    "--prefix",
    "--print-file-name",
    "--print-prog-name",
    "--rtlib",
    "--serialize-diagnostics",
    "--specs",
    "--std",
    "--sysroot",
    "--undefine-macro",
    "--vfsoverlay",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-Xlinker",
    "-Xoffload-linker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-dumpdir",
    "-e",
    "-fdebug-compilation-dir",
    "-filelist",
    "-fmodules-user-build-path",
    "-framework",
    "-ftrapv-handler",
    "-gen-cdb-fragment-path",
    "-idirafter",
    "-iframework",
    "-iframeworkwithsysroot",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-init",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-meabi",
    "-mllvm",
    "-mmlir",
    "-module-dependency-dir",
    "-mthread-model",
    "-o",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-specs",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-undefined",
    "-vfsoverlay",
    "-working-directory",
    "-x",
    "-z",
];

/// Alternative spellings of options that the driver inspects: long and short.
const ALIASES: &[(&str, &str)] = &[
    ("--compile", "-c"),
    ("--output", "-o"),
    ("--language", "-x"),
    ("--preprocess", "-E"),
    ("--assemble", "-S"),
    ("--dependencies", "-M"),
    ("--user-dependencies", "-MM"),
    ("--write-dependencies", "-MD"),
    ("--write-user-dependencies", "-MMD"),
    ("--debug", "-g"),
    ("--verbose", "-v"),
    ("--shared", "-shared"),
    ("--static", "-static"),
    ("-coverage", "--coverage"),
    ("--save-temps", "-save-temps"),
];

const EXACT: &[(&str, Role)] = &[
    ("-c", Role::CompileOnly),
    ("-###", Role::NotABuild),
    ("-E", Role::NotABuild),
    ("-S", Role::NotABuild),
    ("-M", Role::NotABuild),
    ("-MM", Role::NotABuild),
    ("-fsyntax-only", Role::NotABuild),
    ("-fdriver-only", Role::NotABuild),
    ("--analyze", Role::NotABuild),
    ("--migrate", Role::NotABuild),
    ("--precompile", Role::NotABuild),
    ("--help", Role::NotABuild),
    ("-help", Role::NotABuild),
    ("--help-hidden", Role::NotABuild),
    ("--version", Role::NotABuild),
    ("--emit-static-lib", Role::NotABuild),
    ("-module-file-info", Role::NotABuild),
    ("-extract-api", Role::NotABuild),
    ("-verify-pch", Role::NotABuild),
    ("-MD", Role::Dependencies),
    ("-MMD", Role::Dependencies),
    ("-MF", Role::Dependencies),
    ("-MT", Role::Dependencies),
    ("-MQ", Role::Dependencies),
    ("--coverage", Role::Profile),
    ("-ftest-coverage", Role::Profile),
    ("-mllvm", Role::Codegen),
    ("-mthread-model", Role::Codegen),
    ("-target", Role::Codegen),
    ("-Xassembler", Role::Codegen),
    ("-B", Role::Codegen),
    ("-v", Role::Codegen),
    ("-dumpdir", Role::Other),
    ("-ftrapv-handler", Role::Other),
    ("-fdebug-compilation-dir", Role::Other),
    ("-fmodules-user-build-path", Role::Other),
    ("-mmlir", Role::Other),
];

/// Roles by prefix; the first match decides.
const PREFIXES: &[(&str, Role)] = &[
    ("-objc", Role::Other),
    ("-object", Role::Other),
    ("-o", Role::Output),
    ("-x", Role::Language),
    ("-emit-", Role::NotABuild),
    ("-print-", Role::NotABuild),
    ("--print-", Role::NotABuild),
    ("-dump", Role::NotABuild),
    ("-cc1", Role::NotABuild),
    ("-ccc-", Role::NotABuild),
    ("--autocomplete", Role::NotABuild),
    ("--cuda-", Role::NotABuild),
    ("--offload-", Role::NotABuild),
    ("-fopenmp-targets=", Role::NotABuild),
    ("-rewrite-", Role::NotABuild),
    ("-MF", Role::Dependencies),
    ("-MT", Role::Dependencies),
    ("-MQ", Role::Dependencies),
    ("-gen-", Role::Other),
    ("-g", Role::Debug),
    ("-flto", Role::Lto),
    ("-fno-lto", Role::Lto),
    ("-fthin-link", Role::Lto),
    ("-fthinlto", Role::Lto),
    ("-fsplit-lto-unit", Role::Lto),
    ("-funified-lto", Role::Lto),
    ("-ffat-lto-objects", Role::Lto),
    ("-fwhole-program-vtables", Role::Lto),
    ("-fvirtual-function-elimination", Role::Lto),
    ("-fprofile", Role::Profile),
    ("-fcs-profile", Role::Profile),
    ("-fauto-profile", Role::Profile),
    ("-fcoverage", Role::Profile),
    ("-fmemory-profile", Role::Profile),
    ("-fsanitize-coverage", Role::Profile),
    ("-save-temps", Role::SideFile),
    ("-fsave-optimization-record", Role::SideFile),
    ("-foptimization-record", Role::SideFile),
    ("-fstack-usage", Role::SideFile),
    ("-fembed-bitcode", Role::SideFile),
    ("-fembed-offload", Role::SideFile),
    ("-ftime-", Role::SideFile),
    ("-fplugin", Role::Other),
    ("-fpass-plugin", Role::Other),
    ("-fmodule", Role::Other),
    ("-fsanitize", Role::Other),
    ("-f", Role::Codegen),
    ("-m", Role::Codegen),
    ("--target=", Role::Codegen),
    ("-Wa,", Role::Codegen),
    ("-no-integrated-as", Role::Codegen),
    ("-integrated-as", Role::Codegen),
    ("-B", Role::Codegen),
];

/// True if the next word is the option's value.
pub fn takes_value(word: &str) -> bool {
    SEPARATE.contains(&word) || word.starts_with("-Xarch_") || word.starts_with("-Xopenmp-target=")
}

/// Returns the short spelling of a long option, and the value joined to it with `=`.
pub fn canonical(word: &str) -> Option<(&'static str, Option<&str>)> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let (_, short) = ALIASES.iter().find(|(long, _)| *long == name)?;
    match value {
        // Only options that take a value may have one joined to them.
        Some(_) if !takes_value(short) => None,
        _ => Some((short, value)),
    }
}

/// Returns the role of an option.
pub fn role(word: &str) -> Role {
    let exact = EXACT.iter().find(|(name, _)| *name == word);
    let by_prefix = || PREFIXES.iter().find(|(prefix, _)| word.starts_with(prefix));
    exact.or_else(by_prefix).map_or(Role::Other, |&(_, role)| role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_role_that_decides_their_way() {
        let check = |word, expected| assert_eq!(role(word), expected, "{word}");
        check("-o", Role::Output);
        check("-oprog", Role::Output);
        check("-xc++", Role::Language);
        check("-ggdb3", Role::Debug);
        check("-MMD", Role::Dependencies);
        check("-MFfile", Role::Dependencies);
        check("-MM", Role::NotABuild);
        check("-MP", Role::Other);
        check("-dumpmachine", Role::NotABuild);
        check("-print-search-dirs", Role::NotABuild);
        check("-flto=thin", Role::Lto);
        check("-fPIC", Role::Codegen);
        check("-march=native", Role::Codegen);
        check("-fprofile-instr-generate", Role::Profile);
        check("-Wall", Role::Other);
    }

    #[test]
    fn long_spellings_become_short_ones() {
        assert_eq!(canonical("--output=a"), Some(("-o", Some("a"))));
        assert_eq!(canonical("--compile"), Some(("-c", None)));
        assert_eq!(canonical("--compile=x"), None);
        assert_eq!(canonical("--coverage"), None);
    }
}
