//! Pairs of cores of which one is round: the search by exact supports, and the certificate.
//!
//! The lower end of the distance is the gap of two supporting planes, which any direction proves;
//! the upper end the distance of a point of each body. If the cores overlap, a direction bounds the
//! depth from above, and points of the difference around the origin bound it from below. All ends
//! are opened by the rounding bound E of the pair (docs/reference/numerics.md, "Round bodies").
//!
//! The search starts from the pose alone, never from what is remembered: it ends at a tolerance,
//! not at features, and so a row stays a function of the pose.
//!
//! ```text
//! parallel.rs     solids of revolution about parallel axes: a planar problem
//! perpendicular.rs  cylinders about perpendicular axes: a planar problem
//! nearest.rs      GJK by supports
//! newton.rs       Newton's method for the direction of the nearest points
//! polytope.rs     the depth: an expanding polytope of points of the difference
//! sectors.rs      sectors of tori, which are not convex: bounds over parts of their angle
//! sides.rs        the two bodies, and points of their difference
//! beside_mesh.rs  cores beside the triangles of a mesh
//! ```

mod beside_mesh;
mod nearest;
mod newton;
mod parallel;
mod perpendicular;
mod polytope;
mod sectors;
mod sides;
#[cfg(test)]
mod tests;

pub(super) use self::beside_mesh::beside_mesh;
use self::nearest::{Nearest, nearest};
use self::newton::NearestPoints;
use self::parallel::InClosedForm;
use self::polytope::depth;
use self::sides::{ConvexPair, Difference, Side};
use super::answer::Answer;
use super::feature::{Feature, FeaturePair};
use super::pair::Pair;
use super::solve_outcome::SolveOutcome;
use super::support;
use clearsweep_geometry::{Polyhedron, RoundBody, Vec3};
use clearsweep_model::Method;

/// A proven answer about two cores.
#[derive(Debug, Clone, Copy)]
struct Proven {
    /// Unit, from A to B.
    normal: Vec3<f64>,
    /// Signed distance, metres: at the end of the bracket that the normal belongs to.
    distance: f64,
    /// Point on A's core.
    point_a: Vec3<f64>,
    /// Least signed distance, metres.
    lower: f64,
    /// Largest signed distance, metres.
    upper: f64,
    /// Vertices of the polyhedron among the two, if there is one, on which the point lies.
    vertices: [u32; 4],
    /// How many they are.
    count: usize,
}

impl Proven {
    /// With the common part of both brackets.
    fn within(self, other: &Self) -> Self {
        let (lower, upper) = (self.lower.max(other.lower), self.upper.min(other.upper));
        if lower <= upper { Self { lower, upper, distance: self.distance.clamp(lower, upper), ..self } } else { self }
    }

    /// With these points of the difference around the witness points.
    fn carried_by(self, points: &[Difference], polyhedron: Option<usize>) -> Self {
        let Some(side) = polyhedron else { return self };
        let mut found = Self { count: 0, ..self };
        for vertex in points.iter().map(|point| point.sides[side].vertex) {
            if !found.vertices[..found.count].contains(&vertex) && found.count < 4 {
                found.vertices[found.count] = vertex;
                found.count += 1;
            }
        }
        found
    }
}

/// Whether one of two cores is round, so that [`answer`] is to answer.
#[inline]
pub(super) fn is_round(a: &Polyhedron, b: &Polyhedron) -> bool {
    a.round.is_some() || b.round.is_some()
}

/// The answer about two cores of which one is round, or the proof that they are farther apart than
/// `beyond`, metres: then the gap is that of the cores.
pub(super) fn answer(pair: &Pair<'_, f64>, beyond: f64) -> SolveOutcome<Answer> {
    answer_by(solved, pair, beyond)
}

/// [`answer`] about the convex hulls of both cores.
pub(super) fn answer_of_hulls(pair: &Pair<'_, f64>, beyond: f64) -> SolveOutcome<Answer> {
    answer_by(proven_of_convex, pair, beyond)
}

