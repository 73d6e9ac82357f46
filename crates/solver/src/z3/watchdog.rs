//! A thread that interrupts Z3 when a query's time is up.
//!
//! Z3's own timeout is looked at only now and then; an interrupt is heard by every loop that checks for
//! cancellation. Arming must be cheap, since most queries take less than a millisecond: the thread is
//! woken only if it sleeps without a deadline, and otherwise looks for itself when the last one has passed.

use ::z3::{Context, ContextHandle};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// An interrupt that comes between two steps of Z3 is not heard: it is sent again after this time.
const AGAIN: Duration = Duration::from_millis(5);

#[derive(Default)]
struct State {
    deadline: Option<Instant>,
    /// Whether the deadline has passed and an interrupt was sent.
    has_fired: bool,
    /// Whether the thread waits for somebody to wake it.
    is_idle: bool,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps an eye on one thread's Z3 context.
pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The time limit of one call into Z3.
pub(super) struct Armed<'a> {
    shared: &'a Shared,
}

thread_local! {
    // The handle must outlive everything, since another thread uses it; a thread has one context for life anyway.
    static CONTEXT: &'static Context = Box::leak(Box::new(Context::thread_local()));
}

impl Watchdog {
    /// Starts watching this thread's context.
    pub(super) fn start() -> Watchdog {
        let shared = Arc::new(Shared::default());
        let handle = CONTEXT.with(|context| context.handle());
        let theirs = shared.clone();
        let thread = std::thread::spawn(move || watch(&theirs, &handle));
        Watchdog { shared, thread: Some(thread) }
    }

    /// Interrupts what Z3 does from `deadline` on, until disarmed.
    pub(super) fn arm(&self, deadline: Instant) -> Armed<'_> {
        let mut state = self.shared.lock();
        state.deadline = Some(deadline);
        state.has_fired = false;
        if state.is_idle {
            self.shared.wake.notify_one();
        }
        Armed { shared: &self.shared }
    }
}

impl Armed<'_> {
    /// Ends the limit; true if an interrupt was sent.
    pub(super) fn disarm(self) -> bool {
        let mut state = self.shared.lock();
        state.deadline = None;
        if state.has_fired {
            // An interrupt that Z3 did not hear stays pending, and the next scopes would silently not be opened:
            // an empty check takes it.
            ::z3::Solver::new().check();
        }
        state.has_fired
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say if it panicked.
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, context: &ContextHandle) {
    let mut state = shared.lock();
    while !state.is_over {
        let now = Instant::now();
        state = match state.deadline {
            None => {
                state.is_idle = true;
                let mut state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.is_idle = false;
                state
            }
            Some(deadline) if now < deadline => wait(shared, state, deadline - now),
            Some(_) => {
                // With the lock held: once disarmed, no interrupt can hit the next query.
                context.interrupt();
                state.has_fired = true;
                wait(shared, state, AGAIN)
            }
        };
    }
}

fn wait<'a>(shared: &'a Shared, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
    shared.wake.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::z3::ast::BV;
    use ::z3::{SatResult, Solver};

    #[test]
    fn a_check_without_timeout_is_interrupted_again_and_again() {
        let watchdog = Watchdog::start();
        for _ in 0..3 {
            let (x, y) = (BV::new_const("x", 64), BV::new_const("y", 64));
            let solver = Solver::new();
            solver.assert(
                x.zero_ext(64).bvmul(y.zero_ext(64)).eq(BV::from_u64(3_244_611_641 * 3_687_381_953, 128)),
            );
            solver.assert(x.bvugt(BV::from_u64(1, 64)));
            solver.assert(y.bvugt(BV::from_u64(1, 64)));
            let start = Instant::now();
            let armed = watchdog.arm(start + Duration::from_millis(100));
            assert_eq!(solver.check(), SatResult::Unknown);
            assert!(armed.disarm());
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        }
    }

    #[test]
    fn an_interrupt_nobody_heard_does_not_spoil_what_follows() {
        let watchdog = Watchdog::start();
        for _ in 0..10 {
            let armed = watchdog.arm(Instant::now());
            while !watchdog.shared.lock().has_fired {
                std::thread::sleep(AGAIN);
            }
            std::thread::sleep(4 * AGAIN);
            assert!(armed.disarm());
            let solver = Solver::new();
            let x = BV::new_const("x", 8);
            for bound in [5, 6] {
                solver.push();
                solver.assert(x.bvugt(BV::from_u64(bound, 8)));
            }
            assert_eq!(solver.check(), SatResult::Sat);
            let value = solver.get_model().and_then(|model| model.eval(&x, true)?.as_u64());
            assert!(value > Some(6), "{value:?}");
        }
    }

    #[test]
    fn what_ends_in_time_is_left_alone() {
        let watchdog = Watchdog::start();
        for _ in 0..200 {
            let armed = watchdog.arm(Instant::now() + Duration::from_secs(60));
            assert_eq!(Solver::new().check(), SatResult::Sat);
            assert!(!armed.disarm());
        }
    }
}
