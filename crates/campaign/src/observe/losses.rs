//! Descriptions of losses: symbolic values that went where labels cannot follow.

use cairn_program::{Program, SiteId};
use cairn_wire::Loss;

/// Names a loss: the function that was called, the instruction, or what else is not followed.
pub(super) fn name_of_loss(program: &Program, site: SiteId, why: Loss) -> String {
    let known = program.known_site(site);
    match (why, known.and_then(|site| site.callee.as_deref())) {
        (Loss::Foreign, Some(name)) => name.to_owned(),
        (Loss::Instruction, Some(name)) => format!("the instruction {name}"),
        (why, _) => describe(why).to_owned(),
    }
}

/// Describes a loss without its site.
pub(super) fn describe(why: Loss) -> &'static str {
    match why {
        Loss::LongDouble => "long double",
        Loss::Assembly => "inline assembly",
        Loss::Foreign => "a function that is not followed",
        Loss::Vector => "a vector",
        Loss::Atomic => "an atomic operation",
        Loss::Wide => "more than 128 bits",
        Loss::SharedObject => "a decision in a shared library",
        Loss::Instruction => "an instruction that is not followed",
        Loss::Memory => "large or changing memory at a symbolic address",
        Loss::Mismatch => "a call of a function by another type than it has",
        Loss::Arguments => "a call with more arguments than are followed",
        Loss::Size => "the size of a large object",
        Loss::Output => "output that the program may get back",
    }
}
