//! Work off the UI thread: named worker threads, bounded channels, cancel by dropping, stale results dropped.
//!
//! A *task* runs a closure on one of a few worker threads and delivers its value to the frame that next calls
//! [`Task::poll`]; finishing wakes the window. Dropping the [`Task`] sets its cancel flag, and whatever it still
//! produces goes nowhere. Long-lived services (highlighting, the review loader, the file watcher) own their threads
//! and use the same [`Waker`].
//!
//! Invariant: nothing here is waited for on the UI thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use editor::Cancel;

/// Wakes the window from any thread, so that a finished result is drawn.
#[derive(Clone)]
pub struct Waker(Arc<dyn Fn() + Send + Sync>);

impl Waker {
    /// A waker that calls `wake`; it must be cheap and callable from any thread.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(wake))
    }

    /// A waker that asks egui for a frame.
    pub fn for_context(ctx: &eframe::egui::Context) -> Self {
        let ctx = ctx.clone();
        Self::new(move || ctx.request_repaint())
    }

    /// Asks for a frame.
    pub fn wake(&self) {
        (self.0)();
    }

    /// The same as a shared closure, for services in crates that do not know egui.
    pub fn as_fn(&self) -> Arc<dyn Fn() + Send + Sync> {
        self.0.clone()
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Jobs that may wait for a worker; more than that means something asks in a loop, and the caller is made to wait.
const QUEUE: usize = 1024;

/// The worker threads. Cheap to clone; the threads end when the last clone is dropped.
#[derive(Clone)]
pub struct Tasks {
    jobs: Sender<Job>,
    waker: Waker,
    /// Tasks whose value somebody still waits for.
    awaited: Arc<AtomicUsize>,
}

impl Tasks {
    /// Starts `workers` threads (at least one).
    ///
    /// # Errors
    /// When the system gives no thread at all.
    pub fn start(workers: usize, waker: Waker) -> std::io::Result<Self> {
        let (jobs, queue) = bounded::<Job>(QUEUE);
        for n in 0..workers.max(1) {
            let queue = queue.clone();
            thread::Builder::new().name(format!("task-{n}")).spawn(move || {
                for job in queue {
                    // A job that panics has lost its value, which its task sees; the worker goes on with the next.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            })?;
        }
        Ok(Self { jobs, waker, awaited: Arc::default() })
    }

    /// The waker that finished work uses.
    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Whether no value is awaited: every [`Task`] was polled to its end or dropped.
    pub fn is_idle(&self) -> bool {
        self.awaited.load(Ordering::Relaxed) == 0
    }

    /// Runs `work` on a worker. `name` says in logs and progress what it is.
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Task<T> {
        let cancel = Cancel::new();
        let (send, result) = bounded(1);
        let (flag, waker) = (cancel.clone(), self.waker.clone());
        let job = Box::new(move || {
            if flag.is_cancelled() {
                return;
            }
            // Also when the work panics: somebody waits to hear that its value is lost.
            let _wake = WakeOnDrop(waker);
            let send = send; // dropped before the window wakes
            let value = work(&flag);
            if !flag.is_cancelled() {
                let _ = send.send(value); // nobody to hear it is nobody to tell
            }
            drop(send);
        });
        if self.jobs.try_send(job).is_err() {
            tracing::error!("the task queue is full; dropped {name}");
        }
        Task { name, result, cancel, awaited: Cell::new(Some(Awaited::new(&self.awaited))) }
    }
}

struct WakeOnDrop(Waker);

impl Drop for WakeOnDrop {
    fn drop(&mut self) {
        self.0.wake();
    }
}

/// A result that is on its way. Dropping it cancels the work.
#[must_use = "dropping a task cancels it"]
pub struct Task<T> {
    name: &'static str,
    result: Receiver<T>,
    cancel: Cancel,
    awaited: Cell<Option<Awaited>>,
}

/// Counts a task as awaited for as long as it lives.
struct Awaited(Arc<AtomicUsize>);

impl Awaited {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What [`Task::poll`] found.
pub enum Poll<T> {
    /// Still running.
    Pending,
    /// The value, once.
    Ready(T),
    /// The work ended without a value: it panicked or was dropped.
    Lost,
}

impl<T> Task<T> {
    /// The value if it is there; never waits.
    pub fn poll(&self) -> Poll<T> {
        let found = match self.result.try_recv() {
            Ok(value) => Poll::Ready(value),
            Err(TryRecvError::Empty) => return Poll::Pending,
            Err(TryRecvError::Disconnected) => Poll::Lost,
        };
        drop(self.awaited.take());
        found
    }

    /// What the task is, for progress and errors.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_arrives_and_wakes_the_window() {
        let (woken, wakes) = bounded(8);
        let tasks = Tasks::start(
            1,
            Waker::new(move || {
                let _ = woken.try_send(());
            }),
        )
        .unwrap();
        let task = tasks.spawn("add", |_| 1 + 1);
        assert!(!tasks.is_idle());
        wakes.recv().unwrap();
        assert!(matches!(task.poll(), Poll::Ready(2)));
        assert!(tasks.is_idle());
    }

    #[test]
    fn work_that_panics_is_lost_and_its_worker_goes_on() {
        let (woken, wakes) = bounded(8);
        let waker = Waker::new(move || {
            let _ = woken.try_send(());
        });
        let tasks = Tasks::start(1, waker).unwrap();
        let lost: Task<()> = tasks.spawn("panic", |_| panic!("on purpose, for a test"));
        let next = tasks.spawn("go on", |_| 7);
        wakes.recv().unwrap();
        wakes.recv().unwrap();
        assert!(matches!(lost.poll(), Poll::Lost));
        assert!(matches!(next.poll(), Poll::Ready(7)));
    }

    #[test]
    fn dropping_a_task_cancels_its_work() {
        let tasks = Tasks::start(1, Waker::new(|| {})).unwrap();
        let (started, start) = bounded(1);
        let (ended, end) = bounded(1);
        let task = tasks.spawn("wait", move |cancel| {
            started.send(()).unwrap();
            while !cancel.is_cancelled() {
                thread::yield_now();
            }
            ended.send(()).unwrap();
        });
        start.recv().unwrap();
        drop(task);
        end.recv().unwrap();
    }
}
