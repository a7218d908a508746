//! `contacts`: with `contacts = "all"`.

use crate::record::record;
use clearsweep_model::ContactKind;

record! {
    /// A region in which two bodies touch or overlap in a frame.
    Contact in "contacts", sorted by [run, frame, a_index, b_index, contact];
    ..KEYS;
    /// Number among the contacts of the pair in the frame, from 0.
    contact: i32;
    /// `crossing`: a curve in which the surfaces cross; `touching`: the surfaces come within `touch`, and
    /// cross by no more; `grown`: bodies with an offset or a radius overlap, and the geometries within do
    /// not cross; `inside`: a connected part of one body lies inside of the other, and no surface is near.
    kind: ContactKind;
    /// Part of A at the point, as in `distances`; -1 if there is none.
    part_a: i32;
    /// Part of B at the point.
    part_b: i32;
    /// A point of the region, world frame.
    x: f64 => unit("m");
    /// See `x`.
    y: f64 => unit("m");
    /// See `x`.
    z: f64 => unit("m");
    /// Least corner of a box that holds the region; for `grown`, with the overlap of two balls at its
    /// nearest points.
    min_x: f64 => unit("m");
    /// See `min_x`.
    min_y: f64 => unit("m");
    /// See `min_x`.
    min_z: f64 => unit("m");
    /// Greatest corner of that box.
    max_x: f64 => unit("m");
    /// See `max_x`.
    max_y: f64 => unit("m");
    /// See `max_x`.
    max_z: f64 => unit("m");
    /// Length of the curve; null for other kinds.
    length_m: Option<f64> => unit("m"), null;
    /// Whether the curve is closed. If both surfaces are closed, all curves are, but for rounding.
    closed: bool;
}
