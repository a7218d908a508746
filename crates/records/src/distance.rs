//! `distances`.

use crate::record::{columns_of, record};
use clearsweep_model::{DirectionalRelation, FeatureKind, Method, Status};

record! {
    /// A pair that is within `within` in a frame.
    Distance in "distances", sorted by [run, frame, a_index, b_index];
    ..KEYS;
    /// Signed distance: positive if separated, minus the depth if penetrating. For method `bound` the end
    /// of the stored bodies' bracket that is far from 0 if `penetrating`, near 0 if `touching`.
    distance_m: f64 => unit("m");
    /// Lower end of the proven bracket of the true signed distance; null if uncertified.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end of the bracket; null if uncertified.
    upper_m: Option<f64> => unit("m"), null;
    /// `separated`, `touching`, `penetrating` or `uncertified`; always `penetrating` if the method is
    /// `winding`.
    status: Status;
    /// Witness point on A, world frame, to 1e-12 of the pair's size and 4 ulp.
    a_x: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `a_x`.
    a_y: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `a_x`.
    a_z: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// Witness point on B: that of A plus distance times normal, but for method `bound`.
    b_x: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `b_x`.
    b_y: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `b_x`.
    b_z: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// Unit normal, world frame; moving B along it increases the distance.
    n_x: Option<f64> => unit("1"), only_if(|job| job.witnesses);
    /// See `n_x`.
    n_y: Option<f64> => unit("1"), only_if(|job| job.witnesses);
    /// See `n_x`.
    n_z: Option<f64> => unit("1"), only_if(|job| job.witnesses);
    /// Piece or triangle of A, 0 for a single hull.
    part_a: Option<i32> => only_if(|job| job.witnesses);
    /// Piece or triangle of B.
    part_b: Option<i32> => only_if(|job| job.witnesses);
    /// Feature of A: a vertex by its index in the file as read (the first of duplicates), edges ordered by
    /// their (low, high) vertices, faces by their sorted vertex lists; of a sphere vertex 0, of a capsule
    /// edge 0.
    feature_a: Option<i32> => only_if(|job| job.witnesses);
    /// Feature of B.
    feature_b: Option<i32> => only_if(|job| job.witnesses);
    /// `vertex`, `edge` or `face`.
    feature_a_kind: Option<FeatureKind> => only_if(|job| job.witnesses);
    /// See `feature_a_kind`.
    feature_b_kind: Option<FeatureKind> => only_if(|job| job.witnesses);
    /// Class of proof: `strict`, `tie`, `exact`, `mesh`, `bound`, `none`, or `winding` (one body lies
    /// inside of an open mesh); not the route.
    method: Option<Method> => only_if(|job| job.witnesses);
    /// With a direction: the least t >= 0 such that B moved by t along it touches A or, if they overlap, is
    /// free of A; null if that never happens, or is not decided.
    directional_m: Option<f64> => unit("m"), null, only_if(|job| job.directional);
    /// Lower end of the proven bracket of t; null if it has no end.
    directional_lower_m: Option<f64> => unit("m"), null, only_if(|job| job.directional);
    /// Upper end of the bracket.
    directional_upper_m: Option<f64> => unit("m"), null, only_if(|job| job.directional);
    /// `touches` or `leaves` (after t), `in-contact` (t = 0), `misses` (they never touch: proven),
    /// `undecided`, or `unproven` (numbers are not finite).
    directional_relation: Option<DirectionalRelation> =>
        null_if(|job| job.free_lengths), only_if(|job| job.directional);
    /// With rules: the rule that the pair is under.
    rule: Option<T> => texts(crate::Words::Rules), only_if(|job| job.rules);
    /// With rules: the clearance that the rule requires; null if none.
    required_m: Option<f64> => unit("m"), null, only_if(|job| job.rules);
}

columns_of! { Distance:
    /// The bracket of a pair in a frame.
    DistanceBracket {
        run: i64,
        frame: i64,
        a_index: i32,
        b_index: i32,
        time_s: Option<f64>,
        lower_m: Option<f64>,
        upper_m: Option<f64>,
    }
}

columns_of! { Distance:
    /// The distance of a pair in a frame, with its witness points if the table has them.
    DistanceLine {
        run: i64,
        frame: i64,
        a_index: i32,
        b_index: i32,
        time_s: Option<f64>,
        distance_m: f64,
        lower_m: Option<f64>,
        upper_m: Option<f64>,
        directional_m: Option<f64>,
        directional_lower_m: Option<f64>,
        directional_upper_m: Option<f64>,
        a_x: Option<f64>,
        a_y: Option<f64>,
        a_z: Option<f64>,
        b_x: Option<f64>,
        b_y: Option<f64>,
        b_z: Option<f64>,
        n_x: Option<f64>,
        n_y: Option<f64>,
        n_z: Option<f64>,
    }
}
