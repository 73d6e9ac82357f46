//! What Cairn prints: results on standard output; on standard error sentences, or JSON objects if the user wants these.

use crate::failure::Failure;
use crate::terminal;
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// Whether every line is a JSON object.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// From now on every line is a JSON object.
pub fn use_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Writes a result to standard output. A reader that has seen enough, as in `cairn report … | head`, is no failure.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut stream = stdout().lock();
    match write!(stream, "{text}").and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes to standard error, in one piece. Whoever closed it does not want to know, and that is no reason to end.
pub fn tell(text: impl Display) {
    let text = text.to_string();
    let mut stream = stderr().lock();
    terminal::erase_from(&mut stream);
    let _ = stream.write_all(text.as_bytes());
}

/// Something the user should know of.
pub fn warn(text: impl Display) {
    match IS_JSON.load(Ordering::Relaxed) {
        true => tell_event("warning", json!({ "message": text.to_string() })),
        false => tell(format_args!("cairn: warning: {text}\n")),
    }
}

/// Why Cairn cannot go on.
pub fn fail(text: &str) {
    match IS_JSON.load(Ordering::Relaxed) {
        true => tell_event("error", json!({ "message": text })),
        false => tell(format_args!("cairn: {text}\n")),
    }
}

/// Something that happened, as a line of JSON: what it is, when, and what there is to say of it.
pub fn tell_event(event: &str, mut fields: Value) {
    fields["event"] = event.into();
    fields["time"] = now().into();
    tell(format_args!("{fields}\n"));
}

/// The time of day, as ISO 8601 writes it.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
