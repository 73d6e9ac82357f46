//! Conjunctions as SMT-LIB 2.6 scripts: printed here, read by [`read()`].
//!
//! Every node is defined once under its own name, so the script is linear in the DAG and no reader has to
//! parse deep nests. Input byte 12 of object 0 is the variable `obj0_12`. Annotations that only a replayed
//! query needs are written so that other solvers ignore them:
//!
//! * `(set-info :cairn-seed |obj0_12 41 …|)`: the input the query starts from, in hexadecimal; under it all
//!   assertions hold but the last, the target;
//! * `(set-info :cairn-table |cairn.table.0 00ff… 3 e12 …|)`: the function that is defined next reads a table
//!   of these bytes, with terms at some indices.
//!
//! Names that begin with `cairn.` are ours. Functions that SMT-LIB lacks (shifts by an amount modulo the
//! width, bit counts, the machine's conversion of a float that fits no integer) are defined in the script
//! itself. Functions of the C library, such as `cairn.sin.f64`, are declared on bit patterns; to other
//! solvers they are uninterpreted. A float's bits are a variable that the assertion named `cairn.bits.…`
//! equates with its number: SMT-LIB has no function for that.

mod floats;
mod function;
mod read;
mod tables;

pub use read::{Check, ReadError, Symbol, Typed, read};

use crate::dag::Dag;
use crate::eval::Assignment;
use crate::inputs::InputByte;
use crate::node::{BinOp, CmpOp, ExprId, Node};
use function::SmtFunction;
use rustc_hash::FxHashSet;
use std::fmt::{self, Display, Write};
use tables::Tables;

/// Status of a conjunction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It can be true.
    Sat,
    /// It cannot.
    Unsat,
    /// Neither is known.
    Unknown,
}

impl Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Status::Sat => "sat",
            Status::Unsat => "unsat",
            Status::Unknown => "unknown",
        })
    }
}

/// A conjunction (of constraints of width 1, the target last), and the annotations of its script.
#[derive(Clone, Copy)]
pub struct Conjunction<'a> {
    /// The constraints.
    pub constraints: &'a [ExprId],
    /// The input to start from.
    pub seed: Option<&'a dyn Assignment>,
    /// The answer, if it is known.
    pub status: Option<Status>,
}

/// Returns the name of an input byte's variable.
pub fn variable(byte: InputByte) -> String {
    format!("obj{}_{}", byte.object, byte.offset)
}

/// Returns a script that checks whether all constraints (of width 1) can hold at once, and asks for a model.
pub fn script(dag: &Dag, constraints: &[ExprId]) -> String {
    full_script(dag, &Conjunction { constraints, seed: None, status: None })
}

/// Returns the script of [`script`] with seed and status of the conjunction.
pub fn full_script(dag: &Dag, conjunction: &Conjunction) -> String {
    let mut text = String::new();
    write(&mut text, dag, conjunction).expect("a string takes all that is written to it");
    text
}

fn write(out: &mut String, dag: &Dag, conjunction: &Conjunction) -> fmt::Result {
    let nodes = dag.reachable(conjunction.constraints);
    let mut seen = FxHashSet::default();
    let mut functions: Vec<SmtFunction> = nodes.iter().flat_map(|&e| function::used(dag, e)).collect();
    functions.retain(|f| seen.insert(*f));
    out.write_str("(set-info :smt-lib-version 2.6)\n")?;
    let is_plain = nodes.iter().all(|&e| !floats::is_about_floats(dag, e));
    let uninterpreted = if functions.iter().any(|f| !f.is_defined()) { "UF" } else { "" };
    writeln!(out, "(set-logic QF_{uninterpreted}BV{})", if is_plain { "" } else { "FP" })?;
    if let Some(status) = conjunction.status {
        writeln!(out, "(set-info :status {status})")?;
    }
    functions.iter().try_for_each(|f| out.write_str(&f.command()))?;
    let mut tables = Tables::default();
    for &e in &nodes {
        define(out, dag, &mut tables, e)?;
    }
    for &e in conjunction.constraints {
        writeln!(out, "(assert (= {} #b1))", NodeRef(dag, e))?;
    }
    if let Some(seed) = conjunction.seed {
        write_seed(out, dag, &nodes, seed)?;
    }
    out.write_str("(check-sat)\n(get-model)\n")
}

