//! What Cairn prints: results on standard output; on standard error sentences, or JSON objects if the user wants these.

use crate::failure::Failure;
use crate::{style, terminal};
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// Whether every line is a JSON object.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// From now on every line is a JSON object.
pub fn use_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Writes sentences to standard output, with what is from outside made visible.
pub fn print(text: impl Display) -> Result<(), Failure> {
    write_out(style::visible(&text.to_string()).as_bytes())
}

/// Writes a file format to standard output: as it is to a file or a program, made visible to a terminal.
pub fn print_data(text: impl Display) -> Result<(), Failure> {
    let text = text.to_string();
    match stdout().is_terminal() {
        true => print(text),
        false => write_out(text.as_bytes()),
    }
}

/// Passes on what a program printed, to each stream what it wrote there.
pub fn pass_on(out: &[u8], err: &[u8]) -> Result<(), Failure> {
    let shown = |bytes: &[u8], is_terminal: bool| match is_terminal {
        true => cairn_campaign::visible(&String::from_utf8_lossy(bytes)).into_owned().into_bytes(),
        false => bytes.to_vec(),
    };
    write_out(&shown(out, stdout().is_terminal()))?;
    let _ = stderr().lock().write_all(&shown(err, stderr().is_terminal()));
    Ok(())
}

/// A reader that has seen enough, as in `cairn report … | head`, is no failure.
fn write_out(bytes: &[u8]) -> Result<(), Failure> {
    let mut stream = stdout().lock();
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes to standard error, in one piece, with what is from outside made visible. If nobody reads it, that is no reason to
/// end.
pub fn tell(text: impl Display) {
    let text = text.to_string();
    let text = style::visible(&text);
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
