//! Values of terms during reading.

use crate::dag::Dag;
use crate::node::ExprId;

/// A rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    NearestEven,
    NearestAway,
    Up,
    Down,
    Zero,
}

impl Mode {
    pub(super) fn named(name: &str) -> Option<Mode> {
        Some(match name {
            "RNE" | "roundNearestTiesToEven" => Mode::NearestEven,
            "RNA" | "roundNearestTiesToAway" => Mode::NearestAway,
            "RTP" | "roundTowardPositive" => Mode::Up,
            "RTN" | "roundTowardNegative" => Mode::Down,
            "RTZ" | "roundTowardZero" => Mode::Zero,
            _ => return None,
        })
    }
}

/// A real number as it is written; only floats are made of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Real<'a> {
    pub(super) negative: bool,
    pub(super) numerator: &'a str,
    pub(super) denominator: Option<&'a str>,
}

/// A value; truths have width 1, floats are their bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SmtValue<'a> {
    Bool(ExprId),
    Bits(ExprId),
    Float(ExprId),
    Mode(Mode),
    Real(Real<'a>),
}

/// Sort of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Bool,
    Bits(u8),
    Float(u8),
    Mode,
}

impl<'a> SmtValue<'a> {
    /// Returns the value of this sort that an expression of fitting width is.
    pub(super) fn of(sort: Sort, e: ExprId) -> Option<SmtValue<'a>> {
        match sort {
            Sort::Bool => Some(SmtValue::Bool(e)),
            Sort::Bits(_) => Some(SmtValue::Bits(e)),
            Sort::Float(_) => Some(SmtValue::Float(e)),
            Sort::Mode => None,
        }
    }

    /// Returns its sort; real numbers have none that a script could name here.
    pub(super) fn sort(self, dag: &Dag) -> Option<Sort> {
        match self {
            SmtValue::Bool(_) => Some(Sort::Bool),
            SmtValue::Bits(e) => Some(Sort::Bits(dag.width(e))),
            SmtValue::Float(e) => Some(Sort::Float(dag.width(e))),
            SmtValue::Mode(_) => Some(Sort::Mode),
            SmtValue::Real(_) => None,
        }
    }
}

/// An operation and what it is applied to.
pub(super) struct Call<'c, 'a> {
    pub(super) name: &'a str,
    pub(super) indices: &'c [u32],
    pub(super) args: &'c [SmtValue<'a>],
}

/// Result of applying an operation: `None` if it belongs to another theory, an error message if it does not
/// apply.
pub(super) type Applied<'a> = Result<Option<SmtValue<'a>>, String>;

impl<'c, 'a> Call<'c, 'a> {
    /// As many operands as the operation takes.
    pub(super) fn args<const N: usize>(&self) -> Result<&'c [SmtValue<'a>; N], String> {
        let count = if N == 1 { "one operand" } else { &format!("{N} operands") };
        self.args.try_into().map_err(|_| format!("`{}` takes {count}", self.name))
    }

    /// As many indices as the operation takes.
    pub(super) fn indices<const N: usize>(&self) -> Result<[u32; N], String> {
        let count = if N == 1 { "one index" } else { &format!("{N} indices") };
        self.indices.try_into().map_err(|_| format!("`{}` takes {count}", self.name))
    }

    /// Returns the operands, which must be of one sort; at least one.
    pub(super) fn all(
        &self,
        what: &str,
        one: impl Fn(SmtValue) -> Option<ExprId>,
    ) -> Result<Vec<ExprId>, String> {
        let all: Option<Vec<ExprId>> = self.args.iter().map(|&arg| one(arg)).collect();
        all.filter(|all| !all.is_empty()).ok_or_else(|| format!("`{}` takes {what}", self.name))
    }

    pub(super) fn truths(&self) -> Result<Vec<ExprId>, String> {
        self.all("truth values", |value| if let SmtValue::Bool(e) = value { Some(e) } else { None })
    }

    pub(super) fn bits(&self) -> Result<Vec<ExprId>, String> {
        self.all("bit-vectors", |value| if let SmtValue::Bits(e) = value { Some(e) } else { None })
    }

    pub(super) fn floats(&self) -> Result<Vec<ExprId>, String> {
        self.all("floats", |value| if let SmtValue::Float(e) = value { Some(e) } else { None })
    }

    /// Returns the operands, which must have one width.
    pub(super) fn alike(&self, dag: &Dag, operands: Vec<ExprId>) -> Result<Vec<ExprId>, String> {
        let width = dag.width(operands[0]);
        match operands.iter().all(|&e| dag.width(e) == width) {
            true => Ok(operands),
            false => Err(format!("the operands of `{}` differ in width", self.name)),
        }
    }

    /// Exactly so many operands.
    pub(super) fn exactly<const N: usize>(&self, operands: Vec<ExprId>) -> Result<[ExprId; N], String> {
        operands
            .try_into()
            .map_err(|_| format!("`{}` takes {N} operand{}", self.name, if N == 1 { "" } else { "s" }))
    }
}

/// Returns the conjunction of a relation between neighbours.
pub(super) fn chain(
    dag: &mut Dag,
    operands: &[ExprId],
    mut related: impl FnMut(&mut Dag, ExprId, ExprId) -> ExprId,
) -> ExprId {
    let mut all = dag.truth(true);
    for pair in operands.windows(2) {
        let one = related(dag, pair[0], pair[1]);
        all = dag.and(all, one);
    }
    all
}
