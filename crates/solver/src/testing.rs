//! Common parts of the layers' unit tests.

pub(crate) mod random;

use crate::{Answer, Limits, Query, Solver, Stats};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, CmpOp, Dag, ExprId, InputByte};

/// A solver that always gives the same answer and records its calls; of queries the constraints, targets
/// last.
pub(crate) struct Scripted {
    pub(crate) answer: Answer,
    pub(crate) asked: Vec<Vec<ExprId>>,
    pub(crate) replayed: Vec<Vec<ExprId>>,
    pub(crate) raised: usize,
    pub(crate) forgotten: usize,
}

impl Scripted {
    pub(crate) fn new(answer: Answer) -> Scripted {
        Scripted { answer, asked: Vec::new(), replayed: Vec::new(), raised: 0, forgotten: 0 }
    }
}

impl Solver for Scripted {
    fn solve(&mut self, _: &Dag, query: &Query, _: &dyn Assignment, _: &Deadline) -> Answer {
        self.asked.push(query.constraints().collect());
        self.answer.clone()
    }

    fn replay_answer(&mut self, _: &Dag, query: &Query, _: &Answer) {
        self.replayed.push(query.constraints().collect());
    }

    fn set_limits(&mut self, _: Limits) {
        self.raised += 1;
    }

    fn forget(&mut self) {
        self.forgotten += 1;
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }
}

pub(crate) fn zeros(_: InputByte) -> u8 {
    0
}

pub(crate) fn byte(offset: u32) -> InputByte {
    InputByte { object: 0, offset }
}

/// `input[a] <= input[b]`, or for twice the same offset `input[a] < 200`.
pub(crate) fn about(dag: &mut Dag, a: u32, b: u32) -> ExprId {
    let (x, y) = (dag.input(byte(a)), dag.input(byte(b)));
    if a != b {
        return dag.compare(CmpOp::Ule, x, y);
    }
    let bound = dag.constant(8, 200);
    dag.compare(CmpOp::Ult, x, bound)
}
