//! The features by name, in the order of the paper.

macro_rules! features {
    ($($feature:ident $name:literal $words:literal)*) => {
        /// A boolean property of a branch on a path. Its number is that of the paper, less one.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Feature {
            $(#[doc = concat!("Branches ", $words, ".")] $feature,)*
        }

        const ALL: &[(Feature, &str, &str)] = &[$((Feature::$feature, $name, $words),)*];
    };
}

features! {
    InMain "in-main" "in `main`"
    LoopTrue "loop-true" "that go on with a loop"
    LoopFalse "loop-false" "that leave a loop"
    Nested "nested" "inside another conditional"
    ExternalCall "external-call" "on the result of a library function"
    Integer "integer" "that compare with a number"
    Text "text" "that compare with a character or a string"
    Dereference "dereference" "on what a pointer points to"
    Local "local" "on a local variable"
    InLoop "in-loop" "in the body of a loop"
    Case "case" "that take a case of a switch"
    NoCase "no-case" "that take no case of a switch"
    FirstTenth "first-tenth" "in the first tenth of the path"
    LastTenth "last-tenth" "in the last tenth of the path"
    MostFrequent "most-frequent" "that are the most frequent of the path"
    LeastFrequent "least-frequent" "that are the rarest of the path"
    NewlyCovered "newly-covered" "that the last run was the first to cover"
    AfterNegated "after-negated" "right after the one negated last"
    Context1 "context-1" "that were tried before"
    Context2 "context-2" "that were tried before, after the same branch"
    Context3 "context-3" "that were tried before, after the same two branches"
    Context4 "context-4" "that were tried before, after the same three branches"
    Context5 "context-5" "that were tried before, after the same four branches"
    Negated10 "negated-10" "that were negated more than 10 times"
    Negated20 "negated-20" "that were negated more than 20 times"
    Negated30 "negated-30" "that were negated more than 30 times"
    NearNegated "near-negated" "within a fifth of the path around the one negated last"
    Failed "failed" "that could not be negated more than 10 times"
    OppositeFailed "opposite-failed" "whose opposite could not be negated more than 10 times"
    OppositeUncovered "opposite-uncovered" "whose opposite is uncovered"
    OppositeNextUncovered "opposite-next-uncovered" "whose opposite is uncovered, and all that comes next"
    Lately10 "lately-10" "negated within the last 10 runs"
    Lately20 "lately-20" "negated within the last 20 runs"
    Lately30 "lately-30" "negated within the last 30 runs"
    PoorestFunction "poorest-function" "in the function with the most uncovered branches"
    Largest10 "largest-10" "that lead to a function not yet reached, among the largest 10 %"
    Largest20 "largest-20" "that lead to a function not yet reached, among the largest 20 %"
    Largest30 "largest-30" "that lead to a function not yet reached, among the largest 30 %"
    Large "large" "that lead to a function not yet reached, of more than 10 branches"
    NewFunction "new-function" "in a function first reached within the last 10 runs"
}

impl Feature {
    /// Number of features.
    pub const COUNT: usize = ALL.len();

    /// Returns all features, in order.
    pub fn all() -> impl ExactSizeIterator<Item = Feature> {
        ALL.iter().map(|(feature, _, _)| *feature)
    }

    /// Returns the feature of this name.
    pub fn named(name: &str) -> Option<Feature> {
        ALL.iter().find(|(_, known, _)| *known == name).map(|(feature, _, _)| *feature)
    }

    /// Returns its name in weights files.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// Describes the branches that have it, as the end of a sentence that begins with "branches".
    pub fn words(self) -> &'static str {
        ALL[self as usize].2
    }
}
