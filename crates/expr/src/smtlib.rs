//! Prints conjunctions as SMT-LIB 2 scripts.
//!
//! Every node is defined once under its own name, so the script is linear in the DAG and no reader
//! has to parse deep nests. Input byte 12 of object 0 is the variable `obj0_12`. Functions that SMT-LIB
//! does not have are declared, and nothing is said about them.

mod floats;
mod tables;

use crate::dag::Dag;
use crate::inputs::InputByte;
use crate::node::{BinOp, CmpOp, Conversion, ExprId, FloatOp, Node};
use rustc_hash::FxHashSet;
use std::fmt::{self, Display, Write};

/// The name of an input byte's variable.
pub fn variable(byte: InputByte) -> String {
    format!("obj{}_{}", byte.object, byte.offset)
}

/// A script that asks whether all constraints (of width 1) can be true at once, and for a model.
pub fn script(dag: &Dag, constraints: &[ExprId]) -> String {
    let mut text = String::new();
    write(&mut text, dag, constraints).expect("a string takes all that is written to it");
    text
}

/// Writes the script of [`script`].
pub fn write(out: &mut dyn Write, dag: &Dag, constraints: &[ExprId]) -> fmt::Result {
    let nodes = dag.reachable(constraints);
    let is_plain = nodes.iter().all(|&e| !floats::is_about_floats(dag, e));
    writeln!(out, "(set-logic {})", if is_plain { "QF_BV" } else { "ALL" })?;
    declare_functions(out, dag, &nodes)?;
    for e in nodes {
        define(out, dag, e)?;
    }
    for &e in constraints {
        writeln!(out, "(assert (= {} #b1))", Term(dag, e))?;
    }
    out.write_str("(check-sat)\n(get-model)\n")
}

fn declare_functions(out: &mut dyn Write, dag: &Dag, nodes: &[ExprId]) -> fmt::Result {
    let mut declared = FxHashSet::default();
    for &e in nodes {
        let Some(name) = function(dag, e) else { continue };
        if declared.contains(&name) {
            continue;
        }
        write!(out, "(declare-fun {name} (")?;
        dag.children(e).try_for_each(|operand| write!(out, "(_ BitVec {})", dag.width(operand)))?;
        writeln!(out, ") (_ BitVec {}))", dag.width(e))?;
        declared.insert(name);
    }
    Ok(())
}

/// The name of the function a node applies, if SMT-LIB does not have it.
fn function(dag: &Dag, e: ExprId) -> Option<String> {
    let name = match dag.node(e) {
        Node::Float(FloatOp::Rem, ..) => "fmod".to_owned(),
        Node::Math(function) if !floats::is_known(function) => format!("{function:?}").to_lowercase(),
        Node::Convert(Conversion::FloatToSigned, _) if dag.width(e) > 64 => "signed".to_owned(),
        Node::Convert(Conversion::FloatToUnsigned, _) if dag.width(e) > 64 => "unsigned".to_owned(),
        _ => return None,
    };
    let operand = dag.children(e).next()?;
    Some(format!("{name}_{}_{}", dag.width(operand), dag.width(e)))
}

/// How a node is referred to: a constant by value, an input by its variable, others by their definition.
struct Term<'a>(&'a Dag, ExprId);

impl Display for Term<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.node(self.1) {
            Node::Const(value) => write!(f, "(_ bv{value} {})", self.0.width(self.1)),
            Node::Input(byte) => f.write_str(&variable(byte)),
            _ => write!(f, "e{}", self.1.index()),
        }
    }
}

fn define(out: &mut dyn Write, dag: &Dag, e: ExprId) -> fmt::Result {
    match dag.node(e) {
        Node::Const(_) => Ok(()),
        Node::Input(byte) => writeln!(out, "(declare-const {} (_ BitVec 8))", variable(byte)),
        _ if floats::has_number(dag, e) => floats::define(out, dag, e),
        node => {
            write!(out, "(define-fun {} () (_ BitVec {}) ", Term(dag, e), dag.width(e))?;
            body(out, dag, e, node)?;
            out.write_str(")\n")
        }
    }
}

fn body(out: &mut dyn Write, dag: &Dag, e: ExprId, node: Node) -> fmt::Result {
    let (width, term) = (dag.width(e), |e| Term(dag, e));
    let extra = |a| width - dag.width(a);
    match node {
        Node::Const(_) | Node::Input(_) => write!(out, "{}", term(e)),
        Node::Binary(op @ (BinOp::Shl | BinOp::LShr | BinOp::AShr), a, b) => {
            // The amount counts modulo the width, which every width can hold.
            write!(out, "({} {} (bvurem {} (_ bv{width} {width})))", binary_name(op), term(a), term(b))
        }
        Node::Binary(op, a, b) => write!(out, "({} {} {})", binary_name(op), term(a), term(b)),
        Node::Compare(op, a, b) => {
            write!(out, "(ite ({} {} {}) #b1 #b0)", compare_name(op), term(a), term(b))
        }
        Node::ZExt(a) => write!(out, "((_ zero_extend {}) {})", extra(a), term(a)),
        Node::SExt(a) => write!(out, "((_ sign_extend {}) {})", extra(a), term(a)),
        Node::Extract(a, low) => write!(out, "((_ extract {} {low}) {})", low + width - 1, term(a)),
        Node::Concat(a, b) => write!(out, "(concat {} {})", term(a), term(b)),
        Node::Ite(c, t, e) => write!(out, "(ite (= {} #b1) {} {})", term(c), term(t), term(e)),
        Node::FloatCompare(op, a, b) => floats::compare(out, dag, op, a, b),
        Node::Convert(how, a) => floats::to_integer(out, dag, e, how, a),
        Node::Float(..) | Node::Math(_) => {
            write!(out, "({}", function(dag, e).unwrap_or_default())?;
            dag.children(e).try_for_each(|operand| write!(out, " {}", term(operand)))?;
            out.write_str(")")
        }
        Node::Count(what, a) => tables::count(out, dag, what, a),
        Node::Read(snapshot, index) => tables::read(out, dag, snapshot, index, width),
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
