//! If-then-else.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, Op};

impl Dag {
    /// `t` where `condition` (of width 1) is 1, else `e`.
    pub fn ite(&mut self, condition: ExprId, t: ExprId, e: ExprId) -> ExprId {
        assert_eq!(self.width(condition), 1, "a condition has one bit");
        let width = self.same_width(t, e);
        match self.as_constant(condition) {
            Some(0) => return e,
            Some(_) => return t,
            None if t == e => return t,
            None => {}
        }
        if let Node::Binary(BinOp::Xor, x, c) = self.node(condition)
            && self.is_constant(c)
        {
            return self.ite(x, e, t);
        }
        if width == 1 {
            return self.ite_bit(condition, t, e);
        }
        match (self.as_constant(t), self.as_constant(e)) {
            (Some(1), Some(0)) => self.zext(condition, width),
            (Some(0), Some(1)) => {
                let not = self.not(condition);
                self.zext(not, width)
            }
            _ => self.raw(Op::Ite, width, 0, &[condition, t, e]),
        }
    }

    fn ite_bit(&mut self, condition: ExprId, t: ExprId, e: ExprId) -> ExprId {
        match (self.as_constant(t), self.as_constant(e)) {
            (_, Some(0)) => self.and(condition, t),
            (Some(0), _) => {
                let not = self.not(condition);
                self.and(not, e)
            }
            (Some(_), _) => self.or(condition, e),
            (_, Some(_)) => {
                let not = self.not(condition);
                self.or(not, t)
            }
            _ => self.raw(Op::Ite, 1, 0, &[condition, t, e]),
        }
    }
}
