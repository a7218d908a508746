//! Tables of a finished job, to be opened any number of times.

use crate::arrow::{Reader, export_schema, export_stream};
use crate::error::Raise;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use clearsweep_records::{CATALOGUE, TableInfo};
use clearsweep_tables::{StoredTable, TableReader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::path::PathBuf;
use std::sync::Arc;

/// The rows of a table, where they are stored.
#[pyclass(frozen)]
pub(crate) struct TableFiles {
    table: StoredTable,
    owner: Option<Arc<Py<PyAny>>>,
}

/// A reader that keeps the temporary directory of its files.
struct OwnedReader {
    reader: TableReader,
    _owner: Option<Arc<Py<PyAny>>>,
}

impl Iterator for OwnedReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next()
    }
}

impl RecordBatchReader for OwnedReader {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}

/// The tables of an output directory with their names, and with the names of their files or
/// folders. `in_memory`: their files are read and needed no more; `owner`: the object that keeps
/// the directory.
#[pyfunction]
pub(crate) fn open_tables(
    py: Python<'_>,
    dir: PathBuf,
    in_memory: bool,
    owner: Option<Py<PyAny>>,
) -> PyResult<Vec<(&'static str, String, TableFiles)>> {
    let open = move || {
        let there = CATALOGUE.iter().filter(|table| table.is_in(&dir));
        let open = |table: &'static TableInfo| {
            let stored = StoredTable::open(&dir, table.name)?;
            Ok((table, if in_memory { stored.in_memory()? } else { stored }))
        };
        there.map(open).collect::<clearsweep::Result<Vec<_>>>()
    };
    let tables = py.detach(open).raise(py)?;
    let owner = owner.map(Arc::new);
    let files = |(info, table): (&'static TableInfo, StoredTable)| {
        (info.name, info.file_name(), TableFiles { table, owner: owner.clone() })
    };
    Ok(tables.into_iter().map(files).collect())
}

#[pymethods]
impl TableFiles {
    #[getter]
    fn rows(&self) -> u64 {
        self.table.rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &self.table.schema())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let reader: Reader = Box::new(OwnedReader { reader: self.table.read(), _owner: self.owner.clone() });
        export_stream(py, reader)
    }
}
