//! Distances and insides by the shortest code there is: what decompositions are held against.
//! Shares nothing with the library.

pub(crate) type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The distance of a point from a segment.
fn from_segment(p: Point, a: Point, b: Point) -> f64 {
    let (ab, ap) = (minus(b, a), minus(p, a));
    let t = if dot(ab, ab) > 0.0 { (dot(ap, ab) / dot(ab, ab)).clamp(0.0, 1.0) } else { 0.0 };
    length(minus(ap, ab.map(|c| t * c)))
}

/// The distance of a point from a triangle.
fn from_triangle(p: Point, [a, b, c]: [Point; 3]) -> f64 {
    let n = cross(minus(b, a), minus(c, a));
    let is_left = |a: Point, b: Point| dot(cross(minus(b, a), minus(p, a)), n) >= 0.0;
    if length(n) > 0.0 && is_left(a, b) && is_left(b, c) && is_left(c, a) {
        return (dot(minus(p, a), n) / length(n)).abs();
    }
    from_segment(p, a, b).min(from_segment(p, b, c)).min(from_segment(p, c, a))
}

/// Whether triangles wind around a point, by the sum of solid angles (Van Oosterom and Strackee
/// 1983).
pub(crate) fn is_inside(p: Point, triangles: &[[Point; 3]]) -> bool {
    let angle = |t: &[Point; 3]| {
        let [a, b, c] = t.map(|corner| minus(corner, p));
        let (la, lb, lc) = (length(a), length(b), length(c));
        let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        2.0 * dot(a, cross(b, c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() > std::f64::consts::TAU
}

/// The distance of a point from a solid, 0 inside.
pub(crate) fn from_solid(p: Point, triangles: &[[Point; 3]]) -> f64 {
    if is_inside(p, triangles) {
        return 0.0;
    }
    triangles.iter().map(|&t| from_triangle(p, t)).fold(f64::INFINITY, f64::min)
}

/// A point of a triangle.
pub(crate) fn on([a, b, c]: [Point; 3], [s, t]: [f64; 2]) -> Point {
    let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
    let (ab, ac) = (minus(b, a), minus(c, a));
    [0, 1, 2].map(|k| a[k] + s * ab[k] + t * ac[k])
}

/// Its area.
pub(crate) fn area([a, b, c]: [Point; 3]) -> f64 {
    0.5 * length(cross(minus(b, a), minus(c, a)))
}
