//! Points inside of two overlapping bodies: lower bounds of the depth, and protrusions.
//!
//! A body that holds a ball of radius r around c, and one that holds a ball of radius s around the
//! same point, overlap until one is moved by r + s. So the depth is at least the sum of the signed
//! inner distances of any point (negative outside).

use super::bounds::OpenNode;
use super::place::MeshPlace;
use super::points::{PointDistance, PointMemory, PointQueries};
use crate::branch_and_bound::DepthFirst;
use clearsweep_geometry::mesh::{Child, MeshNode, TriangleMesh, WIDTH, WindingNumber, heights_of_node};
use clearsweep_geometry::{Inside, Polyhedron, Vec3};
use rustc_hash::FxHashSet;

/// Halvings of the steps of a pattern search before it ends.
const HALVINGS: usize = 5;

/// Moves of a pattern search, at most.
const MOVES: usize = 8;

/// Vertices of a body tested against an open mesh, about, beside one of each part.
const TESTED: usize = 64;

/// A vertex of one body inside the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Protrusion {
    /// Distance of the vertex from the surface of the other, metres: proven, and as computed.
    pub depth: [f64; 2],
    /// The vertex, in A's frame.
    pub vertex: Vec3<f64>,
    /// Unit direction from the vertex outward to the nearest point of the other, in A's frame.
    pub outward: Vec3<f64>,
    /// A triangle of the vertex, and the nearest one of the other.
    pub triangles: [u32; 2],
}

/// A part of one body inside of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Containment {
    /// The other is open, and its winding number says so.
    pub by_winding: bool,
    /// A vertex of the part, in A's frame.
    pub vertex: Vec3<f64>,
}

/// Points in A's frame against both bodies.
pub(super) struct OverlapQueries<'a> {
    pub place: MeshPlace<'a>,
    /// Convex hulls of both.
    hulls: [&'a Polyhedron; 2],
    pub a: PointQueries<'a>,
    pub b: PointQueries<'a>,
    /// A unit direction in A's frame, and the heights along it at which the hull of A ends and that
    /// of B begins, metres: no point is deeper in a body than beneath its supporting plane.
    pub slab: Option<(Vec3<f64>, [f64; 2])>,
}

/// A point against one solid.
#[derive(Debug, Clone, Copy)]
struct Inner {
    /// Proven: at least so deep (negative: at most so far outside), metres.
    lower: f64,
    /// Depth as computed, metres: the point is at most so deep, but for rounding.
    upper: f64,
    /// Outward to the nearest point, in the mesh's frame; not of unit length.
    outward: Vec3<f64>,
    triangle: u32,
}

/// Bounds the depth of a point inside of a mesh, of which the nearest triangle is known. `error`:
/// bound on the error of its place, metres.
fn inner(of: &mut PointQueries<'_>, p: Vec3<f64>, near: &PointDistance, error: f64) -> Inner {
    let outside = Inner {
        lower: -(near.distance + error),
        upper: -(near.lower - error).max(0.0),
        outward: near.offset,
        triangle: near.triangle,
    };
    if !of.mesh.is_solid() {
        return outside;
    }
    let free = near.lower - error;
    match if free > 0.0 { of.winding(p, 0.5 * free) } else { None } {
        Some(winding) if winding > 0 => {
            Inner { lower: free, upper: near.distance + error, outward: -near.offset, triangle: near.triangle }
        }
        Some(_) => outside,
        // Not known: nothing is claimed, and nothing is left out.
        None => Inner { upper: near.distance + error, ..outside },
    }
}

