//! Interned decisions: the contents of nodes apart from their position. Runs make the same decisions again
//! and again, so each distinct one is stored once.

use crate::branch_trace::BranchTraceId;
use cairn_expr::ExprId;
use cairn_program::SiteId;
use cairn_wire::event::StepKind;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// The contents of a node apart from its position in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decision {
    pub kind: StepKind,
    pub site: SiteId,
    pub value: ExprId,
    /// Side taken by the node's first run.
    pub side: u32,
    /// Constant of a concretization, 0 otherwise.
    pub constant: u64,
    /// True if the nodes before it imply the side taken.
    pub forced: bool,
    /// Concrete branches just before it.
    pub branch_trace: BranchTraceId,
}

/// Index of an interned decision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct DecisionId(pub u32);

/// The table of distinct decisions.
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
