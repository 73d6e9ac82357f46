//! Calls of output functions.
//!
//! Data printed to a device that discards it cannot influence the program any more, and is no loss. Anywhere
//! else the program may read it back: from a pipe, a file, a memory stream. The runtime inspects the
//! destination (`runtime/src/outputs.rs`) if the data is labelled. The result of some functions depends on
//! the data; it counts only where the program uses it. Functions whose result is easy to express have models
//! instead (`libc/stdio_put.c`, `libc/unistd_write.c`).

use super::function::FunctionPass;
use super::segment::Segment;
use crate::llvm::{Predicate, TypeKind, Value};
use cairn_wire::output::{RESULT, STREAM};

/// Destination of an output function.
#[derive(Clone, Copy)]
enum Destination {
    /// The descriptor in this argument.
    Descriptor(usize),
    /// The stream in this argument.
    Stream(usize),
    /// The stream in this variable of the C library.
    Standard(&'static str),
}

/// An output function.
pub struct Output {
    to: Destination,
    /// Index of the format argument.
    format: Option<usize>,
    /// Index of the `va_list` argument.
    list: Option<usize>,
    /// True if the result depends on the data.
    counts: bool,
    /// Index of the argument that decides if the function ends the program.
    status: Option<usize>,
}

use Destination::{Descriptor, Standard, Stream};

const STDOUT: Destination = Standard("stdout");
/// Destination of the system log as well: it may be copied there, and programs do not read it elsewhere.
const STDERR: Destination = Standard("stderr");

/// Name, destination, and index of the format argument.
type Formatted = (&'static str, Destination, usize);

/// Functions with a format and variadic arguments.
const FORMATTED: &[Formatted] = &[
    ("printf", STDOUT, 0),
    ("wprintf", STDOUT, 0),
    ("__printf_chk", STDOUT, 1),
    ("__wprintf_chk", STDOUT, 1),
    ("fprintf", Stream(0), 1),
    ("fwprintf", Stream(0), 1),
    ("__fprintf_chk", Stream(0), 2),
    ("__fwprintf_chk", Stream(0), 2),
    ("dprintf", Descriptor(0), 1),
    ("__dprintf_chk", Descriptor(0), 2),
    ("syslog", STDERR, 1),
    ("__syslog_chk", STDERR, 2),
    ("warn", STDERR, 0),
    ("warnx", STDERR, 0),
    ("error", STDERR, 2),
    ("error_at_line", STDERR, 4),
];

/// Functions with a format followed by a `va_list`.
const LISTED: &[Formatted] = &[
    ("vprintf", STDOUT, 0),
    ("vwprintf", STDOUT, 0),
    ("__vprintf_chk", STDOUT, 1),
    ("__vwprintf_chk", STDOUT, 1),
    ("vfprintf", Stream(0), 1),
    ("vfwprintf", Stream(0), 1),
    ("__vfprintf_chk", Stream(0), 2),
    ("__vfwprintf_chk", Stream(0), 2),
    ("vdprintf", Descriptor(0), 1),
    ("__vdprintf_chk", Descriptor(0), 2),
    ("vsyslog", STDERR, 1),
    ("__vsyslog_chk", STDERR, 2),
    ("vwarn", STDERR, 0),
    ("vwarnx", STDERR, 0),
];

/// Functions without a format; true if the result depends on the data.
const PLAIN: &[(&str, Destination, bool)] = &[
    ("puts", STDOUT, true),
    ("fputs", Stream(1), false),
    ("fputs_unlocked", Stream(1), false),
    ("__overflow", Stream(0), true),
    ("putw", Stream(1), false),
    ("putwc", Stream(1), true),
    ("putwc_unlocked", Stream(1), true),
    ("fputwc", Stream(1), true),
    ("fputwc_unlocked", Stream(1), true),
    ("putwchar", STDOUT, true),
    ("putwchar_unlocked", STDOUT, true),
    ("fputws", Stream(1), false),
    ("fputws_unlocked", Stream(1), false),
    ("perror", STDERR, false),
    ("psignal", STDERR, false),
];

/// Functions that end the program if their first argument is nonzero.
const MAY_END: &[&str] = &["error", "error_at_line"];

/// Functions without a model after which a descriptor may refer to another file.
const CHANGES_DESCRIPTORS: &[&str] =
    &["syscall", "close_range", "closefrom", "fcloseall", "login_tty", "daemon", "fcntl", "fcntl64"];

/// Returns the output function of this name.
pub fn find(name: &str) -> Option<Output> {
    let of = |list: &'static [Formatted]| list.iter().find(|known| known.0 == name);
    let status = MAY_END.contains(&name).then_some(0);
    if let Some(&(_, to, format)) = of(FORMATTED) {
        return Some(Output { to, format: Some(format), list: None, counts: true, status });
    }
    if let Some(&(_, to, format)) = of(LISTED) {
        return Some(Output { to, format: Some(format), list: Some(format + 1), counts: true, status });
    }
    let (_, to, counts) = *PLAIN.iter().find(|known| known.0 == name)?;
    Some(Output { to, format: None, list: None, counts, status })
}

impl Output {
    /// Returns the arguments that are data: neither the destination nor a `va_list`, which the runtime
    /// searches.
    pub fn data(&self, arguments: &[Value]) -> Vec<Value> {
        let stream = if let Stream(at) = self.to { Some(at) } else { None };
        let is_data = |index: usize| stream != Some(index) && self.list != Some(index);
        (0..).zip(arguments).filter(|(index, _)| is_data(*index)).map(|(_, argument)| *argument).collect()
    }

    /// True if one of the arguments is a `va_list`.
    pub fn has_list(&self) -> bool {
        self.list.is_some()
    }
}

impl FunctionPass<'_> {
    /// Concretizes arguments that decide on more than the text: symbolic pointers, which the function
    /// follows, the descriptor, and a status that may end the program.
    pub fn concretize_output_arguments(&mut self, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        let Some(output) = callee.is_function().then(|| find(&callee.name())).flatten() else { return };
        for (index, argument) in call.arguments().into_iter().enumerate() {
            let is_pointer = argument.ty().kind() == TypeKind::LLVMPointerTypeKind;
            let is_descriptor = matches!(output.to, Descriptor(at) if at == index);
            if is_pointer || is_descriptor || output.status == Some(index) {
                self.concretize(call, argument, segment);
            }
        }
    }

    /// Invalidates the runtime's cache of destinations before calls that may change descriptors.
    pub fn invalidate_destinations(&self, call: Value) {
        let callee = call.callee();
        if callee.is_function() && CHANGES_DESCRIPTORS.contains(&&*callee.name()) {
            self.builder.call(self.unit.abi.descriptors_change, &[]);
        }
    }

    /// Emits the report of output and its destination, in the block for uninstrumented callees. `label` is
    /// one of the data's labels, 0 if none was found.
    pub fn report_output(&self, call: Value, label: Value, output: &Output, record: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let arguments = call.arguments();
        let argument = |index: usize| arguments.get(index).copied();
        // A program may declare the function with other types.
        let is_word = |value: &Value| {
            matches!(value.ty().kind(), TypeKind::LLVMPointerTypeKind | TypeKind::LLVMIntegerTypeKind)
        };
        let word = |value: Option<Value>| {
            let value = value.filter(is_word);
            value.map_or(module.constant(64, 0), |value| abi.widen(&self.builder, value))
        };
        let (kind, to) = match output.to {
            Descriptor(at) => (0, word(argument(at))),
            Stream(at) => (STREAM, word(argument(at))),
            Standard(name) => (STREAM, word(Some(self.standard_stream(name)))),
        };
        let format = word(output.format.and_then(argument));
        let mut label = label;
        if let Some(list) = output.list.and_then(argument) {
            let listed = self.builder.call(abi.va_list_label, &[word(Some(list)), format]);
            let is_set = self.builder.compare(Predicate::LLVMIntNE, label, abi.concrete);
            label = self.builder.select(is_set, label, listed);
        }
        let is_used = output.counts && !call.users().is_empty();
        let how = module.constant(32, u64::from(kind | if is_used { RESULT } else { 0 }));
        self.builder.call(abi.output, &[record, label, how, to, format]);
    }

    /// Loads the C library's variable `stdout` or `stderr`, which a program may assign to.
    fn standard_stream(&self, name: &str) -> Value {
        let module = self.unit.module;
        let known = module.variables().into_iter().find(|variable| variable.name() == name);
        let variable = known.unwrap_or_else(|| module.global(name, module.pointer()));
        self.builder.load(module.pointer(), variable, 8)
    }
}
