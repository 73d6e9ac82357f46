//! The branch log of a run, read back from shared memory and checked.

use crate::decode::Recording;
use crate::shm::SharedMemory;
use cairn_wire::Layout;
use cairn_wire::control::flag;
use cairn_wire::log::{Callee, HEAD, PLACES, MAX_CALLEES, Open, TAIL, Word, kept};
use std::mem::offset_of;

const WORD: u64 = size_of::<Word>() as u64;

/// Forgets what the run before has left.
pub(crate) fn clear(memory: &SharedMemory, layout: &Layout) {
    memory.zero(layout.log, Open::SIZE as usize);
    memory.zero(layout.callees, MAX_CALLEES as usize * size_of::<Callee>());
}

/// Every branch that a run took, in pieces: what lies between two steps of its path. Of a long piece only both ends are
/// kept. The branch that a step itself takes follows it (it is the first of the next piece), but that of a select comes
/// before, perhaps with other selects in between.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BranchLog {
    branches: Vec<u32>,
    /// Where each piece ends, and how many branches it lacks.
    ends: Vec<(usize, u32)>,
    /// Functions that were called through pointers, each once.
    pub callees: Vec<Callee>,
    /// Branches in pieces that there was no room for.
    pub lost: u64,
    /// The target has written over the log: what makes no sense was left out.
    pub damaged: bool,
}

/// The branches between two steps, by the index of their coverage bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece<'a> {
    /// Those kept, in order.
    pub branches: &'a [u32],
    /// How many are missing in the middle.
    pub omitted: u32,
}

impl BranchLog {
    /// The pieces before each step, and the one after the last. If there was no room for all, the last ones are missing.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, omitted))| Piece {
            branches: &self.branches[start..*end],
            omitted: *omitted,
        })
    }

    /// Adds a piece of this many branches, of which these entries are left.
    fn push(&mut self, total: u32, entries: impl Iterator<Item = Word>, branch_count: u32) {
        let before = self.branches.len();
        for entry in entries {
            match entry.checked_sub(1).filter(|branch| *branch < branch_count) {
                Some(branch) => self.branches.push(branch),
                None => self.damaged = true,
            }
        }
        let kept = (self.branches.len() - before) as u32;
        self.ends.push((self.branches.len(), total.saturating_sub(kept)));
    }
}

impl Recording<'_> {
    /// The branch log of a program with so many branches.
    pub(crate) fn log(&self, branch_count: u32) -> BranchLog {
        let mut log = BranchLog { lost: self.recorded.log_lost, ..BranchLog::default() };
        let closed = self.words(self.layout.log + Open::SIZE, self.recorded.log_used);
        let mut rest = closed.as_slice();
        while let Some((&total, entries)) = rest.split_first() {
            let kept = kept(total as usize);
            let Some((entries, after)) = entries.split_at_checked(kept) else {
                log.damaged = true;
                break;
            };
            log.push(total, entries.iter().copied(), branch_count);
            rest = after;
        }
        if self.recorded.flags & flag::LOG_FULL == 0 {
            let (total, last) = self.open_piece();
            log.push(total, last.into_iter(), branch_count);
        }
        log.callees = self.callees();
        log
    }

    /// What the run did after its last step.
    fn open_piece(&self) -> (u32, Vec<Word>) {
        let entries = self.words(self.layout.log, PLACES as u64);
        let laps = self.words(self.layout.log + offset_of!(Open, beyond) as u64, 2)[1];
        if laps == 0 {
            let all: Vec<Word> = entries.into_iter().take_while(|entry| *entry != 0).collect();
            return (all.len() as u32, all);
        }
        // The ring has an entry less where the 0 is; it begins behind it.
        let (head, ring) = entries.split_at(HEAD);
        let end = ring.iter().position(|entry| *entry == 0);
        let (new, old) = end.map_or((ring, &[][..]), |end| (&ring[..end], &ring[end + 1..]));
        let total = laps.saturating_mul(TAIL as u32).saturating_add((HEAD + new.len() % TAIL) as u32);
        (total, [head, old, new].concat())
    }

    fn callees(&self) -> Vec<Callee> {
        let places = (0..MAX_CALLEES).map(|place| self.layout.callees + place * size_of::<Callee>() as u64);
        places.map(|at| self.memory.load::<Callee>(at)).filter(|callee| callee.offset != 0).collect()
    }

    fn words(&self, offset: u64, count: u64) -> Vec<Word> {
        let bytes = self.memory.read(offset, (count * WORD) as usize);
        bytes.chunks_exact(WORD as usize).map(|b| Word::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
    }
}
