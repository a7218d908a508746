//! Slow searches in wide arithmetic, over hulls, triangles and round bodies. The oracles of the
//! tests share them.

pub mod depth;
pub mod gap;
pub mod hull;
pub mod number;
pub mod place;
pub mod round;
pub mod soup;
