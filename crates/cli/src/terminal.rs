//! The user's terminal, and a region of it that is drawn again and again.
//!
//! Nothing of the terminal's state is changed, so there is nothing to put back, whatever ends Cairn. The cursor rests at the
//! start of the region's first line, which is empty: what the user types lands there and is drawn over, and when the terminal
//! changes its size and breaks lines anew, the region still begins where the cursor is.

use std::fmt::Write as _;
use std::io::{IsTerminal, Stderr, StderrLock, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the region is on the screen. Only changed by who holds standard error.
static IS_DRAWN: AtomicBool = AtomicBool::new(false);

/// Columns and rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

const USUAL: Size = Size { width: 80, height: 24 };

/// The terminal's size now.
pub fn size() -> Size {
    let told = rustix::termios::tcgetwinsize(stderr()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
    told.map_or(USUAL, |size| Size { width: size.ws_col.into(), height: size.ws_row.into() })
}

/// Whether standard error is a terminal that can be drawn on.
pub fn can_draw() -> bool {
    let stream: Stderr = stderr();
    stream.is_terminal() && std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Whether it shows more than ASCII, as far as the locale says.
pub fn has_unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_uppercase();
    locale.contains("UTF-8") || locale.contains("UTF8")
}

/// Draws the region anew, in one piece: as many of the lines as there is room for. None may be wider than the terminal.
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

/// Takes the region away.
pub fn erase() {
    erase_from(&mut stderr().lock());
}

/// Takes the region away, to make room for what the holder of standard error has to say.
pub fn erase_from(stream: &mut StderrLock) {
    if IS_DRAWN.swap(false, Ordering::Relaxed) {
        // From its second line on: clearing all of the screen makes some terminals keep what was there, above it.
        let _ = stream.write_all(b"\r\x1b[K\n\x1b[J\x1b[A");
    }
}
