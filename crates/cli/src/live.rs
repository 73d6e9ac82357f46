//! Live region: a thread of its own redraws progress.

use crate::message::log;
use crate::terminal::{self, Size};
use signal_hook::consts::SIGTSTP;
use signal_hook::flag::{register, register_conditional_default};
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Once};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two drawings; a chosen bound.
const PERIOD: Duration = Duration::from_millis(100);
/// Time before the first drawing: shorter work shows nothing. A chosen bound.
const PATIENCE: Duration = Duration::from_millis(300);

/// A region of the terminal that is redrawn until this is dropped.
pub struct Live {
    end: Option<Sender<()>>,
    painter: Option<JoinHandle<()>>,
    suspend: Arc<Suspend>,
}

impl Live {
    /// Starts the thread, which draws what `lines` returns for the terminal's size; once `stop` is raised, it
    /// only says that the campaign ends.
    pub fn start(
        stop: Arc<AtomicBool>,
        lines: impl FnMut(Size) -> Vec<String> + Send + 'static,
    ) -> io::Result<Live> {
        erase_before_panic();
        let suspend = Suspend::catch()?;
        let (end, ended) = mpsc::channel();
        let painter = Painter { stop, suspend: suspend.clone(), ended };
        let painter = std::thread::Builder::new().name("screen".to_owned()).spawn(|| painter.paint(lines))?;
        Ok(Live { end: Some(end), painter: Some(painter), suspend })
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end = None;
        if let Some(painter) = self.painter.take() {
            let _ = painter.join();
        }
        self.suspend.is_default.store(true, Ordering::Relaxed);
    }
}

struct Painter {
    stop: Arc<AtomicBool>,
    suspend: Arc<Suspend>,
    /// Never receives anything; its sender is dropped to end the thread.
    ended: Receiver<()>,
}

impl Painter {
    fn paint(self, mut lines: impl FnMut(Size) -> Vec<String>) {
        let mut drawn = None;
        let mut pause = PATIENCE;
        while self.ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            pause = PERIOD;
            if self.stop.load(Ordering::Relaxed) {
                // Nothing is drawn from here on: the next Ctrl-C ends the process, and nothing would erase
                // it.
                log("stopping after the current execution (Ctrl-C again: at once)\n");
                let _ = self.ended.recv();
                break;
            }
            if self.suspend.is_wanted.swap(false, Ordering::Relaxed) {
                terminal::erase();
                let _ = emulate_default_handler(SIGTSTP);
                drawn = None;
            }
            let size = terminal::size();
            let now = (lines(size), size);
            if drawn.as_ref() != Some(&now) {
                terminal::draw(&now.0, size);
                drawn = Some(now);
            }
        }
        terminal::erase();
    }
}

/// Ctrl-Z: the region is erased first.
struct Suspend {
    is_wanted: Arc<AtomicBool>,
    /// True if the default handler is back in charge.
    is_default: Arc<AtomicBool>,
}

impl Suspend {
    fn catch() -> io::Result<Arc<Suspend>> {
        let suspend = Suspend { is_wanted: Arc::default(), is_default: Arc::default() };
        register_conditional_default(SIGTSTP, suspend.is_default.clone())?;
        register(SIGTSTP, suspend.is_wanted.clone())?;
        Ok(Arc::new(suspend))
    }
}

/// Erases the region before a panic message.
fn erase_before_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            terminal::erase();
            usual(panic);
        }));
    });
}