impl<'a> OverlapQueries<'a> {
    /// Creates the queries of two meshes at their poses.
    pub(super) fn new(place: MeshPlace<'a>, hulls: [&'a Polyhedron; 2], [a, b]: &'a mut [PointMemory; 2]) -> Self {
        Self { place, hulls, a: PointQueries::new(place.a, a), b: PointQueries::new(place.b, b), slab: None }
    }

    /// Proven: the depth is at least this, as a point of A's frame shows, metres, growth left
    /// aside; `None` if the point shows no more than `floor`. A point is nowhere deeper than its
    /// distance from any triangle, or from the supporting planes of the slab, so most are dismissed
    /// by one of each body.
    pub(super) fn both_above(&mut self, p: Vec3<f64>, floor: f64) -> Option<f64> {
        let (error, in_b) = (self.place.error(), self.place.in_b(p));
        let [below_a, above_b] = self.slab.map_or([f64::INFINITY; 2], |(n, [end_a, start_b])| {
            let height = n.dot(p);
            [end_a - height + error, height - start_b + error]
        });
        let most_b = self.b.at_most(in_b).min(above_b);
        if self.a.at_most(p).min(below_a) + most_b <= floor {
            return None;
        }
        let near_a = self.a.nearest_beyond(p, floor - most_b)?;
        let near_b = self.b.nearest_beyond(in_b, floor - near_a.distance)?;
        if near_a.distance + near_b.distance <= floor {
            return None;
        }
        let a = inner(&mut self.a, p, &near_a, error).lower;
        if a + near_b.distance <= floor {
            return None;
        }
        let depth = a + inner(&mut self.b, in_b, &near_b, error).lower;
        (depth > floor).then_some(depth)
    }

    /// The middles of both bodies, in A's frame; of one outside of the other the point of the
    /// other's surface nearest to it: on the way there the depth in one grows at least as much as
    /// it shrinks in the other.
    pub(super) fn middles(&mut self) -> [Vec3<f64>; 2] {
        let (place, error) = (self.place, self.place.error());
        let (a, b) = (place.a.middle(), place.b.middle());
        let held = |of: &mut PointQueries<'_>, p: Vec3<f64>| {
            let near = of.nearest(p);
            let is_outside = of.mesh.is_solid() && inner(of, p, &near, error).upper <= 0.0;
            if is_outside { p - near.offset } else { p }
        };
        let in_b = held(&mut self.b, place.in_b(a));
        [place.pose.point(in_b), held(&mut self.a, place.pose.point(b))]
    }

    /// Whether a point lies inside of A and of B.
    pub(super) fn are_around(&mut self, p: Vec3<f64>) -> [bool; 2] {
        let error = self.place.error();
        let in_b = self.place.in_b(p);
        let [near_a, near_b] = [self.a.nearest(p), self.b.nearest(in_b)];
        [inner(&mut self.a, p, &near_a, error).lower > 0.0, inner(&mut self.b, in_b, &near_b, error).lower > 0.0]
    }

    /// A part of one body inside of the other, where the surfaces are apart by at least `free`
    /// (metres): then each connected part is inside or outside of a solid as a whole. Solids come
    /// before open meshes. `place`: the poses, which may differ from those of `new`.
    pub(super) fn containment(&mut self, place: &MeshPlace<'_>, free: f64) -> Option<Containment> {
        let inside = |of: &mut PointQueries<'_>, p: Vec3<f64>| {
            // Not known counts as inside: then nothing is claimed to be apart.
            of.winding(p, 0.5 * free).is_none_or(|winding| winding > 0)
        };
        let (a, b) = (place.a, place.b);
        let of_a = || a.component_vertices().iter().map(|&v| a.vertices()[v as usize]);
        let of_b = || b.component_vertices().iter().map(|&v| place.pose.point(b.vertices()[v as usize]));
        let in_b = b.is_solid().then(|| of_a().find(|&p| inside(&mut self.b, place.in_b(p)))).flatten();
        let in_a = || a.is_solid().then(|| of_b().find(|&p| inside(&mut self.a, p))).flatten();
        if let Some(vertex) = in_b.or_else(in_a) {
            return Some(Containment { by_winding: false, vertex });
        }
        self.containment_by_winding(place)
    }

    /// Whether neither body holds a part of the other after moving B by `length` (metres) along `n`
    /// from its pose in `place`, where the surfaces are at least `free` apart, metres. A grown body
    /// leaves an open mesh last with its rear.
    pub(super) fn holds_nothing(&mut self, place: &MeshPlace<'_>, n: Vec3<f64>, length: f64, free: f64) -> bool {
        let rear = (length - place.growth).max(0.0);
        self.containment(&place.shifted(n.scale(length)), free).is_none()
            && (rear == length || self.containment_by_winding(&place.shifted(n.scale(rear))).is_none())
    }

    /// A part of one body inside of an open one, by its winding number: see [`Self::containment`].
    pub(super) fn containment_by_winding(&self, place: &MeshPlace<'_>) -> Option<Containment> {
        let (a, b) = (place.a, place.b);
        let ([hull_a, hull_b], error) = (self.hulls, place.error());
        let is_in_a = |p: &Vec3<f64>| is_wound_around(a, hull_a, *p, error);
        let is_in_b = |p: &Vec3<f64>| is_wound_around(b, hull_b, place.in_b(*p), error);
        let in_b = || tested_vertices(a, b).find(is_in_b);
        let in_a = || tested_vertices(b, a).map(|p| place.pose.point(p)).find(is_in_a);
        Some(Containment { by_winding: true, vertex: in_b().or_else(in_a)? })
    }

    /// Vertices of A inside of B, and of B inside of A, each deeper than the one before, the
    /// innermost last. Along `n` (unit, A's frame) the hull of A ends at `end_a` and that of B
    /// begins at `start_b`, metres: what is inside of a body is no deeper than that far from there.
    pub(super) fn protrusions(&mut self, n: Vec3<f64>, [end_a, start_b]: [f64; 2]) -> [Vec<Protrusion>; 2] {
        let (place, error) = (self.place, self.place.error());
        let in_b = SupportSlab { along: n, from: start_b - error };
        let in_a = SupportSlab { along: -place.pose.inverse_vector(n), from: n.dot(place.pose.t) - end_a - error };
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        if place.b.is_solid() {
            of_a = innermost(place.a, &mut self.b, &|p| place.in_b(p), in_b, error);
            of_a.iter_mut().for_each(|p| p.outward = place.pose.vector(p.outward));
        }
        if place.a.is_solid() {
            of_b = innermost(place.b, &mut self.a, &|p| place.pose.point(p), in_a, error);
            for p in &mut of_b {
                (p.vertex, p.triangles) = (place.pose.point(p.vertex), [p.triangles[1], p.triangles[0]]);
            }
        }
        [of_a, of_b]
    }

    /// The best lower bound of the depth that a pattern search finds from `start`, a point of A's
    /// frame with its bound; its first steps are `step` metres long (Hooke and Jeeves 1961).
    pub(super) fn deepen(&mut self, start: (f64, Vec3<f64>), step: f64) -> (f64, Vec3<f64>) {
        let mut best = start;
        let (mut step, mut halvings, mut moves) = (step, 0, 0);
        while halvings < HALVINGS && moves < MOVES {
            let mut moved = false;
            for k in 0..6 {
                let mut way = [0.0; 3];
                way[k / 2] = if k % 2 == 0 { step } else { -step };
                let at = best.1 + Vec3::from(way);
                if let Some(depth) = self.both_above(at, best.0) {
                    best = (depth, at);
                    moved = true;
                }
            }
            if moved {
                moves += 1;
            } else {
                step *= 0.5;
                halvings += 1;
            }
        }
        best
    }
}

