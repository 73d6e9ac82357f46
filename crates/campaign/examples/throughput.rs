//! Measures the fork server: the cost of runs of one target, including tracing and decoding.
//!
//! Usage: `throughput TARGET BYTES|FILE RUNS`: that many bytes of text on standard input, different in every
//! run, or the contents of a file. Prints one line: runs per second of wall time and of CPU time (target and
//! driver together), microseconds of CPU per run in target and driver, microseconds of decoding, symbolic
//! branches.

use cairn_exec::{Limits, Mode, Server, TargetSpec};
use cairn_expr::Dag;
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("usage: throughput TARGET BYTES|FILE RUNS");
    let (target, bytes, runs) = (next()?, next()?, next()?.parse::<u32>()?);
    let varied: Option<usize> = bytes.parse().ok();
    let text = varied.map_or_else(|| std::fs::read(&bytes), |count| Ok(vec![0; count]))?;
    let mut spec = TargetSpec::new(&target, coverage_size(&target)?);
    spec.stdin = Some(text.len());
    let mut input = spec.blank_input();
    input.objects[0].bytes = text;
    let mut server = Server::start(spec, Limits::default())?;
    let mut dag = Dag::default();
    let (mut target_cpu, mut decoding, mut steps, mut labels) = (Duration::ZERO, Duration::ZERO, 0, 0);
    let (start, own_start) = (Instant::now(), own_cpu());
    for run in 0..runs {
        if varied.is_some() {
            vary(&mut input.objects[0].bytes, run);
        }
        target_cpu += server.run(&input, Mode::TRACE)?.cpu;
        let before = Instant::now();
        let trace = server.decode(&mut dag);
        (steps, labels) = (steps + trace.steps.len(), labels + trace.label_count);
        decoding += before.elapsed();
    }
    let (seconds, driver) = (start.elapsed().as_secs_f64(), own_cpu() - own_start);
    let each = |total: Duration| total.as_secs_f64() * 1e6 / f64::from(runs);
    println!(
        "{:.0} runs/s, {:.0} per CPU second, {:.0} us target CPU, {:.0} us driver CPU, {:.0} us decoding, {} symbolic branches, {} labels per run",
        f64::from(runs) / seconds,
        f64::from(runs) / (target_cpu + driver).as_secs_f64(),
        each(target_cpu),
        each(driver),
        each(decoding),
        steps / runs as usize,
        labels / runs
    );
    Ok(())
}

/// Returns the CPU time of this process so far.
fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Changes the input deterministically by the number of the run.
fn vary(bytes: &mut [u8], run: u32) {
    let mut state = u64::from(run).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for byte in bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = b' ' + (state >> 57) as u8 % 95;
    }
}

fn coverage_size(target: &str) -> Result<usize, Box<dyn Error>> {
    Ok(cairn_program::Program::read(target.as_ref())?.branch_count() as usize)
}
