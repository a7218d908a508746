//! clearsweep: batch proximity of many rigid bodies over many frames.
//!
//! In: the poses of bodies over frames and runs (Parquet, Arrow IPC), and their geometry. Out: for
//! every frame and every pair nearer than a threshold, the signed distance with witness points and
//! a proven bracket, and the depth where bodies overlap, as Parquet tables.
//!
//! A scene file and its trajectories to Parquet tables:
//!
//! ```no_run
//! use clearsweep::{Job, ParquetTables, SceneBuilder, SceneOverrides};
//!
//! let scene = SceneBuilder::load("scene.toml".as_ref(), &SceneOverrides::default())?;
//! let outcome = Job::new(&scene).run(&mut ParquetTables::new("out"))?;
//! assert_eq!(outcome.totals.violated, 0);
//! # Ok::<(), clearsweep::Error>(())
//! ```
//!
//! Nothing of this needs the disk: [`SceneBuilder`] builds a scene in code, [`PoseSource`] takes
//! poses from record batches or arrays, and any [`RowSink`] takes the rows; [`ProximityQuery`]
//! answers a single pair. `docs/guide/library.md` and the examples `embed_scene`, `embed_pair` and
//! `embed_cancel` show how.
//!
//! # One straight line: read -> broad -> narrow -> write
//!
//! ```text
//!   scene.toml, geometry                                   trajectories
//!           |                                                   |
//!        [scene] Scene: bodies, shapes, rules            [trajectory] READ
//!           |                                                   |
//!           |      +--------------------------------------------+  FrameBlock: up to 64 samples of every body,
//!           |      |                                               one body's x side by side, a bit per sample
//!           +---> [broad] BROAD       boxes on one integer lattice, equal for every method
//!           |      |  Candidate { a, b, samples: u64 }
//!           +---> [narrow] NARROW     one pair, its set bits in order, with what the pair remembers
//!           |      |  Proximity: distance, bracket, witnesses, in A's frame
//!           |    [engine]             into the world, sorted by (sample, a, b)
//!           |      |  Row
//!           +---> [tables] WRITE       distances, penetrations, intervals, pairs, runs, bodies, manifest
//! ```
//!
//! While a block is searched and queried, the reader decodes the next one and the writer encodes
//! the one before.
//!
//! # Crates
//!
//! Imports run downward only; stages do not know each other. Cargo keeps it so.
//!
//! | crate | imports | contents |
//! | --- | --- | --- |
//! | `clearsweep-base` | | the error type: place, problem, remedy; the threads of loading; registers of eight numbers |
//! | `clearsweep-input-guard` | `base` | checks of untrusted bytes before a decoder sees them |
//! | `clearsweep-robot` | `base` | readers of robot descriptions: URDF, SRDF, MJCF, COLLADA |
//! | `clearsweep-geometry` | `base` | numbers, vectors, poses, convex polyhedra, hulls, triangle meshes |
//! | `clearsweep-model` | `geometry`, `kinematics` | what stages hand on: the scene, bodies, shapes, blocks of poses, candidates, the query, answers |
//! | `clearsweep-records` | `model`, `input-guard` | the tables and the manifest of a result, each declared once |
//! | `clearsweep-scene` | `model`, `input-guard` | loads a scene: the scene file and geometry readers |
//! | `clearsweep-trajectory` | `model` | READ: Parquet, Arrow IPC and CSV into blocks |
//! | `clearsweep-broad` | `model` | BROAD: which pairs come near, and when |
//! | `clearsweep-narrow` | `model` | NARROW: signed distance, witnesses and proof; no files, no clock |
//! | `clearsweep-tables` | `model`, `records` | WRITE: Parquet, summaries, the manifest |
//! | `clearsweep-verifier` | `records`, `scene`, `trajectory` | proves rows of a result again, by code that the stages do not share (feature `cli`) |
//! | `clearsweep-engine` | all stages | the loop; hands work to the threads |
//! | `clearsweep-report` | `engine` | reports of tables: HTML, pictures, BCF, GLB, CSV, XLSX (feature `cli`) |
//! | `clearsweep-datasets` | `geometry`, the writer of trajectories in `tables` | data sets for trials and benchmarks |
//!
//! The program (`src/main.rs`, `src/cli`) is the only part that prints, exits or reads the
//! environment.
//!
//! Guide to adding a shape, a method, a format, a column or a key: docs/reference/architecture.md,
//! "Where to add something".
//!
//! # Same input, same bytes
//!
//! A row is a function of the geometry, the relative pose and the query options only: not of the
//! method, the pair's cache, the block, the thread, or where a block was cut for memory.

// The program names the library by its name, wherever it is compiled.
#[cfg(feature = "cli")]
extern crate self as clearsweep;

/// The program, for a front end in another language.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

pub use clearsweep_base::{Error, ErrorKind, Result};
/// # Example
///
/// ```
/// use clearsweep::{BatchCollector, BodyBuilder, Geometry, Job, SceneBuilder};
///
/// let still = [1.0, 0.0, 0.0, 0.0];
/// let scene = SceneBuilder::new(1.0)
///     .body(BodyBuilder::new("box", Geometry::Box([1.0; 3])).fixed([0.0; 3], still))
///     .body(BodyBuilder::new("ball", Geometry::Sphere(0.25)).fixed([1.0, 0.0, 0.0], still))
///     .build()?;
/// let mut rows = BatchCollector::default();
/// let outcome = Job::new(&scene).run(&mut rows)?;
/// assert_eq!(outcome.totals.rows, 1);
/// assert_eq!(rows.distances[0].num_rows(), 1);
/// # Ok::<(), clearsweep::Error>(())
/// ```
#[doc(inline)]
pub use clearsweep_engine::Job;
pub use clearsweep_engine::{
    Advance, CancelToken, JobOptions, Outcome, PairOptions, Progress, ProximityQuery, RunVerdict,
};
pub use clearsweep_geometry::{Inside, Pose, Vec3};
pub use clearsweep_model::{
    AnswerKind, BetweenFrames, Body, Bounds, CellSizes, DirectionalDistance, DirectionalRelation, FeatureKind,
    GjkOptions, HullFit, LengthUnit, Method, Missing, Model, Proximity, QueryOptions, Sample, Scene, SceneOverrides,
    SearchOptions, Shape, Status, SubAlgorithm, SupportSearch,
};
/// # Example
///
/// ```
/// use clearsweep::{BodyBuilder, Geometry, SceneBuilder};
///
/// let scene = SceneBuilder::new(0.5)
///     .body(BodyBuilder::new("floor", Geometry::Box([10.0, 10.0, 0.2])).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]))
///     .body(BodyBuilder::new("ball", Geometry::Sphere(0.1)).group("tools"))
///     .build()?;
/// assert_eq!(scene.bodies.len(), 2);
/// # Ok::<(), clearsweep::Error>(())
/// ```
#[doc(inline)]
pub use clearsweep_scene::SceneBuilder;
pub use clearsweep_scene::{BodyBuilder, Geometry};
pub use clearsweep_tables::{
    BatchCollector, DistanceColumns, ParquetTables, RecordBatch, Row, RowBlock, RowSink, SinkContext, Totals, Worst,
};
#[cfg(feature = "ndarray")]
pub use clearsweep_trajectory::{JointArray, PoseArray};
pub use clearsweep_trajectory::{PoseSource, ReadOptions};
