//! Rules for if-then-else.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, Op};

impl Dag {
    /// Builds `t` where `condition` (of width 1) is 1, else `e`.
    pub fn ite(&mut self, condition: ExprId, t: ExprId, e: ExprId) -> ExprId {
        assert_eq!(self.width(condition), 1, "a condition has one bit");
        let width = self.same_width(t, e);
        match self.as_constant(condition) {
            Some(0) => return e,
            Some(_) => return t,
            // ite-same: ite(c, x, x)  ==>  x
            None if t == e => return t,
            None => {}
        }
        // ite-not: ite(!x, t, e)  ==>  ite(x, e, t)
        if let Node::Binary(BinOp::Xor, x, c) = self.node(condition)
            && self.is_constant(c)
        {
            return self.ite(x, e, t);
        }
        if width == 1 {
            return self.ite_bit(condition, t, e);
        }
        match (self.as_constant(t), self.as_constant(e)) {
            // ite-one-zero: ite(c, 1, 0)  ==>  zext(c)
            (Some(1), Some(0)) => self.zext(condition, width),
            // ite-zero-one: ite(c, 0, 1)  ==>  zext(!c)
            (Some(0), Some(1)) => {
                let not = self.not(condition);
                self.zext(not, width)
            }
            _ => self.raw(Op::Ite, width, 0, &[condition, t, e]),
        }
    }

    /// Builds an if-then-else of width 1.
    fn ite_bit(&mut self, condition: ExprId, t: ExprId, e: ExprId) -> ExprId {
        match (self.as_constant(t), self.as_constant(e)) {
            // ite-bit-false-else: ite(c, t, 0)  ==>  c & t
            (_, Some(0)) => self.and(condition, t),
            // ite-bit-false-then: ite(c, 0, e)  ==>  !c & e
            (Some(0), _) => {
                let not = self.not(condition);
                self.and(not, e)
            }
            // ite-bit-true-then: ite(c, 1, e)  ==>  c | e
            (Some(_), _) => self.or(condition, e),
            // ite-bit-true-else: ite(c, t, 1)  ==>  !c | t
            (_, Some(_)) => {
                let not = self.not(condition);
                self.or(not, t)
            }
            _ => self.raw(Op::Ite, 1, 0, &[condition, t, e]),
        }
    }
}
