//! Witness points of nonconvex bodies that overlap: `a` on A's surface and not outside of B, `b` on
//! B's surface and not outside of A.
//!
//! A ray from a point of the overlap leaves it through the surface of one of the bodies, which is a
//! witness of that body. If no ray finds a witness, it is where the surface of one core passes
//! through the surface of the other body. If one body lies wholly inside of the other, the
//! container has no such point: its witness is a point of its surface beside the other's.

use super::depth::MeshMemory;
use super::pair_distance::NearestTriangles;
use super::place::MeshPlace;
use super::points::{PointMemory, PointQueries};
use super::search::{self, SurfaceDistance};
use super::tree_order;
use super::triangle_pair;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, TriangleMesh};

/// Distance outside of a body up to which a point counts as on it, in sizes of the pair.
const ON_SURFACE: f64 = 1e-11;

/// The first stride along a ray, in sizes of the pair, and by what each next one is longer.
const STRIDE: f64 = 1.0 / 512.0;
const LONGER: f64 = 1.25;

/// Strides along a ray, at most: more than reach from one end of the pair to the other.
const STRIDES: usize = 48;

/// The least stride along an edge, in sizes of the pair.
const SPECK: f64 = 1.0 / (1 << 20) as f64;

/// Halvings of a stride, at most: after these it is shorter than what counts as on the surface.
const HALVINGS: usize = 60;

/// Most vertices whose distance from the other surface is computed, and starts of rays.
const VERTICES: usize = 256;
const THIN_PLACES: usize = 24;

/// Turns of such a ray towards the point that looks out farthest, at most.
const TURNS: u32 = 24;

/// Points asked of an edge of a body of few triangles.
const EDGE_POINTS: usize = 7;

/// Hints to a point of the overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct OverlapHints {
    /// Unit, A's frame: along it B leaves A.
    pub normal: Vec3<f64>,
    /// Triangles of the cores that cross or touch.
    pub crossing: Option<[u32; 2]>,
    /// A vertex of A's core inside of B's, and one of B's inside of A's, in A's frame.
    pub inside: [Option<Vec3<f64>>; 2],
    /// The nearest points of cores that are apart, in A's frame, with their triangles.
    pub nearest: Option<([Vec3<f64>; 2], [u32; 2])>,
    /// A point that is likely in both bodies, in A's frame.
    pub middle: Vec3<f64>,
    /// The surfaces of the cores are proven to be apart.
    pub are_apart: bool,
}

/// The nearest points of two surfaces, in A's frame, and their triangles.
pub(super) fn nearest_points(nearest: &NearestTriangles) -> ([Vec3<f64>; 2], [u32; 2]) {
    ([nearest.closest.point_a, nearest.closest.point_b], nearest.triangles)
}

/// A witness point of each body, in A's frame, metres. `radii`: by how much each grows, metres.
pub(super) fn witnesses(
    place: &MeshPlace<'_>,
    radii: [f64; 2],
    hints: &OverlapHints,
    [a, b]: &mut [PointMemory; 2],
) -> [Vec3<f64>; 2] {
    let queries = [PointQueries::new(place.a, a), PointQueries::new(place.b, b)];
    let mut search = WitnessSearch { place, radii, queries, witnesses: [None; 2] };
    search.run(hints)
}

/// Finds witness points like [`witnesses`], for bodies of pieces. `normal`: unit, A's frame; along
/// it B leaves A. `likely`: points of that frame that likely are in both.
pub(super) fn of_pieces(
    place: &MeshPlace<'_>,
    radii: [f64; 2],
    normal: Vec3<f64>,
    likely: &[Vec3<f64>],
    memory: &mut MeshMemory,
) -> [Vec3<f64>; 2] {
    let MeshMemory { search: memory, points: [a, b], .. } = memory;
    let queries = [PointQueries::new(place.a, a), PointQueries::new(place.b, b)];
    let mut search = WitnessSearch { place, radii, queries, witnesses: [None; 2] };
    let middle = likely.iter().copied().find(|&p| search.is_in_both(p));
    let mut hints =
        OverlapHints { normal, crossing: None, inside: [None; 2], nearest: None, middle: Vec3::ZERO, are_apart: false };
    if let Some(middle) = middle {
        return search.run(&OverlapHints { middle, ..hints });
    }
    hints.crossing = tree_order::crossings(place, 1, memory).first().copied();
    if hints.crossing.is_none()
        && let SurfaceDistance::Apart(nearest) = search::nearest(place, place.growth, None, memory)
    {
        hints.nearest = Some(nearest_points(&nearest));
    }
    search.run(&hints)
}

