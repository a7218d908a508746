//! Jobs: into tables, or as a stream of record batches.

use crate::arrow::{Batch, Reader, export_schema, export_stream};
use crate::background::{AtInterrupt, EVERY, call, guarded};
use crate::error::{Raise, raised};
use crate::poses::{Poses, columns};
use crate::scene::{LoadedScene, options};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use clearsweep::cli::embed::RunOptions;
use clearsweep::{
    Advance, CancelToken, Error, ErrorKind, Job, JobOptions, ParquetTables, Progress, Result, RowBlock, RowSink, Scene,
    SinkContext,
};
use clearsweep_engine::RemoteResult;
use clearsweep_store::local;
use crossbeam_channel::{Receiver, Select, Sender, bounded};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// How far a job is, for the thread that shows it.
#[derive(Clone, Default)]
pub(crate) struct SharedProgress(Arc<Mutex<Advance>>);

impl SharedProgress {
    /// Calls `progress` with frames, rows and the share that is read.
    pub(crate) fn show(&self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(progress) = progress else { return Ok(()) };
        let Advance { samples, rows, read } = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        progress.call1((samples, rows, read)).map(drop)
    }
}

impl Progress for SharedProgress {
    fn advance(&self, advance: &Advance) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = *advance;
    }
}

/// The options of a job that the words of a command line give, with the names of the columns, and
/// its poses.
pub(crate) fn asked(
    py: Python<'_>,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
) -> PyResult<(RunOptions, Poses)> {
    let mut options = options(py, words)?;
    options.job.read.columns = columns(about)?;
    Ok((options, Poses::new(poses, about)?))
}

/// The options of a job whose poses are in files; `problem`: what is said of others.
pub(crate) fn of_files(
    py: Python<'_>,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
    problem: &str,
) -> PyResult<JobOptions> {
    let (RunOptions { mut job, .. }, poses) = asked(py, poses, about, words)?;
    match poses {
        Poses::OfScene => {}
        Poses::Path(path) => job.read.path = Some(path),
        _ => return Err(raised(py, Error::usage("poses", problem, "write them to a file, and give its path"))),
    }
    Ok(job)
}

/// Runs a job, and returns the manifest as JSON. `progress` is called with frames, rows and the
/// share that is read.
#[pyfunction]
pub(crate) fn run_tables(
    py: Python<'_>,
    scene: &LoadedScene,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
    out: PathBuf,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (RunOptions { job, force, resume, .. }, mut poses) = asked(py, poses, about, words)?;
    let (scene, token, shared) = (Arc::clone(&scene.scene), CancelToken::new(), SharedProgress::default());
    let show = || shared.show(progress.as_ref());
    let (cancelled, told) = (token.clone(), shared.clone());
    let work = move || {
        let remote = RemoteResult::prepare(&out, job.read.temp.as_deref(), force)?;
        if remote.is_some() && resume {
            return Err(Error::usage(
                "resume",
                "is of no use with an object store",
                "give a directory, or divide the job",
            ));
        }
        let dir = remote.as_ref().map_or_else(|| local(&out), |remote| Ok(remote.dir()))?;
        let mut tables = ParquetTables::new(dir).force(force && remote.is_none()).resume(resume);
        let done = run(&scene, job, &mut poses, &told, &cancelled, &mut tables);
        match done.and_then(|manifest| remote.map_or(Ok(()), |remote| remote.publish(&cancelled)).map(|()| manifest)) {
            Err(error) if tables.is_kept() && error.kind != ErrorKind::Cancelled => {
                let remedy = format!("{}; what was written is kept: --resume goes on with it", error.remedy);
                Err(Error { remedy, ..error })
            }
            done => done.map(|manifest| manifest.to_string()),
        }
    };
    let manifest = call(py, &AtInterrupt::Stop(&|| token.cancel()), &mut |_| show(), work)?;
    show()?;
    Ok(manifest)
}

