//! Charts as SVG: the distance of a pair over time, and its least distance over the runs.
//!
//! A chart stands alone on paper: its colours are attributes, which a style sheet may override by
//! class. What violates is not told by colour alone: it lies beyond the dashed line of the
//! requirement, and is marked at the axis.

mod axis;
mod curve;
mod histogram;
mod svg;

pub(crate) use curve::{RunMoment, curve_svg};
pub(crate) use histogram::{histogram_svg, probability};

#[cfg(test)]
mod tests;
