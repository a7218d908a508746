//! All regions in which two bodies touch or overlap.
//!
//! A region is a connected set of pairs of triangles that come near: two pairs are connected if
//! their triangles share a vertex in both bodies, the same triangle included. If the surfaces cross
//! there by more than `touch`, it is divided into its curves (`curves.rs`).

use super::crossing::least_translation;
use super::curves::{CrossingCurve, CrossingSegment, TRIFLE, curves};
use super::depth::MeshMemory;
use super::disjoint_sets::DisjointSets;
use super::place::MeshPlace;
use super::triangle_pair::{self, TriangleCorners};
use super::within::{ALL, triangles_within};
use crate::bodies::Bodies;
use crate::deviation::deviation_of;
use crate::workspace::Workspace;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::pose::rotation;
use clearsweep_model::{Contact, ContactKind, QueryOptions};
use rustc_hash::{FxHashMap, FxHashSet};

/// Margin of boxes around computed points, in sizes of the pair: above their rounding.
const MARGIN: f64 = 1e-12;

/// Appends the regions in which two bodies at these poses touch or overlap, of sample 0, in the
/// order of their triangles. `bodies`: at poses at which they are not proven apart by more than
/// `touch`.
pub(crate) fn contacts(bodies: &Bodies<'_>, options: &QueryOptions, work: &mut Workspace, out: &mut Vec<Contact>) {
    let begin = out.len();
    let radii = [bodies.a.surface_growth(), bodies.b.surface_growth()];
    let meshes = [bodies.a.surface(), bodies.b.surface()];
    let place = MeshPlace::new(meshes, [bodies.pose_a, bodies.pose_b], bodies.relative, radii[0] + radii[1]);
    if !place.size.is_finite() {
        return;
    }
    let reach = options.touch + place.growth + deviation_of(bodies.a, bodies.b) + place.contact();
    let search = ContactSearch { place, radii, touch: options.touch, reach };
    let pairs = search.near_pairs(&mut work.meshes);
    for region in regions(meshes, &pairs) {
        search.region(&region, out);
    }
    search.parts_inside(&pairs, &mut work.meshes, out);
    if out.len() == begin {
        out.push(search.whole());
    }
    let frame = WorldFrame { r: rotation(bodies.pose_a.q), bodies };
    let margin = MARGIN * place.size;
    out[begin..].iter_mut().for_each(|contact| frame.place(contact, margin));
}

/// Connected sets of pairs of triangles, in the order of their first pairs.
fn regions([a, b]: [&TriangleMesh; 2], pairs: &[[u32; 2]]) -> Vec<Vec<[u32; 2]>> {
    let mut sets = DisjointSets::new(pairs.len());
    let mut first: FxHashMap<[u32; 2], u32> = FxHashMap::default();
    for (i, &[s, t]) in (0..).zip(pairs) {
        for &u in &a.triangles()[s as usize] {
            for &v in &b.triangles()[t as usize] {
                let other = *first.entry([u, v]).or_insert(i);
                sets.unite(i, other);
            }
        }
    }
    sets.classes().into_iter().map(|class| class.into_iter().map(|i| pairs[i as usize]).collect()).collect()
}

/// Two bodies, and how near their cores come where the bodies touch.
struct ContactSearch<'a> {
    place: MeshPlace<'a>,
    /// Growth of each body, metres.
    radii: [f64; 2],
    touch: f64,
    /// Triangles that are no farther apart are near, metres.
    reach: f64,
}

/// Points of both cores that are near to each other, in A's frame, and the triangles they are of.
#[derive(Clone, Copy)]
struct NearPoints {
    distance: f64,
    points: [Vec3<f64>; 2],
    triangles: [u32; 2],
}

