//! Proves the rows of a result again, from the stored bodies and poses alone.
//!
//! The verifier shares no code with the searches (`broad`, `narrow`) and the loop (`engine`): not
//! the numbers, not the rotation, not the hull, not the supports. It takes the scene and the poses
//! as the loader reads them.
//!
//! ```text
//! oracle/        104-bit numbers, hulls, depths, triangles by brute force, round bodies by branch
//!                and bound: the tests use them too
//! nearest        the nearest points of two cores
//! motion         the motion of a body over an interval, and bounds on it; free bodies
//! joint_motion   the same for bodies that joints carry
//! stored_scene   the scene of a result, loaded again, with digests compared
//! ```
//!
//! *Architecture invariant*: imports no crate that searches.

pub mod checked_body;
pub mod convex_core;
pub mod count;
pub mod explain;
pub mod finding;
pub mod frames;
pub mod interval_check;
pub mod joint_motion;
mod link_frame;
pub mod motion;
pub mod nearest;
#[doc(hidden)]
#[allow(missing_docs, reason = "the oracles of the tests share it; names say what is what")]
pub mod oracle;
pub mod pair_truth;
pub mod placement;
pub mod recheck;
pub mod row_check;
pub mod stored_scene;

pub use convex_core::ConvexCore;
pub use placement::Placement;
pub use stored_scene::{StoredScene, load_scene};
