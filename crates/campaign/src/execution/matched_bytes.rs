//! Byte strings of an input that satisfied equality comparisons on a run's path.
//!
//! If a value that is made of input bytes equals a constant, the bytes of the run's input are a string that the
//! program looks for, in whatever byte order. Through tables and conversions, as of letters to lower case or
//! in the automaton of a lexer, a comparison says something about the last byte that it reads if few other
//! values of that byte satisfy it: these are counted. A loop over a string compares byte by byte; equalities
//! of adjacent bytes in one function are one string.

use cairn_exec::Input;
use cairn_expr::{Assignment, BinOp, CmpOp, Dag, Evaluator, ExprId, InputByte, Node, SetId, SetView};
use cairn_mutate::dictionary::{MAX_LEARNT, TokenPlace};
use cairn_program::{FunctionId, Program, SiteKind};
use cairn_tree::{Step, StepKind};
use cairn_wire::label::LENGTH;
use rustc_hash::FxHashMap;

/// Maximum number of steps before the new ones in which the start of a string is looked for: several per byte.
const MAX_STEPS_BACK: usize = 4 * MAX_LEARNT;
/// Number of values of a byte that may satisfy a comparison which determines the byte: a letter's two cases.
const MAX_VALUES: usize = 2;
/// Maximum number of comparisons per run whose satisfying values are counted; a chosen bound on the time it
/// takes.
const MAX_COUNTED: usize = 16;
/// Maximum number of constants taken from one switch; a chosen bound.
const MAX_CASES: usize = 64;

/// Adjacent bytes of an input object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ByteRange {
    object: u32,
    start: u32,
    end: u32,
}

/// An equality of a value with a constant, or a switch over the value.
#[derive(Clone, Copy)]
struct Comparison {
    /// Bytes that the value depends on.
    range: ByteRange,
    function: FunctionId,
    /// The constant; none for a switch.
    constant: Option<u128>,
    is_satisfied: bool,
    /// True if the value is made of input bytes, and nothing else happens to them.
    is_plain: bool,
}

/// Comparisons whose satisfying values were counted.
#[derive(Default)]
pub(crate) struct CountedComparisons {
    /// By deciding value: true if the side that a run took determines the last byte.
    determined: FxHashMap<ExprId, bool>,
    evaluator: Evaluator,
}

/// Finds byte strings in the paths of runs.
pub(crate) struct Matcher<'a> {
    pub program: &'a Program,
    pub dag: &'a Dag,
    pub input: &'a Input,
    pub counted: &'a mut CountedComparisons,
    left_to_count: usize,
}

/// An input with another value of one byte.
struct Variation<'a> {
    input: &'a Input,
    at: InputByte,
    value: u8,
}

impl Assignment for Variation<'_> {
    fn byte(&self, byte: InputByte) -> u8 {
        if byte == self.at { self.value } else { self.input.byte(byte) }
    }
}

