//! Shows where something stands while it goes on, from a thread of its own.

use crate::message::tell;
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

/// Time between two drawings.
const PERIOD: Duration = Duration::from_millis(100);
/// What is over sooner is not shown.
const PATIENCE: Duration = Duration::from_millis(300);

/// A region of the terminal that is drawn until this is dropped.
pub struct Live {
    end: Option<Sender<()>>,
    painter: Option<JoinHandle<()>>,
    suspend: Arc<Suspend>,
}

impl Live {
    /// Draws the lines that there are for a terminal of some size; when `stop` is raised, only says that it will.
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
    /// Hears nothing, until there is nobody to hear from.
    ended: Receiver<()>,
}

impl Painter {
    fn paint(self, mut lines: impl FnMut(Size) -> Vec<String>) {
        let mut drawn = None;
        let mut pause = PATIENCE;
        while self.ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            pause = PERIOD;
            if self.stop.load(Ordering::Relaxed) {
                // From here on nothing is drawn: at the next Ctrl-C nobody could take it away.
                tell("ending after what is under way (Ctrl-C again: at once)\n");
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

/// Ctrl-Z: the region is taken away first.
struct Suspend {
    is_wanted: Arc<AtomicBool>,
    /// Whether it is none of our business any more.
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

/// What a panic says is not to be mixed up with the region.
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
