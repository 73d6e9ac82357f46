//! The user's source files: text, branches, and the number of tests that cover each.

use super::retrace::Retraced;
use super::side_labels::Labels;
use super::uncovered_reasons::UncoveredReasons;
use cairn_campaign::Fate;
use cairn_program::{
    FileError, Function as ProgramFunction, FunctionId, Program, Reason, Site as ProgramSite, SiteId,
    SiteKind as Kind, read_file,
};
use cairn_report::{File, Function, Side, Site, SiteKind, Source};
use cairn_tree::Coverage;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most bytes of a file that are shown; a chosen bound.
const MAX_BYTES: u64 = 4 << 20;
/// Most bytes of all files together; a chosen bound.
const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// Number of tests that reach each branch, site and function.
pub struct Hits {
    branches: Vec<u64>,
    sites: Vec<u64>,
    functions: BTreeMap<FunctionId, u64>,
}

impl Hits {
    /// Counts the tests.
    pub fn new(program: &Program, tests: &[Retraced]) -> Hits {
        let branches = vec![0; program.branch_count() as usize];
        let mut hits =
            Hits { branches, sites: vec![0; program.site_count() as usize], functions: BTreeMap::new() };
        for test in tests {
            let mut sites = BTreeSet::new();
            for branch in &test.branches {
                hits.branches[branch.0 as usize] += 1;
                sites.extend(program.site_of(*branch).map(|(site, _)| site));
            }
            let functions: BTreeSet<_> = sites.iter().map(|site| program.site(*site).function).collect();
            sites.iter().for_each(|site| hits.sites[site.0 as usize] += 1);
            functions.into_iter().for_each(|function| *hits.functions.entry(function).or_default() += 1);
        }
        hits
    }
}

/// The inputs of the file listing.
pub struct SourceListing<'a> {
    /// The program.
    pub program: &'a Program,
    /// Labels of sides.
    pub labels: &'a Labels<'a>,
    /// Number of tests that reach each branch, site and function.
    pub hits: &'a Hits,
    /// Coverage by tests and campaign.
    pub coverage: &'a Coverage,
    /// State of every branch in the campaign, if it has a snapshot.
    pub fates: Option<&'a [Fate]>,
}

impl SourceListing<'_> {
    /// Returns the files in the order of their names.
    pub fn files(&self, texts: &SourceTexts) -> Vec<File> {
        let reasons = UncoveredReasons::new(self.program, self.labels, self.coverage, self.fates);
        let mut files: BTreeMap<&str, Vec<(SiteId, &ProgramSite)>> = BTreeMap::new();
        for (id, site) in self.program.sites().filter(|(_, site)| site.counted && !site.sides.is_empty()) {
            files.entry(&site.file).or_default().push((id, site));
        }
        files
            .into_iter()
            .map(|(name, sites)| File { source: texts.source(name), ..self.file(name, sites, &reasons) })
            .collect()
    }

    fn file(&self, name: &str, mut sites: Vec<(SiteId, &ProgramSite)>, reasons: &UncoveredReasons) -> File {
        sites.sort_by_key(|(id, site)| (site.line, site.column, *id));
        let functions: BTreeSet<FunctionId> = sites.iter().map(|(_, site)| site.function).collect();
        let mut functions: Vec<Function> = functions.into_iter().map(|id| self.function(id)).collect();
        functions.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
        let path = absolute(name).display().to_string();
        File {
            name: name.to_owned(),
            path,
            functions,
            sites: sites.into_iter().map(|(id, site)| self.site(id, site, reasons)).collect(),
            ..File::default()
        }
    }

    fn function(&self, id: FunctionId) -> Function {
        let ProgramFunction { name, line, .. } = self.program.function(id);
        let tests = self.hits.functions.get(&id).copied().unwrap_or(0);
        Function { name: name.to_string(), line: *line, tests }
    }

    fn site(&self, id: SiteId, site: &ProgramSite, reasons: &UncoveredReasons) -> Site {
        let kind = match site.kind {
            Kind::Switch => SiteKind::Switch,
            Kind::Select => SiteKind::Select,
            Kind::Branch | Kind::Concretization | Kind::UninstrumentedCall => SiteKind::Branch,
        };
        let side = |side: u32| {
            let branch = self.program.branch(id, side);
            let covered = self.coverage.is_covered(branch);
            Side {
                label: self.labels.label(id, side),
                covered,
                tests: self.hits.branches[branch.0 as usize],
                why: (!covered).then(|| reasons.of(id, side)),
            }
        };
        Site {
            line: site.line,
            column: site.column,
            kind,
            function: self.program.function(site.function).name.to_string(),
            tests: self.hits.sites[id.0 as usize],
            sides: (0..site.sides.len() as u32).map(side).collect(),
        }
    }
}

