//! The depth of two convex bodies that overlap: an expanding polytope of points of their difference
//! around the origin.
//!
//! A closed surface of triangles that all have the origin behind them winds around it: the solid
//! angles of all triangles have one sign, and sum to a multiple of the full one. If they are at
//! least `d` away, the ball of that radius lies within. The corners are points of the difference,
//! which is convex, so the ball lies in it, and no translation shorter than `d` separates the
//! bodies. The distance of a triangle is at least the least `n . v` of its corners, whatever the
//! unit vector `n`. From the other side, every direction `n` bounds the depth by `h(n)`, its
//! support.

use super::nearest::{Nearest, weights};
use super::parallel::any_across;
use super::sides::{ConvexPair, Difference, Side};
use super::{Proven, apart};
use crate::branch_and_bound::{BestFirst, Part};
use clearsweep_geometry::Vec3;
use smallvec::SmallVec;
use std::cell::Cell;
use std::cmp::Ordering;

/// Triangles of a surface, at most, those that were replaced included; and of one around the hull
/// of a sector, whose depth is one end of a wide bracket anyway.
const MOST_FACETS: [usize; 2] = [1 << 16, 1 << 12];

/// Points that are added for the fine width, at most.
const FINE_POINTS: usize = 96;

/// Widths of the bracket at which the search ends, in sizes of the pair: of the first
/// [`FINE_POINTS`], and after them.
const WIDTHS: [f64; 2] = [1e-12, 9e-7];

/// A triangle of the surface, its corners counter-clockwise seen from outside.
#[derive(Debug, Clone, Copy)]
struct Facet {
    corners: [u32; 3],
    /// The triangles across the sides: from each corner to the next.
    across: [u32; 3],
    normal: Vec3<f64>,
    /// It is at least this far from the origin, metres.
    distance: f64,
    /// Whether it is a part of the surface.
    is_open: bool,
}

impl Facet {
    /// From each corner to the next.
    fn sides(&self) -> [[u32; 2]; 3] {
        let [a, b, c] = self.corners;
        [[a, b], [b, c], [c, a]]
    }
}

/// A triangle from which the surface may grow.
#[derive(Debug, Clone, Copy)]
struct OpenFacet {
    facet: u32,
    distance: f64,
}

impl Part for OpenFacet {
    /// Nearer ones come first, and of equally near ones the older.
    fn order(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.facet.cmp(&self.facet))
    }
}

thread_local! {
    /// Idle working memory.
    static IDLE: Cell<Surface> = Cell::default();
}

/// The surface.
#[derive(Default)]
struct Surface {
    points: Vec<Difference>,
    facets: Vec<Facet>,
    open: BestFirst<OpenFacet>,
    /// Sides of the triangles that a point sees, and the triangles behind them.
    horizon: Vec<([u32; 2], u32)>,
    visible: Vec<u32>,
}