/// The vertices, one of each connected component, of one body that lie inside of the other, which
/// is solid, where no surface is within `free` of them, metres. `side`: 0 if the vertices are of A.
pub(super) fn components_inside(
    place: &MeshPlace<'_>,
    side: usize,
    free: f64,
    memory: &mut [PointMemory; 2],
) -> Vec<u32> {
    let [own, other] = if side == 0 { [place.a, place.b] } else { [place.b, place.a] };
    if !other.is_solid() {
        return Vec::new();
    }
    let mut queries = PointQueries::new(other, &mut memory[1 - side]);
    let is_inside = |&v: &u32| {
        let p = own.vertices()[v as usize];
        let p = if side == 0 { place.in_b(p) } else { place.pose.point(p) };
        queries.winding(p, 0.5 * free).is_some_and(|winding| winding > 0)
    };
    own.component_vertices().iter().copied().filter(is_inside).collect()
}

/// The vertices of a body tested against an open one: a part may reach in through a hole.
fn tested_vertices<'m>(body: &'m TriangleMesh, open: &TriangleMesh) -> impl Iterator<Item = Vec3<f64>> + 'm {
    let vertices = body.vertices();
    let samples = (0..vertices.len() as u32).step_by(vertices.len().div_ceil(TESTED));
    let is_open = open.inside() == Inside::Winding;
    let all = body.component_vertices().iter().copied().chain(samples);
    all.filter(move |_| is_open).map(|v| vertices[v as usize])
}

