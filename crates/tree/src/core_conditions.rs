//! Core conditions of the tree's decisions.

use crate::cores::{CoreCondition, CoreId};
use crate::decision::DecisionId;
use crate::step::Flip;
use crate::tree::Tree;
use cairn_expr::Dag;
use cairn_program::Program;

impl Tree {
    /// Computes the core conditions of decisions added since the last call.
    pub fn find_cores(&mut self, dag: &Dag, program: &Program) {
        for id in self.cores.decisions()..self.decisions.len() {
            let decision = *self.decisions.get(DecisionId(id as u32));
            // Earlier decisions already state what a forced one does.
            let sides = if decision.forced { 0 } else { self.side_count(decision.kind, decision.site) };
            let cores =
                (0..sides).map(|side| CoreCondition::of_side(dag, program, &decision, side)).collect();
            self.cores.add(cores);
        }
    }

    /// Returns the core condition that taking this side implies, if it was computed.
    pub fn core(&self, side: Flip) -> Option<CoreId> {
        self.cores.get(self.nodes.get(side.node).decision(), side.side)
    }
}
