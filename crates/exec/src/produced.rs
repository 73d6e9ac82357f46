//! The log of produced values in shared memory, unchecked as all that a target writes.

use crate::control::Recorded;
use crate::raw_trace::RawTrace;
use crate::run::ProducedValue;
use crate::shm::SharedMemory;
use cairn_wire::Layout;
use cairn_wire::produced::{MAX_REACTIONS, Produced, SIDES_SHIFT, state};

/// Reads the slots in use.
fn slots<'a>(
    memory: &'a SharedMemory,
    layout: &'a Layout,
    recorded: &Recorded,
) -> impl Iterator<Item = Produced> + 'a {
    let offset = |index: u32| layout.produced + u64::from(index) * size_of::<Produced>() as u64;
    (0..recorded.produced).map(move |index| memory.load(offset(index)))
}

/// Returns the sides of a reaction.
fn sides(memory: &SharedMemory, layout: &Layout, slot: &Produced) -> Vec<u32> {
    let end = slot.first.saturating_add(slot.count).min(MAX_REACTIONS);
    let size = size_of::<u32>() as u64;
    let bytes = memory.read(
        layout.reactions + u64::from(slot.first) * size,
        (end.saturating_sub(slot.first) as u64 * size) as usize,
    );
    let (words, _) = bytes.as_chunks();
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    let bits = |word: u32| {
        (0..u8::BITS)
            .filter(move |bit| word & 1 << bit != 0)
            .map(move |bit| (word >> SIDES_SHIFT) * u8::BITS + bit)
    };
    words.flat_map(bits).collect()
}

/// Returns the values of one producer, and the reactions to them.
pub(crate) fn produced_values(
    memory: &SharedMemory,
    layout: &Layout,
    recorded: &Recorded,
) -> Vec<ProducedValue> {
    let value = |slot: Produced| {
        let reaction = (slot.state == state::FOLLOWED).then(|| sides(memory, layout, &slot));
        ProducedValue { value: slot.value, reaction }
    };
    let has_returned = |slot: &Produced| matches!(slot.state, state::RETURNED | state::FOLLOWED);
    slots(memory, layout, recorded).filter(has_returned).map(value).collect()
}

impl RawTrace<'_> {
    /// Returns the activations of producers at existing sites.
    pub(crate) fn produced(&self) -> Vec<Produced> {
        let slots = slots(self.memory, self.layout, &self.recorded);
        slots.filter(|slot| slot.site < self.sites).collect()
    }
}
