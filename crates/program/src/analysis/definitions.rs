//! The definitions of variables, by variable.

use crate::model::{BlockId, Program, VariableId};

/// The blocks that store to each variable.
#[derive(Clone, Debug)]
pub struct Definitions {
    blocks: Vec<Vec<(BlockId, Option<u64>)>>,
}

impl Definitions {
    /// Collects the definitions of all variables that conditions read.
    pub fn new(program: &Program) -> Definitions {
        let mut blocks = vec![Vec::new(); program.variable_count() as usize];
        for (block, id) in program.blocks().zip((0..).map(BlockId)) {
            for definition in &block.definitions {
                blocks[definition.variable.0 as usize].push((id, definition.constant));
            }
        }
        Definitions { blocks }
    }

    /// Returns the blocks that store to a variable, with the stored value if it is a constant.
    pub fn of(&self, variable: VariableId) -> &[(BlockId, Option<u64>)] {
        &self.blocks[variable.0 as usize]
    }
}
