//! All directions along which the boundary of the Minkowski difference can be nearest to an origin
//! inside it: the normals of both bodies' faces and the cross products of their edges. The list is
//! complete, so its best gap is minus the depth.

use crate::pair::Pair;
use clearsweep_geometry::{Polyhedron, Vec3};

/// The features that a direction is the normal of. The order is that of the tie rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DirectionOrigin {
    /// The outward normal of a face of A.
    FaceA(u32),
    /// The inward normal of a face of B.
    FaceB(u32),
    /// The cross product of an edge of A and one of B, or (`true`) its negative.
    Edges(u32, u32, bool),
    /// A coordinate axis, where two bodies without area leave the direction free.
    Free(u8),
}

/// A direction with its gap over all vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Direction {
    /// The features that it is the normal of.
    pub(crate) origin: DirectionOrigin,
    /// Unit, in A's frame.
    pub(crate) normal: Vec3<f64>,
    /// `min over B - max over A` of the heights along it, metres.
    pub(crate) gap: f64,
    /// A bound of the difference to the gap of the exact direction, metres.
    pub(crate) error: f64,
}

/// Unit vectors along the edges of both bodies, and the face normals of B, in A's frame.
struct RotatedFeatures {
    edges_a: Vec<Vec3<f64>>,
    edges_b: Vec<Vec3<f64>>,
    normals_b: Vec<Vec3<f64>>,
}

/// Every direction whose gap may be within `tolerance` bounds E of the best, the best included.
///
/// A direction that is left out certainly has a smaller gap: the bounds include rounding.
///
/// Also returned: by how much (metres) the facet of two edges that are too close to parallel to
/// have a direction may be better than the facets beside it.
pub(crate) fn best_directions(pair: &Pair<'_, f64>, tolerance: f64) -> (Vec<Direction>, f64) {
    let mut list =
        DirectionList { pair, best: f64::NEG_INFINITY, keep: tolerance * pair.bound(), found: Vec::new(), slack: 0.0 };
    for f in 0..pair.a.face_count() as u32 {
        list.offer(DirectionOrigin::FaceA(f), pair.a.normals[f as usize], pair.bound());
    }
    for f in 0..pair.b.face_count() as u32 {
        list.offer(DirectionOrigin::FaceB(f), -pair.pose.vector(pair.b.normals[f as usize]), pair.bound());
    }
    let sides = RotatedFeatures {
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

/// The directions found so far.
struct DirectionList<'p, 'a> {
    pair: &'p Pair<'a, f64>,
    /// A lower bound of the best gap, metres.
    best: f64,
    /// Gaps down to this far below the best are kept, metres.
    keep: f64,
    found: Vec<Direction>,
    /// See [`best_directions`], metres.
    slack: f64,
}

/// Sine below which two edges are too close to parallel to determine a direction: their facet is so
/// thin that the planes of the facets beside it meet within this fraction of the size.
pub(crate) const PARALLEL: f64 = 1e-14;

impl DirectionList<'_, '_> {
    /// Adds a direction if its gap over all vertices may be among the best.
    fn offer(&mut self, origin: DirectionOrigin, normal: Vec3<f64>, error: f64) {
        let gap = self.pair.gap(normal);
        if gap + error >= self.best - self.keep {
            self.best = self.best.max(gap - error);
            self.found.push(Direction { origin, normal, gap, error });
        }
    }

    /// Leaves out the facet of two edges that are parallel or nearly so.
    fn skip_parallel(&mut self, sine: f64) {
        if sine > 0.0 {
            self.slack = PARALLEL * self.pair.size;
        }
    }
}

fn edge_directions(p: &Polyhedron) -> Vec<Vec3<f64>> {
    p.edges.iter().map(|e| (p.vertex(e.v[1]) - p.vertex(e.v[0])).normalized()).collect()
}

/// The edges of two solids. Only pairs whose arcs cross on the Gauss map carry a facet (Gregorius
/// 2013), tested with a margin far above rounding. Such edges support their bodies, so a bound of
/// the gap needs no scan over the vertices.
fn solid_edges(list: &mut DirectionList<'_, '_>, sides: &RotatedFeatures) {
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
                list.skip_parallel(sine);
                continue;
            }
            let n = cross.scale(1.0 / sine);
            let error = pair.bound() / sine;
            let outward = n.dot(pa - pair.a.mean);
            let across = n.dot(pair.pose.point(pair.b.vertex(eb.v[0])) - pa);
            // Both signs where a body is too thin to tell the outward one.
            for (n, turned) in [(n, false), (-n, true)] {
                let sign = if turned { -1.0 } else { 1.0 };
                if sign * outward >= -error && sign * across + error >= list.best - list.keep {
                    list.offer(DirectionOrigin::Edges(i as u32, j as u32, turned), n, error);
                }
            }
        }
    }
}

/// The edges where a body is flat. Of a solid, only edges whose arc on the Gauss map crosses the
/// great circle of the other edge can carry a facet with it; of a flat body, every edge can, and
/// one edge of each direction is enough.
fn flat_edges(list: &mut DirectionList<'_, '_>, sides: &RotatedFeatures) {
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
                list.skip_parallel(sine);
                continue;
            }
            let n = cross.scale(1.0 / sine);
            let error = pair.bound() / sine;
            list.offer(DirectionOrigin::Edges(i, j, false), n, error);
            list.offer(DirectionOrigin::Edges(i, j, true), -n, error);
        }
    }
}

/// All edges of a solid; one of each direction of a flat body.
fn edges_of(p: &Polyhedron) -> Vec<u32> {
    if p.dimension == 3 { (0..p.edges.len() as u32).collect() } else { p.distinct_edges.clone() }
}

/// Points and segments leave directions free: all directions orthogonal to them are equally good.
/// Coordinate axes are taken, made orthogonal to the edge.
fn free_directions(list: &mut DirectionList<'_, '_>, sides: &RotatedFeatures) {
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
        list.offer(DirectionOrigin::Free(k), n, pair.bound());
    }
}
