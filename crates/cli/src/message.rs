//! Output: results on standard output; on standard error sentences, or JSON objects with `--log json`.

use crate::failure::{FAILED, Failure};
use crate::{style, terminal};
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// True if every line on standard error is a JSON object.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Makes every later line on standard error a JSON object.
pub fn use_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Writes text to standard output, with control characters escaped.
pub fn print(text: impl Display) -> Result<(), Failure> {
    write_out(style::visible(&text.to_string()).as_bytes())
}

/// Writes a file format to standard output: unchanged to a file or pipe, escaped to a terminal.
pub fn print_data(text: impl Display) -> Result<(), Failure> {
    let text = text.to_string();
    match stdout().is_terminal() {
        true => print(text),
        false => write_out(text.as_bytes()),
    }
}

/// Forwards a program's output, each stream to its own; escaped if it is a terminal.
pub fn forward(out: &[u8], err: &[u8]) -> Result<(), Failure> {
    let shown = |bytes: &[u8], is_terminal: bool| match is_terminal {
        true => cairn_campaign::visible(&String::from_utf8_lossy(bytes)).into_owned().into_bytes(),
        false => bytes.to_vec(),
    };
    write_out(&shown(out, stdout().is_terminal()))?;
    let _ = stderr().lock().write_all(&shown(err, stderr().is_terminal()));
    Ok(())
}

/// Writes to standard output. A reader that closes early, as in `cairn report … | head`, is no failure.
fn write_out(bytes: &[u8]) -> Result<(), Failure> {
    let mut stream = stdout().lock();
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes to standard error in one piece, with control characters escaped. A closed stream is ignored.
pub fn log(text: impl Display) {
    let text = text.to_string();
    let text = style::visible(&text);
    let mut stream = stderr().lock();
    terminal::erase_from(&mut stream);
    let _ = stream.write_all(text.as_bytes());
}

/// Prints a warning.
pub fn warn(text: impl Display) {
    match IS_JSON.load(Ordering::Relaxed) {
        true => print_event("warning", json!({ "message": text.to_string() })),
        false => log(format_args!("cairn: warning: {text}\n")),
    }
}

/// Prints why Cairn cannot go on; returns the exit code.
pub fn fail(failure: &Failure) -> ExitCode {
    match IS_JSON.load(Ordering::Relaxed) {
        true => print_event("error", json!({ "message": failure.to_string() })),
        false => log(format_args!("cairn: {failure}\n")),
    }
    ExitCode::from(FAILED)
}

/// Prints an event as a line of JSON: its name, the time and its fields.
pub fn print_event(event: &str, mut fields: Value) {
    fields["event"] = event.into();
    fields["time"] = now().into();
    log(format_args!("{fields}\n"));
}

/// Returns the time of day in ISO 8601.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
