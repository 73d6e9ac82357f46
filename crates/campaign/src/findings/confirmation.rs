//! Decides which reference builds confirm a finding.

use super::fault::Fault;
use super::fault_kind::FaultClass;
use super::reference_builds::BuildResults;
use super::sanitizer::SanitizerError;
use cairn_exec::ExitKind;

/// Name of the confirmation by the target itself, run without tracing.
pub(crate) const UNTRACED: &str = "run without tracing";
/// Name of the confirmation by the plain build.
pub(crate) const PLAIN: &str = "plain build";
/// Name of the confirmation by the build with sanitizers.
pub(crate) const SANITIZERS: &str = "build with sanitizers";

/// Returns the names of the reference builds that show a fault as well. A fault that ends the program has to
/// end the plain build in the same way.
pub(super) fn confirmed_by(fault: &Fault, end: ExitKind, results: &BuildResults) -> Vec<&'static str> {
    let ends = |other: Option<ExitKind>| !fault.is_silent && other == Some(end);
    let explained = results.errors.iter().any(|(error, _)| explains(error, fault));
    let by = [(ends(results.plain), PLAIN), (ends(results.sanitized) || explained, SANITIZERS)];
    by.into_iter().filter(|(is, _)| *is).map(|(_, by)| by).collect()
}

/// True if a sanitizer's error is the fault itself or its cause. A bad access may be noticed late and at
/// another line; a stack overflow may be noticed at any line.
pub(super) fn explains(error: &SanitizerError, fault: &Fault) -> bool {
    let (class, other) = (fault.kind.class(), error.kind.class());
    let may_be_late = !fault.is_silent && matches!(class, FaultClass::Memory | FaultClass::NullPointer);
    let is_late =
        may_be_late && error.is_fatal && matches!(other, FaultClass::Memory | FaultClass::NullPointer);
    let is_stack_overflow = class == FaultClass::Stack && other == FaultClass::Stack;
    error.key() == fault.key() || is_late || is_stack_overflow
}

#[cfg(test)]
mod tests {
    use super::super::fault::FaultLocation;
    use super::super::fault_kind::FaultKind;
    use super::super::request_queue::Request;
    use super::*;
    use cairn_exec::Input;
    use cairn_program::SourceFrame;

    fn fault(kind: FaultKind, at: u32, is_silent: bool) -> Fault {
        let location = Some(FaultLocation::Line("a.c".to_owned(), at));
        Fault { kind, location, function: None, is_silent }
    }

    fn error(kind: FaultKind, at: u32, is_fatal: bool) -> (SanitizerError, Input) {
        let frames = vec![SourceFrame { function: "f".to_owned(), line: Some(("a.c".to_owned(), at)) }];
        (SanitizerError { kind, frames, text: String::new(), is_fatal }, Input::default())
    }

    fn results(plain: Option<ExitKind>, error: (SanitizerError, Input)) -> BuildResults {
        let sanitized = Some(ExitKind::Exit(1));
        BuildResults { request: Request::Finding(0), plain, sanitized, errors: vec![error] }
    }

    #[test]
    fn a_fault_at_another_line_confirms_nothing() {
        let overflow = fault(FaultKind::SignedOverflow, 7, true);
        let none: [&str; 0] = [];
        let heap = || FaultKind::Memory("heap buffer overflow".to_owned());
        let (passed, aborted) = (ExitKind::Exit(0), ExitKind::Signal(6));
        let by = |plain, error| confirmed_by(&overflow, passed, &results(plain, error));
        assert_eq!(by(Some(passed), error(FaultKind::SignedOverflow, 8, false)), none);
        assert_eq!(by(Some(passed), error(heap(), 7, true)), none);
        assert_eq!(by(None, error(FaultKind::SignedOverflow, 7, false)), [SANITIZERS]);
        let assertion = fault(FaultKind::FailedAssertion, 7, false);
        let by = |plain, error| confirmed_by(&assertion, aborted, &results(plain, error));
        assert_eq!(by(Some(passed), error(heap(), 3, true)), none);
        assert_eq!(by(Some(aborted), error(heap(), 3, true)), [PLAIN]);
        let crash = fault(FaultKind::HeapCorruption, 9, false);
        let by = |plain, error| confirmed_by(&crash, aborted, &results(plain, error));
        assert_eq!(by(Some(passed), error(heap(), 3, true)), [SANITIZERS]);
        assert_eq!(by(None, error(FaultKind::SignedOverflow, 3, false)), none);
    }
}
