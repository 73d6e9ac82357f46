//! Normalises conditions to the form that clang gives those of an `if`: one branch for each operand of `&&`,
//! `||` and `!`.
//!
//! Clang branches on every operand of an `if`'s condition. In a loop it computes the value of the whole
//! condition first:
//!
//! ```text
//! while (a && !b)           cond: br a, rhs, end                 cond: br a, rhs, exit
//!                           rhs:  not = xor b, true       ⇒      rhs:  br b, exit, body
//!                                 br end
//!                           end:  all = phi [false, cond], [not, rhs]
//!                                 br all, body, exit
//! ```
//!
//! The branch on the whole condition corresponds to no operand of the source, and is implied to be false
//! whenever `a` is. It is removed before sites are collected.

use crate::llvm::{Block, Builder, Module, Opcode, Value};

/// Rewrites every condition of a module, to a fixpoint.
pub fn split(module: &Module) {
    let builder = module.builder();
    for function in module.functions() {
        // Removing the outer operator of a condition exposes the inner one.
        while function.blocks().into_iter().filter(|block| split_block(*block, &builder)).count() > 0 {}
    }
}

fn split_block(block: Block, builder: &Builder) -> bool {
    let branch = block.terminator();
    if branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
        return false;
    }
    if let Some(value) = branch.condition().as_constant() {
        return jump(block, branch, value, builder);
    }
    if !branch.condition().is_instruction() {
        return false;
    }
    match branch.condition().opcode() {
        Opcode::LLVMXor => drop_negation(branch),
        Opcode::LLVMPHI => branch_on_operands(block, branch, builder),
        _ => false,
    }
}

/// Replaces a branch on a constant, such as an arm of a conditional expression, by a jump.
fn jump(block: Block, branch: Value, value: u64, builder: &Builder) -> bool {
    let successors = branch.successors();
    let (taken, other) = if value == 0 { (1, 0) } else { (0, 1) };
    if successors[other].first().is_some_and(|first| first.opcode() == Opcode::LLVMPHI) {
        return false;
    }
    branch.erase();
    builder.at_end(block);
    builder.jump(successors[taken]);
    true
}

/// Removes the negation of a condition and swaps the successors.
fn drop_negation(branch: Value) -> bool {
    let negation = branch.condition();
    if negation.operand(1).as_constant() != Some(1) {
        return false;
    }
    let successors = branch.successors();
    branch.set_successor(0, successors[1]);
    branch.set_successor(1, successors[0]);
    branch.set_condition(negation.operand(0));
    if negation.users().is_empty() {
        negation.erase();
    }
    true
}

/// Removes a block that only branches on the result of `&&` or `||`: predecessors with a constant result jump
/// to the successor it selects, and the branch moves to the block that computes the last operand.
fn branch_on_operands(block: Block, branch: Value, builder: &Builder) -> bool {
    let phi = branch.condition();
    let successors = branch.successors();
    let is_phi = |value: Value| value.opcode() == Opcode::LLVMPHI;
    let is_bare = block.instructions() == [phi, branch] && phi.users() == [branch];
    let leads_on = successors.iter().all(|next| *next != block && !next.first().is_some_and(is_phi));
    let (known, computed): (Vec<_>, Vec<_>) =
        phi.incoming().into_iter().partition(|(value, _)| value.as_constant().is_some());
    let ends_here = |from: Block| {
        from.terminator().successors() == [block] && from.terminator().opcode() == Opcode::LLVMBr
    };
    if !is_bare || !leads_on || computed.len() > 1 || !computed.iter().all(|(_, from)| ends_here(*from)) {
        return false;
    }
    for (value, from) in known {
        let target = successors[usize::from(value.as_constant() == Some(0))];
        redirect(from.terminator(), block, target);
    }
    branch.unlink();
    match computed.first() {
        Some((operand, from)) => {
            from.terminator().erase();
            branch.set_condition(*operand);
            builder.at_end(*from);
            builder.insert(branch);
        }
        None => branch.delete_unlinked(),
    }
    block.delete();
    true
}

fn redirect(terminator: Value, from: Block, to: Block) {
    for (index, successor) in terminator.successors().into_iter().enumerate() {
        if successor == from {
            terminator.set_successor(index as u32, to);
        }
    }
}
