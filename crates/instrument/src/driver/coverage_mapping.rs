//! Front-end options that make clang emit its coverage mapping without changing the code.
//!
//! `-fprofile-instr-generate -fcoverage-mapping` would also emit counters, and additional branches for them.
//! The mapping alone comes with the *use* of a profile: an empty one, which changes nothing. Clang 19 crashes
//! on functions that it maps but does not emit; so it is made to emit all, and the pass drops the
//! unreferenced ones. Some headers have functions that cannot be emitted (vector intrinsics: one of
//! `<immintrin.h>` names the wrong processor). A source with such a header is compiled twice: once as it is,
//! for its code, and once with counters, for the mapping alone.

use std::ffi::OsString;
use std::io;
use std::path::Path;

/// Indexed LLVM profile without records: magic number, version (the last one without a summary), an unused
/// word, hash kind (MD5), offset of the hash table; then the table: one bucket, no entries, offset of the
/// bucket.
const EMPTY_PROFILE: [u64; 8] = [u64::from_le_bytes(*b"\xfflprofi\x81"), 3, 0, 0, 40, 1, 0, 0];

const FILE: &str = "no-counts.profdata";

/// Returns the options that add the mapping; writes the profile they name to `scratch`.
pub fn options(scratch: &Path) -> io::Result<Vec<OsString>> {
    let profile = scratch.join(FILE);
    std::fs::write(&profile, EMPTY_PROFILE.map(u64::to_le_bytes).concat())?;
    let mut path = OsString::from("-fprofile-instrument-use-path=");
    path.push(profile);
    let mapping = ["-fcoverage-mapping", "-femit-all-decls"].map(OsString::from).into_iter().chain([path]);
    let mut words: Vec<OsString> = mapping.flat_map(|word| ["-Xclang".into(), word]).collect();
    words.extend(quiet());
    Ok(words)
}

/// Returns the options for bitcode that is used only for its mapping: the code has counters. Clang emits just
/// the functions that are used, so that it fails on nothing that the user's own build would not fail on.
pub fn mapping_alone() -> Vec<OsString> {
    let counting = ["-fprofile-instrument=clang", "-fcoverage-mapping"].map(OsString::from);
    let words = counting.into_iter().flat_map(|word| ["-Xclang".into(), word]);
    words.chain(quiet()).collect()
}

/// Returns the options for uncompressed file names, which the pass reads, and against warnings about missing
/// counts.
fn quiet() -> [OsString; 4] {
    ["-mllvm", "-enable-name-compression=false", "-Wno-profile-instr-unprofiled", "-fno-crash-diagnostics"]
        .map(OsString::from)
}
