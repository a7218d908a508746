//! `penetrations`.

use crate::record::record;

record! {
    /// A pair whose overlap in a frame is proven to be deeper than `touch`, or is told by the
    /// winding number of an open mesh.
    Penetration in "penetrations", sorted by [run, frame, a_index, b_index];
    ..KEYS;
    /// For convex pairs the length of the shortest separating translation (MTD).
    depth_m: f64 => unit("m");
    /// Lower end of the proven bracket of the depth, 0 or more.
    depth_lower_m: f64 => unit("m");
    /// Upper end.
    depth_upper_m: f64 => unit("m");
    /// Unit vector: moving b by depth_m along d separates the pair.
    d_x: f64 => unit("1");
    /// See `d_x`.
    d_y: f64 => unit("1");
    /// See `d_x`.
    d_z: f64 => unit("1");
    /// The depth of clash tools: that of the innermost vertex of one body inside the other, from
    /// the nearest face; null if neither body is a mesh, or it is not known.
    protrusion_m: Option<f64> => unit("m"), null;
}
