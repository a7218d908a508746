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
use super::sides::{ConvexPair, Difference};
use super::{Proven, apart};
use clearsweep_geometry::Vec3;

/// Triangles, at most.
const MOST_FACETS: usize = 3072;

/// Points that are added for the fine width, at most.
const FINE_POINTS: usize = 96;

/// Widths of the bracket at which the search ends, in sizes of the pair: of the first
/// [`FINE_POINTS`], and after them.
const WIDTHS: [f64; 2] = [1e-12, 9e-7];

/// A triangle of the surface, its corners counter-clockwise seen from outside.
#[derive(Debug, Clone, Copy)]
struct Facet {
    corners: [u32; 3],
    normal: Vec3<f64>,
    /// It is at least this far from the origin, metres.
    distance: f64,
    /// Whether it is a part of the surface.
    is_open: bool,
    /// Whether no point lies before it that the surface could grow by.
    is_final: bool,
}

/// The surface.
struct Surface {
    points: Vec<Difference>,
    facets: Vec<Facet>,
}

impl Surface {
    /// A tetrahedron of supports along fourteen directions of a frame, as large as they allow;
    /// `None` if the difference is flat. It need not hold the origin: a triangle that has it before
    /// it is the nearest, and the surface grows there first.
    fn start(pair: &ConvexPair<'_>, axis: Vec3<f64>) -> Option<Self> {
        let across = any_across(axis);
        let frame = [axis, across, axis.cross(across)];
        let sign = |bit: usize| if bit & 1 == 1 { -1.0 } else { 1.0 };
        let sides = (0..6).map(|i| frame[i >> 1].scale(sign(i)));
        let corners =
            (0..8).map(|i| frame[0].scale(sign(i)) + frame[1].scale(sign(i >> 1)) + frame[2].scale(sign(i >> 2)));
        let points: Vec<Difference> = sides.chain(corners).map(|d| pair.support(d)).collect();
        let [a, b] = [0, farthest(&points, |p| (p - points[0].point).length2())?];
        let along = points[b].point - points[a].point;
        let c = farthest(&points, |p| along.cross(p - points[a].point).length2())?;
        let normal = along.cross(points[c].point - points[a].point);
        let d = farthest(&points, |p| normal.dot(p - points[a].point).abs())?;
        let is_outward = normal.dot(points[d].point - points[a].point) < 0.0;
        let order = if is_outward { [a, b, c, d] } else { [b, a, c, d] };
        let mut surface = Self { points: order.map(|i| points[i]).to_vec(), facets: Vec::with_capacity(64) };
        for corners in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
            surface.add(corners)?;
        }
        Some(surface)
    }

    /// Adds a triangle; `None` if it has no area.
    fn add(&mut self, corners: [u32; 3]) -> Option<()> {
        let [a, b, c] = corners.map(|i| self.points[i as usize].point);
        let normal = (b - a).cross(c - a).normalized();
        let distance = [a, b, c].into_iter().map(|corner| normal.dot(corner)).fold(f64::INFINITY, f64::min);
        if !normal.is_finite() {
            return None;
        }
        self.facets.push(Facet { corners, normal, distance, is_open: true, is_final: false });
        Some(())
    }

    /// The triangle nearest to the origin of those from which the surface may grow.
    fn nearest(&self) -> Option<usize> {
        let open = self.facets.iter().enumerate().filter(|(_, facet)| facet.is_open && !facet.is_final);
        open.min_by(|(_, one), (_, other)| one.distance.total_cmp(&other.distance)).map(|(i, _)| i)
    }

    /// The corners of the triangle nearest to a point, and the weights of the point of it: of
    /// triangles in one plane the one that holds it.
    fn carriers(&self, foot: Vec3<f64>) -> ([Difference; 3], [f64; 4]) {
        let mut best = (f64::INFINITY, [self.points[0]; 3], [1.0, 0.0, 0.0, 0.0]);
        for facet in self.facets.iter().filter(|facet| facet.is_open) {
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
    /// is as it was, if one of the new ones has no area.
    fn expand(&mut self, from: usize, point: Difference, slack: f64, visible: &mut Vec<usize>) -> Option<()> {
        visible.clear();
        visible.push(from);
        let sees = |facet: &Facet, points: &[Difference]| {
            facet.normal.dot(point.point - points[facet.corners[0] as usize].point) > -slack
        };
        // All that see it: with few triangles a scan costs less than links between neighbours. The
        // connected ones are found among them.
        let candidates: Vec<usize> = (0..self.facets.len())
            .filter(|&i| i != from && self.facets[i].is_open && sees(&self.facets[i], &self.points))
            .collect();
        let mut left = candidates;
        loop {
            let touches = |&i: &usize| visible.iter().any(|&j| share_an_edge(&self.facets[i], &self.facets[j]));
            let Some(at) = left.iter().position(touches) else { break };
            visible.push(left.swap_remove(at));
        }
        let apex = self.points.len() as u32;
        self.points.push(point);
        let before = self.facets.len();
        for &i in visible.iter() {
            let [a, b, c] = self.facets[i].corners;
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let is_inner = visible.iter().any(|&j| j != i && has_edge(&self.facets[j], [to, from]));
                if !is_inner && self.add([from, to, apex]).is_none() {
                    self.facets.truncate(before);
                    self.points.pop();
                    return None;
                }
            }
        }
        for &i in visible.iter() {
            self.facets[i].is_open = false;
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

/// Whether a triangle has an edge, in its own direction.
fn has_edge(facet: &Facet, [from, to]: [u32; 2]) -> bool {
    let [a, b, c] = facet.corners;
    [[a, b], [b, c], [c, a]].contains(&[from, to])
}

/// Whether two triangles have an edge in common.
fn share_an_edge(one: &Facet, other: &Facet) -> bool {
    let [a, b, c] = one.corners;
    [[b, a], [c, b], [a, c]].into_iter().any(|edge| has_edge(other, edge))
}

/// The depth of two convex bodies in whose difference the origin was found; `found`: how.
pub(super) fn depth(pair: &ConvexPair<'_>, found: &Nearest) -> Proven {
    let axis = Some(pair.pose.t.normalized()).filter(|d| d.is_finite()).unwrap_or(Vec3::new(0.0, 0.0, 1.0));
    let oblique = (axis + any_across(axis).scale(0.7)).normalized();
    let mut best: Option<Proven> = None;
    // Flat sides leave slivers behind, from which a surface does not grow: another one begins
    // elsewhere.
    for axis in [axis, oblique] {
        let Some(mut surface) = Surface::start(pair, axis) else { continue };
        let next = expanded(pair, &mut surface);
        let joined = match best {
            None => next,
            Some(before) if before.lower >= next.lower => Proven { upper: before.upper.min(next.upper), ..before },
            Some(before) => Proven { upper: before.upper.min(next.upper), ..next },
        };
        if joined.upper - joined.lower <= 2.0 * WIDTHS[1] * pair.size {
            return joined;
        }
        best = Some(joined);
    }
    best.unwrap_or_else(|| shallow(pair, found))
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
    let mut visible = Vec::new();
    while let Some(at) = surface.nearest() {
        let facet = surface.facets[at];
        least = facet.distance.min(floor);
        let point = pair.support(facet.normal);
        let height = point.point.dot(facet.normal);
        if height < best {
            (best, normal) = (height, facet.normal);
        }
        let width = if surface.points.len() <= FINE_POINTS { WIDTHS[0] } else { WIDTHS[1] };
        if best - facet.distance <= width * pair.size || surface.facets.len() >= MOST_FACETS {
            break;
        }
        let is_corner = |&i: &u32| (surface.points[i as usize].point - point.point).length() <= pair.bound;
        if facet.corners.iter().any(is_corner) || surface.expand(at, point, 4.0 * pair.bound, &mut visible).is_none() {
            surface.facets[at].is_final = true;
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