fn run(
    scene: &Scene,
    mut options: JobOptions,
    poses: &mut Poses,
    progress: &dyn Progress,
    token: &CancelToken,
    sink: &mut dyn RowSink,
) -> Result<serde_json::Value> {
    let (source, path) = poses.source();
    options.read.path = path;
    let outcome = Job::new(scene).options(options).poses(source).progress(progress).cancel(token).run(sink)?;
    Ok(outcome.manifest)
}

/// A message of a job that streams its rows.
enum Message {
    Schema(SchemaRef),
    Batch(RecordBatch),
    /// The manifest, or what went wrong.
    End(Result<String>),
}

/// A sink that hands on batches of `distances` of about so many rows.
struct BatchSender {
    to: Sender<Message>,
    rows: usize,
    waiting: Vec<RecordBatch>,
    count: usize,
}

impl BatchSender {
    fn send(&self, message: Message) -> Result<()> {
        self.to.send(message).map_err(|_| Error::cancelled())
    }

    fn flush(&mut self) -> Result<()> {
        let Some(first) = self.waiting.first() else { return Ok(()) };
        let batch = concat_batches(first.schema_ref(), &self.waiting);
        let batch = batch.map_err(|error| Error::internal("stream of rows", error))?;
        self.waiting.clear();
        self.count = 0;
        self.send(Message::Batch(batch))
    }
}

impl RowSink for BatchSender {
    fn begin(&mut self, context: &SinkContext<'_>) -> Result<()> {
        self.send(Message::Schema(context.distances_schema()))
    }

    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.waiting.push(rows.distances()?);
        self.count += rows.len();
        if self.count >= self.rows { self.flush() } else { Ok(()) }
    }

    fn end(&mut self) -> Result<()> {
        self.flush()
    }
}

/// Rows of a job as they come.
#[pyclass]
pub(crate) struct RowStream {
    rows: Option<StreamEnd>,
    schema: SchemaRef,
    manifest: Arc<Mutex<Option<String>>>,
}

/// The receiving end of a stream. Dropping it cancels the job and waits for its thread.
struct StreamEnd {
    from: Option<Receiver<Message>>,
    thread: Option<JoinHandle<()>>,
    token: CancelToken,
    schema: SchemaRef,
    manifest: Arc<Mutex<Option<String>>>,
}

impl Drop for StreamEnd {
    fn drop(&mut self) {
        self.token.cancel();
        self.from = None;
        let Some(thread) = self.thread.take() else { return };
        without_gil(|| drop(thread.join()));
    }
}

impl StreamEnd {
    fn receive(&mut self) -> Option<Result<RecordBatch>> {
        let message = self.from.as_ref()?.recv();
        match message {
            Ok(Message::Batch(batch)) => Some(Ok(batch)),
            Ok(Message::Schema(_)) => self.receive(),
            Ok(Message::End(done)) => {
                self.from = None;
                match done {
                    Ok(manifest) => {
                        *self.manifest.lock().unwrap_or_else(PoisonError::into_inner) = Some(manifest);
                        None
                    }
                    Err(error) => Some(Err(error)),
                }
            }
            Err(_) => {
                self.from = None;
                Some(Err(Error::internal("stream of rows", "its thread ended without a result")))
            }
        }
    }
}

/// Waits without the GIL, which the job's thread may need: for arrays, and for iterators of Python.
/// The consumer of a stream may call with the GIL, without it, or from a thread that Python does
/// not know and that must not wait for it.
#[allow(unsafe_code, reason = "pyo3 has no safe way to ask whether Python knows this thread")]
fn without_gil<T: Send>(wait: impl FnOnce() -> T + Send) -> T {
    // SAFETY: may be called from any thread, with the GIL or without.
    if unsafe { pyo3::ffi::PyGILState_GetThisThreadState() }.is_null() {
        return wait();
    }
    let mut wait = Some(wait);
    let done = Python::try_attach(|py| py.detach(|| wait.take().map(|wait| wait()))).flatten();
    // Python is about to end if it cannot be attached to.
    done.or_else(|| wait.take().map(|wait| wait())).unwrap_or_else(|| unreachable!("one of both waits"))
}

