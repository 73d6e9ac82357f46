//! Costs of queries by site: which conditions the solver spends most time on and leaves unanswered.

use super::divergence::is_in_user_code;
use super::hard_operations::{HardOperation, hard_operations};
use cairn_exec::Object;
use cairn_expr::{ByteName, Dag, ExprId, InputByte, c_syntax};
use cairn_program::{Program, SiteId};
use cairn_wire::label::LENGTH;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Number of sites that are named; more would hide the important ones.
const COSTLIEST: usize = 10;
/// Characters of a condition that are written: about two lines.
const CONDITION_LENGTH: usize = 160;

/// A site whose queries cost much and stay unanswered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CostlySite {
    /// Function it is in.
    pub function: String,
    /// Source file and line, if it is in the user's code.
    pub place: Option<String>,
    /// The condition that cost most, in the syntax of C over the input's bytes.
    pub condition: String,
    /// Operations that make it hard.
    pub hard: Vec<HardOperation>,
    /// Number of input bytes it depends on.
    pub bytes: u64,
    /// Number of constraints of the path before it.
    pub constraints: u64,
    /// Flips of the site that were queried, counting each time.
    pub queries: u64,
    /// Flips without an answer.
    pub unanswered: u64,
    /// Time of its queries.
    pub seconds: f64,
    /// The part of it that was in vain.
    pub in_vain: f64,
}

/// Costs of the queries for flips, by site.
#[derive(Debug, Default)]
pub(crate) struct QueryCosts(BTreeMap<SiteId, SiteCosts>);

#[derive(Debug, Default)]
struct SiteCosts {
    queries: u64,
    /// Flips that are without an answer now.
    unanswered: u64,
    time: Duration,
    in_vain: Duration,
    /// The unanswered condition that has cost most, and what it has cost.
    costliest: Option<(Condition, Duration)>,
}

#[derive(Debug)]
struct Condition {
    text: String,
    hard: Vec<HardOperation>,
    bytes: u64,
    constraints: u64,
}

/// A query for a flip, and how it ended.
pub(crate) struct FlipQuery {
    pub site: SiteId,
    pub time: Duration,
    pub is_answered: bool,
    /// True if the flip had been queried before, without an answer.
    pub was_unanswered: bool,
}

impl QueryCosts {
    /// Adds a query; true if its condition is to be described: it is the costliest of its site by far.
    pub fn add(&mut self, query: &FlipQuery) -> bool {
        let costs = self.0.entry(query.site).or_default();
        costs.queries += 1;
        costs.time += query.time;
        if query.is_answered {
            costs.unanswered -= u64::from(query.was_unanswered && costs.unanswered > 0);
            return false;
        }
        costs.unanswered += u64::from(!query.was_unanswered);
        costs.in_vain += query.time;
        // Describing takes time: not for every query that is a little worse.
        costs.costliest.as_ref().is_none_or(|(_, time)| query.time > *time * 2)
    }

    /// Describes the condition of the site's costliest query.
    pub fn describe(
        &mut self,
        query: &FlipQuery,
        dag: &Dag,
        (condition, constraints): (ExprId, u64),
        objects: &[Object],
    ) {
        let name = |byte: InputByte| name_of(objects, byte);
        let condition = Condition {
            text: c_syntax(dag, condition, CONDITION_LENGTH, &name),
            hard: hard_operations(dag, condition),
            bytes: dag.inputs(condition).len() as u64,
            constraints,
        };
        if let Some(costs) = self.0.get_mut(&query.site) {
            costs.costliest = Some((condition, query.time));
        }
    }

    /// Returns the sites that cost most in vain and are left with unanswered flips.
    pub fn costliest(&self, program: &Program) -> Vec<CostlySite> {
        let is_unanswered = |(site, costs): &(&SiteId, &SiteCosts)| {
            costs.unanswered > 0 && program.known_site(**site).is_some()
        };
        let mut sites: Vec<_> = self.0.iter().filter(is_unanswered).collect();
        sites.sort_by_key(|(site, costs)| (std::cmp::Reverse(costs.in_vain), **site));
        sites.truncate(COSTLIEST);
        sites.into_iter().filter_map(|(site, costs)| costs.of_site(program, *site)).collect()
    }
}

impl SiteCosts {
    fn of_site(&self, program: &Program, id: SiteId) -> Option<CostlySite> {
        let (condition, _) = self.costliest.as_ref()?;
        let site = program.known_site(id)?;
        Some(CostlySite {
            function: program.function(site.function).name.to_string(),
            place: is_in_user_code(program, id).then(|| format!("{}:{}", site.file, site.line)),
            condition: condition.text.clone(),
            hard: condition.hard.clone(),
            bytes: condition.bytes,
            constraints: condition.constraints,
            queries: self.queries,
            unanswered: self.unanswered,
            seconds: self.time.as_secs_f64(),
            in_vain: self.in_vain.as_secs_f64(),
        })
    }
}

/// Returns the name of an input byte, as the program might have it.
fn name_of(objects: &[Object], byte: InputByte) -> ByteName {
    let Some(object) = objects.get(byte.object as usize) else {
        return ByteName::Array(format!("object{}", byte.object));
    };
    let identifier = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    };
    if object.kind.is_count() {
        return ByteName::Number("argc".to_owned());
    }
    let name = match &*object.name {
        _ if object.kind.is_argument() => format!("argv[{}]", object.index),
        "" => "stdin".to_owned(),
        name => identifier(name),
    };
    match byte.offset >= LENGTH {
        true => ByteName::Number(format!("length({name})")),
        false => ByteName::Array(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_expr::{CmpOp, Dag};
    use cairn_program::testing::Sketch;

    fn query(site: SiteId, millis: u64, is_answered: bool, was_unanswered: bool) -> FlipQuery {
        FlipQuery { site, time: Duration::from_millis(millis), is_answered, was_unanswered }
    }

    #[test]
    fn sites_are_named_while_their_flips_stay_unanswered() {
        let mut sketch = Sketch::new();
        let (first, second, third) = (sketch.branch(), sketch.branch(), sketch.branch());
        let program = sketch.build();
        let dag = &mut Dag::new();
        let length = dag.input(InputByte { object: 0, offset: LENGTH });
        let byte = dag.input(InputByte { object: 1, offset: 2 });
        let condition = dag.compare(CmpOp::Ult, byte, length);
        let objects = [Object::stdin([]), Object::file("a.png", [])];
        let mut costs = QueryCosts::default();
        for query in [
            query(first, 30, false, false),
            query(first, 50, false, true),
            query(first, 900, true, false),
            query(second, 100, false, false),
            query(third, 500, false, false),
            // The third gets its answer.
            query(third, 4_000, true, true),
            // Where the runtime concretizes, there is no site.
            query(SiteId(u32::MAX), 3_000, false, false),
        ] {
            if costs.add(&query) {
                costs.describe(&query, dag, (condition, 7), &objects);
            }
        }
        let sites = costs.costliest(&program);
        let figures: Vec<_> =
            sites.iter().map(|site| (site.queries, site.unanswered, site.in_vain)).collect();
        assert_eq!(figures, [(1, 1, 0.1), (3, 1, 0.08)]);
        assert_eq!((sites[1].seconds, sites[1].constraints, sites[1].bytes), (0.98, 7, 2));
        assert_eq!(sites[0].condition, "a_png[2] < length(stdin)");
        assert_eq!(sites[0].hard, [HardOperation::Path]);
    }
}