/// Whether a point (off by `error`, metres) is inside of an open mesh by the winding number.
fn is_wound_around(mesh: &TriangleMesh, hull: &Polyhedron, p: Vec3<f64>, error: f64) -> bool {
    let is_within = |face: usize| {
        let corner = hull.vertex(hull.face(face as u32)[0]);
        hull.normals[face].dot(p - corner) <= error
    };
    hull.dimension == 3
        && (0..hull.face_count()).all(is_within)
        && mesh.winding(p, error).is_some_and(WindingNumber::is_inside)
}

/// A supporting plane of a body: no point inside is deeper than its distance from the plane.
#[derive(Debug, Clone, Copy)]
struct SupportSlab {
    /// Unit, inward, in the frame of the vertices.
    along: Vec3<f64>,
    /// Height at which the body begins along it, metres.
    from: f64,
}

impl SupportSlab {
    /// Returns the depth of a point, metres.
    fn depth(&self, p: Vec3<f64>) -> f64 {
        p.dot(self.along) - self.from
    }

    /// Returns upper bounds of the depths in the boxes of a node's children, metres.
    fn of_children(&self, node: &MeshNode) -> [f64; WIDTH] {
        heights_of_node(node, self.along).map(|height| height - self.from)
    }
}

/// Bound on the depth of a ball's points in a mesh, metres; `None` if below `deepest`.
fn deepest_within(of: &mut PointQueries<'_>, middle: Vec3<f64>, radius: f64, deepest: f64, error: f64) -> Option<f64> {
    // Distance of the middle from the box: inner points of the ball lie beyond its border.
    let outside = of.outside_box(middle);
    if outside > 0.0 && radius - outside + 2.0 * error <= deepest {
        return None;
    }
    let reach = deepest - radius - error;
    if of.at_most(middle) <= reach {
        return None;
    }
    let near = of.nearest_beyond(middle, reach)?;
    let bound = inner(of, middle, &near, error).upper + radius;
    (bound > deepest).then_some(bound)
}

/// Vertices of `own` inside of another mesh, each deeper than the one before, the innermost last.
/// `to_other`: takes a point of its frame to the frame of the other mesh.
fn innermost(
    own: &TriangleMesh,
    other: &mut PointQueries<'_>,
    to_other: &dyn Fn(Vec3<f64>) -> Vec3<f64>,
    slab: SupportSlab,
    error: f64,
) -> Vec<Protrusion> {
    let mut protrusions: Vec<Protrusion> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = DepthFirst::default();
    open.begin(OpenNode { rank: f64::INFINITY, tie: own.root(), node: own.root() });
    let deepest_of = |protrusions: &[Protrusion]| protrusions.last().map_or(error, |last| last.depth[1]);
    while let Some(part) = open.next_unless(|part| part.rank <= deepest_of(&protrusions)) {
        match part.node.get() {
            Child::Inner(index) => {
                let (node, deepest) = (own.node(index), deepest_of(&protrusions));
                let depths = slab.of_children(node);
                for lane in (0..node.count.into()).filter(|&lane| depths[lane] > deepest) {
                    let (middle, radius) = node.ball(lane);
                    let middle = to_other(middle);
                    if let Some(rank) = deepest_within(other, middle, radius, deepest, error) {
                        open.push(OpenNode { rank, tie: node.children[lane], node: node.children[lane] });
                    }
                }
            }
            Child::Leaf(index) => {
                for triangle in own.leaf(index) {
                    for &v in &own.triangles()[triangle as usize] {
                        if !seen.insert(v) {
                            continue;
                        }
                        let vertex = own.vertices()[v as usize];
                        let (at, deepest) = (to_other(vertex), protrusions.last().map_or(0.0, |b| b.depth[0]));
                        if slab.depth(vertex) <= deepest || other.outside_box(at) > 0.0 || other.at_most(at) <= deepest
                        {
                            continue;
                        }
                        let Some(near) = other.nearest_beyond(at, deepest) else { continue };
                        let depth = inner(other, at, &near, error);
                        if depth.lower > deepest {
                            protrusions.push(Protrusion {
                                depth: [depth.lower, depth.upper],
                                vertex,
                                outward: depth.outward.normalized(),
                                triangles: [triangle, depth.triangle],
                            });
                        }
                    }
                }
            }
        }
    }
    protrusions
}