fn write_seed(out: &mut String, dag: &Dag, nodes: &[ExprId], seed: &dyn Assignment) -> fmt::Result {
    out.write_str("(set-info :cairn-seed |")?;
    for &e in nodes {
        if let Node::Input(byte) = dag.node(e) {
            write!(out, " {} {:02x}", variable(byte), seed.byte(byte))?;
        }
    }
    out.write_str("|)\n")
}

/// Returns the reference to a node: a constant's value, an input's variable, the name of another's
/// definition.
struct NodeRef<'a>(&'a Dag, ExprId);

impl Display for NodeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.node(self.1) {
            Node::Const(value) => write!(f, "(_ bv{value} {})", self.0.width(self.1)),
            Node::Input(byte) => f.write_str(&variable(byte)),
            _ => write!(f, "e{}", self.1.index()),
        }
    }
}

fn define(out: &mut String, dag: &Dag, tables: &mut Tables, e: ExprId) -> fmt::Result {
    match dag.node(e) {
        Node::Const(_) => Ok(()),
        Node::Input(byte) => writeln!(out, "(declare-const {} (_ BitVec 8))", variable(byte)),
        _ if floats::has_number(dag, e) => floats::define(out, dag, e),
        Node::Read(snapshot, index) => tables.define(out, dag, e, (snapshot, index)),
        node => {
            write!(out, "(define-fun {} () (_ BitVec {}) ", NodeRef(dag, e), dag.width(e))?;
            body(out, dag, e, node)?;
            out.write_str(")\n")
        }
    }
}

fn body(out: &mut String, dag: &Dag, e: ExprId, node: Node) -> fmt::Result {
    let (width, term) = (dag.width(e), |e| NodeRef(dag, e));
    let extra = |a| width - dag.width(a);
    match node {
        Node::Binary(op, a, b) if SmtFunction::of(dag, e).is_none() => {
            write!(out, "({} {} {})", binary_name(op), term(a), term(b))
        }
        Node::Compare(op, a, b) => {
            write!(out, "(ite ({} {} {}) #b1 #b0)", compare_name(op), term(a), term(b))
        }
        Node::ZExt(a) => write!(out, "((_ zero_extend {}) {})", extra(a), term(a)),
        Node::SExt(a) => write!(out, "((_ sign_extend {}) {})", extra(a), term(a)),
        Node::Extract(a, low) => write!(out, "((_ extract {} {low}) {})", low + width - 1, term(a)),
        Node::Concat(a, b) => write!(out, "(concat {} {})", term(a), term(b)),
        Node::Ite(c, t, e) => write!(out, "(ite (= {} #b1) {} {})", term(c), term(t), term(e)),
        Node::FloatCompare(op, a, b) => floats::compare(out, dag, op, a, b),
        _ => {
            let function =
                SmtFunction::of(dag, e).expect("what has no name in SMT-LIB is a function of ours");
            write!(out, "({function}")?;
            for operand in dag.children(e) {
                match function.takes_numbers() {
                    true => write!(out, " {}", floats::Number(dag, operand))?,
                    false => write!(out, " {}", term(operand))?,
                }
            }
            out.write_str(")")
        }
    }
}

fn binary_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "bvadd",
        BinOp::Sub => "bvsub",
        BinOp::Mul => "bvmul",
        BinOp::UDiv => "bvudiv",
        BinOp::SDiv => "bvsdiv",
        BinOp::URem => "bvurem",
        BinOp::SRem => "bvsrem",
        BinOp::Shl => "bvshl",
        BinOp::LShr => "bvlshr",
        BinOp::AShr => "bvashr",
        BinOp::And => "bvand",
        BinOp::Or => "bvor",
        BinOp::Xor => "bvxor",
    }
}

fn compare_name(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "=",
        CmpOp::Ne => "distinct",
        CmpOp::Ult => "bvult",
        CmpOp::Ule => "bvule",
        CmpOp::Ugt => "bvugt",
        CmpOp::Uge => "bvuge",
        CmpOp::Slt => "bvslt",
        CmpOp::Sle => "bvsle",
        CmpOp::Sgt => "bvsgt",
        CmpOp::Sge => "bvsge",
    }
}
