//! A run without the fork server, as any shell would make it: for programs that were not built by us.

use crate::end::End;
use crate::input::Input;
use crate::server::{Flags, Run};
use crate::spawn::{StartError, forbid_core_dump, set_up};
use crate::spec::TargetSpec;
use crate::stage::Stage;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Runs a program once on an input. Objects the program names itself are left to the program; there is
/// no coverage.
pub fn run_native(spec: &TargetSpec, input: &Input) -> Result<Run, StartError> {
    let mut stage = Stage::set(spec).map_err(set_up("the program's files"))?;
    stage.prepare(input).map_err(set_up("the program's files"))?;
    let mut command = stage.command(spec, Some(input)).map_err(set_up("the program's files"))?;
    command.process_group(0);
    // SAFETY: the function makes one system call, and nothing else.
    unsafe { command.pre_exec(forbid_core_dump) };
    let mut child =
        command.spawn().map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
    let end = wait(&mut child, spec.timeout).map_err(set_up("waiting for the program"))?;
    let (stdout, stderr) = stage.output().map_err(set_up("the program's output"))?;
    let (coverage, crash, cpu, max_rss_kib, flags) =
        (Vec::new(), Vec::new(), Duration::ZERO, 0, Flags::default());
    Ok(Run { end, coverage, input: input.clone(), cpu, max_rss_kib, flags, crash, stdout, stderr })
}

/// Waits for the end or makes it one, and takes along whatever the program has started.
fn wait(child: &mut Child, timeout: Duration) -> io::Result<End> {
    let group = Pid::from_child(child);
    let end = match wait_until(child, Instant::now() + timeout)? {
        Some(status) => End::from_wait_status(status.into_raw()),
        None => {
            child.kill()?;
            child.wait()?;
            End::Timeout
        }
    };
    let _ = kill_process_group(group, Signal::KILL);
    Ok(end)
}

fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}