impl<'a> Matcher<'a> {
    /// Creates the matcher of a run with this input.
    pub fn new(
        program: &'a Program,
        dag: &'a Dag,
        input: &'a Input,
        counted: &'a mut CountedComparisons,
    ) -> Matcher<'a> {
        Matcher { program, dag, input, counted, left_to_count: MAX_COUNTED }
    }

    /// Calls `matched` for each string that satisfied comparisons in the steps from `first` on, and `wanted` for
    /// each constant of at least two bytes that a value did not equal.
    pub fn inspect(
        &mut self,
        steps: &[Step],
        first: usize,
        mut matched: impl FnMut(&[u8], TokenPlace),
        mut wanted: impl FnMut(&[u8]),
    ) {
        let mut run: Option<Comparison> = None;
        let start = self.start(steps, first);
        for (index, step) in steps.iter().enumerate().skip(start) {
            let Some(comparison) = self.comparison(step) else { continue };
            if !comparison.is_satisfied {
                if index >= first {
                    self.unmatched(step, &comparison, &mut wanted);
                }
                if run.is_some_and(|run| run.is_plain && run.continues(&comparison)) {
                    // Unless only the NUL is missing, this is the start of a string that the program looks for,
                    // which is learnt once it is whole.
                    self.flush(run.take(), comparison.constant == Some(0), &mut matched);
                }
                continue;
            }
            run = match run {
                Some(run) if run.range == comparison.range => Some(run),
                Some(run) if run.continues(&comparison) => {
                    let range = ByteRange { end: comparison.range.end, ..run.range };
                    Some(Comparison { range, ..run })
                }
                other => {
                    self.flush(other, true, &mut matched);
                    Some(comparison)
                }
            };
        }
        self.flush(run, true, &mut matched);
    }

    /// Returns the index of the step at which the string begins that step `first` continues.
    fn start(&mut self, steps: &[Step], first: usize) -> usize {
        let satisfied = steps.get(first).and_then(|step| self.comparison(step)).filter(|it| it.is_satisfied);
        let Some(mut earliest) = satisfied else { return first };
        let mut start = first;
        for index in (first.saturating_sub(MAX_STEPS_BACK)..first).rev() {
            // A loop over a string looks for its NUL as well.
            let satisfied = self.comparison(&steps[index]).filter(|it| it.is_satisfied);
            let Some(comparison) = satisfied else { continue };
            if !comparison.continues(&earliest) && comparison.range != earliest.range {
                break;
            }
            (start, earliest) = (index, comparison);
        }
        start
    }

    /// Passes a string on, if it is whole, and its last byte.
    fn flush(&self, run: Option<Comparison>, is_whole: bool, matched: &mut impl FnMut(&[u8], TokenPlace)) {
        let Some(Comparison { range: ByteRange { object, start, end }, .. }) = run else { return };
        let bytes = self.input.objects.get(object as usize).map_or(&[][..], |object| &object.bytes);
        let Some(bytes) = bytes.get(start as usize..end as usize) else { return };
        // The end of a string in C.
        let text = bytes.strip_suffix(&[0]).filter(|text| text.len() > 1).unwrap_or(bytes);
        if is_whole || text.len() == 1 {
            matched(text, TokenPlace { object, offset: start });
        }
    }

    /// Passes on the constants that a value did not equal, if the value is made of several input bytes.
    fn unmatched(&self, step: &Step, comparison: &Comparison, wanted: &mut impl FnMut(&[u8])) {
        let length = comparison.range.len() as usize;
        if !matches!(length, 2 | 4 | 8 | 16) {
            return;
        }
        let site = self.program.site(step.site);
        let cases = site.sides.iter().flat_map(|side| &side.values).map(|value| u128::from(*value));
        let cases = cases.take(if site.kind == SiteKind::Switch { MAX_CASES } else { 0 });
        for constant in comparison.constant.into_iter().chain(cases) {
            let bytes = constant.to_le_bytes();
            if bytes[length..].iter().any(|byte| *byte != 0) {
                continue;
            }
            let mut bytes = bytes[..length].to_vec();
            wanted(&bytes);
            bytes.reverse();
            wanted(&bytes);
        }
    }

    /// Returns the comparison that a step decides, if it is one that determines adjacent bytes, or would if it
    /// were satisfied.
    fn comparison(&mut self, step: &Step) -> Option<Comparison> {
        if step.kind != StepKind::Branch {
            return None;
        }
        let site = self.program.site(step.site);
        let (value, constant, is_satisfied) = match site.kind {
            SiteKind::Switch => (step.value, None, step.side as usize + 1 < site.sides.len()),
            _ => self.equality(step.value, step.side == 1)?,
        };
        let is_plain = is_plain(self.dag, value);
        if !is_plain && !is_satisfied {
            return None;
        }
        let mut range = range(self.dag, self.dag.input_set(value))?;
        if !is_plain {
            range.start = range.end - 1;
            if !self.determines(step, InputByte { object: range.object, offset: range.start }) {
                return None;
            }
        }
        Some(Comparison { range, function: site.function, constant, is_satisfied, is_plain })
    }

    /// True if few values of a byte take the side of a step, all other bytes being as they are.
    fn determines(&mut self, step: &Step, at: InputByte) -> bool {
        if let Some(known) = self.counted.determined.get(&step.value) {
            return *known;
        }
        if self.left_to_count == 0 {
            return false;
        }
        self.left_to_count -= 1;
        let site = self.program.site(step.site);
        let (dag, input, evaluator) = (self.dag, self.input, &mut self.counted.evaluator);
        let takes_side = |value: &u8| {
            let result = evaluator.eval(dag, step.value, &Variation { input, at, value: *value });
            site.side_of(result as u64) == step.side
        };
        let is_determined = (0..=u8::MAX).filter(takes_side).nth(MAX_VALUES).is_none();
        self.counted.determined.insert(step.value, is_determined);
        is_determined
    }

    /// Returns the value and the constant that a condition compares, and if the condition shows them to be
    /// equal.
    fn equality(&self, condition: ExprId, holds: bool) -> Option<(ExprId, Option<u128>, bool)> {
        let constant = |e| self.dag.as_constant(e);
        match self.dag.node(condition) {
            Node::Compare(CmpOp::Eq, a, b) => match (constant(a), constant(b)) {
                (None, Some(known)) => Some((a, Some(known), holds)),
                (Some(known), None) => Some((b, Some(known), holds)),
                _ => None,
            },
            Node::Binary(BinOp::Xor, a, b) if constant(b) == Some(1) => self.equality(a, !holds),
            Node::Binary(BinOp::Xor, a, b) if constant(a) == Some(1) => self.equality(b, !holds),
            _ => None,
        }
    }
}

