//! Monitors the limits of a run while it runs: time, memory, processes, scratch space.
//!
//! No limit of the kernel bounds the memory that a program really uses: the shadow alone has 64 TiB of
//! addresses, and shared memory counts against no process. So the driver samples runs that take longer than
//! most.

mod descriptors;
mod mappings;
mod processes;

use crate::environment::RunEnvironment;
use crate::exit_kind::ExitKind;
use crate::file_id::FileId;
use crate::shm::SharedMemory;
use crate::spec::{Limits, ScratchSpace};
use descriptors::OpenFiles;
use mappings::MappedMemory;
use processes::ProcessMemory;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two checks. Memory cannot grow by more than some tens of megabytes in between.
pub(crate) const INTERVAL: Duration = Duration::from_millis(10);
/// Pause after a check, in multiples of the time it took: checking a run with thousands of files takes long.
const PAUSE_FACTOR: u32 = 3;

/// The limit for which the driver ends a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExceededLimit {
    /// Time.
    Time,
    /// Events in the trace, which say how far a run has got whatever else the machine does.
    Events,
    /// Memory.
    Memory,
    /// Number of processes.
    Processes,
    /// Space in the scratch directory.
    Scratch,
}

impl ExceededLimit {
    /// Returns the exit kind of a run that was killed for it.
    pub(crate) fn exit_kind(self) -> ExitKind {
        match self {
            ExceededLimit::Time | ExceededLimit::Events => ExitKind::Timeout,
            ExceededLimit::Memory => ExitKind::OutOfMemory,
            ExceededLimit::Processes => ExitKind::TooManyProcesses,
            ExceededLimit::Scratch => ExitKind::OutOfScratch,
        }
    }
}

/// The monitor of one run.
pub(crate) struct LimitMonitor<'a> {
    /// Ancestor of all processes of the run; not itself one of them.
    root: u32,
    limits: &'a Limits,
    /// Shared memory of the trace, which does not count as the run's.
    trace: Option<&'a SharedMemory>,
    environment: &'a RunEnvironment,
    /// State at the first check.
    baseline: Option<Baseline>,
    interval: Duration,
}

/// State of the machine when a run is checked for the first time.
struct Baseline {
    /// Files of the driver that the run has open: its trace, its standard streams.
    driver_files: Vec<FileId>,
    /// Device of all anonymous shared memory.
    shared_memory: u64,
    /// Device of the scratch directory, and the free bytes there.
    scratch: (u64, u64),
    /// Shared memory of all processes of the machine.
    machine: u64,
    /// Memory of the trace.
    trace: u64,
}