/// A search for witness points.
struct WitnessSearch<'a, 'm> {
    place: &'a MeshPlace<'a>,
    radii: [f64; 2],
    /// Queries of A and of B, each in its own frame.
    queries: [PointQueries<'m>; 2],
    witnesses: [Option<Vec3<f64>>; 2],
}

impl WitnessSearch<'_, '_> {
    fn run(&mut self, hints: &OverlapHints) -> [Vec3<f64>; 2] {
        let (start, triangles) = self.begin(hints);
        if !(hints.are_apart && self.radii == [0.0; 2]) {
            self.search(start, triangles, hints);
        }
        let inner = self.witnesses.into_iter().flatten().next().unwrap_or(start);
        [0, 1].map(|k: usize| self.witnesses[k].unwrap_or_else(|| self.of_container(k, inner, hints.normal)))
    }

    /// Looks along rays, and where the surfaces pass through each other.
    fn search(&mut self, start: Vec3<f64>, triangles: Option<[u32; 2]>, hints: &OverlapHints) {
        let n = hints.normal;
        self.leave_along(start, &[n, -n]);
        for k in 0..2 {
            if self.witnesses[1 - k].is_none() {
                self.witnesses[1 - k] = self.passes_through(k, start, triangles.map(|of| of[k]));
            }
        }
        if self.is_open() {
            let starts = self.witnesses.into_iter().flatten().chain([start, hints.middle]).collect::<Vec<_>>();
            for from in starts {
                if self.is_open() && self.is_in_both(from) {
                    let directions: Vec<_> = self.likely_directions(from).into_iter().chain(directions()).collect();
                    self.leave_along(from, &directions);
                }
            }
        }
        for k in 0..2 {
            if self.witnesses[k].is_none() {
                self.leave_near_surface(k);
            }
        }
    }

    fn is_open(&self) -> bool {
        self.witnesses.iter().any(Option::is_none)
    }

    /// A point of both bodies, and its triangles; takes the witnesses known from the start.
    fn begin(&mut self, hints: &OverlapHints) -> (Vec3<f64>, Option<[u32; 2]>) {
        let (place, radii) = (self.place, self.radii);
        if let Some([a, b]) = hints.crossing {
            let closest = triangle_pair::closest_points(&place.a.corners(a), &place.corners_b(b));
            // A triangle of several parts may lie inside of another part.
            for (k, point) in [closest.point_a, closest.point_b].into_iter().enumerate() {
                let is_plain = radii[k] == 0.0 && self.mesh(k).component_vertices().len() == 1;
                self.witnesses[k] = is_plain.then_some(point);
            }
            return (closest.point_a, hints.crossing);
        }
        if hints.inside.iter().any(Option::is_some) {
            for k in 0..2 {
                self.witnesses[k] = hints.inside[k].filter(|_| radii[k] == 0.0);
                if self.witnesses[k].is_none() && hints.are_apart && radii == [0.0; 2] {
                    self.witnesses[k] = self.part_within(k);
                }
            }
            return (hints.inside.into_iter().flatten().next().unwrap_or(hints.middle), None);
        }
        let Some(([a, b], triangles)) = hints.nearest else { return (hints.middle, None) };
        let distance = (b - a).length();
        let n = if distance > 0.0 { (b - a).scale(1.0 / distance) } else { hints.normal };
        // On the line between nearest points no other point of a core is nearer.
        if distance >= radii[0] {
            self.witnesses[0] = Some(a + n.scale(radii[0]));
        }
        if distance >= radii[1] {
            self.witnesses[1] = Some(b - n.scale(radii[1]));
        }
        // As far inside of both.
        let share = if self.place.growth > 0.0 { radii[0] / (radii[0] + radii[1]) } else { 0.5 };
        (a + n.scale(distance * share), Some(triangles))
    }

    /// A vertex of a part of core `k` that lies inside of the other one, whose surface is apart:
    /// each part is inside as a whole, or not.
    fn part_within(&mut self, k: usize) -> Option<Vec3<f64>> {
        let (place, tolerance) = (self.place, self.tolerance());
        let mesh: &TriangleMesh = [place.a, place.b][k];
        let vertices = mesh.component_vertices().iter().map(|&v| mesh.vertices()[v as usize]);
        let mut vertices = vertices.map(|p| if k == 0 { p } else { place.pose.point(p) });
        vertices.find(|&p| self.height(1 - k, p) <= tolerance)
    }

