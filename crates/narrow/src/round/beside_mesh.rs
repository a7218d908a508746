//! Round bodies beside a triangle mesh. The mesh is compared with the polyhedra around the round
//! cores first; what is near then is solved again, each core with each triangle.

use super::sides::{ConvexPair, Side};
use super::{Proven, flat_end, solved};
use crate::answer::status;
use crate::bodies::Bodies;
use crate::mesh::{FEW, MeshMemory, TriangleFeature, published, triangles_within};
use crate::pair::Pair;
use crate::pose_rounding::pose_error;
use clearsweep_geometry::Vec3;
use clearsweep_model::{FeatureKind, Method, Proximity, QueryOptions};
use std::collections::BTreeSet;

/// The nearest core and triangle.
struct NearestCore {
    proven: Proven,
    /// Signed distance of both, grown, metres.
    distance: f64,
    /// A part of each body: the piece, and the triangle.
    parts: [u32; 2],
    /// Growth of each body there, metres.
    radii: [f64; 2],
}

/// The row of two bodies that are apart, of which one is a mesh and the other has round cores, from
/// `row`: that of the polyhedra around the cores. It is as it was if too many triangles are near.
pub(crate) fn beside_mesh(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    row: Proximity,
    memory: &mut MeshMemory,
) -> Proximity {
    let shapes = [bodies.a, bodies.b];
    let Some(round) = (0..2).find(|&k| shapes[k].core_excess() > 0.0 && shapes[1 - k].mesh.is_some()) else {
        return row;
    };
    if row.method != Method::Mesh || !(row.upper.is_finite() && row.distance > 0.0) {
        return row;
    }
    let surfaces = shapes.map(|shape| shape.surface());
    let growth = shapes[0].surface_growth() + shapes[1].surface_growth();
    let poses = [bodies.pose_a, bodies.pose_b];
    // A core as near as the upper end has its polyhedron, grown, as near.
    let mut reach = (row.upper + growth) * (1.0 + 8.0 * f64::EPSILON);
    let mut near = Vec::new();
    if !triangles_within(surfaces, poses, bodies.relative, &mut reach, FEW, memory, &mut near) {
        return row;
    }
    let part_of = |triangles: [u32; 2]| {
        let mut parts = triangles;
        parts[round] = surfaces[round].labels().part(triangles[round]);
        parts
    };
    let pairs: BTreeSet<[u32; 2]> = near.into_iter().map(part_of).collect();
    let mut best: Option<NearestCore> = None;
    let mut lower = f64::INFINITY;
    for parts in pairs {
        let found = core_and_triangle(bodies, round, parts, best.as_ref().map_or(f64::INFINITY, |best| best.distance));
        let Some(found) = found else { continue };
        lower = lower.min(found.proven.lower - (found.radii[0] + found.radii[1]));
        if best.as_ref().is_none_or(|best| found.distance < best.distance) {
            best = Some(found);
        }
    }
    best.map_or(row, |best| sharpened(bodies, options, round, row, &best, lower))
}

/// The distance of a core and a triangle; `None` if they are farther apart, grown, than `beyond`,
/// metres.
fn core_and_triangle(bodies: &Bodies<'_>, round: usize, parts: [u32; 2], beyond: f64) -> Option<NearestCore> {
    let shapes = [bodies.a, bodies.b];
    let piece = &shapes[round].pieces[parts[round] as usize];
    let mut radii = [0, 1].map(|k| shapes[k].surface_growth());
    radii[round] = piece.radius;
    let hulls = [0, 1].map(|k| if k == round { &piece.core } else { shapes[k].surface_hull() });
    let whole = Pair::new(hulls[0], hulls[1], bodies.relative, radii[0] + radii[1]);
    let side = |k: usize| match k == round {
        true => Side::of(&piece.core),
        false => Side::Triangle(shapes[k].surface().corners(parts[k])),
    };
    let pair = ConvexPair { sides: [side(0), side(1)], pose: bodies.relative, bound: whole.bound(), size: whole.size };
    let growth = radii[0] + radii[1];
    let proven = solved(&pair, beyond + growth).ok()?;
    Some(NearestCore { distance: proven.distance - growth, proven, parts, radii })
}

/// The row with the bracket and the witness points of the nearest core and triangle. `lower`: no
/// core and triangle are nearer, metres.
fn sharpened(
    bodies: &Bodies<'_>,
    options: &QueryOptions,
    round: usize,
    row: Proximity,
    best: &NearestCore,
    lower: f64,
) -> Proximity {
    let shapes = [bodies.a, bodies.b];
    let hulls = shapes.map(|shape| shape.surface_hull());
    let off = pose_error(hulls[0], &bodies.pose_a) + pose_error(hulls[1], &bodies.pose_b);
    let opened = (off + shapes[0].deviation + shapes[1].deviation) * (1.0 + 8.0 * f64::EPSILON);
    let NearestCore { proven, distance, parts, radii } = best;
    let upper = (proven.upper - (radii[0] + radii[1]) + opened).next_up();
    let [lower, upper] = [row.lower.max((lower - opened).next_down()), row.upper.min(upper)];
    // Bodies that are not apart are left to the search for a depth.
    if !(lower <= upper && lower > 0.0) {
        return row;
    }
    let distance = distance.clamp(lower, upper);
    let point_a = proven.point_a + proven.normal.scale(radii[0]);
    let features = [0, 1].map(|k| match k == round {
        true => round_feature(bodies, k, parts[k], proven.normal),
        false => published(shapes[k].surface(), parts[k], triangle_feature(&proven.vertices[..proven.count])),
    });
    let part = [0, 1].map(|k: usize| match k == round {
        true => parts[k] as i32,
        false => shapes[k].surface().labels().part(parts[k]) as i32,
    });
    Proximity {
        status: status(lower, upper, options),
        method: Method::Round,
        feature_kind: features.map(|feature| feature.0),
        feature: features.map(|feature| feature.1),
        part,
        distance,
        lower,
        upper,
        point_a,
        point_b: point_a + proven.normal.scale(distance),
        normal: proven.normal,
        ..row
    }
}

/// The feature of a core along the normal from A to B: a flat end, or the curved side; of a
/// polyhedron beside round pieces the vertex there.
fn round_feature(bodies: &Bodies<'_>, side: usize, piece: u32, normal: Vec3<f64>) -> (FeatureKind, i32) {
    let (shape, d) = match side {
        0 => (bodies.a, normal),
        _ => (bodies.b, -bodies.relative.inverse_vector(normal)),
    };
    let core = &shape.pieces[piece as usize].core;
    match core.round.as_deref() {
        Some(round) => flat_end(&round.body, d).map_or((FeatureKind::Round, 0), |end| (FeatureKind::Face, end as i32)),
        None => (FeatureKind::Vertex, core.source[crate::support::scanned_one(core, d).0 as usize] as i32),
    }
}

/// The feature of a triangle with these corners.
fn triangle_feature(corners: &[u32]) -> TriangleFeature {
    match *corners {
        [corner] => TriangleFeature::Vertex(corner as u8),
        // From the last corner an edge leads to the first.
        [0, 2] | [2, 0] => TriangleFeature::Edge(2),
        [one, other] => TriangleFeature::Edge(one.min(other) as u8),
        _ => TriangleFeature::Face,
    }
}