impl Surface {
    /// Restarts from a tetrahedron of supports along fourteen directions of a frame, as large as
    /// they allow; `None` if the difference is flat. It need not hold the origin: a triangle that
    /// has it before it is the nearest, and the surface grows there first.
    fn start(&mut self, pair: &ConvexPair<'_>, axis: Vec3<f64>) -> Option<()> {
        let across = any_across(axis);
        let frame = [axis, across, axis.cross(across)];
        let sign = |bit: usize| if bit & 1 == 1 { -1.0 } else { 1.0 };
        let sides = (0..6).map(|i| frame[i >> 1].scale(sign(i)));
        let corners =
            (0..8).map(|i| frame[0].scale(sign(i)) + frame[1].scale(sign(i >> 1)) + frame[2].scale(sign(i >> 2)));
        self.points.clear();
        self.facets.clear();
        self.open.clear();
        let points: SmallVec<[Difference; 14]> = sides.chain(corners).map(|d| pair.support(d)).collect();
        let [a, b] = [0, farthest(&points, |p| (p - points[0].point).length2())?];
        let along = points[b].point - points[a].point;
        let c = farthest(&points, |p| along.cross(p - points[a].point).length2())?;
        let normal = along.cross(points[c].point - points[a].point);
        let d = farthest(&points, |p| normal.dot(p - points[a].point).abs())?;
        let is_outward = normal.dot(points[d].point - points[a].point) < 0.0;
        let order = if is_outward { [a, b, c, d] } else { [b, a, c, d] };
        self.points.extend(order.map(|i| points[i]));
        for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
            self.facets.push(self.facet(corners)?);
        }
        for (facet, across) in [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]].into_iter().enumerate() {
            self.facets[facet].across = across;
            self.offer(facet);
        }
        Some(())
    }

    /// A triangle, whose neighbours are not known yet; `None` if it has no area.
    fn facet(&self, corners: [u32; 3]) -> Option<Facet> {
        let [a, b, c] = corners.map(|i| self.points[i as usize].point);
        let normal = (b - a).cross(c - a).normalized();
        let distance = [a, b, c].into_iter().map(|corner| normal.dot(corner)).fold(f64::INFINITY, f64::min);
        normal.is_finite().then_some(Facet { corners, across: [0; 3], normal, distance, is_open: true })
    }

    /// The surface may grow from a triangle.
    fn offer(&mut self, facet: usize) {
        self.open.push(OpenFacet { facet: facet as u32, distance: self.facets[facet].distance });
    }

    /// Takes the triangle nearest to the origin of those from which the surface may grow.
    fn nearest(&mut self) -> Option<usize> {
        loop {
            let facet = self.open.next_unless(|_| false)?.facet as usize;
            if self.facets[facet].is_open {
                return Some(facet);
            }
        }
    }

    /// The corners of the triangle nearest to a point, and the weights of the point of it: of
    /// triangles in one plane the one that holds it.
    fn carriers(&self, foot: Vec3<f64>) -> ([Difference; 3], [f64; 4]) {
        let mut best = (f64::INFINITY, [self.points[0]; 3], [1.0, 0.0, 0.0, 0.0]);
        for facet in self.facets.iter().filter(|facet| facet.is_open) {
            // A triangle is no nearer than its plane.
            if (facet.normal.dot(foot) - facet.distance).abs() > best.0 {
                continue;
            }
            let corners = facet.corners.map(|i| self.points[i as usize]);
            let shares = weights(corners.iter().map(|corner| corner.point - foot));
            let mean =
                corners.iter().zip(shares).fold(Vec3::ZERO, |sum, (corner, share)| sum + corner.point.scale(share));
            let off = (mean - foot).length();
            if off < best.0 {
                best = (off, corners, shares);
            }
        }
        (best.1, best.2)
    }

    /// Replaces the triangles that a point sees, or in whose planes it lies but for `slack`
    /// (metres), those connected with `from`, by the cone over their edge. `None`, and the surface
    /// is as it was, if one of the new ones has no area, or the edge is not one loop.
    fn expand(&mut self, from: usize, point: Difference, slack: f64) -> Option<()> {
        self.see(from, point.point, slack);
        let (apex, first) = (self.points.len() as u32, self.facets.len());
        self.points.push(point);
        let is_grown = self.add_cone(apex).is_some();
        for &seen in &self.visible {
            self.facets[seen as usize].is_open = !is_grown;
        }
        if !is_grown {
            self.points.pop();
            self.facets.truncate(first);
            return None;
        }
        for facet in first..self.facets.len() {
            let new = self.facets[facet];
            let behind = &mut self.facets[new.across[0] as usize];
            let [from, to] = [new.corners[0], new.corners[1]];
            let side = behind.sides().iter().position(|side| *side == [to, from]).unwrap_or(0);
            behind.across[side] = facet as u32;
            self.offer(facet);
        }
        Some(())
    }

    /// Finds the triangles that a point sees, and the sides around them. They are closed meanwhile.
    fn see(&mut self, from: usize, point: Vec3<f64>, slack: f64) {
        let Self { points, facets, horizon, visible, .. } = self;
        visible.clear();
        horizon.clear();
        visible.push(from as u32);
        facets[from].is_open = false;
        let mut next = 0;
        while let Some(&seen) = visible.get(next) {
            next += 1;
            let facet = facets[seen as usize];
            for behind in facet.across {
                let other = &mut facets[behind as usize];
                if other.is_open && other.normal.dot(point - points[other.corners[0] as usize].point) > -slack {
                    other.is_open = false;
                    visible.push(behind);
                }
            }
        }
        for &seen in visible.iter() {
            let facet = facets[seen as usize];
            let outer = facet.sides().into_iter().zip(facet.across);
            horizon.extend(outer.filter(|&(_, behind)| facets[behind as usize].is_open));
        }
    }

    /// Adds the triangles from an apex over the horizon, linked with each other and with those
    /// behind; `None` after the first that cannot be.
    fn add_cone(&mut self, apex: u32) -> Option<()> {
        let first = self.facets.len() as u32;
        for at in 0..self.horizon.len() {
            let ([from, to], behind) = self.horizon[at];
            // Each corner of one loop begins one side, and ends one.
            let mut after = self.horizon.iter().enumerate().filter(|(_, ([from, _], _))| *from == to);
            let mut before = self.horizon.iter().enumerate().filter(|(_, ([_, to], _))| *to == from);
            let [Some((after, _)), None, Some((before, _)), None] =
                [after.next(), after.next(), before.next(), before.next()]
            else {
                return None;
            };
            let across = [behind, first + after as u32, first + before as u32];
            self.facets.push(Facet { across, ..self.facet([from, to, apex])? });
        }
        Some(())
    }
}

