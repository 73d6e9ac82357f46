//! The functions of libc that have a model in C (directory `libc/`).

use super::abi::WRAPPER_PREFIX;
use super::has_own_body;
use crate::llvm::Module;

/// Prefix of what the models share.
const SHARED_PREFIX: &str = "__cairn_m_";

/// Functions whose declarations are redirected to the models.
pub const MODELLED: &[&str] = &[
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "stpcpy",
    "strcat",
    "strncat",
    "strchr",
    "strrchr",
    "strchrnul",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "memcmp",
    "memchr",
    "memrchr",
    "rawmemchr",
    "strtok",
    "strtok_r",
    "__strtok_r",
    "strsep",
    "strdup",
    "__strdup",
    "strndup",
    "mempcpy",
    "__mempcpy",
    "strcasecmp",
    "strncasecmp",
    "bcmp",
    "bzero",
    "index",
    "rindex",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "ispunct",
    "isxdigit",
    "iscntrl",
    "isprint",
    "isgraph",
    "isblank",
    "isascii",
    "toascii",
    "toupper",
    "tolower",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtoimax",
    "strtoumax",
    "__isoc23_strtol",
    "__isoc23_strtoul",
    "__isoc23_strtoll",
    "__isoc23_strtoull",
    "__isoc23_strtoimax",
    "__isoc23_strtoumax",
    "qsort",
    "bsearch",
    "getopt",
    "getopt_long",
    "getopt_long_only",
];

/// Whether a unit defines models. Its calls of libc are meant as they are written, and its branches are
/// none of the user's.
pub fn is_model(module: &Module) -> bool {
    let is_model = |name: &str| name.starts_with(WRAPPER_PREFIX) || name.starts_with(SHARED_PREFIX);
    module.functions().into_iter().any(|f| has_own_body(f) && is_model(&f.name()))
}
