//! Nesting of code in conditionals.

use super::blocks::PostDominators;
use super::control_dependence::dependents;
use super::loops::Loops;
use crate::model::{BlockId, Program, Site};
use cairn_wire::SiteKind;

/// The blocks that are executed only if a conditional takes one side. The body of a loop does not count, nor
/// does code after a conditional that may end the function early: `if (wrong) return;`.
#[derive(Clone, Debug)]
pub struct Nesting {
    nested: Vec<bool>,
}

impl Nesting {
    /// Computes nesting in time linear in the program and in the nesting depth of its conditionals.
    pub fn new(program: &Program) -> Nesting {
        let (after, loops) = (PostDominators::new(program), Loops::new(program));
        let mut nesting = Nesting { nested: vec![false; program.block_count() as usize] };
        let is_loop = |site: &Site| site.branches().any(|branch| loops.side(branch).is_some());
        let decisions = || program.sites().map(|(_, site)| site).filter(|s| s.kind != SiteKind::Select);
        for site in decisions().filter(|site| !is_loop(site)) {
            nesting.add(program, &after, site);
        }
        // Code that depends on the condition of a loop is nested if the loop is, and so for loops in loops.
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for site in decisions().filter(|site| is_loop(site)) {
                grows |= nesting.is_nested(site.block) && nesting.add(program, &after, site);
            }
        }
        nesting
    }

    /// True if a block is inside a conditional.
    pub fn is_nested(&self, block: BlockId) -> bool {
        self.nested[block.0 as usize]
    }

    /// Marks the dependents of a site as nested; true if any is new.
    fn add(&mut self, program: &Program, after: &PostDominators, site: &Site) -> bool {
        let ends = |side: u32| ends_early(program, after, site, side);
        let early: Vec<bool> = (0..site.sides.len() as u32).map(ends).collect();
        let mut is_new = false;
        for (at, side) in site.sides.iter().enumerate() {
            let others = early.iter().enumerate().filter(|(other, _)| *other != at);
            if others.clone().count() > 0 && others.into_iter().all(|(_, ends)| *ends) {
                continue;
            }
            for block in dependents(after, site.block, side.successor) {
                is_new |= !std::mem::replace(&mut self.nested[block.0 as usize], true);
            }
        }
        is_new
    }
}

/// True if a side consists only of jumps to the end of its function, which is not where all sides lead.
fn ends_early(program: &Program, after: &PostDominators, site: &Site, side: u32) -> bool {
    let first = site.sides[side as usize].successor;
    if after.next(site.block) == Some(first) {
        return false;
    }
    let only_successor = |block: &BlockId| match program.block(*block).successors[..] {
        [next] => Some(next),
        _ => None,
    };
    // A loop of jumps has no end.
    let path = std::iter::successors(Some(first), only_successor).take(program.block_count() as usize);
    path.last().is_some_and(|last| program.block(last).successors.is_empty())
}
