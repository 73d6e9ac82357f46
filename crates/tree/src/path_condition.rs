//! The path constraint of a node, from the conditions of the nodes before it.

use crate::condition::make_condition;
use crate::decision::Decision;
use crate::step::NodeId;
use crate::tree::Tree;
use cairn_expr::{Dag, ExprId};
use cairn_program::Program;
use cairn_wire::event::StepKind;

impl Tree {
    /// Returns the condition under which a run that reaches this node takes this side.
    pub fn condition(&mut self, dag: &mut Dag, program: &Program, node: NodeId, side: u32) -> ExprId {
        let id = self.nodes.get(node).decision();
        let decision = *self.decisions.get(id);
        let known = self.conditions.get((id, side), decision.side);
        known.unwrap_or_else(|| {
            let condition = make_condition(dag, program, &decision, side);
            self.conditions.set((id, side), decision.side, condition);
            condition
        })
    }

    /// Returns the path constraint of a node: the conditions under which a run reaches it, from the root on,
    /// without those implied by earlier ones.
    pub fn path_condition(&mut self, dag: &mut Dag, program: &Program, node: NodeId) -> Vec<ExprId> {
        let prefix = self.prefix(node);
        self.conditions_of(dag, program, &prefix)
    }

    fn conditions_of(&mut self, dag: &mut Dag, program: &Program, sides: &[(NodeId, u32)]) -> Vec<ExprId> {
        let mut conditions = Vec::with_capacity(sides.len());
        for &(node, side) in sides {
            if !self.decision(node).forced {
                conditions.push(self.condition(dag, program, node, side));
            }
        }
        conditions
    }

    /// Returns the conditions of [`Tree::path_condition`] without those that fix concretized values to
    /// constants; `None` if there are none such.
    pub fn path_condition_without_constants(
        &mut self,
        dag: &mut Dag,
        program: &Program,
        node: NodeId,
    ) -> Option<Vec<ExprId>> {
        let mut prefix = self.prefix(node);
        let before = prefix.len();
        prefix.retain(|(node, _)| !self.is_constant_choice(dag, *node));
        let some_left_out = prefix.len() < before;
        some_left_out.then(|| self.conditions_of(dag, program, &prefix))
    }

    /// True if a node fixes a value to the constant it was used as. A concretization of one bit says
    /// whether a snapshot holds what was read: an expression over the snapshot means nothing without it.
    pub fn is_constant_choice(&self, dag: &Dag, node: NodeId) -> bool {
        let Decision { kind, value, .. } = *self.decision(node);
        kind == StepKind::Concretization && dag.width(value) > 1
    }
}
