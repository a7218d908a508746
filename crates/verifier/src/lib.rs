//! Proves the rows of a result again, from the stored bodies and poses alone.
//!
//! The verifier shares no code with the searches (`broad`, `narrow`) and the loop (`engine`): not the
//! numbers, not the rotation, not the hull, not the supports. It takes the scene and the poses as
//! the loader reads them.
//!
//! ```text
//! number, placement, place     104-bit numbers; where two bodies are to each other
//! convex_core, hull, depth     convex cores: points, their own hull, and all directions of a depth
//! nearest                      the nearest points of two cores
//! soup, gap                    triangles: their distance by brute force
//! round                        round bodies: branch and bound over directions
//! stored_scene                 the scene of a result, loaded again, with digests compared
//! ```
//!
//! *Architecture invariant*: imports no crate that searches.

pub mod checked_body;
pub mod convex_core;
pub mod count;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod depth;
pub mod explain;
pub mod finding;
pub mod frames;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod gap;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod hull;
pub mod interval_check;
pub mod motion;
pub mod nearest;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod number;
pub mod pair_truth;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod place;
pub mod placement;
pub mod recheck;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod round;
pub mod row_check;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod soup;
pub mod stored_scene;

pub use convex_core::ConvexCore;
pub use placement::Placement;
pub use stored_scene::{StoredScene, load_scene};
