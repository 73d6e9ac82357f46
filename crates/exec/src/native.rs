//! A run without the fork server, as any shell would make it: for programs that were not built by us.

use crate::end::End;
use crate::input::Input;
use crate::sandbox::Sandbox;
use crate::server::{Flags, Run};
use crate::spawn::{StartError, limit_files, sandbox, set_up};
use crate::spec::{Limits, TargetSpec};
use crate::stage::Stage;
use crate::watch::{self, Excess};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Runs a program once on an input. Objects the program names itself are left to the program; there is
/// no coverage.
pub fn run_native(spec: &TargetSpec, limits: &Limits, input: &Input) -> Result<Run, StartError> {
    let mut stage = Stage::set(spec).map_err(set_up("the program's files"))?;
    stage.prepare(input).map_err(set_up("the program's files"))?;
    let mut command = stage.command(spec, Some(input)).map_err(set_up("the program's files"))?;
    command.process_group(0);
    let (mut sandbox, file_bytes) = (sandbox(spec, &stage)?, limits.file_bytes);
    let in_child = move || {
        limit_files(file_bytes)?;
        sandbox.as_mut().map_or(Ok(()), Sandbox::enter)
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
    unsafe { command.pre_exec(in_child) };
    let mut child =
        command.spawn().map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
    let end = wait(&mut child, spec.timeout, limits).map_err(set_up("waiting for the program"))?;
    let (stdout, stderr) = stage.output().map_err(set_up("the program's output"))?;
    let (coverage, crash, cpu, max_rss_kib, flags) =
        (Vec::new(), Vec::new(), Duration::ZERO, 0, Flags::default());
    Ok(Run { end, coverage, input: input.clone(), cpu, max_rss_kib, flags, crash, stdout, stderr })
}

/// Waits for the end or makes it one, and takes along whatever the program has started.
fn wait(child: &mut Child, timeout: Duration, limits: &Limits) -> io::Result<End> {
    let group = Pid::from_child(child);
    let end = match wait_until(child, Instant::now() + timeout, limits)? {
        Ok(status) => End::from_wait_status(status.into_raw()),
        Err(excess) => {
            child.kill()?;
            child.wait()?;
            excess.end()
        }
    };
    let _ = kill_process_group(group, Signal::KILL);
    Ok(end)
}

fn wait_until(
    child: &mut Child,
    deadline: Instant,
    limits: &Limits,
) -> io::Result<Result<ExitStatus, Excess>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if Instant::now() >= deadline {
            return Ok(Err(Excess::Time));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(watch::INTERVAL);
        if pause == watch::INTERVAL
            && let Some(excess) = watch::excess(child.id(), 0, limits)
        {
            return Ok(Err(excess));
        }
    }
}