    fn mesh(&self, k: usize) -> &TriangleMesh {
        [self.place.a, self.place.b][k]
    }

    /// Returns the height up to which a point counts as on a body, metres.
    fn tolerance(&self) -> f64 {
        ON_SURFACE * (self.place.size + self.place.growth)
    }

    /// Returns the height of a point (A's frame) above a body, metres; negative inside.
    fn height(&mut self, k: usize, p: Vec3<f64>) -> f64 {
        let tolerance = self.tolerance();
        let (p, radius) = (if k == 0 { p } else { self.place.in_b(p) }, self.radii[k]);
        let of = &mut self.queries[k];
        let Some(near) = of.nearest_beyond(p, f64::NEG_INFINITY) else { return f64::INFINITY };
        let is_clear = near.distance > tolerance && near.distance > radius - tolerance;
        if of.mesh.is_solid() && is_clear && of.winding(p, 0.5 * near.lower).is_some_and(|winding| winding > 0) {
            return -near.distance - radius;
        }
        near.distance - radius
    }

    fn heights(&mut self, p: Vec3<f64>) -> [f64; 2] {
        [self.height(0, p), self.height(1, p)]
    }

    fn is_in_both(&mut self, p: Vec3<f64>) -> bool {
        let tolerance = self.tolerance();
        self.heights(p).iter().all(|&height| height <= tolerance)
    }

    /// Takes the points where rays from a point of both bodies leave one of them first.
    fn leave_along(&mut self, from: Vec3<f64>, directions: &[Vec3<f64>]) {
        for &n in directions {
            if !self.is_open() {
                return;
            }
            let Some([last, beyond]) = self.end_of_ray(from, n, [true; 2]) else { continue };
            let (tolerance, heights) = (self.tolerance(), self.heights(beyond));
            for k in 0..2 {
                if self.witnesses[k].is_none() && heights[k] > tolerance {
                    self.witnesses[k] = Some(last);
                }
            }
        }
    }

    /// The last point of a ray before it leaves one of the bodies that are asked for, and one
    /// beyond: found by strides that the bodies hold.
    fn end_of_ray(&mut self, from: Vec3<f64>, n: Vec3<f64>, of: [bool; 2]) -> Option<[Vec3<f64>; 2]> {
        let size = self.place.size + self.place.growth;
        let (mut stride, mut reached) = (STRIDE * size, 0.0);
        let mut height = self.highest(from, of);
        if !n.is_finite() || height > self.tolerance() {
            return None;
        }
        for _ in 0..STRIDES {
            let next = reached + stride.max(-height);
            let beyond = self.highest(from + n.scale(next), of);
            if beyond > self.tolerance() {
                return self.passage([from + n.scale(reached), from + n.scale(next)], [height, beyond], of);
            }
            (reached, height, stride) = (next, beyond, stride * LONGER);
        }
        None
    }

