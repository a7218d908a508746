//! All directions along which the Minkowski difference can be nearest to the origin inside it: the normals of both
//! bodies' faces and the products of their edges. A complete list, so its best gap *is* the (negative) depth.

use crate::geometry::polyhedron::NO_FACE;
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::pair::Pair;
use crate::narrow::support;

/// Where a direction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The outward normal of a face of A.
    FaceA(u32),
    /// The inward normal of a face of B.
    FaceB(u32),
    /// The product of an edge of A and one of B, turned the right way, or against it for flat bodies.
    Edges(u32, u32, bool),
    /// A direction that only bodies without area leave free.
    Free(u8),
}

/// A direction with its gap over all vertices.
#[derive(Debug, Clone, Copy)]
pub struct Direction {
    /// Where it comes from.
    pub origin: Origin,
    /// Unit, in A's frame.
    pub normal: Vec3<f64>,
    /// `min over B - max over A` along it, metres.
    pub gap: f64,
    /// How far the gap of the exact direction may be from `gap`, metres.
    pub error: f64,
}

/// Edge directions, and rotated copies of what B has, in A's frame.
struct Sides {
    edges_a: Vec<Vec3<f64>>,
    edges_b: Vec<Vec3<f64>>,
    normals_b: Vec<Vec3<f64>>,
}

/// Every direction whose gap may be within `tolerance` bounds E of the best, and the best.
///
/// A direction that is left out has a smaller gap for certain: bounds hold with rounding included.
///
/// Also returned: by how much (metres) a facet between edges too close to parallel to have a direction may be better
/// than the facets beside it.
pub fn best(pair: &Pair<'_, f64>, tolerance: f64) -> (Vec<Direction>, f64) {
    let mut list =
        List { pair, best: f64::NEG_INFINITY, keep: tolerance * pair.bound(), found: Vec::new(), slack: 0.0 };
    for f in 0..pair.a.face_count() as u32 {
        list.offer(Origin::FaceA(f), pair.a.normals[f as usize], pair.bound());
    }
    for f in 0..pair.b.face_count() as u32 {
        list.offer(Origin::FaceB(f), -pair.pose.vector(pair.b.normals[f as usize]), pair.bound());
    }
    let sides = Sides {
        edges_a: edge_directions(pair.a),
        edges_b: edge_directions(pair.b).into_iter().map(|e| pair.pose.vector(e)).collect(),
        normals_b: pair.b.normals.iter().map(|&n| pair.pose.vector(n)).collect(),
    };
    if pair.a.dimension == 3 && pair.b.dimension == 3 {
        solid_edges(&mut list, &sides);
    } else {
        flat_edges(&mut list, &sides);
        free_directions(&mut list, &sides);
    }
    let least = list.best - list.keep;
    let mut found = list.found;
    found.retain(|d| d.gap + d.error >= least);
    (found, list.slack)
}

struct List<'p, 'a> {
    pair: &'p Pair<'a, f64>,
    best: f64,
    keep: f64,
    found: Vec<Direction>,
    slack: f64,
}

/// Sine below which two edges have no direction in common: their facet is so thin that the planes of the facets
/// beside it meet within this share of the size.
pub const PARALLEL: f64 = 1e-14;

impl List<'_, '_> {
    /// Takes a direction over all vertices, if its gap may count.
    fn offer(&mut self, origin: Origin, normal: Vec3<f64>, error: f64) {
        let gap = self.pair.gap(normal);
        if gap + error >= self.best - self.keep {
            self.best = self.best.max(gap - error);
            self.found.push(Direction { origin, normal, gap, error });
        }
    }
}

impl List<'_, '_> {
    /// Leaves out the facet of two edges that are parallel, or nearly so.
    fn skip(&mut self, sine: f64) {
        if sine > 0.0 {
            self.slack = PARALLEL * self.pair.size;
        }
    }
}

fn edge_directions(p: &Polyhedron) -> Vec<Vec3<f64>> {
    p.edges.iter().map(|e| (p.vertex(e.v[1]) - p.vertex(e.v[0])).normalized()).collect()
}

