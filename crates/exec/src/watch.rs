//! Limits on what the processes of a run take while it runs: time, memory, processes, scratch space.
//!
//! No limit of the kernel says how much memory a program may really use: the shadow memory alone has 64 TiB of addresses,
//! and shared memory counts against no process. So the driver looks, from time to time, at runs that take longer than most.

mod descriptors;
mod mappings;
mod processes;

use crate::environment::Stage;
use crate::exit_kind::ExitKind;
use crate::shm::SharedMemory;
use crate::spec::{Limits, ScratchSpace};
use descriptors::Descriptors;
pub(crate) use descriptors::FileId;
use mappings::Mappings;
use processes::Status;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two looks. Memory cannot grow by more than some tens of megabytes in between.
pub(crate) const INTERVAL: Duration = Duration::from_millis(10);
/// Pause after a look, in relation to the time it took: a run with thousands of files takes long to look at.
const PAUSE: u32 = 3;

/// Why the driver ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excess {
    /// Its time is up.
    Time,
    /// It takes more memory than it may.
    Memory,
    /// It has started more processes than it may.
    Processes,
    /// It has written more to its scratch directory than it may.
    Scratch,
}

impl Excess {
    /// The end of a run that was killed for it.
    pub(crate) fn end(self) -> ExitKind {
        match self {
            Excess::Time => ExitKind::Timeout,
            Excess::Memory => ExitKind::OutOfMemory,
            Excess::Processes => ExitKind::TooManyProcesses,
            Excess::Scratch => ExitKind::OutOfScratch,
        }
    }
}

/// Looks at one run.
pub(crate) struct Watch<'a> {
    /// Ancestor of all processes of the run; not itself one of them.
    root: u32,
    limits: &'a Limits,
    /// The trace memory, which is not the run's.
    trace: Option<&'a SharedMemory>,
    stage: &'a Stage,
    /// The state at the first look.
    begin: Option<Begin>,
    pause: Duration,
}

