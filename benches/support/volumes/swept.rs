//! Rectangle swept spheres: rectangles grown by a radius, with their exact distance (Larsen,
//! Gottschalk, Lin, Manocha 1999).

use super::tree::{Corners, Motion, SINGLE, Volumes, principal_axes, up};
use clearsweep_geometry::Vec3;

/// A corner of each rectangle, its sides, and the radius.
pub(crate) struct Stored<const W: usize> {
    corners: [[f32; W]; 3],
    sides: [[[f32; W]; 3]; 2],
    radii: [f32; W],
}

/// The same in A's frame.
pub(crate) struct Placed<const W: usize> {
    corners: [[f64; W]; 3],
    sides: [[[f64; W]; 3]; 2],
    radii: [f64; W],
}

/// Sides whose directions differ by less count as parallel: the square of a sine.
const PARALLEL2: f64 = 1e-14;

/// Lengths of sides below this count as this, so that nothing is divided by zero.
const LEAST2: f64 = 1e-200;

/// See above.
pub(crate) struct SweptRectangles;

impl<const W: usize> Volumes<W> for SweptRectangles {
    const NAME: &'static str = "rectangle swept spheres";
    const TURNS: bool = false;
    type Stored = Stored<W>;
    type Placed = Placed<W>;
    type View = Motion;

    fn store(children: &[&[Corners]]) -> Stored<W> {
        let mut to = Stored { corners: [[0.0; W]; 3], sides: [[[0.0; W]; 3]; 2], radii: [0.0; W] };
        for (lane, triangles) in children.iter().enumerate() {
            let (corner, sides, radius) = fit(triangles);
            for k in 0..3 {
                to.corners[k][lane] = corner[k] as f32;
                to.sides[0][k][lane] = sides[0][k] as f32;
                to.sides[1][k][lane] = sides[1][k] as f32;
            }
            to.radii[lane] = up(radius);
        }
        to
    }

    fn view(motion: &Motion, _: &[Vec3<f64>; 3]) -> Motion {
        *motion
    }

    #[inline(always)]
    fn place(stored: &Stored<W>, view: &Motion) -> Placed<W> {
        Placed {
            corners: view.turn_all(&stored.corners, true),
            sides: [view.turn_all(&stored.sides[0], false), view.turn_all(&stored.sides[1], false)],
            radii: stored.radii.map(f64::from),
        }
    }

