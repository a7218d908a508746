//! The engine's rows for a tie: by every method, from cold and from warm caches, alone and in
//! blocks.

use clearsweep_narrow::{
    Auto, BodyPoses, FeatureKind, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, VClip,
    Workspace, query_one,
};
use clearsweep_scene::{FrameBlock, SAMPLES, Shape};

use super::bodies::{Body, Part};
use super::closest::inner;
use clearsweep_testing::bridge::{self, EVERYTHING, bits, pose};
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{Random, moved};
use clearsweep_testing::oracle::number::times;

pub const METHODS: [(&str, &dyn NarrowPhase); 4] =
    [("auto", &Auto), ("gjk", &Gjk::DEFAULT), ("vclip", &VClip), ("lin-canny", &LinCanny)];

/// The engine's shape of a body.
pub fn shape(body: &Body) -> Shape {
    bridge::shape(&body.vertices, body.growth)
}

/// The row from a cold cache.
pub fn cold(a: &Shape, pa: &Placement, b: &Shape, pb: &Placement) -> Proximity {
    query_one(a, b, &pose(pa), &pose(pb), &EVERYTHING)
}

/// The published kind and number of a part. `outward`: the body's side of the common normal, in its
/// own frame; it tells the two faces of a plate apart. `None` where the stored polyhedron has no
/// such feature.
pub fn published(shape: &Shape, part: &Part, outward: [f64; 3]) -> Option<(FeatureKind, i32)> {
    let core = &shape.pieces[0].core;
    let sources = |vertices: &[u32]| {
        let mut sources: Vec<usize> = vertices.iter().map(|&v| core.source[v as usize] as usize).collect();
        sources.sort_unstable();
        sources
    };
    let mut corners = part.corners().to_vec();
    corners.sort_unstable();
    match part {
        Part::Edge(_) => {
            let found = core.edges.iter().position(|e| sources(&e.v) == corners)?;
            Some((FeatureKind::Edge, found as i32))
        }
        Part::Face(_) => {
            let is_it = |f: &u32| {
                sources(core.face(*f)) == corners && inner(core.normals[*f as usize].to_array(), outward) > 0.0
            };
            let found = (0..core.face_count() as u32).find(is_it)?;
            Some((FeatureKind::Face, found as i32))
        }
    }
}

/// Places of a pair: A's and B's.
pub type Places = (Placement, Placement);

/// The rows of up to 64 samples through `walk`, with a cache.
pub fn walk(method: &dyn NarrowPhase, [a, b]: [&Shape; 2], places: &[Places], cache: &mut PairCache) -> Vec<Proximity> {
    let mut block = FrameBlock::new(0, 2);
    for (sample, (pa, pb)) in places.iter().enumerate() {
        block.set(0, sample, &pose(pa));
        block.set(1, sample, &pose(pb));
    }
    let samples = u64::MAX >> (SAMPLES - places.len());
    let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
    let query = PairQuery { a, b, poses_a, poses_b, samples };
    let mut rows = Vec::new();
    method.walk(&query, &EVERYTHING, cache, &mut Workspace::default(), &mut SolverStats::default(), &mut rows);
    assert_eq!(rows.len(), places.len(), "no threshold: a row for every sample");
    rows
}

/// The first row of `found` that differs from its cold one.
pub fn compare(what: &str, places: &[Places], found: &[Proximity], cold: &[Proximity]) -> Result<(), String> {
    for (k, (f, c)) in found.iter().zip(cold).enumerate() {
        if bits(f) != bits(c) {
            return Err(format!(
                "{what}, sample {k} at {:?}: the row is not the cold one\n  {f:?}\n  {c:?}",
                places[k]
            ));
        }
    }
    Ok(())
}

/// Every row by every method, from a cold cache and from one that has seen three other poses, is
/// `expected`.
pub fn alone(random: &mut Random, shapes: [&Shape; 2], place: &Places, expected: &Proximity) -> Result<(), String> {
    let reach = shapes[0].radius + shapes[1].radius;
    let places = [*place];
    for (name, method) in METHODS {
        let mut cache = PairCache::default();
        let row = walk(method, shapes, &places, &mut cache);
        compare(&format!("{name}, cold"), &places, &row, &[*expected])?;
        let others = [
            (place.0, moved(&place.1, times(random.direction(), random.scale(1e-9, 0.2) * reach))),
            (place.0, Placement { q: random.turn(), ..place.1 }),
            (place.0, moved(&place.1, times(random.direction(), random.scale(1e-16, 1e-12) * reach))),
        ];
        for other in others {
            walk(method, shapes, &[other], &mut cache);
        }
        let row = walk(method, shapes, &places, &mut cache);
        compare(&format!("{name}, warm"), &places, &row, &[*expected])?;
    }
    Ok(())
}

/// Every row of a path through blocks of 64 samples, by every method, is the cold one. Returns the
/// cold rows.
pub fn along(shapes: [&Shape; 2], path: &[Places]) -> Result<Vec<Proximity>, String> {
    let expected: Vec<Proximity> = path.iter().map(|(pa, pb)| cold(shapes[0], pa, shapes[1], pb)).collect();
    for (name, method) in METHODS {
        let mut cache = PairCache::default();
        for (places, expected) in path.chunks(SAMPLES).zip(expected.chunks(SAMPLES)) {
            let rows = walk(method, shapes, places, &mut cache);
            compare(&format!("{name}, along a path"), places, &rows, expected)?;
        }
    }
    Ok(expected)
}
