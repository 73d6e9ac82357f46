//! The journal, and replaying an interrupted campaign from it.
//!
//! A campaign is determined by its settings, the solver's answers, the results of runs, and the clock. All
//! but the settings are appended to the journal as they occur. To resume a campaign is to replay it: strategy
//! and tree receive the same calls, inputs are executed again, queries that took long are answered from the
//! journal, and nothing is written. At the end of the journal the state is what it was, and the search
//! continues. If the replayed search diverges from the journal, because the program is nondeterministic, the
//! remaining recorded inputs are executed as they are: no test, branch or finding depends on the query that
//! led to it.

pub(crate) mod campaign_directory;
pub(crate) mod cursor;
pub(crate) mod delta;
pub(crate) mod journal;
pub(crate) mod record;
