//! Reference builds of the program, plain and with sanitizers: made again from the records in it, or the
//! user's own. There is nothing of Cairn's tracing in them, so what they show is shown by the program itself.

use crate::digest::{Fingerprint, fingerprint};
use crate::error::Error;
use crate::native::{TestServer, run_plain};
use crate::rebuild::{Rebuild, Variant};
use crate::toolchain;
use cairn_campaign::{BuildNews, Builds, write_whole};
use cairn_deadline::Deadline;
use cairn_exec::{Input, Limits, Output, Run, TargetSpec};
use cairn_program::read_text;
use cairn_wire::Checks;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Sanitizer options: stacks without symbols, which would cost a process for each report; the campaign
/// symbolizes them itself.
const SANITIZER_OPTIONS: [(&str, &str); 2] = [
    ("ASAN_OPTIONS", "symbolize=0:color=never"),
    ("UBSAN_OPTIONS", "symbolize=0:color=never:print_stacktrace=1"),
];
/// Kinds of undefined behaviour that are not reported: they work on this machine, and many programs rely on
/// them (`1 << 31` among them).
const TOLERATED: &str = "alignment,function,pointer-overflow,object-size,vptr,shift-base";
/// Factor on the memory limit: a sanitizer's shadow counts as the program's memory. A chosen factor.
const MEMORY_FACTOR: u64 = 3;
/// Most bytes that such a run may write, reports included; a chosen bound.
const MAX_OUTPUT: u64 = 32 << 20;
/// Extension of the file with the digest of what a build was made from.
const DIGEST: &str = "digest";
/// Most bytes of such a file that are read.
const DIGEST_BYTES: u64 = 64;

/// A build of the program.
#[derive(Debug)]
enum Build {
    /// The user's own file.
    Given(PathBuf),
    /// Made again from the records in the program, when it is first needed; None inside if that fails.
    Made { path: PathBuf, variant: Variant, done: OnceLock<bool> },
}

/// Paths of the builds of a program: given ones, and the directory of those that are made.
#[derive(Clone, Debug, Default)]
pub struct BuildPlaces {
    /// Directory for builds that are made.
    pub directory: PathBuf,
    /// True if builds that are there were made by an earlier part of the same campaign of this user.
    pub has_own_builds: bool,
    /// The user's own plain build.
    pub plain: Option<PathBuf>,
    /// The user's own build with sanitizers.
    pub sanitized: Option<PathBuf>,
}

/// The builds.
#[derive(Debug)]
pub struct ReferenceBuilds {
    rebuild: Rebuild,
    spec: TargetSpec,
    limits: Limits,
    has_own_builds: bool,
    plain: Build,
    sanitized: Build,
    /// Server of the build with sanitizers, once one was made; None inside if it has none.
    server: OnceLock<Option<Mutex<TestServer>>>,
    news: Mutex<Vec<BuildNews>>,
    /// True once a build could not be run.
    has_failed: AtomicBool,
    stop: Arc<AtomicBool>,
}

impl ReferenceBuilds {
    /// Prepares builds of the program that `spec` describes how to run.
    pub fn new(places: &BuildPlaces, spec: &TargetSpec, limits: Limits, checks: Checks) -> ReferenceBuilds {
        let stop: Arc<AtomicBool> = Arc::default();
        let mut own = spec.clone();
        own.output = Output::Capture;
        own.env.extend(SANITIZER_OPTIONS.map(|(name, value)| (name.into(), value.into())));
        let name = spec.path.file_name().unwrap_or_default().to_string_lossy();
        let build = |given: &Option<PathBuf>, variant: Variant| match given {
            Some(path) => Build::Given(path.clone()),
            None => Build::Made {
                path: places.directory.join(format!("{name}.{}", variant.name)),
                variant,
                done: OnceLock::new(),
            },
        };
        ReferenceBuilds {
            rebuild: Rebuild { program: spec.path.clone(), is_sandboxed: spec.sandbox, stop: stop.clone() },
            spec: own,
            limits: Limits { file_bytes: MAX_OUTPUT, ..limits },
            has_own_builds: places.has_own_builds,
            plain: build(&places.plain, plain()),
            sanitized: build(&places.sanitized, sanitized(checks)),
            server: OnceLock::new(),
            news: Mutex::default(),
            has_failed: AtomicBool::new(false),
            stop,
        }
    }

