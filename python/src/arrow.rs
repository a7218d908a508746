//! Arrow data from and to other libraries, by the PyCapsule interface of the Arrow C data
//! interface.
#![allow(unsafe_code, reason = "the C data interface hands structs over by address; the names of capsules say which")]

use crate::error::raised;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Schema};
use clearsweep::Error;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A reader of record batches that another thread may take.
pub(crate) type Reader = Box<dyn RecordBatchReader + Send>;

fn invalid(py: Python<'_>, error: impl std::fmt::Display) -> PyErr {
    let help = "hand over a table or a stream of record batches with the columns of trajectories";
    raised(py, Error::input("Arrow data", format!("cannot be taken ({error})"), help))
}

/// The batches of an object with `__arrow_c_stream__` or `__arrow_c_array__`; `None`: it has
/// neither.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<Reader>> {
    let py = object.py();
    if let Ok(method) = object.getattr("__arrow_c_stream__") {
        let capsule = method.call0()?.cast_into::<PyCapsule>()?;
        let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name holds such a struct, and the capsule is alive; the struct
        // left behind is marked as released.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        let reader = ArrowArrayStreamReader::try_new(stream).map_err(|error| invalid(py, error))?;
        return Ok(Some(Box::new(reader)));
    }
    let Ok(method) = object.getattr("__arrow_c_array__") else { return Ok(None) };
    let (schema, array) = method.call0()?.extract::<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)>()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold such structs, and both are alive; the array left behind
    // is marked as released.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(|error| invalid(py, error))?;
    if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
        return Err(invalid(py, format!("an array of {}, not a record batch", data.data_type())));
    }
    let batch = RecordBatch::from(StructArray::from(data));
    let schema = batch.schema();
    Ok(Some(Box::new(RecordBatchIterator::new([Ok::<_, ArrowError>(batch)], schema))))
}

/// A capsule with a stream, for `__arrow_c_stream__`.
pub(crate) fn export_stream<'py>(py: Python<'py>, reader: Reader) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// A capsule with a schema, for `__arrow_c_schema__`.
pub(crate) fn export_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| invalid(py, error))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// A record batch of one's own, for other libraries.
#[pyclass(frozen)]
pub(crate) struct Batch(pub(crate) RecordBatch);

#[pymethods]
impl Batch {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, self.0.schema_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A consumer that asks for another schema has to accept this one: the interface allows it.
        drop(requested_schema);
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        Ok((export_schema(py, self.0.schema_ref())?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }
}
