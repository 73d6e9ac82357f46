//! `--sync`: exchange of inputs with AFL++ instances.

use crate::error::Error;
use cairn_campaign::{SyncSettings, one_stream};
use cairn_exec::TargetSpec;

/// Refuses an exchange that cannot work: AFL++'s inputs are files of raw bytes, so exactly one stream must be
/// symbolic.
pub fn check_sync(sync: &SyncSettings, spec: &TargetSpec) -> Result<(), Error> {
    if sync.directory.join("queue").is_dir() {
        return Err(Error::new(format_args!(
            "{} is the directory of one instance: --sync takes the one above it, which afl-fuzz was given with -o",
            sync.directory.display()
        )));
    }
    if one_stream(&spec.blank_input()).is_none() {
        return Err(Error::new(
            "--sync exchanges raw bytes: make one stream symbolic (--sym-stdin LEN or --sym-file LEN), and nothing else",
        ));
    }
    Ok(())
}
