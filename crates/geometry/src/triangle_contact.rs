//! Whether two triangles have a point in common beyond a common corner or side, decided exactly.
//!
//! Signs of volumes and areas are Shewchuk's exact predicates, so nothing is rounded and there is
//! no tolerance: coordinates have to be in the range of [`check_range`](super::hull::check_range).
//! First both triangles are projected along an axis along which the first one has an area: if their
//! shadows are apart, so are they. Signs of areas settle most pairs, and planes of exactly coplanar
//! triangles need no other test.

use super::hull::{side, turn};
use super::vec3::Vec3;

type ContactPoint = Vec3<f64>;

/// A triangle with an area, and an axis along which it is seen.
#[derive(Debug, Clone, Copy)]
pub struct SeenTriangle {
    /// Metres, one frame for all.
    pub corners: [ContactPoint; 3],
    /// Equal numbers are equal points.
    pub vertices: [u32; 3],
    /// Coordinate axis along which its shadow is largest, but for rounding; the shadow has an area.
    axis: usize,
}

impl SeenTriangle {
    /// Creates a triangle with three corners that are not on a line.
    pub fn new(corners: [ContactPoint; 3], vertices: [u32; 3]) -> Self {
        let [a, b, c] = corners;
        let area = |axis: usize| turn(a, b, c, axis).abs();
        let axis = (1..3).fold(0, |best, axis| if area(axis) > area(best) { axis } else { best });
        Self { corners, vertices, axis }
    }
}

/// Whether two triangles have a point in common that is on no common side and is no common corner.
/// Triangles with the same three corners have: their inside.
pub fn in_contact(s: &SeenTriangle, t: &SeenTriangle) -> bool {
    let place = |v: u32| t.vertices.iter().position(|&w| w == v);
    let [i, j, k] = s.vertices.map(place);
    let (p, q) = (&s.corners, &t.corners);
    let apart = |corner: usize| [p[(corner + 1) % 3], p[(corner + 2) % 3]];
    let others = |corner: usize| [q[(corner + 1) % 3], q[(corner + 2) % 3]];
    match (i, j, k) {
        (None, None, None) => no_common_corner(p, q, s.axis),
        (Some(at), None, None) => common_corner(p[0], apart(0), others(at), s.axis),
        (None, Some(at), None) => common_corner(p[1], apart(1), others(at), s.axis),
        (None, None, Some(at)) => common_corner(p[2], apart(2), others(at), s.axis),
        (Some(m), Some(n), None) => common_side([p[0], p[1]], p[2], q[3 - m - n], s.axis),
        (None, Some(m), Some(n)) => common_side([p[1], p[2]], p[0], q[3 - m - n], s.axis),
        (Some(m), None, Some(n)) => common_side([p[2], p[0]], p[1], q[3 - m - n], s.axis),
        (Some(_), Some(_), Some(_)) => true,
    }
}

/// -1, 0 or 1.
fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// The sign of the area of a shadow: 1 if it is counter-clockwise seen from the far end of the
/// axis.
fn area(a: ContactPoint, b: ContactPoint, c: ContactPoint, axis: usize) -> i8 {
    sign(turn(a, b, c, axis))
}

/// The sign of the volume that `d` spans with a triangle: 1 if `d` lies above.
fn volume(a: ContactPoint, b: ContactPoint, c: ContactPoint, d: ContactPoint) -> i8 {
    sign(side(a, b, c, d))
}

/// Triangles with a side `a`, `b` in common, `c` and `d` opposite to it: planes that differ meet in
/// the line through the side, and triangles in one plane overlap if they lie on one side of it.
fn common_side([a, b]: [ContactPoint; 2], c: ContactPoint, d: ContactPoint, axis: usize) -> bool {
    area(a, b, c, axis) * area(a, b, d, axis) >= 0 && volume(a, b, c, d) == 0
}

