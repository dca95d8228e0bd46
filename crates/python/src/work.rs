//! Long work: it runs on a thread of its own, without the interpreter, while the caller's thread hears Ctrl-C and tells how far it is.

use crate::errors;
use anyhow::Result;
use game::Cancel;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Room for work that uses the stack; only what is used is ever taken.
const STACK: usize = 64 << 20;
/// How often the caller's thread looks.
const EVERY: Duration = Duration::from_millis(50);

/// Hears how far the work is. Only the latest word counts.
#[derive(Default)]
pub struct Teller(Mutex<Option<Value>>);

impl Teller {
    /// Something to be told, unless there is something newer before anybody looks.
    pub fn tell(&self, what: Value) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
    }

    fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What Python has to say now: Ctrl-C, or an exception of the function that is told how far the work is.
fn hear(teller: &Teller, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let (Some(progress), Some(what)) = (progress, teller.take()) {
            progress.call1(py, (dictionary(py, &what)?,))?;
        }
        Ok(())
    })
}

/// A value as Python has it.
pub fn dictionary<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// Does the work. When it is interrupted, the token is cancelled, and the work ends as soon as it hears that; what it had is
/// forgotten, and the exception goes on.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Cancel, &Teller) -> Result<T> + Send,
) -> PyResult<T> {
    let (cancel, teller) = (Cancel::new(), Teller::default());
    let mut interrupted = None;
    let ended = py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = mpsc::channel::<()>();
            let (cancel, teller) = (&cancel, &teller);
            let worker =
                thread::Builder::new().name("ludens".into()).stack_size(STACK).spawn_scoped(scope, move || {
                    // Whoever waits hears that this is gone, however the work ends.
                    let _done = done;
                    work(cancel, teller)
                })?;
            while wait.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_none()
                    && let Err(error) = hear(teller, progress.as_ref())
                {
                    interrupted = Some(error);
                    cancel.cancel();
                }
            }
            Ok::<_, std::io::Error>(worker.join())
        })
    });
    // The last word is told even if the work was quick.
    if interrupted.is_none()
        && let Err(error) = hear(&teller, progress.as_ref())
    {
        interrupted = Some(error);
    }
    match (interrupted, ended) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(PyRuntimeError::new_err(format!("cannot start a thread: {error}"))),
        (None, Ok(Err(_))) => Err(PyRuntimeError::new_err("this crashed inside: please report it")),
        (None, Ok(Ok(Err(error)))) => Err(errors::any(py, &error)),
        (None, Ok(Ok(Ok(found)))) => Ok(found),
    }
}