impl<'a> LimitMonitor<'a> {
    /// Returns a monitor of the descendants of `root`.
    pub(crate) fn new(
        root: u32,
        limits: &'a Limits,
        trace: Option<&'a SharedMemory>,
        environment: &'a RunEnvironment,
    ) -> LimitMonitor<'a> {
        LimitMonitor { root, limits, trace, environment, baseline: None, interval: INTERVAL }
    }

    /// Returns the time until the next check.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// Returns the limit that the run has exceeded, if any.
    pub(crate) fn check(&mut self) -> io::Result<Option<ExceededLimit>> {
        let start = Instant::now();
        let baseline = match self.baseline.take() {
            Some(baseline) => baseline,
            None => self.measure_baseline()?,
        };
        let exceeded = self.exceeded(&baseline)?;
        self.baseline = Some(baseline);
        self.interval = INTERVAL.max(start.elapsed() * PAUSE_FACTOR);
        Ok(exceeded)
    }

    /// Returns the reason to end a run whose time is up. Another limit that it exceeds explains more than the
    /// time: on a busy machine the time of a fork bomb may be up before a check has seen its processes.
    pub(crate) fn check_at_timeout(&mut self) -> io::Result<ExceededLimit> {
        Ok(self.check()?.unwrap_or(ExceededLimit::Time))
    }

    fn measure_baseline(&self) -> io::Result<Baseline> {
        let mut driver_files = self.environment.own_files()?;
        let shared_memory = driver_files.first().map_or(0, |file| file.device);
        if let Some(trace) = self.trace {
            driver_files.push(FileId::of(trace.fd())?);
        }
        let scratch = self.environment.scratch_device()?;
        Ok(Baseline {
            driver_files,
            shared_memory,
            scratch,
            machine: machine_shared_memory(),
            trace: self.trace_bytes()?,
        })
    }

    fn trace_bytes(&self) -> io::Result<u64> {
        self.trace.map_or(Ok(0), SharedMemory::in_use)
    }

    fn exceeded(&self, baseline: &Baseline) -> io::Result<Option<ExceededLimit>> {
        let family = processes::family(self.root, self.limits.processes);
        if family.len() > self.limits.processes {
            return Ok(Some(ExceededLimit::Processes));
        }
        let run = &family[1..];
        let held = OpenFiles::of(run, baseline.shared_memory, baseline.scratch.0, &baseline.driver_files);
        if self.memory(run, &held, baseline)? > self.limits.memory {
            return Ok(Some(ExceededLimit::Memory));
        }
        let over = self.scratch(run, &held, baseline)?.exceeds(&self.limits.scratch);
        Ok(over.then_some(ExceededLimit::Scratch))
    }

    /// Returns the memory of these processes, exact only if it is near the limit: an upper bound is cheap.
    fn memory(&self, run: &[u32], held: &OpenFiles, baseline: &Baseline) -> io::Result<u64> {
        let all: Vec<ProcessMemory> = run.iter().filter_map(|pid| ProcessMemory::of(*pid)).collect();
        let bound =
            all.iter().map(ProcessMemory::total).sum::<u64>() + held.shared_memory.values().sum::<u64>();
        let trace_growth = self.trace_bytes()?.saturating_sub(baseline.trace);
        let growth = machine_shared_memory().saturating_sub(baseline.machine).saturating_sub(trace_growth);
        if bound.max(growth) <= self.limits.memory {
            return Ok(bound);
        }
        let mapped = MappedMemory::of(run, baseline.shared_memory, &baseline.driver_files);
        let private = mapped.private + all.iter().map(ProcessMemory::kernel).sum::<u64>();
        Ok(private + shared(&mapped, held, growth))
    }

    /// Returns the space that the run takes on the disk of its scratch directory.
    fn scratch(&self, run: &[u32], held: &OpenFiles, baseline: &Baseline) -> io::Result<ScratchSpace> {
        let (mut used, is_complete) = self.environment.scratch_in_use(&self.limits.scratch)?;
        used.bytes += held.unlinked.values().sum::<u64>();
        let growth = baseline.scratch.1.saturating_sub(self.environment.scratch_device()?.1);
        let may_hide =
            || !is_complete || held.is_incomplete || mappings::has_unlinked(run, baseline.shared_memory);
        if growth > self.limits.scratch.bytes && may_hide() {
            used.bytes = used.bytes.max(growth);
        }
        Ok(used)
    }
}

/// Returns the shared memory of the run. Files that no process has open are counted as far as they are
/// mapped. The rest of them, and files behind descriptors in flight between processes, do not appear in
/// /proc: for these the growth of the whole machine's shared memory since the run began is the only measure.
fn shared(mapped: &MappedMemory, held: &OpenFiles, growth: u64) -> u64 {
    let not_held = || mapped.shared.iter().filter(|(file, _)| !held.shared_memory.contains_key(file));
    let seen =
        held.shared_memory.values().sum::<u64>() + not_held().map(|(_, part)| part.resident).sum::<u64>();
    let unseen = match held.is_incomplete || mapped.is_incomplete {
        true => u64::MAX,
        false => not_held().map(|(_, part)| part.size.saturating_sub(part.resident)).sum(),
    };
    seen + unseen.min(growth.saturating_sub(seen))
}

/// Returns the shared memory of all processes of the machine, in bytes.
fn machine_shared_memory() -> u64 {
    read("/proc/meminfo").map_or(0, |text| kilobytes(&text, "Shmem:"))
}

/// Reads a file in /proc. Names in it are chosen by the run, and need not be UTF-8.
fn read(path: impl AsRef<Path>) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// Returns the value of a field in a file of /proc such as `status`; 0 if there is none.
fn kilobytes(text: &str, name: &str) -> u64 {
    text.lines().find_map(|line| line.strip_prefix(name)).map_or(0, parse_amount)
}

/// Parses an amount such as `   123 kB`; returns bytes.
fn parse_amount(text: &str) -> u64 {
    text.split_whitespace()
        .next()
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        .saturating_mul(1024)
}

#[cfg(test)]
mod tests;