/// Edges of two solids: only pairs whose arcs on the Gauss map cross carry a facet (Gregorius 2013), tested with a
/// margin far above rounding; the edges themselves then support, so a bound of the gap needs no scan.
fn solid_edges(list: &mut List<'_, '_>, sides: &Sides) {
    const MARGIN: f64 = 1e-9;
    let pair = list.pair;
    for (i, ea) in pair.a.edges.iter().enumerate() {
        let da = sides.edges_a[i];
        let [na, ma] = ea.f.map(|f| pair.a.normals[f as usize]);
        let pa = pair.a.vertex(ea.v[0]);
        for (j, eb) in pair.b.edges.iter().enumerate() {
            let db = sides.edges_b[j];
            let [nb, mb] = eb.f.map(|f| sides.normals_b[f as usize]);
            if na.dot(db) * ma.dot(db) > MARGIN || nb.dot(da) * mb.dot(da) > MARGIN {
                continue;
            }
            let cross = da.cross(db);
            let sine = cross.length();
            if sine < PARALLEL {
                list.skip(sine);
                continue;
            }
            let n = cross.scale(1.0 / sine);
            let error = pair.bound() / sine;
            let outward = n.dot(pa - pair.a.mean);
            let across = n.dot(pair.pose.point(pair.b.vertex(eb.v[0])) - pa);
            // Where a body is too thin to tell which way is out, both are taken.
            for (n, turned) in [(n, false), (-n, true)] {
                let sign = if turned { -1.0 } else { 1.0 };
                if sign * outward >= -error && sign * across + error >= list.best - list.keep {
                    list.offer(Origin::Edges(i as u32, j as u32, turned), n, error);
                }
            }
        }
    }
}

/// Edges where a body is flat. Of a solid, only edges whose arc on the Gauss map crosses the great circle of the other
/// edge can carry a facet with it; of flat bodies, any, one of each direction.
fn flat_edges(list: &mut List<'_, '_>, sides: &Sides) {
    const MARGIN: f64 = 1e-9;
    let pair = list.pair;
    let crosses = |p: &Polyhedron, normals: &[Vec3<f64>], e: u32, other: Vec3<f64>| {
        let [f, g] = p.edges[e as usize].f;
        p.dimension < 3 || normals[f as usize].dot(other) * normals[g as usize].dot(other) <= MARGIN
    };
    let (all_a, all_b) = (edges_of(pair.a), edges_of(pair.b));
    for &i in &all_a {
        let da = sides.edges_a[i as usize];
        for &j in &all_b {
            let db = sides.edges_b[j as usize];
            if !crosses(pair.a, &pair.a.normals, i, db) || !crosses(pair.b, &sides.normals_b, j, da) {
                continue;
            }
            let cross = da.cross(db);
            let sine = cross.length();
            if sine < PARALLEL {
                list.skip(sine);
                continue;
            }
            let n = cross.scale(1.0 / sine);
            let error = pair.bound() / sine;
            list.offer(Origin::Edges(i, j, false), n, error);
            list.offer(Origin::Edges(i, j, true), -n, error);
        }
    }
}

/// All edges of a solid; one of each direction of a flat body.
fn edges_of(p: &Polyhedron) -> Vec<u32> {
    if p.dimension == 3 { (0..p.edges.len() as u32).collect() } else { p.distinct_edges.clone() }
}

/// Points and segments leave directions free: any across them all is as good as another; the first axis that is not
/// along the edges is taken.
fn free_directions(list: &mut List<'_, '_>, sides: &Sides) {
    let pair = list.pair;
    if pair.a.dimension > 1 || pair.b.dimension > 1 {
        return;
    }
    let along = sides.edges_a.first().or(sides.edges_b.first()).copied();
    for k in 0..3_u8 {
        let mut n = Vec3::new(f64::from(k == 0), f64::from(k == 1), f64::from(k == 2));
        if let Some(e) = along {
            if n.dot(e).abs() > 0.9 {
                continue;
            }
            n = (n - e.scale(n.dot(e))).normalized();
            n = (n - e.scale(n.dot(e))).normalized();
        }
        list.offer(Origin::Free(k), n, pair.bound());
    }
}

/// The vertices within `tolerance` of the supporting plane along `d`, ascending.
pub fn near_plane(p: &Polyhedron, d: Vec3<f64>, tolerance: f64) -> Vec<u32> {
    support::reaching(p, d, support::max_dot(p, d) - tolerance)
}

/// The edges and faces of which all vertices are in `vertices` (ascending), both ascending.
pub fn features_on_plane(p: &Polyhedron, vertices: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let has = |v: &u32| vertices.binary_search(v).is_ok();
    let mut edges = Vec::new();
    let mut faces = Vec::new();
    for &v in vertices {
        let start = p.neighbour_start[v as usize] as usize;
        for (k, n) in p.neighbours_of(v).iter().enumerate() {
            if *n > v && has(n) {
                edges.push(p.neighbour_edges[start + k]);
            }
        }
    }
    edges.sort_unstable();
    for &e in &edges {
        faces.extend(p.edges[e as usize].f.into_iter().filter(|&f| f != NO_FACE && p.face(f).iter().all(has)));
    }
    faces.sort_unstable();
    faces.dedup();
    (edges, faces)
}
