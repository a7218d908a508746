//! A row of `distances`.

use crate::narrow::{IntervalProximity, Proximity};

/// A row of `distances` before it is encoded. Witness points and normal are in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// The result of the query, in the world frame.
    pub proximity: Proximity,
}

/// A row of `intervals` before it is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalRow {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// What is proven of the interval.
    pub interval: IntervalProximity,
}
