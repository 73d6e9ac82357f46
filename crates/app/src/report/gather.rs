//! Gathers a report from a campaign directory, its program, and a replay of its tests.

use super::findings::Context;
use super::plain_coverage;
use super::retrace::{Retraced, coverage, diagnose, retrace};
use super::side_labels::Labels;
use super::source_texts::SourceTexts;
use super::sources::{Hits, SourceListing};
use super::{statistics, tree};
use crate::doctor;
use crate::error::Error;
use crate::frontend::Frontend;
use crate::subject::{NamedSubject, Subject};
use crate::suite::{self, Suite};
use crate::target;
use crate::temporary;
use cairn_campaign::{Diagnosis, Fate, Notes, Replay, Snapshot, Summary, TestFolder};
use cairn_exec::{Server, TargetSpec};
use cairn_program::{BranchId, Program, SiteId};
use cairn_report::{Advice, Generator, Report, Test};
use cairn_tree::Coverage;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Time limit of a run by default, in milliseconds.
const TIMEOUT: u64 = 1000;

/// Settings of a report.
#[derive(Clone, Debug)]
pub struct ReportSettings {
    /// The campaign directory, absolute.
    pub directory: PathBuf,
    /// The target as far as the user names it, with absolute paths.
    pub named: NamedSubject,
    /// True if llvm-cov's figures of a plain build are demanded.
    pub replay_coverage: bool,
    /// True if a plain build's lines are wanted where it can be made.
    pub wants_lines: bool,
    /// Longest time of one execution in milliseconds, if not the campaign's.
    pub timeout: Option<u64>,
}

/// A campaign directory with its program.
struct GatheredCampaign<'a> {
    settings: &'a ReportSettings,
    suite: Suite,
    snapshot: Option<Snapshot>,
    program: Program,
    path: PathBuf,
    spec: TargetSpec,
    missing: Vec<String>,
}

/// A campaign, its replayed tests, and what is needed for more runs of it.
struct ReplayedCampaign<'a> {
    gathered: GatheredCampaign<'a>,
    tests: Vec<Retraced>,
    collector: Diagnosis,
    subject: Subject,
    /// Holds the program if it was built from source.
    _scratch: TempDir,
}

/// Gathers the report: replays the tests, and reads what the campaign recorded.
pub fn gather(settings: &ReportSettings, frontend: &dyn Frontend) -> Result<Report, Error> {
    let ReplayedCampaign { gathered, tests, collector, subject, _scratch } = replay(settings, frontend)?;
    let mut report = gathered.report(&tests, collector);
    if settings.replay_coverage || settings.wants_lines {
        let build = plain_coverage::PlainBuild::new(&gathered.spec, subject.sandbox.limits(), frontend);
        match build.and_then(|build| plain_coverage::measure(&build, &tests, &mut report, frontend)) {
            Err(error) if !settings.replay_coverage => {
                let reason = error.reason();
                report.missing.push(format!("only lines and functions with branches are listed: {reason}"));
            }
            measured => measured?,
        }
    }
    Ok(report)
}

/// Returns the figures of a campaign with the reasons why it stalls, for `cairn doctor`; the campaign needs a
/// snapshot.
pub fn diagnose_campaign(settings: &ReportSettings, frontend: &dyn Frontend) -> Result<Summary, Error> {
    let ReplayedCampaign { gathered, tests, collector, .. } = replay(settings, frontend)?;
    let Some(snapshot) = &gathered.snapshot else { return Err(Error::new(gathered.missing.join("; "))) };
    let mut summary = snapshot.summary.clone();
    let mut coverage = coverage(&gathered.program, &tests);
    gathered.add_campaigns(&mut coverage);
    summary.notes.reasons = gathered.reasons(collector, &coverage);
    Ok(summary)
}

