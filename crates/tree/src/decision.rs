//! What nodes are, apart from where they hang. Runs decide the same things again and again: each is kept once.

use crate::branch_trace::BranchTraceId;
use cairn_expr::ExprId;
use cairn_program::SiteId;
use cairn_wire::event::StepKind;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decision {
    pub kind: StepKind,
    pub site: SiteId,
    pub value: ExprId,
    /// The side that the node's first run took.
    pub side: u32,
    /// The constant of a pin, 0 otherwise.
    pub constant: u64,
    /// Whether the nodes before leave no choice.
    pub forced: bool,
    /// The concrete branches just before it.
    pub trail: BranchTraceId,
}

/// A decision that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct DecisionId(pub u32);

/// All different decisions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decisions {
    decisions: Vec<Decision>,
    table: HashTable<u32>,
}

impl Decisions {
    pub fn intern(&mut self, decision: Decision) -> DecisionId {
        let Decisions { decisions, table } = self;
        let hash = |decision: &Decision| FxBuildHasher.hash_one(decision);
        let entry = table.entry(
            hash(&decision),
            |id| decisions[*id as usize] == decision,
            |id| hash(&decisions[*id as usize]),
        );
        let next = decisions.len() as u32;
        let id = *entry.or_insert(next).get();
        if id == next {
            decisions.push(decision);
        }
        DecisionId(id)
    }

    pub fn get(&self, id: DecisionId) -> &Decision {
        &self.decisions[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    pub fn bytes(&self) -> usize {
        self.decisions.capacity() * size_of::<Decision>() + self.table.allocation_size()
    }
}
