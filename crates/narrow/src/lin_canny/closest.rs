//! The closest points of two edges, of an edge and a face, and of two faces.

use super::regions::VoronoiBody;
use clearsweep_geometry::Vec3;

/// Squared sine of an angle below which two edges count as parallel: their common perpendicular is
/// rounding.
const PARALLEL: f64 = 1e-16;

/// The ends of an edge.
pub(super) type Ends = [Vec3<f64>; 2];

/// The closest points of two edges, in order. Rounding moves the feet of the common perpendicular
/// of nearly parallel edges along both edges, each by its own error. So only the first is taken,
/// and then each point from the other: the last lies at the foot of the perpendicular from the one
/// before, and the planes at the ends of its edge agree with that.
pub(super) fn of_edges(a: Ends, b: Ends) -> [Vec3<f64>; 2] {
    let (along_a, along_b, between) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let normal = along_a.cross(along_b);
    let square = normal.length2();
    if square > PARALLEL * along_a.length2() * along_b.length2() {
        // The feet of the common perpendicular.
        let s = between.cross(along_b).dot(normal) / square;
        let t = between.cross(along_a).dot(normal) / square;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            let on_b = on_edge(a[0] + along_a.scale(s), b);
            return [on_edge(on_b, a), on_b];
        }
    }
    // An end of one edge is nearest.
    let of_end = |end: Vec3<f64>, edge: Ends| (end, on_edge(end, edge));
    let flipped = |(on_b, on_a): (Vec3<f64>, Vec3<f64>)| (on_a, on_b);
    let ends = [of_end(a[0], b), of_end(a[1], b), flipped(of_end(b[0], a)), flipped(of_end(b[1], a))];
    let mut best = ends[0];
    for end in ends {
        if (end.1 - end.0).length2() < (best.1 - best.0).length2() {
            best = end;
        }
    }
    [best.0, best.1]
}

/// The point of an edge nearest to `x`.
pub(super) fn on_edge(x: Vec3<f64>, [tail, head]: Ends) -> Vec3<f64> {
    let along = head - tail;
    let at = (x - tail).dot(along) / along.length2();
    // The far end itself and not a rounded sum.
    if at >= 1.0 { head } else { tail + along.scale(at.max(0.0)) }
}

/// Place at which an edge of the other body comes nearest to a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NearestOnFace {
    /// The edge meets the face.
    Meets,
    /// At the tail (0) or the head (1) of the edge, inside of the face's prism.
    End(usize),
    /// Nearest to this boundary edge of the face.
    Boundary(u32),
}

/// Finds the place at which the edge `ends` comes nearest to face `f`, and how near, metres.
///
/// Within the face's prism the height of the edge above the face is linear. So the nearest point
/// lies at an end of the edge, or all boundary edges are compared.
pub(super) fn of_face_and_edge(body: &VoronoiBody<'_>, f: u32, ends: Ends) -> (NearestOnFace, f64) {
    if let Some([low, high]) = within_prism(body, f, ends) {
        let plane = body.planes.support(f);
        let heights = ends.map(|end| plane.side(end));
        let [first, last] = [low, high].map(|at| heights[0] + at * (heights[1] - heights[0]));
        if first.abs().min(last.abs()) <= body.tolerance || (first < 0.0) != (last < 0.0) {
            return (NearestOnFace::Meets, 0.0);
        }
        if low == 0.0 && first.abs() <= last.abs() {
            return (NearestOnFace::End(0), first.abs());
        }
        if high == 1.0 && last.abs() <= first.abs() {
            return (NearestOnFace::End(1), last.abs());
        }
    }
    nearest_boundary_edge(body, f, ends)
}

/// The part of an edge inside of the prism of face `f`, as shares of its length; `None` if there is
/// none.
fn within_prism(body: &VoronoiBody<'_>, f: u32, [tail, head]: Ends) -> Option<[f64; 2]> {
    let [mut low, mut high] = [0.0_f64, 1.0];
    for (tail, head) in body.sides(f, tail).zip(body.sides(f, head)) {
        let at = tail / (tail - head);
        match (tail < 0.0, head < 0.0) {
            (true, true) => return None,
            (true, false) => low = low.max(at),
            (false, true) => high = high.min(at),
            (false, false) => {}
        }
    }
    (low <= high).then_some([low, high])
}

/// The boundary edge of face `f` nearest to an edge, by comparing all of them.
fn nearest_boundary_edge(body: &VoronoiBody<'_>, f: u32, ends: Ends) -> (NearestOnFace, f64) {
    let mut best = (f64::INFINITY, 0);
    for &e in body.boundary(f) {
        let [here, there] = of_edges(body.ends(e), ends);
        let square = (there - here).length2();
        if square < best.0 {
            best = (square, e);
        }
    }
    (NearestOnFace::Boundary(best.1), best.0.sqrt())
}