impl ContactSearch<'_> {
    /// All pairs of triangles that are near.
    fn near_pairs(&self, memory: &mut MeshMemory) -> Vec<[u32; 2]> {
        let MeshPlace { a, b, poses, pose, .. } = self.place;
        let mut pairs = Vec::new();
        // Pairs that cross only once B is moved by a trifle are near too.
        let mut reach = self.reach + 4.0 * TRIFLE * self.place.size;
        triangles_within([a, b], poses, pose, &mut reach, ALL, memory, &mut pairs);
        pairs.retain(|&[s, t]| {
            let closest = triangle_pair::closest_points(&a.corners(s), &self.place.corners_b(t));
            closest.distance2 <= reach * reach
        });
        pairs
    }

    fn corners(&self, [s, t]: [u32; 2]) -> [TriangleCorners<f64>; 2] {
        [self.place.a.corners(s), self.place.corners_b(t)]
    }

    /// Appends what a region is made of: its curves, or the region itself.
    fn region(&self, pairs: &[[u32; 2]], out: &mut Vec<Contact>) {
        let crosses = |&pair: &[u32; 2]| {
            let [a, b] = self.corners(pair);
            least_translation(&a, &b) > self.touch + self.place.error()
        };
        let from = out.len();
        if pairs.iter().any(crosses) {
            out.extend(curves(&self.place, pairs).iter().map(|curve| self.of_curve(curve)));
        }
        if out.len() == from {
            out.extend(self.of_near_points(pairs));
        }
    }

    fn parts(&self, [s, t]: [u32; 2]) -> [i32; 2] {
        [self.place.a.labels().part(s) as i32, self.place.b.labels().part(t) as i32]
    }

    /// A curve, in A's frame. Its point is the middle of the segment nearest to the curve's middle.
    fn of_curve(&self, curve: &CrossingCurve) -> Contact {
        let middle = |[p, q]: [Vec3<f64>; 2]| (p + q).scale(0.5);
        let length = curve.segments.iter().map(|s| (s.ends[1] - s.ends[0]).length()).sum::<f64>();
        let weighted = curve.segments.iter().map(|s| middle(s.ends).scale((s.ends[1] - s.ends[0]).length()));
        let sum = weighted.fold(Vec3::ZERO, |sum, p| sum + p);
        let centre = if length > 0.0 { sum.scale(1.0 / length) } else { middle(curve.segments[0].ends) };
        let from_centre = |s: &&CrossingSegment| (middle(s.ends) - centre).length2();
        let nearest = curve.segments.iter().min_by(|x, y| from_centre(x).total_cmp(&from_centre(y)));
        let nearest = nearest.unwrap_or(&curve.segments[0]);
        let [low, high] = box_of(curve.segments.iter().flat_map(|s| s.ends));
        let (part, point) = (self.parts(nearest.triangles), middle(nearest.ends));
        Contact { sample: 0, kind: ContactKind::Crossing, part, point, low, high, length, is_closed: curve.is_closed }
    }

    /// A region in which surfaces are near, in A's frame: the box around the near points of both.
    fn of_near_points(&self, pairs: &[[u32; 2]]) -> Option<Contact> {
        let mut near_points: Vec<NearPoints> = Vec::new();
        for &triangles in pairs {
            let [a, b] = self.corners(triangles);
            triangle_pair::near_points(&a, &b, self.reach, |distance, points| {
                near_points.push(NearPoints { distance, points, triangles });
            });
        }
        let least = near_points.iter().reduce(|x, y| if y.distance < x.distance { y } else { x })?;
        let is_deep = least.distance < self.place.growth - self.touch;
        let kind = if is_deep { ContactKind::Grown } else { ContactKind::Touching };
        let [low, high] = box_of(near_points.iter().flat_map(|near| near.points));
        let half = Vec3::new(1.0, 1.0, 1.0).scale(self.lens(least.distance));
        let (part, point) = (self.parts(least.triangles), self.between(least));
        Some(Contact {
            sample: 0,
            kind,
            part,
            point,
            low: low - half,
            high: high + half,
            length: f64::NAN,
            is_closed: false,
        })
    }

    /// The middle, on the line of two points of the cores, of the overlap of the balls about them;
    /// of balls that are apart, the middle between them.
    fn between(&self, near: &NearPoints) -> Vec3<f64> {
        let ([p, q], [r, s]) = (near.points, self.radii);
        let along = if near.distance > 0.0 { (q - p).scale(1.0 / near.distance) } else { Vec3::ZERO };
        // A ball may lie within the other one.
        let [from, to] = [(near.distance - s).max(-r), r.min(near.distance + s)];
        p + along.scale(0.5 * (from + to))
    }

    /// Returns the radius of the overlap of two balls of both radii about the line between their
    /// middles, metres. Source: the radius of the circle in which two spheres meet.
    fn lens(&self, distance: f64) -> f64 {
        let [r, s] = self.radii;
        let least = r.min(s);
        if distance <= (r - s).abs() {
            return least;
        }
        let to_plane = 0.5 * (distance * distance + r * r - s * s) / distance;
        (r * r - to_plane * to_plane).max(0.0).sqrt().min(least)
    }

    /// Appends the connected parts of one body inside of the other and near to no surface of it.
    fn parts_inside(&self, pairs: &[[u32; 2]], memory: &mut MeshMemory, out: &mut Vec<Contact>) {
        for side in 0..2 {
            let own = [self.place.a, self.place.b][side];
            let inside = super::overlap::components_inside(&self.place, side, self.reach, &mut memory.points);
            if inside.is_empty() {
                continue;
            }
            let components = Components::new(own);
            let met: FxHashSet<u32> = pairs.iter().map(|pair| components.of(own, pair[side])).collect();
            for vertex in inside {
                let component = components.of_vertex(vertex);
                if met.contains(&component) {
                    continue;
                }
                let in_a = |p: Vec3<f64>| if side == 0 { p } else { self.place.pose.point(p) };
                let triangles = (0..own.triangles().len() as u32).filter(|&t| components.of(own, t) == component);
                let corners = triangles.clone().flat_map(|t| own.corners(t)).map(in_a);
                let [low, high] = box_of(corners);
                let mut part = [-1; 2];
                part[side] = triangles.clone().next().map_or(-1, |t| own.labels().part(t) as i32);
                let point = in_a(own.vertices()[vertex as usize]);
                let (kind, length) = (ContactKind::Inside, f64::NAN);
                out.push(Contact { sample: 0, kind, part, point, low, high, length, is_closed: false });
            }
        }
    }

    /// The overlap of the boxes of both bodies, if their surfaces are apart and no part is proven
    /// inside: so it is of an open mesh, whose winding number says that the other lies inside.
    fn whole(&self) -> Contact {
        let MeshPlace { a, b, pose, .. } = self.place;
        let of_a = box_of(a.vertices().iter().copied());
        let of_b = box_of(b.vertices().iter().map(|&p| pose.point(p)));
        let pick =
            |x: Vec3<f64>, y: Vec3<f64>, f: fn(f64, f64) -> f64| Vec3::new(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z));
        let (low, high) = (pick(of_a[0], of_b[0], f64::max), pick(of_a[1], of_b[1], f64::min));
        let [low, high] = [pick(low, high, f64::min), pick(low, high, f64::max)];
        let point = (low + high).scale(0.5);
        let (kind, length) = (ContactKind::Inside, f64::NAN);
        Contact { sample: 0, kind, part: [-1; 2], point, low, high, length, is_closed: false }
    }
}