    /// Returns the file of a build, made if need be; None if that failed.
    fn file<'a>(&self, build: &'a Build) -> Option<&'a Path> {
        match build {
            Build::Given(path) => Some(path),
            Build::Made { path, variant, done } => {
                done.get_or_init(|| self.make(path, variant)).then_some(path.as_path())
            }
        }
    }

    /// Makes a build, unless it exists; true if there is one then.
    fn make(&self, path: &Path, variant: &Variant) -> bool {
        let (kept, build) = (path.with_added_extension(DIGEST), variant.name);
        let Ok(digest) = self.digest(variant) else { return false };
        let is_own = || read_text(&kept, DIGEST_BYTES).is_ok_and(|text| text == digest);
        if self.has_own_builds && is_own() && path.is_file() {
            return true;
        }
        let mut progress = |done, total| self.add_news(BuildNews::Compiling { build, done, total });
        let made = make_directory(path).and_then(|()| self.rebuild.build(variant, path, &mut progress));
        match made {
            Ok(()) => {
                // Without it the build is made again when the campaign is resumed.
                let name = kept.file_name().unwrap_or_default().to_string_lossy();
                let _ = write_whole(path.parent().unwrap_or(Path::new(".")), &name, digest.as_bytes(), false);
                true
            }
            Err(_) if self.stop.load(Ordering::Relaxed) => false,
            Err(error) => {
                self.add_news(BuildNews::Failed { build, reason: error.to_string() });
                false
            }
        }
    }

    /// Returns the server of the build with sanitizers; a user's own build has none.
    fn server(&self, program: &Path, limits: Limits) -> Option<&Mutex<TestServer>> {
        let start = || {
            let spec = TargetSpec { path: program.to_owned(), ..self.spec.clone() };
            let is_made = matches!(self.sanitized, Build::Made { .. });
            is_made.then(|| TestServer::new(spec, limits).ok()).flatten().map(Mutex::new)
        };
        self.server.get_or_init(start).as_ref()
    }

    /// Returns the digest of everything that a build depends on.
    fn digest(&self, variant: &Variant) -> Result<String, Error> {
        let mut digest = Fingerprint::default();
        digest.number(fingerprint(&self.rebuild.program)?);
        for option in &variant.options {
            digest.bytes(option.as_encoded_bytes());
        }
        variant.link_options.iter().for_each(|option| {
            digest.bytes(option.as_bytes());
        });
        for name in variant.own {
            digest.number(fingerprint(&toolchain::find()?.include_dir.join(name))?);
        }
        Ok(format!("{:016x}", digest.finish()))
    }

    fn add_news(&self, news: BuildNews) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push(news);
    }

    /// Runs a build by itself; the first failure is reported.
    fn run(&self, (build, program): (&'static str, &Path), limits: Limits, input: &Input) -> Option<Run> {
        let spec = TargetSpec { path: program.to_owned(), ..self.spec.clone() };
        match run_plain(spec, &limits, input, &Deadline::interrupted_by(self.stop.clone())) {
            Ok(run) => Some(run),
            Err(error) => {
                let is_reported =
                    self.stop.load(Ordering::Relaxed) || self.has_failed.swap(true, Ordering::Relaxed);
                if !is_reported {
                    self.add_news(BuildNews::Failed { build, reason: error.to_string() });
                }
                None
            }
        }
    }
}

/// Returns the variant that is like the user's own build.
fn plain() -> Variant {
    Variant { name: "plain", options: vec!["-g".into()], link_options: &[], own: &["cairn_replay.c"] }
}

/// Returns the variant with sanitizers. It is not optimised: what the optimiser removes is not checked.
fn sanitized(checks: Checks) -> Variant {
    let unwanted = [(Checks::OVERFLOW, ",signed-integer-overflow"), (Checks::SHIFT, ",shift-exponent")];
    let unwanted = unwanted.into_iter().filter(|(check, _)| !checks.contains(*check));
    let names: String = unwanted.map(|(_, name)| name).collect();
    let options = ["-g", "-O0", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"];
    let mut options = options.map(OsString::from).to_vec();
    options.push(format!("-fno-sanitize={TOLERATED}{names}").into());
    let own = &["cairn_replay.c", "cairn_sanitized.c"];
    Variant { name: "sanitized", options, link_options: &["-Wl,--wrap=main"], own }
}

fn make_directory(path: &Path) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(|error| Error::cannot("make", directory, error))
}

impl Builds for ReferenceBuilds {
    fn plain(&self, input: &Input) -> Option<Run> {
        self.run(("plain", self.file(&self.plain)?), self.limits, input)
    }

    fn sanitized(&self, input: &Input) -> Option<Run> {
        let limits = Limits { memory: self.limits.memory.saturating_mul(MEMORY_FACTOR), ..self.limits };
        let program = self.file(&self.sanitized)?;
        let served = self.server(program, limits).and_then(|server| {
            let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
            server.run(input, &Deadline::interrupted_by(self.stop.clone())).ok()
        });
        // A run that has killed its server is made once more, by itself.
        served.or_else(|| self.run(("sanitized", program), limits, input))
    }

    fn sanitized_program(&self) -> PathBuf {
        match &self.sanitized {
            Build::Given(path) | Build::Made { path, .. } => path.clone(),
        }
    }

    fn news(&self) -> Vec<BuildNews> {
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