    /// The greater height of the bodies that are asked for.
    fn highest(&mut self, p: Vec3<f64>, of: [bool; 2]) -> f64 {
        (0..2).filter(|&k| of[k]).map(|k| self.height(k, p)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The last point of a segment from inside to outside that is still inside, and one beyond: by
    /// secants, and by halving. `heights`: of its ends.
    fn passage(&mut self, [from, to]: [Vec3<f64>; 2], heights: [f64; 2], of: [bool; 2]) -> Option<[Vec3<f64>; 2]> {
        let (tolerance, length) = (self.tolerance(), (to - from).length());
        let at = |share: f64| from + (to - from).scale(share);
        let (mut ends, mut heights) = ([0.0, 1.0], heights);
        for _ in 0..HALVINGS {
            if (ends[1] - ends[0]) * length <= tolerance {
                return Some(ends.map(at));
            }
            let [width, rise] = [ends[1] - ends[0], heights[1] - heights[0]];
            let secant = ends[0] + width * ((tolerance - heights[0]) / rise).clamp(0.0, 1.0);
            let beside = 0.4 * tolerance / length;
            for share in [secant - beside, secant + beside, f64::NAN] {
                let share = if share.is_nan() { 0.5 * (ends[0] + ends[1]) } else { share };
                if ends[0] < share && share < ends[1] {
                    let height = self.highest(at(share), of);
                    let end = usize::from(height > tolerance);
                    (ends[end], heights[end]) = (share, height);
                }
                if (ends[1] - ends[0]) * length <= tolerance {
                    return Some(ends.map(at));
                }
            }
        }
        None
    }

    /// A point of the surface of core `k` where it passes through the surface of the other body.
    /// `start`: a point near both, with a triangle of the core.
    fn passes_through(&mut self, k: usize, start: Vec3<f64>, triangle: Option<u32>) -> Option<Vec3<f64>> {
        if let Some(t) = triangle {
            let corners = self.corners(k, t);
            let within = if k == 0 { start } else { self.place.in_b(start) };
            let own = self.mesh(k).corners(t);
            let foot = within - clearsweep_geometry::triangle_tree::offset(within, &own);
            let foot = if k == 0 { foot } else { self.place.pose.point(foot) };
            for corner in corners {
                if let Some(passage) = self.passage_on_edge(1 - k, [foot, corner]) {
                    return Some(passage);
                }
            }
        }
        let mut open = vec![self.mesh(k).root()];
        while let Some(node) = open.pop() {
            match node.get() {
                Child::Inner(index) => {
                    for lane in 0..usize::from(self.mesh(k).node(index).count) {
                        let node = self.mesh(k).node(index);
                        let ((middle, radius), child) = (node.ball(lane), node.children[lane]);
                        let middle = if k == 0 { middle } else { self.place.pose.point(middle) };
                        if self.height(1 - k, middle).abs() <= radius + self.tolerance() {
                            open.push(child);
                        }
                    }
                }
                Child::Leaf(index) => {
                    for t in self.mesh(k).leaf(index) {
                        let [p, q, r] = self.corners(k, t);
                        for edge in [[p, q], [q, r], [r, p]] {
                            if let Some(passage) = self.passage_on_edge(1 - k, edge) {
                                return Some(passage);
                            }
                        }
                    }
                }
            }
        }
        None
    }

    /// Takes the points where rays from vertices of the other core leave inflated body `k` near its
    /// surface: the other one may look out there by its growth alone.
    fn leave_near_surface(&mut self, k: usize) {
        if self.radii[1 - k] == 0.0 {
            return;
        }
        let place = self.place;
        let mesh: &TriangleMesh = [place.a, place.b][1 - k];
        let mut places: Vec<(f64, Vec3<f64>, Vec3<f64>)> = Vec::new();
        let corners = mesh.vertices().iter().step_by(mesh.vertices().len().div_ceil(VERTICES)).copied();
        // At a notch, the middle of an edge may look out farther than its ends.
        let few = (0..mesh.triangles().len() as u32).take(VERTICES / EDGE_POINTS / 3);
        let sides = few.map(|t| mesh.corners(t)).flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
        let share = |step: usize| step as f64 / (EDGE_POINTS + 1) as f64;
        let on_edges = sides.flat_map(|[from, to]| (1..=EDGE_POINTS).map(move |k| from + (to - from).scale(share(k))));
        for v in corners.chain(on_edges) {
            let p = if k == 1 { v } else { place.pose.point(v) };
            let tolerance = self.tolerance();
            places.extend(
                self.outward(k, p).filter(|(height, _)| *height <= tolerance).map(|(height, n)| (height, p, n)),
            );
        }
        places.sort_by(|x, y| y.0.total_cmp(&x.0));
        for (_, p, n) in places.into_iter().take(THIN_PLACES) {
            self.look_out(k, p, n);
        }
    }

    /// Takes a point of the surface of inflated body `k` if the ball of the other body's growth
    /// around `p` looks out of it. `n`: unit, where to look first; each turn leads towards the
    /// point of the ball that lies farthest out, by less than the turn before.
    fn look_out(&mut self, k: usize, p: Vec3<f64>, mut n: Vec3<f64>) {
        self.leave_along(p, &[n]);
        for turn in 1..=TURNS {
            if self.witnesses[k].is_some() {
                return;
            }
            let far = p + n.scale(self.radii[1 - k]);
            let Some((height, steepest)) = self.outward(k, far) else { return };
            if height > self.tolerance() {
                return self.leave_along(p, &[n]);
            }
            n = (n + steepest.scale(1.0 / f64::from(turn))).normalized();
            if !n.is_finite() {
                return;
            }
        }
    }

    /// Returns the height of a point above inflated body `k`, metres, and its gradient, unit.
    fn outward(&mut self, k: usize, p: Vec3<f64>) -> Option<(f64, Vec3<f64>)> {
        let own = if k == 0 { p } else { self.place.in_b(p) };
        let height = self.height(k, p);
        let near = self.queries[k].nearest_beyond(own, f64::NEG_INFINITY)?;
        let is_in_core = height + self.radii[k] < 0.0;
        let outward = if is_in_core { -near.offset } else { near.offset };
        let outward = if k == 0 { outward } else { self.place.pose.vector(outward) };
        Some((height, outward.normalized()))
    }

    /// Directions along which a ray from a point may stay in one of the bodies for long, unit:
    /// along the edges of the nearest triangle and across them, in the plane of a sheet; and to the
    /// middle of the body.
    fn likely_directions(&mut self, p: Vec3<f64>) -> Vec<Vec3<f64>> {
        let mut directions = Vec::new();
        for k in 0..2 {
            let own = if k == 0 { p } else { self.place.in_b(p) };
            let Some(near) = self.queries[k].nearest_beyond(own, f64::NEG_INFINITY) else { continue };
            let corners = self.corners(k, near.triangle);
            let normal = triangle_pair::face_normal(&corners).normalized();
            for from in 0..3 {
                let along = (corners[(from + 1) % 3] - corners[from]).normalized();
                let across = normal.cross(along);
                directions.extend([along, -along, across, -across]);
            }
            let middle = self.mesh(k).middle();
            let middle = if k == 0 { middle } else { self.place.pose.point(middle) };
            directions.push((middle - p).normalized());
        }
        directions.retain(|n| n.is_finite());
        directions
    }

    /// The corners of a triangle of core `k` in A's frame.
    fn corners(&self, k: usize, t: u32) -> [Vec3<f64>; 3] {
        if k == 0 { self.place.a.corners(t) } else { self.place.corners_b(t) }
    }

    /// Finds a point of the surface of body `k` on a segment: where it passes from inside to
    /// outside, or, if both ends are on one side, the first passage that strides of the height
    /// show.
    fn passage_on_edge(&mut self, k: usize, [p, q]: [Vec3<f64>; 2]) -> Option<Vec3<f64>> {
        let (heights, of) = ([self.height(k, p), self.height(k, q)], [k == 0, k == 1]);
        let ends = match heights.map(|height| height > self.tolerance()) {
            [false, true] => self.passage([p, q], heights, of)?,
            [true, false] => self.passage([q, p], [heights[1], heights[0]], of)?,
            _ => return self.touch_on_edge(k, [p, q], heights),
        };
        Some(ends[0])
    }

    /// Finds where a segment of which both ends are on one side first passes through the surface of
    /// body `k`, by strides in which it does not, but for specks. `heights`: at both ends, metres.
    fn touch_on_edge(&mut self, k: usize, [p, q]: [Vec3<f64>; 2], heights: [f64; 2]) -> Option<Vec3<f64>> {
        let (length, tolerance, of) = ((q - p).length(), self.tolerance(), [k == 0, k == 1]);
        let least = SPECK * (self.place.size + self.place.growth);
        let at = |reached: f64| p + (q - p).scale(reached / length);
        let (mut reached, mut height) = (0.0, heights[0]);
        for _ in 0..STRIDES {
            let next = reached + height.abs().max(least);
            if next.is_nan() || next >= length - heights[1].abs() {
                return None;
            }
            let beyond = self.height(k, at(next));
            let ends = match [height, beyond].map(|height| height > tolerance) {
                [false, true] => self.passage([at(reached), at(next)], [height, beyond], of),
                [true, false] => self.passage([at(next), at(reached)], [beyond, height], of),
                _ => None,
            };
            if let Some([inside, _]) = ends {
                return Some(inside);
            }
            (reached, height) = (next, beyond);
        }
        None
    }

    /// A point of the surface of body `k`, which holds the other one: beside a point of that.
    fn of_container(&mut self, k: usize, inner: Vec3<f64>, normal: Vec3<f64>) -> Vec3<f64> {
        let own = if k == 0 { inner } else { self.place.in_b(inner) };
        let Some(near) = self.queries[k].nearest_beyond(own, f64::NEG_INFINITY) else { return inner };
        let outward = if k == 0 { -near.offset } else { self.place.pose.vector(-near.offset) };
        if self.radii[k] == 0.0 {
            return inner + outward;
        }
        let of = [k == 0, k == 1];
        let n = outward.normalized();
        let ends = self.end_of_ray(inner, if n.is_finite() { n } else { normal }, of);
        ends.map_or(inner + outward, |ends| ends[0])
    }
}

/// The directions of faces, edges and corners of a cube, unit, in the order of the rays.
fn directions() -> impl Iterator<Item = Vec3<f64>> {
    let step = |digit: u32| [0.0, 1.0, -1.0][digit as usize % 3];
    (1..27).map(move |k| Vec3::new(step(k), step(k / 3), step(k / 9)).normalized())
}