    #[inline(always)]
    fn row(one: &Placed<W>, lane: usize, all: &Placed<W>, to: &mut [f64; W]) {
        let at = |of: &[[f64; W]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        let (corner, sides) = (at(&one.corners), [at(&one.sides[0]), at(&one.sides[1])]);
        let mut best = [f64::INFINITY; W];
        for edge in 0..4 {
            for other in 0..4 {
                for j in 0..W {
                    let (p, d) = side(corner, sides, edge);
                    let (q, e) = side_of(all, j, other);
                    best[j] = smaller(best[j], segments(p, d, q, e));
                }
            }
            for j in 0..W {
                let (p, d) = side(corner, sides, edge);
                let (q, e) = side_of(all, j, edge);
                let (c, s) = rectangle_of(all, j);
                // One corner of each edge, each corner once.
                let from = |p: [f64; 3], d: [f64; 3]| if edge % 2 == 1 { add(p, d) } else { p };
                best[j] = smaller(best[j], point_rectangle(from(p, d), c, s));
                best[j] = smaller(best[j], point_rectangle(from(q, e), corner, sides));
                let crosses = passes(p, d, c, s) | passes(q, e, corner, sides);
                best[j] = if crosses { 0.0 } else { best[j] };
            }
        }
        for j in 0..W {
            let gap = best[j].sqrt() - one.radii[lane] - all.radii[j];
            let gap = if gap > 0.0 { gap } else { 0.0 };
            to[j] = gap * gap;
        }
    }
}

type Vector = [f64; 3];

#[inline(always)]
fn add(p: Vector, q: Vector) -> Vector {
    [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
}

#[inline(always)]
fn sub(p: Vector, q: Vector) -> Vector {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

#[inline(always)]
fn dot(p: Vector, q: Vector) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

#[inline(always)]
fn cross(p: Vector, q: Vector) -> Vector {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

#[inline(always)]
fn scaled(p: Vector, s: f64) -> Vector {
    [p[0] * s, p[1] * s, p[2] * s]
}

#[inline(always)]
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline(always)]
fn clamp(x: f64) -> f64 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// Sides 0 and 1 start at the corner, 2 and 3 at the ends of these.
#[inline(always)]
fn side(corner: Vector, sides: [Vector; 2], k: usize) -> (Vector, Vector) {
    match k {
        0 => (corner, sides[0]),
        1 => (corner, sides[1]),
        2 => (add(corner, sides[0]), sides[1]),
        _ => (add(corner, sides[1]), sides[0]),
    }
}

#[inline(always)]
fn rectangle_of<const W: usize>(all: &Placed<W>, j: usize) -> (Vector, [Vector; 2]) {
    let at = |of: &[[f64; W]; 3]| [of[0][j], of[1][j], of[2][j]];
    (at(&all.corners), [at(&all.sides[0]), at(&all.sides[1])])
}

#[inline(always)]
fn side_of<const W: usize>(all: &Placed<W>, j: usize, k: usize) -> (Vector, Vector) {
    let (corner, sides) = rectangle_of(all, j);
    side(corner, sides, k)
}

/// The square of the distance of two segments (start and direction).
#[inline(always)]
fn segments(p: Vector, d: Vector, q: Vector, e: Vector) -> f64 {
    let r = sub(p, q);
    let (a, c, b) = (dot(d, d) + LEAST2, dot(d, r), dot(d, e));
    let (f, g) = (dot(e, r), dot(e, e) + LEAST2);
    let determinant = a * g - b * b;
    let s = if determinant > PARALLEL2 * a * g { clamp((b * f - c * g) / determinant) } else { 0.0 };
    let t = clamp((b * s + f) / g);
    let s = clamp((b * t - c) / a);
    let between = sub(add(r, scaled(d, s)), scaled(e, t));
    dot(between, between)
}

#[inline(always)]
fn point_rectangle(p: Vector, corner: Vector, sides: [Vector; 2]) -> f64 {
    let r = sub(p, corner);
    let x = clamp(dot(r, sides[0]) / (dot(sides[0], sides[0]) + LEAST2));
    let y = clamp(dot(r, sides[1]) / (dot(sides[1], sides[1]) + LEAST2));
    let between = sub(r, add(scaled(sides[0], x), scaled(sides[1], y)));
    dot(between, between)
}

/// Whether a segment passes through a rectangle.
#[inline(always)]
fn passes(p: Vector, d: Vector, corner: Vector, sides: [Vector; 2]) -> bool {
    let n = cross(sides[0], sides[1]);
    let r = sub(p, corner);
    let (h, rise) = (dot(r, n), dot(d, n));
    let at = add(r, scaled(d, -h / if rise == 0.0 { 1.0 } else { rise }));
    let (x, y) = (dot(at, sides[0]), dot(at, sides[1]));
    (h * (h + rise) < 0.0) & (x >= 0.0) & (x <= dot(sides[0], sides[0])) & (y >= 0.0) & (y <= dot(sides[1], sides[1]))
}

/// A rectangle in the plane of the two largest principal axes, and how far from it the triangles
/// reach.
fn fit(triangles: &[Corners]) -> (Vec3<f64>, [Vec3<f64>; 2], f64) {
    let axes = principal_axes(triangles);
    let points: Vec<Vec3<f64>> =
        triangles.iter().flatten().map(|p| Vec3::from([0, 1, 2].map(|k: usize| axes[k].dot(*p)))).collect();
    let ends = |k: usize| {
        let of = |start: f64, choose: fn(f64, f64) -> f64| points.iter().map(|p| p[k]).fold(start, choose);
        (of(f64::INFINITY, f64::min), of(f64::NEG_INFINITY, f64::max))
    };
    let (low, high) = ends(2);
    let (middle, thickness) = (0.5 * (low + high), 0.5 * (high - low));
    // The rectangle need not reach the points: the radius covers what is beyond its sides.
    let mut spans = [0, 1].map(|k: usize| {
        let reach = |p: &Vec3<f64>| (thickness * thickness - (p[2] - middle) * (p[2] - middle)).max(0.0).sqrt();
        let low = points.iter().map(|p| p[k] + reach(p)).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|p| p[k] - reach(p)).fold(f64::NEG_INFINITY, f64::max);
        if low <= high { (low, high) } else { (0.5 * (low + high), 0.5 * (low + high)) }
    });
    let clamped = |x: f64, (low, high): (f64, f64)| x.clamp(low, high);
    // Points beyond a corner are farther than the radius: the sides grow by what is missing there.
    for p in &points {
        let (dx, dy) = (p[0] - clamped(p[0], spans[0]), p[1] - clamped(p[1], spans[1]));
        let room = (thickness * thickness - (p[2] - middle) * (p[2] - middle)).max(0.0).sqrt();
        let (far, share) = (dx.hypot(dy), room / dx.hypot(dy));
        if far > room {
            let (x, y) = (p[0] - dx * share, p[1] - dy * share);
            spans[0] = (spans[0].0.min(x), spans[0].1.max(x));
            spans[1] = (spans[1].0.min(y), spans[1].1.max(y));
        }
    }
    let far = |p: &Vec3<f64>| {
        let offset = [p[0] - clamped(p[0], spans[0]), p[1] - clamped(p[1], spans[1]), p[2] - middle];
        Vec3::from(offset).length()
    };
    let radius = points.iter().map(far).fold(0.0, f64::max);
    let corner = axes[0] * spans[0].0 + axes[1] * spans[1].0 + axes[2] * middle;
    let sides = [0, 1].map(|k: usize| axes[k] * (spans[k].1 - spans[k].0));
    let slack = SINGLE * (2.0 * corner.length() + 2.0 * (sides[0].length() + sides[1].length()) + radius);
    (corner, sides, radius + slack)
}