/// Triangles with a corner in common have more in common where the wedges that they span from it
/// have a ray in common.
///
/// For rays `a`, `b` and `c`, `d` from the corner, `a [bcd] - b [acd] = d [abc] - c [abd]`, with
/// the volumes of three of them in brackets; and unless all four lie in a plane, no other
/// combination of them vanishes. So there is a common ray iff the volumes have such signs that, of
/// this equation or of its negative, both sides are combinations with no negative factor.
fn common_corner(from: ContactPoint, [a, b]: [ContactPoint; 2], [c, d]: [ContactPoint; 2], axis: usize) -> bool {
    let seen = |p: ContactPoint, q: ContactPoint| area(from, p, q, axis);
    let (own, other) = (seen(a, b), seen(c, d));
    if other != 0 {
        let [ac, ad, bc, bd] = [seen(a, c), seen(a, d), seen(b, c), seen(b, d)];
        // If two wedges in a plane have a ray in common, one of them holds a border of the other.
        let holds = |of: i8, before: i8, behind: i8| before * of >= 0 && behind * of >= 0;
        let meet = holds(other, -ac, ad) || holds(other, -bc, bd) || holds(own, ac, -bc) || holds(own, ad, -bd);
        if !meet {
            return false;
        }
    }
    let spanned = |p: ContactPoint, q: ContactPoint, r: ContactPoint| volume(from, p, q, r);
    let [bcd, acd] = [spanned(b, c, d), spanned(a, c, d)];
    if bcd * acd > 0 {
        return false;
    }
    let [abc, abd] = [spanned(a, b, c), spanned(a, b, d)];
    // All four in a plane: their shadows have shown that they meet.
    let signs = [bcd, -acd, abd, -abc];
    // a [bcd] - b [acd] + c [abd] - d [abc] = 0: common rays have factors of one sign for a and b,
    // and of the other for c and d.
    [1, -1].into_iter().any(|k| signs[0] * k >= 0 && signs[1] * k >= 0 && signs[2] * k <= 0 && signs[3] * k <= 0)
}

/// Triangles without a common corner.
fn no_common_corner(p: &[ContactPoint; 3], q: &[ContactPoint; 3], axis: usize) -> bool {
    if shadows_are_apart(p, q, axis) {
        return false;
    }
    let of_q = q.map(|corner| volume(p[0], p[1], p[2], corner));
    if of_q == [0; 3] {
        // In one plane: their shadows are like them.
        return true;
    }
    let of_p = p.map(|corner| volume(q[0], q[1], q[2], corner));
    let on_one_side = |of: [i8; 3]| of[0] != 0 && of == [of[0]; 3];
    if on_one_side(of_q) || on_one_side(of_p) {
        return false;
    }
    // Planes that cross: what is common lies on their line, and ends where a side of one triangle
    // meets the other.
    passes(p, of_p, q) || passes(q, of_q, p)
}

/// Whether the shadows of two triangles are apart: all of one lies beyond a side of the other. That
/// of the first one has an area; of one without an area nothing is asked.
fn shadows_are_apart(p: &[ContactPoint; 3], q: &[ContactPoint; 3], axis: usize) -> bool {
    [(p, q), (q, p)].into_iter().any(|(own, other)| {
        let around = area(own[0], own[1], own[2], axis);
        let is_beyond =
            |k: usize| other.iter().all(|&corner| area(own[k], own[(k + 1) % 3], corner, axis) * around < 0);
        around != 0 && (0..3).any(is_beyond)
    })
}

/// Whether a side of one triangle meets the other, whose plane has its corners on the sides `of`. A
/// side that lies in the plane is left to its neighbours, which end where it does.
fn passes(own: &[ContactPoint; 3], of: [i8; 3], [a, b, c]: &[ContactPoint; 3]) -> bool {
    (0..3).any(|k| {
        let (from, to) = (k, (k + 1) % 3);
        if of[from] * of[to] > 0 || (of[from], of[to]) == (0, 0) {
            return false;
        }
        let (p, q) = (own[from], own[to]);
        // The line through p and q meets the plane where these volumes are the barycentric
        // coordinates, but for a factor.
        let ab = volume(p, q, *a, *b);
        let bc = volume(p, q, *b, *c);
        if ab * bc < 0 {
            return false;
        }
        let ca = volume(p, q, *c, *a);
        ab * ca >= 0 && bc * ca >= 0
    })
}