/// Replays the tests of a campaign.
fn replay<'a>(settings: &'a ReportSettings, frontend: &dyn Frontend) -> Result<ReplayedCampaign<'a>, Error> {
    let suite = Suite::of_campaign(&settings.directory, &TestFolder::ALL, frontend)?;
    let subject = suite::subject(&settings.named, &suite, &settings.directory)?;
    suite.enter_directory(&settings.directory)?;
    let scratch = temporary::directory()?;
    let checks = suite.made_by.as_ref().and_then(|run| run.checks).unwrap_or_default();
    let path = target::program_path(&subject, checks, |_| Ok(scratch.path().join("program")))?;
    let program = Program::read(&path)?;
    let campaigns = suite.made_by.as_ref().filter(|_| suite.is_trusted()).map(|run| run.timeout);
    let spec = target::spec(&subject, &path, &program, settings.timeout.or(campaigns).unwrap_or(TIMEOUT))?;
    let mut missing = Vec::new();
    let was_free = suite.made_by.as_ref().is_some_and(|run| run.subject.sandbox.no_sandbox);
    if was_free && !subject.sandbox.no_sandbox {
        missing.push(
            "the campaign ran without the sandbox, but its tests were run in it again: --no-sandbox does without"
                .to_owned(),
        );
    }
    let snapshot = snapshot(&settings.directory, &path, &mut missing)?;
    let mut server = Server::start(spec.clone(), subject.sandbox.limits())?;
    let tests = retrace(&program, &mut server, &spec.blank_input(), &suite.files, &mut missing, frontend)?;
    let collector = diagnose(&program, &mut server, &tests, frontend)?;
    drop(server);
    let gathered = GatheredCampaign { settings, suite, snapshot, program, path, spec, missing };
    Ok(ReplayedCampaign { gathered, tests, collector, subject, _scratch: scratch })
}

/// Reads the campaign's snapshot, if it is about this program; otherwise adds the reason to `missing`.
fn snapshot(directory: &Path, program: &Path, missing: &mut Vec<String>) -> Result<Option<Snapshot>, Error> {
    let why = match Snapshot::read(directory) {
        Ok(Some(snapshot)) if snapshot.target == crate::digest::fingerprint(program)? => {
            return Ok(Some(snapshot));
        }
        Ok(Some(_)) => "the program is not the one that the campaign explored".to_owned(),
        Ok(None) => "the campaign ended before its first snapshot".to_owned(),
        Err(error) => error.to_string(),
    };
    missing.push(format!(
        "{why}: reasons for uncovered branches, the execution tree and the solver's figures are left out"
    ));
    Ok(None)
}

