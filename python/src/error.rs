//! Errors of the library as `clearsweep.Error`.

use clearsweep::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The Python function that makes the exception.
static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The word of a kind of error.
fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Input => "input",
        ErrorKind::Output => "output",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Internal => "internal",
    }
}

/// An error of the library as an exception of Python.
pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    let file = error.file().map(str::to_owned);
    let Error { kind, place, problem, remedy, .. } = error;
    let made = MAKE
        .get_or_try_init(py, || Ok(py.import("clearsweep._errors")?.getattr("_error")?.unbind()))
        .and_then(|make| make.call1(py, (word(kind), file, place, problem, remedy)));
    match made {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}

/// Turns results of the library into those of Python.
pub(crate) trait Raise<T> {
    /// The value, or the exception.
    fn raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> Raise<T> for clearsweep::Result<T> {
    fn raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, error))
    }
}
