//! `distances`.

use crate::record::{columns_of, record};
use clearsweep_model::{DirectionalRelation, FeatureKind, Method, Status};

record! {
    /// A pair that is within `within` in a frame.
    Distance in "distances", sorted by [run, frame, a_index, b_index];
    ..KEYS;
    /// Signed: separated > 0, penetrating < 0 (minus the depth). For method `bound` an end of the
    /// stored bodies' bracket: the end far from 0 if `penetrating`, the end near 0 if `touching`.
    distance_m: f64 => unit("m");
    /// Lower end of the proven bracket of the true signed distance; null if uncertified (such rows
    /// are always written).
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end, likewise.
    upper_m: Option<f64> => unit("m"), null;
    /// `separated`, `touching`, `penetrating` or `uncertified`; always `penetrating` if the method
    /// is `winding`.
    status: Status;
    /// Witness point on a, world frame, to 1e-12 of the pair's size + 4 ulp.
    a_x: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `a_x`.
    a_y: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `a_x`.
    a_z: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// Witness point on b: b = a + distance * n, but for method `bound` ([witness points of
    /// overlaps](#witness-points-and-ties)).
    b_x: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `b_x`.
    b_y: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// See `b_x`.
    b_z: Option<f64> => unit("m"), only_if(|job| job.witnesses);
    /// Unit vector, world frame; moving b along +n increases the distance.
    n_x: Option<f64> => unit("1"), only_if(|job| job.witnesses);
    /// See `n_x`.
    n_y: Option<f64> => unit("1"), only_if(|job| job.witnesses);
    /// See `n_x`.
    n_z: Option<f64> => unit("1"), only_if(|job| job.witnesses);
    /// Piece or triangle of the body; 0 for a single hull, -1 if there is none.
    part_a: Option<i32> => only_if(|job| job.witnesses);
    /// Piece or triangle of the body; 0 for a single hull, -1 if there is none.
    part_b: Option<i32> => only_if(|job| job.witnesses);
    /// Number of the [feature](#features); -1 if there is none.
    feature_a: Option<i32> => only_if(|job| job.witnesses);
    /// Number of the [feature](#features); -1 if there is none.
    feature_b: Option<i32> => only_if(|job| job.witnesses);
    /// `vertex`, `edge`, `face`, or `round`: the curved side of a [round
    /// body](scene.md#round-shapes).
    feature_a_kind: Option<FeatureKind> => only_if(|job| job.witnesses);
    /// See `feature_a_kind`.
    feature_b_kind: Option<FeatureKind> => only_if(|job| job.witnesses);
    /// The class of proof, not the route: `strict`, `tie`, `exact`, `mesh`, `bound`, `none`,
    /// `winding` (one body lies inside of an [open mesh](models.md#open-meshes)), or `round` (of a
    /// [round body](scene.md#round-shapes)).
    method: Option<Method> => only_if(|job| job.witnesses);
    /// With a [direction](#distances-along-a-direction): the least t >= 0 such that b moved by t
    /// along it touches a, or, if they overlap, is free of a; null if that never happens, or is not
    /// decided.
    directional_m: Option<f64> => unit("m"), null, only_if(|job| job.directional);
    /// With a direction: lower end of the proven bracket of t; null if it has no end.
    directional_lower_m: Option<f64> => unit("m"), null, only_if(|job| job.directional);
    /// With a direction: upper end, likewise.
    directional_upper_m: Option<f64> => unit("m"), null, only_if(|job| job.directional);
    /// With a direction: one of [six words](#distances-along-a-direction); null only in rows of
    /// pairs that no direction is asked of.
    directional_relation: Option<DirectionalRelation> =>
        null_if(|job| job.free_lengths), only_if(|job| job.directional);
    /// With rules: the rule that the pair is under; `default` if none matches.
    rule: Option<T> => texts(crate::Words::Rules), only_if(|job| job.rules);
    /// With rules: what is required of the pair; null if nothing is.
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
        method: Option<Method>,
    }
}

impl DistanceLine {
    /// Returns the distance along a direction and its bracket, metres; `None` if none was asked, or
    /// it has no end.
    pub fn directional(&self) -> [Option<f64>; 3] {
        [self.directional_m, self.directional_lower_m, self.directional_upper_m]
            .map(|value| value.filter(|value| value.is_finite()))
    }

    /// Returns the witness points on A and B and the unit normal, world frame, metres; `None` if
    /// the table has no such columns.
    pub fn witness(&self) -> Option<[[f64; 3]; 3]> {
        let vector = |x: Option<f64>, y: Option<f64>, z: Option<f64>| {
            let vector = [x?, y?, z?];
            vector.iter().all(|value| value.is_finite()).then_some(vector)
        };
        Some([
            vector(self.a_x, self.a_y, self.a_z)?,
            vector(self.b_x, self.b_y, self.b_z)?,
            vector(self.n_x, self.n_y, self.n_z)?,
        ])
    }
}
