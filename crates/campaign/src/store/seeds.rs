//! Reads the inputs that a campaign starts with.

use super::inputs::input_files;
use super::testcase::{TestError, fit, read_test};
use cairn_exec::{Input, Object};
use std::path::PathBuf;

/// Inputs that a campaign starts with.
#[derive(Debug, Default)]
pub struct Seeds {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// Number of inputs with objects that the target does not have, or without any that it has.
    pub misfits: usize,
    /// Errors of files in directories that were skipped because they are too large.
    pub skipped: Vec<TestError>,
    /// Names of the entries of each directory that are not files.
    pub left_out: Vec<String>,
}

/// Reads the inputs at paths, as [`input_files`] lists them. A file that is named itself must be readable.
pub fn read_seeds(paths: &[PathBuf], blank: &Input) -> Result<Seeds, TestError> {
    let mut seeds = Seeds::default();
    for path in paths {
        let listing = input_files(path)?;
        seeds.left_out.extend(listing.left_out_names());
        for file in listing.files {
            match read_test(&file, blank) {
                Ok(test) => {
                    seeds.misfits += usize::from(!matches_shape(&test, blank));
                    seeds.inputs.push(fit(test, blank));
                }
                Err(error) if error.is_too_large() && file != *path => seeds.skipped.push(error),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(seeds)
}

/// True if `blank` has every object of a test, and the test at least one of `blank`. Named objects are
/// ignored: the program may request them at run time.
fn matches_shape(test: &Input, blank: &Input) -> bool {
    let count = |input: &Input, o: &Object| {
        input.objects.iter().filter(|other| other.kind == o.kind && other.name == o.name).count()
    };
    let mut others = test.objects.iter().filter(|o| !o.kind.is_named()).peekable();
    (others.peek().is_some() || blank.objects.is_empty()) && others.all(|o| count(test, o) <= count(blank, o))
}