impl GatheredCampaign<'_> {
    fn report(&self, tests: &[Retraced], collector: Diagnosis) -> Report {
        let mut coverage = coverage(&self.program, tests);
        self.add_campaigns(&mut coverage);
        let hits = Hits::new(&self.program, tests);
        let fates = self.fates();
        let texts = SourceTexts::read(&self.program, self.suite.moved(&self.settings.directory));
        let labels = &Labels::new(&self.program, &texts);
        let covered =
            SourceListing { program: &self.program, labels, hits: &hits, coverage: &coverage, fates };
        let told = self.snapshot.as_ref();
        let made_by = self.suite.made_by.as_ref();
        let replay = made_by
            .map_or_else(|| self.bare_replay(), |run| target::replay_command(&run.subject, &self.path));
        let again = |test: &Path| replay.command(test);
        let context = Context {
            directory: &self.settings.directory,
            blank: &self.spec.blank_input(),
            tests,
            is_trusted: self.suite.is_trusted(),
            again: &again,
        };
        Report {
            generator: Generator { name: "Cairn".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            campaign: statistics::campaign(&self.settings.directory, told, made_by),
            curve: statistics::curve(&self.settings.directory, told),
            files: covered.files(&texts),
            executed: None,
            tests: tests.iter().map(|test| self.test(test)).collect(),
            findings: context.findings(),
            tree: told.map(|told| tree::tree(&self.program, labels, &told.tree)).unwrap_or_default(),
            layers: told.map(|told| statistics::layers(&told.summary)).unwrap_or_default(),
            figures: told.map(statistics::figures).unwrap_or_default(),
            // Without a test nothing was diagnosed.
            advice: if tests.is_empty() { Vec::new() } else { self.advice(collector, &coverage) },
            missing: self.missing.iter().cloned().chain(self.changed(&texts)).collect(),
        }
    }

    fn changed(&self, texts: &SourceTexts) -> Option<String> {
        let changed = texts.changed_since(&self.path);
        let told = |files: String| {
            format!("changed since the program was built, so that lines may be others: {files}")
        };
        (!changed.is_empty()).then(|| told(changed.join(", ")))
    }

    fn fates(&self) -> Option<&[Fate]> {
        self.snapshot.as_ref().map(|snapshot| snapshot.fates.as_slice())
    }

    /// Adds what the campaign covered but its tests do not cover again, for lack of time or because the
    /// program is nondeterministic.
    fn add_campaigns(&self, coverage: &mut Coverage) {
        let is_covered = |fate: &Fate| u8::from(*fate == Fate::Covered);
        coverage.merge(&self.fates().unwrap_or_default().iter().map(is_covered).collect::<Vec<_>>());
    }

    fn bare_replay(&self) -> Replay {
        let words = ["cairn", "replay", &self.path.to_string_lossy()].map(str::to_owned);
        Replay { before: words.to_vec(), after: Vec::new() }
    }

    fn test(&self, test: &Retraced) -> Test {
        let name = test.path.strip_prefix(&self.settings.directory).unwrap_or(&test.path);
        Test {
            name: name.display().to_string(),
            bytes: test.input.len() as u64,
            end: test.end.map(|end| end.to_string()),
            branches: test.branches.len() as u64,
        }
    }

    /// Returns what `cairn doctor` would say.
    fn advice(&self, collector: Diagnosis, coverage: &Coverage) -> Vec<Advice> {
        let reasons = self.reasons(collector, coverage);
        let paragraph = |reasons: &[cairn_campaign::Reason]| Advice {
            title: doctor::sentence(reasons),
            lines: doctor::details(reasons),
        };
        let costly = self.snapshot.iter().flat_map(|snapshot| &snapshot.notes.costly_sites);
        let costly: Vec<String> = costly.flat_map(doctor::costly_site).collect();
        let costly = (!costly.is_empty()).then(|| Advice { title: doctor::COSTLY.to_owned(), lines: costly });
        let paragraphs = reasons.chunk_by(|a, b| doctor::topic(a.kind) == doctor::topic(b.kind));
        paragraphs.map(paragraph).chain(costly).collect()
    }

    /// Returns the reasons why the campaign stalls.
    fn reasons(&self, mut collector: Diagnosis, coverage: &Coverage) -> Vec<cairn_campaign::Reason> {
        let (mut notes, mut divergences) = (Notes::default(), 0);
        if let Some(snapshot) = &self.snapshot {
            (notes, divergences) = (snapshot.notes.clone(), snapshot.summary.divergences);
            // The collector counts those of the tests itself.
            notes.rejected_runs = u64::MAX;
            // The file may be forged: sites that do not exist are left out.
            let is_there = |(site, _): &&(u32, u64)| *site < self.program.site_count();
            let unanswered: Vec<_> = snapshot.unanswered.iter().filter(is_there).copied().collect();
            collector.recall(self.decided(), &unanswered);
        }
        collector.reasons(&self.program, coverage, &notes, divergences)
    }

    /// Returns the sites that depended on the input in some run.
    fn decided(&self) -> Vec<SiteId> {
        let met = self.fates().unwrap_or_default().iter().enumerate();
        let met = met.filter(|(_, fate)| !matches!(fate, Fate::Unmet | Fate::Covered));
        met.filter_map(|(branch, _)| self.program.site_of(BranchId(branch as u32)))
            .map(|(site, _)| site)
            .collect()
    }
}
