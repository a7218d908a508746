//! Oracles, fixtures and the verifier of rows, for the tests, benchmarks and tools of this
//! repository. Not published.
//!
//! - [`oracle`]: signed distances of convex bodies by enumeration; [`bridge`] holds the engine
//!   against it, [`invariants`] and [`survey`] hold many cases against it.
//! - [`recheck`]: proves rows again, by code that shares nothing with the engine.
//! - [`random`]: the generator of random numbers.
//! - [`solids`], [`scenes`], [`random_motions`], [`glb`], [`rvm`], [`trajectories`]: bodies,
//!   motions and files.
//! - [`trial`]: random scenes, run and proven again; [`falsify`]: results that were changed.
//! - [`folder`], [`clone`], [`data`], [`late`]: results and folders.
#![allow(rustdoc::private_intra_doc_links, reason = "read in the sources")]
#![allow(missing_docs, unreachable_pub, reason = "test code: names say what the fixtures are")]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods, reason = "tests report to people")]

pub mod bridge;
pub mod clone;
pub mod data;
pub mod falsify;
pub mod folder;
pub mod glb;
pub mod invariants;
pub mod late;
pub mod oracle;
pub mod random;
pub mod random_motions;
pub mod recheck;
pub mod rvm;
pub mod scenes;
pub mod solids;
pub mod survey;
pub mod trajectories;
pub mod trial;