/// The point with the largest measure; `None` if none is above 0.
fn farthest(points: &[Difference], measure: impl Fn(Vec3<f64>) -> f64) -> Option<usize> {
    let mut best = (0.0, None);
    for (i, point) in points.iter().enumerate() {
        let next = measure(point.point);
        if next > best.0 {
            best = (next, Some(i));
        }
    }
    best.1
}

/// The depth of two convex bodies in whose difference the origin was found; `found`: how.
pub(super) fn depth(pair: &ConvexPair<'_>, found: &Nearest) -> Proven {
    let axis = Some(pair.pose.t.normalized()).filter(|d| d.is_finite()).unwrap_or(Vec3::new(0.0, 0.0, 1.0));
    let oblique = (axis + any_across(axis).scale(0.7)).normalized();
    let mut surface = IDLE.take();
    let proven = depth_from(pair, [axis, oblique], &mut surface);
    IDLE.set(surface);
    proven.unwrap_or_else(|| shallow(pair, found))
}

/// The depth by a surface that begins along an axis; `None` if the difference is flat.
fn depth_from(pair: &ConvexPair<'_>, axes: [Vec3<f64>; 2], surface: &mut Surface) -> Option<Proven> {
    let mut best: Option<Proven> = None;
    // Flat sides leave slivers behind, from which a surface does not grow: another one begins
    // elsewhere.
    for axis in axes {
        if surface.start(pair, axis).is_none() {
            continue;
        }
        let next = expanded(pair, surface);
        let joined = match best {
            None => next,
            Some(before) if before.lower >= next.lower => Proven { upper: before.upper.min(next.upper), ..before },
            Some(before) => Proven { upper: before.upper.min(next.upper), ..next },
        };
        if joined.upper - joined.lower <= 2.0 * WIDTHS[1] * pair.size {
            return Some(joined);
        }
        best = Some(joined);
    }
    best
}

/// Bodies that hardly overlap, or are flat: nothing is proven but that they meet.
fn shallow(pair: &ConvexPair<'_>, found: &Nearest) -> Proven {
    let proven = apart(pair, found);
    // The nearest point of a simplex around the origin is the origin.
    let (mut best, mut normal) = (proven.lower, proven.normal);
    let unit = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    let planes = found.simplex().iter().map(|point| point.point.normalized()).filter(|d| d.is_finite());
    for direction in unit.into_iter().chain(planes.collect::<Vec<_>>()) {
        for d in [direction, -direction] {
            let gap = -pair.support(d).point.dot(d) - pair.bound;
            if gap > best {
                (best, normal) = (gap, d);
            }
        }
    }
    Proven { lower: best, normal, distance: best.min(0.0), ..proven }
}

/// Expands a surface until the depth is known.
fn expanded(pair: &ConvexPair<'_>, surface: &mut Surface) -> Proven {
    let (mut best, mut normal) = (f64::INFINITY, Vec3::ZERO);
    // The least distance of the triangles that are left as they are, and of all.
    let (mut floor, mut least) = (f64::INFINITY, f64::INFINITY);
    let is_hull = pair.sides.iter().any(|side| matches!(side, Side::Sector(_)));
    let most = MOST_FACETS[usize::from(is_hull)];
    while let Some(at) = surface.nearest() {
        let facet = surface.facets[at];
        least = facet.distance.min(floor);
        let point = pair.support(facet.normal);
        let height = point.point.dot(facet.normal);
        if height < best {
            (best, normal) = (height, facet.normal);
        }
        let width = if surface.points.len() <= FINE_POINTS { WIDTHS[0] } else { WIDTHS[1] };
        if best - facet.distance <= width * pair.size || surface.facets.len() >= most {
            break;
        }
        let is_corner = |&i: &u32| (surface.points[i as usize].point - point.point).length() <= pair.bound;
        if facet.corners.iter().any(is_corner) || surface.expand(at, point, 4.0 * pair.bound).is_none() {
            floor = floor.min(facet.distance);
        }
    }
    if least + WIDTHS[1] * pair.size < best {
        for facet in surface.facets.iter().filter(|facet| facet.is_open) {
            let height = pair.support(facet.normal).point.dot(facet.normal);
            if height < best {
                (best, normal) = (height, facet.normal);
            }
        }
    }
    let (corners, shares) = surface.carriers(normal.scale(best));
    let sum = |sum: Vec3<f64>, (corner, share): (&Difference, f64)| sum + corner.sides[0].point.scale(share);
    let proven = Proven {
        normal,
        distance: -best,
        point_a: corners.iter().zip(shares).fold(Vec3::ZERO, sum),
        lower: -best - pair.bound,
        upper: -least + pair.bound,
        vertices: [0; 4],
        count: 0,
    };
    let carries = |(corner, share): (&Difference, f64)| (share > 1e-9).then_some(*corner);
    let carriers: Vec<Difference> = corners.iter().zip(shares).filter_map(carries).collect();
    proven.carried_by(&carriers, pair.polyhedron())
}