/// The state of the machine when a run is looked at for the first time.
struct Begin {
    /// Files of the driver's that the run has open: its trace, its standard streams.
    own: Vec<FileId>,
    /// The device that all shared memory without a name is on.
    shared_memory: u64,
    /// The device of the scratch directory, and what was free there.
    scratch: (u64, u64),
    /// Shared memory of all processes.
    machine: u64,
    /// Memory the trace had touched.
    trace: u64,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        root: u32,
        limits: &'a Limits,
        trace: Option<&'a SharedMemory>,
        stage: &'a Stage,
    ) -> Watch<'a> {
        Watch { root, limits, trace, stage, begin: None, pause: INTERVAL }
    }

    /// The time until the next look.
    pub(crate) fn pause(&self) -> Duration {
        self.pause
    }

    /// The limit that the run has exceeded, if any.
    pub(crate) fn look(&mut self) -> io::Result<Option<Excess>> {
        let start = Instant::now();
        let begin = match self.begin.take() {
            Some(begin) => begin,
            None => self.begin()?,
        };
        let excess = self.excess(&begin)?;
        self.begin = Some(begin);
        self.pause = INTERVAL.max(start.elapsed() * PAUSE);
        Ok(excess)
    }

    /// Returns the reason to end a run whose time is up. A limit that it exceeds besides explains more than the time: on a
    /// busy machine a fork bomb may get there before a look has seen its processes.
    pub(crate) fn look_at_timeout(&mut self) -> io::Result<Excess> {
        Ok(self.look()?.unwrap_or(Excess::Time))
    }

    fn begin(&self) -> io::Result<Begin> {
        let mut own = self.stage.own_files()?;
        let shared_memory = own.first().map_or(0, |file| file.device);
        if let Some(trace) = self.trace {
            own.push(FileId::of(trace.fd())?);
        }
        let scratch = self.stage.scratch_device()?;
        Ok(Begin {
            own,
            shared_memory,
            scratch,
            machine: machine_shared_memory(),
            trace: self.trace_bytes()?,
        })
    }

    fn trace_bytes(&self) -> io::Result<u64> {
        self.trace.map_or(Ok(0), SharedMemory::in_use)
    }

    fn excess(&self, begin: &Begin) -> io::Result<Option<Excess>> {
        let family = processes::family(self.root, self.limits.processes);
        if family.len() > self.limits.processes {
            return Ok(Some(Excess::Processes));
        }
        let run = &family[1..];
        let held = Descriptors::of(run, begin.shared_memory, begin.scratch.0, &begin.own);
        if self.memory(run, &held, begin)? > self.limits.memory {
            return Ok(Some(Excess::Memory));
        }
        let over = self.scratch(run, &held, begin)?.exceeds(&self.limits.scratch);
        Ok(over.then_some(Excess::Scratch))
    }

    /// Memory of these processes, exact only if it is near the limit: an upper bound is cheap.
    fn memory(&self, run: &[u32], held: &Descriptors, begin: &Begin) -> io::Result<u64> {
        let all: Vec<Status> = run.iter().filter_map(|pid| Status::of(*pid)).collect();
        let bound = all.iter().map(Status::total).sum::<u64>() + held.shared_memory.values().sum::<u64>();
        let trace_growth = self.trace_bytes()?.saturating_sub(begin.trace);
        let growth = machine_shared_memory().saturating_sub(begin.machine).saturating_sub(trace_growth);
        if bound.max(growth) <= self.limits.memory {
            return Ok(bound);
        }
        let mapped = Mappings::of(run, begin.shared_memory, &begin.own);
        let private = mapped.private + all.iter().map(Status::kernel).sum::<u64>();
        Ok(private + shared(&mapped, held, growth))
    }

    /// Space the run takes on the disk of its scratch directory.
    fn scratch(&self, run: &[u32], held: &Descriptors, begin: &Begin) -> io::Result<ScratchSpace> {
        let (mut used, is_all) = self.stage.scratch_in_use(&self.limits.scratch)?;
        used.bytes += held.unlinked.values().sum::<u64>();
        let growth = begin.scratch.1.saturating_sub(self.stage.scratch_device()?.1);
        let may_hide = || !is_all || held.is_incomplete || mappings::keep_unlinked(run, begin.shared_memory);
        if growth > self.limits.scratch.bytes && may_hide() {
            used.bytes = used.bytes.max(growth);
        }
        Ok(used)
    }
}

/// Shared memory of the run. Files that no process has open are counted as far as they are mapped; what else of them there
/// may be, or in descriptors that are on their way between processes, no file in /proc tells. There the growth of the whole
/// machine's shared memory since the run began is the only measure.
fn shared(mapped: &Mappings, held: &Descriptors, growth: u64) -> u64 {
    let not_held = || mapped.shared.iter().filter(|(file, _)| !held.shared_memory.contains_key(file));
    let seen =
        held.shared_memory.values().sum::<u64>() + not_held().map(|(_, part)| part.resident).sum::<u64>();
    let unseen = match held.is_incomplete || mapped.is_incomplete {
        true => u64::MAX,
        false => not_held().map(|(_, part)| part.size.saturating_sub(part.resident)).sum(),
    };
    seen + unseen.min(growth.saturating_sub(seen))
}

/// Shared memory of all processes of the machine, in bytes.
fn machine_shared_memory() -> u64 {
    read("/proc/meminfo").map_or(0, |text| kilobytes(&text, "Shmem:"))
}

/// The text of a file in /proc. Names in it are the run's, and need not be UTF-8.
fn read(path: impl AsRef<Path>) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// The value of a field in a file of /proc such as `status`; 0 if there is none.
fn kilobytes(text: &str, name: &str) -> u64 {
    text.lines().find_map(|line| line.strip_prefix(name)).map_or(0, amount)
}

/// An amount such as `   123 kB`, in bytes.
fn amount(text: &str) -> u64 {
    text.split_whitespace()
        .next()
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        .saturating_mul(1024)
}

#[cfg(test)]
mod tests;
