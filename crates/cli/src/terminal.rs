//! The user's terminal, and a region of it that is redrawn in place.
//!
//! No terminal state is changed, so there is nothing to restore, however Cairn ends. The cursor rests at the
//! start of the region's first line, which is empty: what the user types appears there and is overwritten,
//! and when the terminal is resized and rewraps its lines, the region still begins at the cursor.

use std::fmt::Write as _;
use std::io::{IsTerminal, Stderr, StderrLock, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

/// True if the region is on the screen. Changed only with standard error locked.
static IS_DRAWN: AtomicBool = AtomicBool::new(false);

/// Size in columns and rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

const USUAL: Size = Size { width: 80, height: 24 };

/// Returns the terminal's present size.
pub fn size() -> Size {
    let reported =
        rustix::termios::tcgetwinsize(stderr()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
    reported.map_or(USUAL, |size| Size { width: size.ws_col.into(), height: size.ws_row.into() })
}

/// True if standard error is a terminal that can be drawn on.
pub fn can_draw() -> bool {
    let stream: Stderr = stderr();
    stream.is_terminal() && std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// True if it shows more than ASCII, according to the locale.
pub fn has_unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_uppercase();
    locale.contains("UTF-8") || locale.contains("UTF8")
}

/// Redraws the region in one write: as many lines as fit. None may be wider than the terminal.
pub fn draw(lines: &[String], size: Size) {
    let lines = &lines[..lines.len().min(size.height.saturating_sub(2))];
    if lines.is_empty() {
        return;
    }
    let mut text = String::from("\r\x1b[K");
    for line in lines {
        let _ = write!(text, "\r\n{line}\x1b[K");
    }
    let _ = write!(text, "\x1b[J\r\x1b[{}A", lines.len());
    let mut stream = stderr().lock();
    IS_DRAWN.store(true, Ordering::Relaxed);
    let _ = stream.write_all(text.as_bytes());
}

/// Erases the region.
pub fn erase() {
    erase_from(&mut stderr().lock());
}

/// Erases the region, before the holder of standard error writes.
pub fn erase_from(stream: &mut StderrLock) {
    if IS_DRAWN.swap(false, Ordering::Relaxed) {
        // From its second line on: when the whole screen is cleared, some terminals keep its content above.
        let _ = stream.write_all(b"\r\x1b[K\n\x1b[J\x1b[A");
    }
}