fn answer_by(
    search: impl FnOnce(&ConvexPair<'_>, f64) -> Result<Proven, Gap>,
    pair: &Pair<'_, f64>,
    beyond: f64,
) -> SolveOutcome<Answer> {
    let bound = pair.bound();
    let across = || perpendicular::proven(pair).map(|proven| InClosedForm { proven, is_fine: true });
    let proven = match parallel::proven(pair).or_else(across) {
        Some(InClosedForm { proven, is_fine: true }) => proven,
        coarse => {
            let sides = [pair.a, pair.b].map(Side::of);
            let between = ConvexPair { sides, pose: pair.pose, bound, size: pair.size };
            match search(&between, beyond) {
                Ok(proven) => coarse.map_or(proven, |coarse| proven.within(&coarse.proven)),
                Err(gap) => return SolveOutcome::Beyond { gap: gap.length, normal: Some(gap.normal) },
            }
        }
    };
    if proven.lower > beyond {
        return SolveOutcome::Beyond { gap: proven.lower, normal: Some(proven.normal) };
    }
    let Proven { normal, distance, point_a, lower, upper, .. } = proven;
    let features = features(pair, &proven);
    SolveOutcome::Answered(Answer { features, normal, distance, point_a, lower, upper, method: Method::Round })
}

/// A proven gap beyond the cut-off, metres, and its direction.
struct Gap {
    length: f64,
    normal: Vec3<f64>,
}

/// The answer about two cores, by search.
fn solved(pair: &ConvexPair<'_>, beyond: f64) -> Result<Proven, Gap> {
    match pair.sides {
        [Side::Sector(_), _] | [_, Side::Sector(_)] => sectors::proven(pair, beyond),
        _ => proven_of_convex(pair, beyond),
    }
}

/// The answer about two convex cores.
fn proven_of_convex(pair: &ConvexPair<'_>, beyond: f64) -> Result<Proven, Gap> {
    let found = nearest(pair, beyond + pair.bound);
    if found.gap - pair.bound > beyond {
        return Err(Gap { length: found.gap - pair.bound, normal: found.normal });
    }
    if found.overlaps() {
        return Ok(depth(pair, &found));
    }
    let proven = apart(pair, &found);
    if proven.upper - proven.lower <= WIDE * pair.size {
        return Ok(proven);
    }
    // The search ended in rounding before the direction was known: a surface finds a better one.
    let of_surface = depth(pair, &found);
    Ok(Proven { lower: proven.lower.max(of_surface.lower), ..proven })
}

/// Width of the bracket of cores that are apart above which another search is worth while, in sizes
/// of the pair.
const WIDE: f64 = 1e-10;

/// The certificate of cores that are apart, or hardly touch.
fn apart(pair: &ConvexPair<'_>, found: &Nearest) -> Proven {
    let points = found.points();
    let [a, b] = match found.by_newton {
        Some(found) => found.points,
        None => nearer(points, nearest_of_segments(pair.generators(found.normal, points))),
    };
    let between = b - a;
    let length = between.length();
    // The direction between the points, unless rounding has made it.
    let normal = if length > 1e6 * pair.bound { between.scale(1.0 / length) } else { found.normal };
    let proven = Proven {
        normal,
        distance: length,
        point_a: a,
        lower: found.gap - pair.bound,
        upper: length + pair.bound,
        vertices: [0; 4],
        count: 0,
    };
    match found.by_newton {
        Some(NearestPoints { vertices: [i, j, k], count, .. }) => Proven { vertices: [i, j, k, 0], count, ..proven },
        None => proven.carried_by(found.simplex(), pair.polyhedron()),
    }
}

/// The nearer of two pairs of points.
fn nearer(one: [Vec3<f64>; 2], other: [Vec3<f64>; 2]) -> [Vec3<f64>; 2] {
    let length = |[a, b]: [Vec3<f64>; 2]| (b - a).length2();
    if length(other) < length(one) { other } else { one }
}

/// Points of two segments that are nearest to each other, but for rounding (Ericson 2005, section
/// 5.1.9).
fn nearest_of_segments([[a, a_end], [b, b_end]]: [[Vec3<f64>; 2]; 2]) -> [Vec3<f64>; 2] {
    let (u, v, w) = (a_end - a, b_end - b, a - b);
    let [uu, vv, uv, uw, vw] = [u.dot(u), v.dot(v), u.dot(v), u.dot(w), v.dot(w)];
    let share = |number: f64, whole: f64| if whole > 0.0 { (number / whole).clamp(0.0, 1.0) } else { 0.0 };
    let cross = uu * vv - uv * uv;
    let first = if cross > 0.0 { ((uv * vw - uw * vv) / cross).clamp(0.0, 1.0) } else { 0.0 };
    let second = share(uv * first + vw, vv);
    let first = share(uv * second - uw, uu);
    [a + u.scale(first), b + v.scale(second)]
}

/// The features of an answer: of a polyhedron those of the vertices around the witness point, of a
/// round body the flat end that faces the other, or its curved side (a vertex, which
/// [`FeaturePair::published`] calls round).
fn features(pair: &Pair<'_, f64>, proven: &Proven) -> FeaturePair {
    let directions = [proven.normal, -pair.pose.inverse_vector(proven.normal)];
    let of = |core: &Polyhedron, d: Vec3<f64>| match core.round.as_deref() {
        Some(round) => flat_end(&round.body, d).map_or(Feature::vertex(0), Feature::face),
        None if proven.count == 0 => Feature::vertex(support::scanned_one(core, d).0),
        None => Feature::spanning(core, &proven.vertices[..proven.count])
            .unwrap_or_else(|| Feature::vertex(proven.vertices[0])),
    };
    FeaturePair { a: of(pair.a, directions[0]), b: of(pair.b, directions[1]) }
}

/// The flat end of a round body that is a support along the unit vector `d`.
fn flat_end(body: &RoundBody, d: Vec3<f64>) -> Option<u32> {
    const FLAT: f64 = 1e-9;
    let RoundBody::Caps { caps, .. } = body else { return None };
    let height = body.height(d);
    let faces = |cap: &clearsweep_geometry::round::Cap| {
        let [x, y, _] = cap.axes;
        let is_across = x.dot(d).hypot(y.dot(d)) <= FLAT * (x.length() + y.length());
        cap.is_flat() && x != Vec3::ZERO && is_across && cap.middle.dot(d) >= height - FLAT * x.length()
    };
    caps.iter().position(faces).map(|end| end as u32)
}
