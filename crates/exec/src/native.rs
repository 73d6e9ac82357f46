//! A run without the fork server, as any shell would make it: for programs that were not built by us.

use crate::end::End;
use crate::input::Input;
use crate::sandbox::Sandbox;
use crate::server::Run;
use crate::spawn::{StartError, limit_files, sandbox, set_up};
use crate::spec::{Limits, TargetSpec};
use crate::stage::Stage;
use crate::watch::{self, Excess};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, set_parent_process_death_signal};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Most looks for what a program has left behind: it may start more while it is being ended.
const SWEEPS: u32 = 100;

/// Runs a program once on an input. Objects the program names itself are left to the program; there is
/// no coverage.
pub fn run_native(spec: &TargetSpec, limits: &Limits, input: &Input) -> Result<Run, StartError> {
    let mut stage = Stage::set(spec).map_err(set_up("the program's files"))?;
    stage.prepare(input).map_err(set_up("the program's files"))?;
    let mut command = stage.command(spec, Some(input)).map_err(set_up("the program's files"))?;
    command.process_group(0);
    let (mut sandbox, file_bytes) = (sandbox(spec, &stage)?, limits.file_bytes);
    let in_child = move || {
        // Whoever waits for it may be killed.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        limit_files(file_bytes)?;
        sandbox.as_mut().map_or(Ok(()), Sandbox::enter)
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock, nothing a fork could break.
    unsafe { command.pre_exec(in_child) };
    let mut child =
        command.spawn().map_err(|source| StartError::CannotExecute { path: spec.path.clone(), source })?;
    let end = wait(&mut child, spec.timeout, limits).map_err(set_up("waiting for the program"))?;
    sweep(child.id(), stage.scratch());
    let (stdout, stderr) = stage.output().map_err(set_up("the program's output"))?;
    Ok(Run { end, stdout, stderr, ..Run::of_nothing(input) })
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

/// Ends what a program has left behind in sessions of its own: processes that came after it and know its scratch directory.
fn sweep(program: u32, scratch: &Path) {
    let mark = [b"TMPDIR=", scratch.as_os_str().as_bytes(), b"\0"].concat();
    for _ in 0..SWEEPS {
        let left = processes_after(program).filter(|pid| environment_has(*pid, &mark));
        let killed =
            left.filter_map(|pid| Pid::from_raw(pid as i32)).map(|pid| kill_process(pid, Signal::KILL));
        if killed.count() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn processes_after(first: u32) -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(move |pid| *pid > first)
}

fn environment_has(pid: u32, part: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.windows(part.len()).any(|window| window == part)
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