/// A text of an error, with its help, for consumers that know texts only.
fn arrow_error(error: Error) -> ArrowError {
    ArrowError::ComputeError(format!("{error}; {}", error.remedy))
}

impl Iterator for StreamEnd {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        without_gil(|| self.receive()).map(|batch| batch.map_err(arrow_error))
    }
}

impl RecordBatchReader for StreamEnd {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Starts a job whose rows are handed on in batches of about `batch_rows`.
#[pyfunction]
pub(crate) fn stream_rows(
    py: Python<'_>,
    scene: &LoadedScene,
    poses: &Bound<'_, PyAny>,
    about: &Bound<'_, PyDict>,
    words: Vec<String>,
    batch_rows: usize,
) -> PyResult<RowStream> {
    let (RunOptions { job, .. }, mut poses) = asked(py, poses, about, words)?;
    let (scene, token) = (Arc::clone(&scene.scene), CancelToken::new());
    let cancelled = token.clone();
    let (to, from) = bounded(2);
    let work = move || {
        let mut sink = BatchSender { to: to.clone(), rows: batch_rows.max(1), waiting: Vec::new(), count: 0 };
        let silent = SharedProgress::default();
        let done = guarded(|| run(&scene, job, &mut poses, &silent, &cancelled, &mut sink));
        drop(poses);
        let _ = to.send(Message::End(done.map(|manifest| manifest.to_string())));
    };
    let thread = std::thread::Builder::new().name("clearsweep-stream".to_owned()).spawn(work);
    let thread = thread.map_err(|error| raised(py, Error::no_thread(&error)))?;
    let manifest = Arc::default();
    let schema = Arc::new(arrow_schema::Schema::empty());
    let mut rows = StreamEnd { from: Some(from), thread: Some(thread), token, schema, manifest: Arc::clone(&manifest) };
    let first = wait(py, &mut rows, |rows| rows.from.as_ref().map(Receiver::recv))?;
    let schema = match first {
        Some(Ok(Message::Schema(schema))) => schema,
        Some(Ok(Message::End(Err(error)))) => return Err(raised(py, error)),
        _ => return Err(raised(py, Error::internal("stream of rows", "it did not begin"))),
    };
    rows.schema = Arc::clone(&schema);
    Ok(RowStream { rows: Some(rows), schema, manifest })
}

/// Waits for a message without the GIL; an interrupt is answered between looks.
fn wait<T: Send>(
    py: Python<'_>,
    rows: &mut StreamEnd,
    receive: impl FnOnce(&mut StreamEnd) -> T + Send,
) -> PyResult<T> {
    while let Some(from) = rows.from.clone() {
        let is_ready = py.detach(move || {
            let mut message = Select::new();
            message.recv(&from);
            message.ready_timeout(EVERY).is_ok()
        });
        if is_ready {
            break;
        }
        py.check_signals()?;
    }
    Ok(py.detach(|| receive(rows)))
}

#[pymethods]
impl RowStream {
    fn __iter__(stream: PyRef<'_, Self>) -> PyRef<'_, Self> {
        stream
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let batch = wait(py, rows, StreamEnd::receive)?;
        if batch.is_none() || batch.as_ref().is_some_and(|batch| batch.is_err()) {
            self.rows = None;
        }
        Ok(batch.transpose().raise(py)?.map(Batch))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &self.schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &mut self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let Some(rows) = self.rows.take() else {
            let help = "call `stream` again, or use `run`, whose tables can be read any number of times";
            return Err(raised(py, Error::usage("stream of rows", "it was read already", help)));
        };
        let reader: Reader = Box::new(rows);
        export_stream(py, reader)
    }

    /// Cancels the job, and waits for its thread.
    fn close(&mut self) {
        self.rows = None;
    }

    /// The manifest as JSON, once all rows are taken.
    #[getter]
    fn manifest(&self) -> Option<String> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
