//! From what went wrong to an exception. The exceptions themselves are classes of `ludens.errors`.

use anyhow::Error;
use game::Limit;
use library::Sheet;
use machine::StepError;
use platform::Interrupted;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::ErrorKind;
use table::solve::SolveError;

/// An exception of the package.
pub fn own(py: Python<'_>, class: &str, message: String) -> PyErr {
    match py.import("ludens.errors").and_then(|module| module.getattr(class)?.call1((message.clone(),))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(message),
    }
}

/// Rules that cannot be read or played, with the place where that is known.
pub fn rules(py: Python<'_>, message: String, place: Option<(usize, usize)>) -> PyErr {
    let make = || {
        let given = PyDict::new(py);
        if let Some((line, column)) = place {
            given.set_item("line", line)?;
            given.set_item("column", column)?;
        }
        py.import("ludens.errors")?.getattr("RulesError")?.call((message.clone(),), Some(&given))
    };
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyValueError::new_err(message),
    }
}

/// What is wrong with a text of rules, if it cannot be read.
pub fn unread(py: Python<'_>, sheet: &Sheet) -> Option<PyErr> {
    let error = sheet.rules().err()?;
    let (_, problems) = sheet.parse();
    let place = problems.first().map(|problem| sheet.source().place(problem.span.start));
    Some(rules(py, format!("{error:#}"), place))
}

/// An engine came to a limit.
pub fn limit(py: Python<'_>, limit: &Limit) -> PyErr {
    own(py, "LimitError", limit.to_string())
}

/// No step was made.
pub fn step(py: Python<'_>, error: &StepError, message: String) -> PyErr {
    match error {
        StepError::Length { .. } => PyValueError::new_err(message),
        StepError::Illegal { .. } | StepError::Several { .. } => own(py, "IllegalAction", message),
        StepError::Limit { .. } => own(py, "LimitError", message),
    }
}

/// Whatever else went wrong.
pub fn any(py: Python<'_>, error: &Error) -> PyErr {
    let message = format!("{error:#}");
    if error.chain().any(|cause| cause.is::<Interrupted>()) {
        return PyKeyboardInterrupt::new_err(message);
    }
    for cause in error.chain() {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            return match io.kind() {
                ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
                _ => PyOSError::new_err(message),
            };
        }
        if let Some(SolveError::Memory { .. }) = cause.downcast_ref() {
            return PyMemoryError::new_err(message);
        }
        if cause.is::<Limit>() {
            return own(py, "LimitError", message);
        }
    }
    own(py, "LudensError", message)
}
