//! Reference builds of the user's sources, plain and with sanitizers. There is nothing of Cairn in them, so
//! what they show is shown by the program itself.

use crate::compile::{as_argument, is_cxx};
use crate::error::Error;
use crate::native::run_plain;
use crate::toolchain;
use cairn_campaign::Builds;
use cairn_deadline::Deadline;
use cairn_exec::{Input, Limits, Output, Run, TargetSpec};
use cairn_wire::Checks;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Sanitizer options: stacks without symbols, which would cost a process for each report; the campaign
/// symbolizes them itself.
const SANITIZER_OPTIONS: [(&str, &str); 2] = [
    ("ASAN_OPTIONS", "symbolize=0:color=never"),
    ("UBSAN_OPTIONS", "symbolize=0:color=never:print_stacktrace=1"),
];
/// Kinds of undefined behaviour that are not reported: they work on this machine, and many programs rely on
/// them.
const TOLERATED: &str = "alignment,function,pointer-overflow,object-size,vptr";
/// Factor on the memory limit: a sanitizer's shadow counts as the program's memory. A chosen factor.
const MEMORY_FACTOR: u64 = 3;
/// Most bytes that such a run may write, reports included; a chosen bound.
const MAX_OUTPUT: u64 = 32 << 20;
/// Period at which a running compiler is polled; a chosen bound.
const POLL_PERIOD: Duration = Duration::from_millis(10);

/// The builds, made when they are first needed.
#[derive(Debug)]
pub struct ReferenceBuilds {
    sources: Vec<PathBuf>,
    /// Path of the instrumented program; the builds go beside it.
    program: PathBuf,
    spec: TargetSpec,
    limits: Limits,
    checks: Checks,
    plain: OnceLock<Option<PathBuf>>,
    sanitized: OnceLock<Option<PathBuf>>,
    stop: Arc<AtomicBool>,
}

impl ReferenceBuilds {
    /// Prepares builds of `sources`, which `spec` describes how to run.
    pub fn new(sources: &[PathBuf], spec: &TargetSpec, limits: Limits, checks: Checks) -> ReferenceBuilds {
        let mut own = spec.clone();
        own.output = Output::Capture;
        own.env.extend(SANITIZER_OPTIONS.map(|(name, value)| (name.into(), value.into())));
        let limits = Limits { file_bytes: MAX_OUTPUT, ..limits };
        ReferenceBuilds {
            sources: sources.to_vec(),
            program: spec.path.clone(),
            spec: own,
            limits,
            checks,
            plain: OnceLock::new(),
            sanitized: OnceLock::new(),
            stop: Arc::default(),
        }
    }

    fn companion_path(&self, extension: &str) -> PathBuf {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        self.program.with_file_name(format!("{name}.{extension}"))
    }

    /// Builds a program; none if that fails.
    fn build(&self, program: PathBuf, options: &[String], own: &[&str]) -> Option<PathBuf> {
        let tools = toolchain::find().ok()?;
        let is_cxx = self.sources.iter().any(|file| is_cxx(file));
        let mut words: Vec<OsString> = ["-O0", "-g", "-w", "-idirafter"].map(OsString::from).into();
        words.push(tools.include_dir.clone().into());
        words.extend(options.iter().map(OsString::from));
        words.extend(self.sources.iter().map(|file| as_argument(file)));
        words.extend(own.iter().map(|name| tools.include_dir.join(name).into()));
        words.extend(is_cxx.then(|| "-lstdc++".into()));
        words.extend(["-lm".into(), "-o".into(), program.clone().into()]);
        let done = self.run_to_end(Command::new(&tools.clang).args(words));
        done.unwrap_or(false).then_some(program)
    }

    /// Runs a compiler until it ends or `stop` is raised; true if it succeeded.
    fn run_to_end(&self, command: &mut Command) -> Result<bool, Error> {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = quiet.spawn()?;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            if self.stop.load(Ordering::Relaxed) {
                child.kill()?;
                child.wait()?;
                return Ok(false);
            }
            std::thread::sleep(POLL_PERIOD);
        }
    }

    fn run(&self, program: &Path, limits: Limits, input: &Input) -> Option<Run> {
        let spec = TargetSpec { path: program.to_owned(), ..self.spec.clone() };
        run_plain(spec, &limits, input, &Deadline::interrupted_by(self.stop.clone())).ok()
    }

    /// Returns the compiler's sanitizer options.
    fn sanitizers(&self) -> Vec<String> {
        let unwanted = [(Checks::OVERFLOW, ",signed-integer-overflow"), (Checks::SHIFT, ",shift")];
        let unwanted = unwanted.into_iter().filter(|(check, _)| !self.checks.contains(*check));
        let names: String = unwanted.map(|(_, name)| name).collect();
        vec![
            "-fsanitize=address,undefined".to_owned(),
            format!("-fno-sanitize={TOLERATED}{names}"),
            "-fno-omit-frame-pointer".to_owned(),
        ]
    }
}

impl Builds for ReferenceBuilds {
    fn plain(&self, input: &Input) -> Option<Run> {
        let build = || self.build(self.companion_path("plain"), &[], &["cairn_replay.c"]);
        self.run(self.plain.get_or_init(build).as_ref()?, self.limits, input)
    }

    fn sanitized(&self, input: &Input) -> Option<Run> {
        let own = ["cairn_replay.c", "cairn_sanitized.c"];
        let build = || self.build(self.sanitized_program(), &self.sanitizers(), &own);
        let program = self.sanitized.get_or_init(build).as_ref()?;
        let limits = Limits { memory: self.limits.memory.saturating_mul(MEMORY_FACTOR), ..self.limits };
        self.run(program, limits, input)
    }

    fn sanitized_program(&self) -> PathBuf {
        self.companion_path("sanitized")
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
