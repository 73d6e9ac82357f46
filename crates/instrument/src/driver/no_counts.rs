//! Has clang's front end emit its coverage mapping beside the code it emits anyway.
//!
//! `-fprofile-instr-generate -fcoverage-mapping` would emit counters as well, and other branches to count by. The mapping alone comes
//! with the *use* of a profile: of one that knows no function, so that it changes nothing. Clang 19 fails on functions that it maps, but
//! does not emit; so it is made to emit all, and the pass drops those that nothing refers to.

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
    // The pass reads the names of files; that there are no counts is no surprise.
    words.extend(
        ["-mllvm", "-enable-name-compression=false", "-Wno-profile-instr-unprofiled"].map(OsString::from),
    );
    words.push("-fno-crash-diagnostics".into());
    Ok(words)
}
