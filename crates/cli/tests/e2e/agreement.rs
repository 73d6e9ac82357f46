//! An instrumented program must do what a plain build of it does.

use crate::branch_log::check_log;
use crate::example::{Example, Part};
use crate::sites::Functions;
use cairn_campaign::{encode_test, fit, read_test};
use cairn_exec::{
    Arg, ExitKind, Input, Limits, Mode, Object, Output, Run, Server, SymbolicFile, TargetSpec, run_native,
    signal_name,
};
use cairn_expr::Dag;
use cairn_program::Program;
use cairn_wire::ObjectKind;
use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Both builds of an example.
pub struct Builds<'a> {
    pub example: &'a Example,
    pub instrumented: &'a Path,
    pub plain: &'a Path,
}

/// Result of running all tests of a campaign on both builds.
#[derive(Default)]
pub struct Comparison {
    pub tests: usize,
    pub complaints: Vec<String>,
    /// Signal and function of every crash.
    pub faults: BTreeSet<(String, String)>,
}

impl Builds<'_> {
    /// Runs every test in the campaign directory on both builds.
    pub fn compare(&self, campaign: &Path) -> Comparison {
        let mut comparison = Comparison::default();
        let program = Program::read(self.instrumented).unwrap();
        let spec = self.spec(self.instrumented, program.branch_count() as usize);
        let blank = spec.blank_input();
        let mut server = Server::start(spec, Limits::default()).unwrap();
        let functions = Functions::read(self.plain);
        for test in tests(campaign) {
            let input = fit(read_test(&test, &blank).unwrap(), &blank);
            let plain = self.run_plain(&input);
            for mode in [Mode::NATIVE, Mode::TRACE, Mode::LOG] {
                let run = server.run(&input, mode).unwrap();
                if (run.end, &run.stdout) != (plain.end, &plain.stdout) {
                    comparison.complaints.push(format!(
                        "{} {mode:?}: {} with {:?}, plain {} with {:?}",
                        test.display(),
                        run.end,
                        String::from_utf8_lossy(&run.stdout),
                        plain.end,
                        String::from_utf8_lossy(&plain.stdout),
                    ));
                }
                if let Err(why) = check_log(&program, &run, &server.decode(&mut Dag::new())) {
                    comparison.complaints.push(format!("{} {mode:?}: {why}", test.display()));
                }
            }
            if let ExitKind::Signal(signal) = plain.end {
                let function = functions.crashed_in(&plain.stderr).unwrap_or("nowhere");
                let name = signal_name(signal).unwrap_or("some signal");
                comparison.faults.insert((name.to_owned(), function.to_owned()));
            }
            comparison.tests += 1;
        }
        comparison
    }

    fn run_plain(&self, input: &Input) -> Run {
        let mut spec = self.spec(self.plain, 0);
        let is_named = |object: &&Object| object.kind == ObjectKind::Named;
        let named = Input { objects: input.objects.iter().filter(is_named).cloned().collect() };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), encode_test(&named, &[]).0).unwrap();
        // Programs of root run as another user.
        std::fs::set_permissions(file.path(), Permissions::from_mode(0o644)).unwrap();
        spec.env.push(("CAIRN_TEST".into(), file.path().into()));
        run_native(&spec, &Limits::default(), input, &cairn_deadline::Deadline::never()).unwrap()
    }

    fn spec(&self, program: &Path, branches: usize) -> TargetSpec {
        let mut spec = TargetSpec::new(program, branches);
        spec.output = Output::Capture;
        spec.timeout = Duration::from_secs(10);
        spec.args = self.example.args().into_iter().map(|text| Arg::File(text, 0)).collect();
        let file = |name: &str, len| SymbolicFile { name: name.to_owned(), len };
        for part in &self.example.parts {
            match *part {
                Part::Stdin(len) => spec.stdin = Some(len),
                Part::Arg(len) => spec.args.push(Arg::Symbolic(len)),
                Part::Optional([least, most, len]) => {
                    spec.args.extend(vec![Arg::Symbolic(len); most]);
                    spec.optional_args = (most - least) as u8;
                }
                Part::File(len) => spec.files.push(file("input", len)),
                Part::Open(ref name, len) => spec.files.push(file(name, len)),
            }
        }
        spec
    }
}

/// Every file that a campaign kept.
pub fn tests(campaign: &Path) -> Vec<PathBuf> {
    let places = ["queue", "crashes", "hangs"].map(|place| campaign.join(place));
    let entries = places.iter().flat_map(|place| std::fs::read_dir(place).unwrap());
    let mut tests: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    tests.sort();
    tests
}
