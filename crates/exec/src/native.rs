//! A run without the fork server, as any shell would make it: for programs that were not built by us.

use crate::environment::Stage;
use crate::exit_kind::ExitKind;
use crate::input::Input;
use crate::sandbox::Life;
use crate::server::Run;
use crate::spawn::{StartError, end, limit_files, sandbox, set_up};
use crate::spec::{Limits, TargetSpec};
use crate::supervisor::Keeper;
use crate::watch::{self, Excess, Watch};
use cairn_deadline::Deadline;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// Runs a program once on an input. Objects the program names itself are left to the program; there is
/// no coverage. When the deadline is over the run is, as if its own time were up.
pub fn run_native(
    spec: &TargetSpec,
    limits: &Limits,
    input: &Input,
    deadline: &Deadline,
) -> Result<Run, StartError> {
    let mut stage = Stage::set(spec).map_err(set_up("the program's files"))?;
    stage.prepare(input).map_err(set_up("the program's files"))?;
    let mut command = stage.command(spec, Some(input)).map_err(set_up("the program's files"))?;
    let (mut keeper, file_bytes) = (Keeper::of(sandbox(spec, &stage, Life::Short)?), limits.file_bytes);
    let in_child = move || {
        limit_files(file_bytes)?;
        keeper.split()
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
    unsafe { command.pre_exec(in_child) };
    let mut child =
        command.spawn().map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
    let end = wait(&mut child, &deadline.within(spec.timeout), limits, &stage)
        .map_err(set_up("waiting for the program"))?;
    let (stdout, stderr) = stage.output().map_err(set_up("the program's output"))?;
    Ok(Run { end, stdout, stderr, ..Run::of_nothing(input) })
}

/// Waits for the end or makes it one. Its keeper takes along whatever the program has started.
fn wait(child: &mut Child, deadline: &Deadline, limits: &Limits, stage: &Stage) -> io::Result<ExitKind> {
    Ok(match wait_until(child, deadline, limits, stage)? {
        Ok(status) => {
            let excess = stage.scratch_excess(&limits.scratch)?;
            excess.map_or(ExitKind::from_wait_status(status.into_raw()), Excess::end)
        }
        Err(excess) => {
            end(child);
            excess.end()
        }
    })
}

fn wait_until(
    child: &mut Child,
    deadline: &Deadline,
    limits: &Limits,
    stage: &Stage,
) -> io::Result<Result<ExitStatus, Excess>> {
    let mut pause = Duration::from_micros(200);
    let mut watch = Watch::new(child.id(), limits, None, stage);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if deadline.is_over() {
            return Ok(Err(watch.look_at_timeout()?));
        }
        std::thread::sleep(pause);
        if pause < watch::INTERVAL {
            pause = (pause * 2).min(watch::INTERVAL);
        } else if let Some(excess) = watch.look()? {
            return Ok(Err(excess));
        } else {
            pause = watch.pause();
        }
    }
}
