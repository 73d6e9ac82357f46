//! Native runs: one run without a fork server, as a shell would make it, for programs not built by `cairn
//! cc`.

use crate::environment::RunEnvironment;
use crate::exit_kind::ExitKind;
use crate::input::Input;
use crate::limit_monitor::{self, ExceededLimit, LimitMonitor};
use crate::run::Run;
use crate::sandbox::Lifetime;
use crate::spawn::{StartError, limit_files, sandbox, set_up, terminate};
use crate::spec::{Limits, TargetSpec};
use crate::supervisor::Supervisor;
use cairn_deadline::Deadline;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// Runs a program once on an input, without coverage. Named objects are left to the program's own markers.
/// The run ends at the deadline, as if its own time were up.
pub fn run_native(
    spec: &TargetSpec,
    limits: &Limits,
    input: &Input,
    deadline: &Deadline,
) -> Result<Run, StartError> {
    let mut environment = RunEnvironment::create(spec).map_err(set_up("the program's files"))?;
    environment.prepare(input).map_err(set_up("the program's files"))?;
    let mut command = environment.command(spec, Some(input)).map_err(set_up("the program's files"))?;
    let sandbox = sandbox(spec, &environment, Lifetime::Short)?;
    let (mut supervisor, file_bytes) = (Supervisor::of(sandbox), limits.file_bytes);
    let in_child = move || {
        limit_files(file_bytes)?;
        supervisor.split()
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
    unsafe { command.pre_exec(in_child) };
    let mut child =
        command.spawn().map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
    let end = wait(&mut child, &deadline.within(spec.timeout), limits, &environment)
        .map_err(set_up("waiting for the program"))?;
    let (stdout, stderr) = environment.output().map_err(set_up("the program's output"))?;
    Ok(Run { end, stdout, stderr, ..Run::of_nothing(input) })
}

/// Waits for the end of the program, or terminates it. Its supervisor ends all processes that it has started.
fn wait(
    child: &mut Child,
    deadline: &Deadline,
    limits: &Limits,
    environment: &RunEnvironment,
) -> io::Result<ExitKind> {
    Ok(match wait_until(child, deadline, limits, environment)? {
        Ok(status) => match environment.exceeds_scratch(&limits.scratch)? {
            true => ExceededLimit::Scratch.exit_kind(),
            false => ExitKind::from_wait_status(status.into_raw()),
        },
        Err(exceeded) => {
            terminate(child);
            exceeded.exit_kind()
        }
    })
}

fn wait_until(
    child: &mut Child,
    deadline: &Deadline,
    limits: &Limits,
    environment: &RunEnvironment,
) -> io::Result<Result<ExitStatus, ExceededLimit>> {
    let mut pause = Duration::from_micros(200);
    let mut monitor = LimitMonitor::new(child.id(), limits, None, environment);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if deadline.is_over() {
            return Ok(Err(monitor.check_at_timeout()?));
        }
        std::thread::sleep(pause);
        if pause < limit_monitor::INTERVAL {
            pause = (pause * 2).min(limit_monitor::INTERVAL);
        } else if let Some(exceeded) = monitor.check()? {
            return Ok(Err(exceeded));
        } else {
            pause = monitor.interval();
        }
    }
}
