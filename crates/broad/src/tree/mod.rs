//! A bounding volume hierarchy of boxes, rebuilt for each search.
//!
//! - `hilbert`: the order of the boxes, by size class and along Hilbert's curve;
//! - `packed`: the tree, which is built by grouping the ordered boxes by sixteens;
//! - `search`: the searches.

mod hilbert;
pub(super) mod packed;
mod search;

pub(super) use search::TreeSearch;
