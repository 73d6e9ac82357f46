//! The user's files: their branches, with what the tests take, and their text.

use super::retrace::Retraced;
use super::side_labels::Labels;
use super::uncovered_reasons::Reasons;
use cairn_campaign::Fate;
use cairn_program::{
    FileError, Function as ProgramFunction, FunctionId, Program, Reason, Site as ProgramSite, SiteId,
    SiteKind as Kind, read_file,
};
use cairn_report::{File, Function, Side, Site, SiteKind, Source};
use cairn_tree::Coverage;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file larger than this is not shown.
const MOST_BYTES: u64 = 4 << 20;
/// All files together.
const MOST_BYTES_IN_ALL: u64 = 64 << 20;

/// How many tests come to what.
pub struct Hits {
    branches: Vec<u64>,
    sites: Vec<u64>,
    functions: BTreeMap<FunctionId, u64>,
}

impl Hits {
    /// Of these tests.
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

/// What the files are made from.
pub struct Covered<'a> {
    /// The program.
    pub program: &'a Program,
    /// What sides are called.
    pub labels: &'a Labels<'a>,
    /// How many tests come to what.
    pub hits: &'a Hits,
    /// What runs have covered.
    pub coverage: &'a Coverage,
    /// What the campaign tells of every branch.
    pub fates: Option<&'a [Fate]>,
}

impl Covered<'_> {
    /// The files in order of their names.
    pub fn files(&self, texts: &Texts) -> Vec<File> {
        let reasons = Reasons::new(self.program, self.labels, self.coverage, self.fates);
        let mut files: BTreeMap<&str, Vec<(SiteId, &ProgramSite)>> = BTreeMap::new();
        for (id, site) in self.program.sites().filter(|(_, site)| site.counted && !site.sides.is_empty()) {
            files.entry(&site.file).or_default().push((id, site));
        }
        files
            .into_iter()
            .map(|(name, sites)| File { source: texts.source(name), ..self.file(name, sites, &reasons) })
            .collect()
    }

    fn file(&self, name: &str, mut sites: Vec<(SiteId, &ProgramSite)>, reasons: &Reasons) -> File {
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

    fn site(&self, id: SiteId, site: &ProgramSite, reasons: &Reasons) -> Site {
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

/// The text of the user's files that have branches.
pub struct Texts(BTreeMap<String, (Source, Vec<usize>)>);

impl Texts {
    /// Reads it, as far as it is there and not too much.
    pub fn read(program: &Program, moved: Option<(PathBuf, PathBuf)>) -> Texts {
        let located = |name: &str| located(name, moved.as_ref());
        let names: BTreeSet<&str> =
            program.sites().filter(|(_, site)| site.counted).map(|(_, site)| &*site.file).collect();
        let (mut texts, mut room) = (BTreeMap::new(), MOST_BYTES_IN_ALL);
        for name in names {
            let source = text(&located(name), room).map_or_else(Source::Missing, Source::Text);
            if let Source::Text(text) = &source {
                room = room.saturating_sub(text.len() as u64);
            }
            let starts = line_starts(&source);
            texts.insert(name.to_owned(), (source, starts));
        }
        Texts(texts)
    }

    /// Files that were written to after the program: their lines may not be those that it was made of.
    pub fn changed_since(&self, program: &Path) -> Vec<String> {
        let written = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
        let Some(built) = written(program) else { return Vec::new() };
        let is_newer = |name: &&String| written(&absolute(name)).is_some_and(|changed| changed > built);
        self.0.keys().filter(is_newer).cloned().collect()
    }

    /// A file's text from a place on; line and column are counted from 1, columns in bytes.
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

/// The file that a name leads to, or the one in the directory that it has been moved to.
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
    let content = read_file(path, MOST_BYTES.min(room)).map_err(told)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