/// The text of source files with branches.
pub struct SourceTexts(BTreeMap<String, (Source, Vec<usize>)>);

impl SourceTexts {
    /// Reads the files that exist, within the size limits. `moved` is the old and the new directory of a
    /// moved campaign.
    pub fn read(program: &Program, moved: Option<(PathBuf, PathBuf)>) -> SourceTexts {
        let located = |name: &str| located(name, moved.as_ref());
        let names: BTreeSet<&str> =
            program.sites().filter(|(_, site)| site.counted).map(|(_, site)| &*site.file).collect();
        let (mut texts, mut room) = (BTreeMap::new(), MAX_TOTAL_BYTES);
        for name in names {
            let source = text(&located(name), room).map_or_else(Source::Missing, Source::Text);
            if let Source::Text(text) = &source {
                room = room.saturating_sub(text.len() as u64);
            }
            let starts = line_starts(&source);
            texts.insert(name.to_owned(), (source, starts));
        }
        SourceTexts(texts)
    }

    /// Returns the files that are newer than the program: their lines may differ from those it was built
    /// from.
    pub fn changed_since(&self, program: &Path) -> Vec<String> {
        let written = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
        let Some(built) = written(program) else { return Vec::new() };
        let is_newer = |name: &&String| written(&absolute(name)).is_some_and(|changed| changed > built);
        self.0.keys().filter(is_newer).cloned().collect()
    }

    /// Returns a file's text from a location on; line and column are counted from 1, columns in bytes.
    pub fn text_at(&self, file: &str, line: u32, column: u32) -> Option<&str> {
        let (Source::Text(text), starts) = self.0.get(file)? else { return None };
        let start = *starts.get((line as usize).checked_sub(1)?)?;
        text.get(start + (column as usize).checked_sub(1)?..)
    }

    fn source(&self, file: &str) -> Source {
        self.0.get(file).map(|(source, _)| source.clone()).unwrap_or_default()
    }
}

fn line_starts(source: &Source) -> Vec<usize> {
    match source {
        Source::Text(text) => {
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
        }
        Source::Missing(_) => Vec::new(),
    }
}

/// Returns the path of a source, in the directory that it was moved to if it is not where its name says.
fn located(name: &str, moved: Option<&(PathBuf, PathBuf)>) -> PathBuf {
    let path = absolute(name);
    let elsewhere = || Some(moved?.1.join(path.strip_prefix(&moved?.0).ok()?));
    if path.exists() { path } else { elsewhere().unwrap_or(path) }
}

fn absolute(name: &str) -> PathBuf {
    std::path::absolute(name).unwrap_or_else(|_| name.into())
}

fn text(path: &Path, room: u64) -> Result<String, String> {
    let told = |error: FileError| match error.reason {
        Reason::TooLarge(_) => "the source is too large to be shown".to_owned(),
        reason => format!("the source cannot be read: {reason}"),
    };
    let content = read_file(path, MAX_BYTES.min(room)).map_err(told)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
