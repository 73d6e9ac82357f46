//! The folders of a campaign directory that hold inputs.

use serde::{Deserialize, Serialize};

/// Folder of the campaign directory that an input is written to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TestFolder {
    /// Tests.
    Queue,
    /// Inputs that crash the program.
    Crashes,
    /// Inputs on which it does not end in time.
    Hangs,
}

impl TestFolder {
    /// Every folder.
    pub const ALL: [TestFolder; 3] = [TestFolder::Queue, TestFolder::Crashes, TestFolder::Hangs];

    /// Name of the folder in the campaign directory.
    pub const fn directory(self) -> &'static str {
        match self {
            TestFolder::Queue => "queue",
            TestFolder::Crashes => "crashes",
            TestFolder::Hangs => "hangs",
        }
    }
}
