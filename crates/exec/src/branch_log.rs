//! The branch log of a run, read back from shared memory and checked.

use crate::raw_trace::RawTrace;
use crate::shm::SharedMemory;
use cairn_wire::Layout;
use cairn_wire::control::flag;
use cairn_wire::log::{Callee, HEAD, MAX_CALLEES, Open, PLACES, TAIL, Word, kept};
use std::mem::offset_of;

/// Bytes of a word of the log.
const WORD: u64 = size_of::<Word>() as u64;

/// Clears what the previous run has logged.
pub(crate) fn clear(memory: &SharedMemory, layout: &Layout) {
    memory.zero(layout.log, Open::SIZE as usize);
    memory.zero(layout.callees, MAX_CALLEES as usize * size_of::<Callee>());
}

/// Branches that a run took, in pieces: the branches between two steps of its path. Of a long piece only
/// both ends are kept. The branch of a step itself follows the step, as the first of the next piece; but that
/// of a select precedes it, possibly with other selects in between.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BranchLog {
    branches: Vec<u32>,
    /// End of each piece in `branches`, and the number of branches omitted from it.
    ends: Vec<(usize, u32)>,
    /// Branches in pieces that did not fit.
    pub lost: u64,
    /// True if the target has overwritten the log: implausible entries were left out.
    pub damaged: bool,
}

/// The branches between two steps, by the index of their coverage bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogPiece<'a> {
    /// The branches that were kept, in order.
    pub branches: &'a [u32],
    /// Number of branches omitted in the middle.
    pub omitted: u32,
}

impl BranchLog {
    /// Returns the pieces before each step, and the one after the last. If the log was full, the last ones
    /// are missing.
    pub fn pieces(&self) -> impl Iterator<Item = LogPiece<'_>> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, omitted))| LogPiece {
            branches: &self.branches[start..*end],
            omitted: *omitted,
        })
    }

    /// Adds a piece from the middle of which so many branches are omitted.
    pub fn add_piece(&mut self, branches: &[u32], omitted: u32) {
        self.branches.extend(branches);
        self.ends.push((self.branches.len(), omitted));
    }

    /// Adds a piece of this many branches, of which these entries were kept.
    fn add_entries(&mut self, total: u32, entries: &[Word], branch_count: u32) {
        let known = |entry: &Word| entry.checked_sub(1).filter(|branch| *branch < branch_count);
        let before = self.branches.len();
        self.branches.extend(entries.iter().filter_map(known));
        let kept = self.branches.len() - before;
        self.damaged |= kept < entries.len();
        self.ends.push((self.branches.len(), total.saturating_sub(kept as u32)));
    }
}

impl RawTrace<'_> {
    /// Returns the branch log of a program with so many branches.
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
            log.add_entries(total, entries, branch_count);
            rest = after;
        }
        if self.recorded.flags & flag::LOG_FULL == 0 {
            let (total, last) = self.open_piece();
            log.add_entries(total, &last, branch_count);
        }
        log
    }

    /// Returns the piece after the last step.
    fn open_piece(&self) -> (u32, Vec<Word>) {
        let entries = self.words(self.layout.log, PLACES as u64);
        let laps = self.words(self.layout.log + offset_of!(Open, beyond) as u64, 2)[1];
        if laps == 0 {
            let all: Vec<Word> = entries.into_iter().take_while(|entry| *entry != 0).collect();
            return (all.len() as u32, all);
        }
        // The ring has a 0 in place of an entry; its oldest entry follows the 0.
        let (head, ring) = entries.split_at(HEAD);
        let end = ring.iter().position(|entry| *entry == 0);
        let (new, old) = end.map_or((ring, &[][..]), |end| (&ring[..end], &ring[end + 1..]));
        let total = laps.saturating_mul(TAIL as u32).saturating_add((HEAD + new.len() % TAIL) as u32);
        (total, [head, old, new].concat())
    }

    /// Returns the functions that were called through pointers, each once.
    pub(crate) fn callees(&self) -> Vec<Callee> {
        let slots = (0..MAX_CALLEES).map(|slot| self.layout.callees + slot * size_of::<Callee>() as u64);
        slots.map(|at| self.memory.load::<Callee>(at)).filter(|callee| callee.offset != 0).collect()
    }

    fn words(&self, offset: u64, count: u64) -> Vec<Word> {
        let bytes = self.memory.read(offset, (count * WORD) as usize);
        bytes.chunks_exact(WORD as usize).map(|b| Word::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Recorded, layout};
    use crate::spec::Limits;

    const BRANCHES: u32 = 10;

    /// Decodes a log with these closed pieces and this open one.
    fn log_of(closed: &[Word], open: &[Word], laps: u32) -> BranchLog {
        let sizes = Limits { labels: 10, events: 10, input_bytes: 4096, ..Limits::default() };
        let layout = layout(BRANCHES as usize, &Limits { snapshot_bytes: 4096, log_words: 100, ..sizes });
        let memory = SharedMemory::create(layout.total).unwrap();
        let write = |at: u64, words: &[Word]| {
            memory.write(at, &words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>());
        };
        write(layout.log + Open::SIZE, closed);
        write(layout.log, open);
        write(layout.log + offset_of!(Open, beyond) as u64, &[0, laps]);
        let recorded = Recorded { log_used: closed.len() as u64, ..Recorded::default() };
        let (memory, layout) = (&memory, &layout);
        RawTrace { memory, layout, recorded, sites: 0, object_sizes: &[] }.log(BRANCHES)
    }

    fn pieces(log: &BranchLog) -> Vec<(Vec<u32>, u32)> {
        log.pieces().map(|piece| (piece.branches.to_vec(), piece.omitted)).collect()
    }

    #[test]
    fn pieces_are_read_as_they_were_written() {
        let log = log_of(&[2, 1, 10, 0], &[3, 4, 0, 9], 0);
        assert_eq!(pieces(&log), [(vec![0, 9], 0), (vec![], 0), (vec![2, 3], 0)]);
        assert!(!log.damaged);
    }

    #[test]
    fn a_ring_begins_after_its_zero() {
        let mut open: Vec<Word> =
            (0..PLACES as Word).map(|place| if place < HEAD as Word { 1 } else { 2 }).collect();
        (open[HEAD], open[HEAD + 1], open[HEAD + 2]) = (7, 0, 8);
        let log = log_of(&[], &open, 2);
        let [(last, omitted)] = pieces(&log).try_into().unwrap();
        assert_eq!((last.len(), last[HEAD - 1], last[HEAD], last[PLACES - 2]), (PLACES - 1, 0, 7, 6));
        assert_eq!(omitted as usize, HEAD + 2 * TAIL + 1 - (PLACES - 1));
    }

    #[test]
    fn implausible_entries_are_left_out_and_reported() {
        let log = log_of(&[2, 11, 5], &[0], 0);
        assert_eq!((pieces(&log), log.damaged), (vec![(vec![4], 1), (vec![], 0)], true));
        let log = log_of(&[Word::MAX, 1, 1], &[Word::MAX], Word::MAX);
        assert_eq!((log.pieces().count(), log.damaged), (1, true));
    }
}
