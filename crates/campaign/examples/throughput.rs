//! Measures the fork server: runs per second on one target, tracing and decoding included.
//!
//! Usage: `throughput TARGET STDIN-BYTES RUNS`. Prints one line: runs per second of wall time,
//! microseconds of target CPU per run, microseconds of driver time per decoded run.

use cairn_exec::{Limits, Mode, Server, TargetSpec};
use cairn_expr::Dag;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("usage: throughput TARGET STDIN-BYTES RUNS");
    let (target, stdin, runs) = (next()?, next()?.parse()?, next()?.parse::<u32>()?);
    let mut spec = TargetSpec::new(&target, coverage_size(&target)?);
    spec.stdin = Some(stdin);
    let mut input = spec.blank_input();
    let mut server = Server::start(spec, Limits::default())?;
    let mut dag = Dag::default();
    let (mut target_cpu, mut decoding, mut steps) = (Duration::ZERO, Duration::ZERO, 0);
    let start = Instant::now();
    for run in 0..runs {
        vary(&mut input.objects[0].bytes, run);
        target_cpu += server.run(&input, Mode::TRACE)?.cpu;
        let before = Instant::now();
        steps += server.decode(&mut dag).steps.len();
        decoding += before.elapsed();
    }
    let seconds = start.elapsed().as_secs_f64();
    let each = |total: Duration| total.as_secs_f64() * 1e6 / f64::from(runs);
    println!(
        "{:.0} runs/s, {:.0} us target CPU, {:.0} us decoding, {} symbolic branches per run",
        f64::from(runs) / seconds,
        each(target_cpu),
        each(decoding),
        steps / runs as usize
    );
    Ok(())
}

/// Another input each time, the same sequence in every measurement.
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
