//! A sorted grid, rebuilt for each search: each box is in exactly one cell, that of its lowest
//! corner.
//!
//! Boxes are split into size classes. The cells of a class are at least as wide as its longest
//! sides, so two of its boxes that overlap lie in the same cell or in neighbouring ones (Bentley,
//! Stanat and Williams 1977, "The complexity of finding fixed-radius near neighbors"). Here cells
//! divide y and z only. A *row* is one such cell, and its boxes are sorted by x.
//!
//! - `cell_axis`: an axis divided into cells;
//! - `size_class`: the rows of the boxes of one size class;
//! - `index`: the classes of a set;
//! - `search`: the searches.

mod cell_axis;
pub(super) mod index;
mod search;
mod size_class;

pub(super) use search::GridSearch;
