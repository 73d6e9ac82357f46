//! Definitions of variables, by example.

use cairn_program::testing::plan::{build, decide, end, function, jump};
use cairn_program::{BlockId, Definitions, SiteId};

const FLAG: u64 = 77;
const OTHER: u64 = 78;

#[test]
fn a_condition_leads_to_the_stores_of_what_it_reads() {
    let program = build(&[
        function("main", &[decide(&[1, 2]).reads(FLAG), jump(2).call("set"), end()]),
        function("set", &[jump(1).stores(FLAG, Some(1)).stores(OTHER, None), end().stores(FLAG, None)]),
    ]);
    assert_eq!(program.variable_count(), 1, "no condition reads the other variable");
    let [variable] = program.site(SiteId(0)).reads[..] else { panic!("one is read") };
    let definitions = Definitions::new(&program);
    assert_eq!(definitions.of(variable), [(BlockId(3), Some(1)), (BlockId(4), None)]);
}
