//! `--sync`: a campaign among instances of AFL++.

use crate::args::RunArgs;
use crate::failure::Failure;
use cairn_campaign::{SyncSettings, one_stream};
use cairn_exec::TargetSpec;

/// Whom to exchange inputs with, if that can be done. Their inputs are files of raw bytes.
pub fn sync(args: &RunArgs, spec: &TargetSpec) -> Result<Option<SyncSettings>, Failure> {
    let Some(sync) = args.sync() else { return Ok(None) };
    if sync.directory.join("queue").is_dir() {
        return Err(Failure::new(format_args!(
            "{} is the directory of one instance: --sync takes the one above it, which afl-fuzz was given with -o",
            sync.directory.display()
        )));
    }
    if one_stream(&spec.blank_input()).is_none() {
        return Err(Failure::new(
            "--sync exchanges raw bytes: make one stream symbolic (--sym-stdin LEN or --sym-file LEN), and nothing else",
        ));
    }
    Ok(Some(sync))
}
