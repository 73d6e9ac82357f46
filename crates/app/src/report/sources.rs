//! The user's source files: text, branches, and the number of tests that cover each.

use super::retrace::Retraced;
use super::side_labels::Labels;
use super::source_texts::{SourceTexts, absolute};
use super::uncovered_reasons::UncoveredReasons;
use cairn_campaign::Fate;
use cairn_program::{
    Function as ProgramFunction, FunctionId, Program, Site as ProgramSite, SiteId, SiteKind as Kind,
};
use cairn_report::{File, Function, Side, Site, SiteKind};
use cairn_tree::Coverage;
use std::collections::{BTreeMap, BTreeSet};

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
            Kind::Branch | Kind::Concretization | Kind::UninstrumentedCall | Kind::Producer => {
                SiteKind::Branch
            }
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
