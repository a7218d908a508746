//! `contacts`: with `contacts = "all"`.

use crate::record::record;
use clearsweep_model::ContactKind;

record! {
    /// A region in which two bodies touch or overlap in a frame.
    Contact in "contacts", sorted by [run, frame, a_index, b_index, contact];
    ..KEYS;
    /// Number among the contacts of the pair in the frame, from 0.
    contact: i32;
    /// `touching`, `crossing`, `grown` or `inside`: see below.
    kind: ContactKind;
    /// Part at the point, as in `distances`; -1 if there is none.
    part_a: i32;
    /// Part at the point, as in `distances`; -1 if there is none.
    part_b: i32;
    /// A point of the region, world frame.
    x: f64 => unit("m");
    /// See `x`.
    y: f64 => unit("m");
    /// See `x`.
    z: f64 => unit("m");
    /// Least corner of a box that holds the region; of `grown`, the overlap of two balls at its
    /// nearest points is added.
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
    /// Length of the curve; null for kinds other than `crossing`.
    length_m: Option<f64> => unit("m"), null;
    /// Whether the curve is closed. If both surfaces are closed, all curves are, but for rounding.
    closed: bool;
}