impl ByteRange {
    fn len(&self) -> u32 {
        self.end - self.start
    }
}

impl Comparison {
    /// True if `next` reads the bytes just after these, in the same function.
    fn continues(&self, next: &Comparison) -> bool {
        let (range, after) = (self.range, next.range);
        self.function == next.function
            && (range.object, range.end) == (after.object, after.start)
            && after.end - range.start <= MAX_LEARNT as u32
    }
}

/// True if a value is made of input bytes: different bytes give different values.
fn is_plain(dag: &Dag, value: ExprId) -> bool {
    let is_constant = |e| dag.as_constant(e).is_some();
    match dag.node(value) {
        Node::Input(_) => true,
        Node::Concat(a, b) => is_plain(dag, a) && is_plain(dag, b),
        Node::ZExt(e) | Node::SExt(e) => is_plain(dag, e),
        Node::Binary(BinOp::Xor | BinOp::Add | BinOp::Sub, a, b) if is_constant(b) => is_plain(dag, a),
        Node::Binary(BinOp::Xor | BinOp::Add | BinOp::Sub, a, b) if is_constant(a) => is_plain(dag, b),
        _ => false,
    }
}

/// Returns the bytes of a set, if they are adjacent bytes of one object and not those of a length.
fn range(dag: &Dag, set: SetId) -> Option<ByteRange> {
    match dag.sets().view(set) {
        SetView::Empty => None,
        SetView::Block(first, bits) => {
            let start = first.offset + bits.trailing_zeros();
            let count = bits.count_ones();
            let is_adjacent = bits >> bits.trailing_zeros() == u64::MAX >> (64 - count);
            let is_content = start < LENGTH;
            (is_adjacent && is_content).then(|| ByteRange { object: first.object, start, end: start + count })
        }
        SetView::Pair(a, b) => {
            let is_block = |set| matches!(dag.sets().view(set), SetView::Block(..));
            if !is_block(a) || !is_block(b) {
                return None;
            }
            let (a, b) = (range(dag, a)?, range(dag, b)?);
            let is_adjacent = (a.object, a.end) == (b.object, b.start);
            is_adjacent.then_some(ByteRange { end: b.end, ..a })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::Object;
    use cairn_expr::InputByte;
    use cairn_program::SiteId;
    use cairn_program::testing::Sketch;

    /// Matched strings with their offsets, and wanted ones.
    type Found = (Vec<(Vec<u8>, u32)>, Vec<Vec<u8>>);

    /// A program with one branch and one switch, and the path of a run.
    struct Fixture {
        dag: Dag,
        program: Program,
        branch: SiteId,
        switch: SiteId,
        steps: Vec<Step>,
    }

    impl Fixture {
        fn new() -> Fixture {
            let mut sketch = Sketch::new();
            let branch = sketch.branch();
            let switch = sketch.switch(32, &[&[0x4433_2211], &[7, 8]]);
            Fixture { dag: Dag::new(), program: sketch.build(), branch, switch, steps: Vec::new() }
        }

        fn byte(&mut self, offset: u32) -> ExprId {
            self.dag.input(InputByte { object: 0, offset })
        }

        /// Returns four bytes as a little-endian number.
        fn word(&mut self, offset: u32) -> ExprId {
            let low = self.byte(offset);
            (1..4).fold(low, |word, index| {
                let byte = self.byte(offset + index);
                self.dag.concat(byte, word)
            })
        }

        /// Adds a step that compares a value with a constant for equality.
        fn compare(&mut self, value: ExprId, constant: u128, holds: bool) {
            let constant = self.dag.constant(self.dag.width(value), constant);
            let value = self.dag.compare(CmpOp::Eq, value, constant);
            let (site, side) = (self.branch, u32::from(holds));
            self.steps.push(Step { kind: StepKind::Branch, site, side, value, concrete: side.into() });
        }

        /// Adds the steps of a loop that finds `equal` bytes of `text` from an offset on.
        fn compare_text(&mut self, text: &[u8], offset: u32, equal: usize) {
            for (index, byte) in text.iter().enumerate().take(equal + 1) {
                let value = self.byte(offset + index as u32);
                self.compare(value, (*byte).into(), index < equal);
                if index < equal && *byte != 0 {
                    self.compare(value, 0, false);
                }
            }
        }

        fn found(&self, input: &[u8], first: usize) -> Found {
            let input = Input { objects: vec![Object::stdin(input)] };
            let mut counted = CountedComparisons::default();
            let mut matcher = Matcher::new(&self.program, &self.dag, &input, &mut counted);
            let (mut matched, mut wanted) = (Vec::new(), Vec::new());
            let note = |bytes: &[u8], place: TokenPlace| matched.push((bytes.to_vec(), place.offset));
            matcher.inspect(&self.steps, first, note, |bytes| wanted.push(bytes.to_vec()));
            (matched, wanted)
        }
    }

    #[test]
    fn a_loop_of_comparisons_is_one_string_once_it_is_whole() {
        let mut run = Fixture::new();
        run.compare_text(b"while\0", 2, 3);
        assert_eq!(run.found(b"  whisky", 0), (vec![], vec![]));
        run.compare_text(b"if\0", 2, 0);
        run.compare_text(b"whisky\0", 2, 7);
        let whole = vec![(b"whisky".to_vec(), 2)];
        assert_eq!(run.found(b"  whisky\0", 0).0, whole);
        let last = run.steps.len() - 1;
        assert_eq!(run.found(b"  whisky\0", last).0, whole, "its start lies in the known part");
        run.steps[last].side = 0;
        assert_eq!(run.found(b"  whiskyx", 0).0, whole, "only its end is missing");
    }

    #[test]
    fn strings_elsewhere_begin_anew() {
        let mut run = Fixture::new();
        run.compare_text(b"do", 0, 2);
        run.compare_text(b"(", 3, 1);
        let expected = vec![(b"do".to_vec(), 0), (b"(".to_vec(), 3)];
        assert_eq!(run.found(b"do (", 0).0, expected);
    }

    #[test]
    fn wide_values_are_the_bytes_of_the_run_or_wanted_in_both_orders() {
        let mut run = Fixture::new();
        let word = run.word(0);
        run.compare(word, 0x0102_0304, false);
        run.compare(word, 0x0403_0201, true);
        let numbers = vec![vec![4, 3, 2, 1], vec![1, 2, 3, 4]];
        assert_eq!(run.found(&[1, 2, 3, 4], 0), (vec![(vec![1, 2, 3, 4], 0)], numbers));
        let (site, side) = (run.switch, 0);
        let concrete = 0x4433_2211;
        run.steps.push(Step { kind: StepKind::Branch, site, side, value: word, concrete });
        let word = vec![0x11, 0x22, 0x33, 0x44];
        assert_eq!(run.found(&word, 2).0, [(word.clone(), 0)]);
        run.steps[2].side = 2;
        let (matched, wanted) = run.found(&[0; 4], 2);
        assert!(matched.is_empty() && wanted.contains(&word) && wanted.contains(&vec![0, 0, 0, 7]));
    }

    #[test]
    fn scattered_bytes_and_lengths_say_nothing_and_a_sum_its_last_byte() {
        let mut run = Fixture::new();
        let (first, third) = (run.byte(0), run.byte(2));
        let sum = run.dag.binary(BinOp::Add, first, third);
        run.compare(sum, 5, true);
        let second = run.byte(1);
        let sum = run.dag.binary(BinOp::Add, first, second);
        run.compare(sum, 3, true);
        let length = run.byte(LENGTH);
        run.compare(length, 5, true);
        assert_eq!(run.found(&[1, 2, 4, 0, 0], 0), (vec![(vec![2], 1)], vec![]));
    }

    #[test]
    fn few_values_through_a_table_determine_the_last_byte() {
        let mut run = Fixture::new();
        let table: Vec<u8> = (0..=255_u8).map(|byte| byte.to_ascii_lowercase()).collect();
        let lower = run.dag.snapshot(&table, &[]);
        let digits: Vec<u8> = (0..=255_u8).map(|byte| byte.is_ascii_digit().into()).collect();
        let digits = run.dag.snapshot(&digits, &[]);
        for (offset, byte) in (0..).zip(b"if") {
            let index = run.byte(offset);
            let index = run.dag.zext(index, 64);
            let value = run.dag.read(lower, index, 8);
            run.compare(value, (*byte).into(), true);
        }
        let index = run.byte(2);
        let index = run.dag.zext(index, 64);
        let value = run.dag.read(digits, index, 8);
        run.compare(value, 1, true);
        assert_eq!(run.found(b"iF7", 0).0, [(b"iF".to_vec(), 0)]);
    }

    #[test]
    fn a_string_may_cross_blocks_of_input_bytes() {
        let mut run = Fixture::new();
        let word = run.word(62);
        run.compare(word, 0x6463_6261, true);
        let input = [&[0; 62][..], b"abcd"].concat();
        assert_eq!(run.found(&input, 0).0, [(b"abcd".to_vec(), 62)]);
    }
}
