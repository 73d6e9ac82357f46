//! Where a crash happened, in terms of the source: what makes two crashes the same, and what is told of one.

use cairn_program::{Program, SourceFrame, Symbols};
use std::cell::OnceCell;
use std::path::PathBuf;

/// Where a crash happened, as exactly as it is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Spot {
    /// A line of the source: compilers copy code, and one fault must not count twice.
    Line(String, u32),
    /// An address of the program's code.
    Code(u64),
}

/// Knows the program's line tables, once they are needed.
#[derive(Debug)]
pub(crate) struct Triage {
    path: Option<PathBuf>,
    symbols: OnceCell<Option<Symbols>>,
}

impl Triage {
    /// Of the program at this path.
    pub fn new(path: Option<PathBuf>) -> Triage {
        Triage { path, symbols: OnceCell::new() }
    }

    /// Where in the user's own code a crash with this stack happened: one fault in a caller of `memcpy` must not hide another.
    /// Anywhere, if the user's code cannot be told from other code. The stack is not part of it: it was searched for,
    /// not unwound, and what lies there by accident differs from run to run.
    pub fn spot(&self, program: &Program, stack: &[u64]) -> Option<Spot> {
        let address = *stack.iter().find(|address| is_users(program, **address)).or(stack.first())?;
        let line = self.frames(address).into_iter().find_map(|frame| frame.line);
        Some(line.map_or(Spot::Code(address), |(file, line)| Spot::Line(file, line)))
    }

    /// The stack in terms of the source, from the first frame of the user's on to `main`.
    pub fn stack(&self, program: &Program, stack: &[u64]) -> Vec<SourceFrame> {
        let first = stack.iter().position(|address| is_users(program, *address)).unwrap_or(0);
        let mut frames: Vec<_> = stack.iter().skip(first).flat_map(|address| self.frames(*address)).collect();
        if let Some(main) = frames.iter().position(|frame| frame.function == "main") {
            frames.truncate(main + 1);
        }
        frames
    }

    fn frames(&self, address: u64) -> Vec<SourceFrame> {
        let symbols = self.symbols.get_or_init(|| Symbols::read(self.path.as_ref()?));
        symbols.as_ref().map(|symbols| symbols.frames(address)).unwrap_or_default()
    }
}

fn is_users(program: &Program, address: u64) -> bool {
    program.function_at(address).is_some_and(|function| program.function(function).counted)
}