/// The connected component of each vertex.
struct Components(Vec<u32>);

impl Components {
    fn new(mesh: &TriangleMesh) -> Self {
        let mut sets = DisjointSets::new(mesh.vertices().len());
        for &[u, v, w] in mesh.triangles() {
            sets.unite(u, v);
            sets.unite(v, w);
        }
        let count = mesh.vertices().len() as u32;
        Self((0..count).map(|v| sets.root(v)).collect())
    }

    fn of_vertex(&self, v: u32) -> u32 {
        self.0[v as usize]
    }

    fn of(&self, mesh: &TriangleMesh, triangle: u32) -> u32 {
        self.of_vertex(mesh.triangles()[triangle as usize][0])
    }
}

/// The least and the greatest coordinates.
fn box_of(points: impl Iterator<Item = Vec3<f64>>) -> [Vec3<f64>; 2] {
    let start = [Vec3::new(1.0, 1.0, 1.0).scale(f64::INFINITY), Vec3::new(1.0, 1.0, 1.0).scale(f64::NEG_INFINITY)];
    points.fold(start, |[low, high], p| {
        [
            Vec3::new(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z)),
            Vec3::new(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z)),
        ]
    })
}

/// A's recentred frame in the world.
struct WorldFrame<'b, 'a> {
    r: [Vec3<f64>; 3],
    bodies: &'b Bodies<'a>,
}

impl WorldFrame<'_, '_> {
    /// Takes a contact to the world. Its box becomes that of its corners, plus a margin, metres.
    fn place(&self, contact: &mut Contact, margin: f64) {
        let vector = |v: Vec3<f64>| Vec3::new(self.r[0].dot(v), self.r[1].dot(v), self.r[2].dot(v));
        let pose = &self.bodies.pose_a;
        // The small parts are added first: the position may be thousands of kilometres.
        let point = |p: Vec3<f64>| pose.position + (vector(p) + pose.rest);
        let ends = [contact.low, contact.high];
        let corners = (0..8_usize).map(|c| point(Vec3::new(ends[c & 1].x, ends[c >> 1 & 1].y, ends[c >> 2].z)));
        let [low, high] = box_of(corners);
        let by = |x: f64| margin + 2.0 * f64::EPSILON * x.abs();
        contact.low = low - Vec3::new(by(low.x), by(low.y), by(low.z));
        contact.high = high + Vec3::new(by(high.x), by(high.y), by(high.z));
        contact.point = point(contact.point);
    }
}
