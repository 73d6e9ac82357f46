//! Has clang's front end emit its coverage mapping beside the code it emits anyway.
//!
//! `-fprofile-instr-generate -fcoverage-mapping` would emit counters as well, and other branches to count by. The mapping alone comes
//! with the *use* of a profile: of one that knows no function, so that it changes nothing. Clang 19 fails on functions that it maps, but
//! does not emit; so it is made to emit all, and the pass drops those that nothing refers to. Some headers have functions that cannot be
//! emitted (vector intrinsics: one of `<immintrin.h>` names the wrong processor). A source with such a header is compiled twice: once
//! as it is, for its code, and once with counters, for the mapping alone.

use std::ffi::OsString;
use std::io;
use std::path::Path;

/// An indexed profile of LLVM without records: magic number, version (the last that needs no summary), an unused
/// word, kind of hash (MD5), and where the hash table lies; then the table: one bucket, no entries, where the bucket is.
const EMPTY_PROFILE: [u64; 8] = [u64::from_le_bytes(*b"\xfflprofi\x81"), 3, 0, 0, 40, 1, 0, 0];

const FILE: &str = "no-counts.profdata";

/// Front-end options that add the mapping; the profile they name is written to `scratch`.
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

/// Front-end options for bitcode of which only the mapping is of use: its code counts. Clang emits just the functions
/// that are used, so that nothing fails which the user's own build would not fail on.
pub fn mapping_alone() -> Vec<OsString> {
    let counting = ["-fprofile-instrument=clang", "-fcoverage-mapping"].map(OsString::from);
    let words = counting.into_iter().flat_map(|word| ["-Xclang".into(), word]);
    words.chain(quiet()).collect()
}

/// The pass reads the names of files; that there are no counts is no surprise.
fn quiet() -> [OsString; 4] {
    ["-mllvm", "-enable-name-compression=false", "-Wno-profile-instr-unprofiled", "-fno-crash-diagnostics"]
        .map(OsString::from)
}
