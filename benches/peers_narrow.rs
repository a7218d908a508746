//! Our narrow phase on the inputs of the peers' harness: shapes (PXS1), queries (PXQ1), references (PXR1).
//!
//! `PX_WORK=DIR cargo bench --bench peers_narrow -- SHAPES:CASE[:within] ...`, for instance `e1:e1_200f:0.2`.
//! Timed region, as for every native peer: one pass over all queries, from the poses to the signed distance with
//! witness points. One thread. Prints one JSON line a case, with errors against the references where there are any.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep::geometry::hull::convex_hull;
use clearsweep::geometry::{Pose, Vec3};
use clearsweep::narrow::{Gjk, NarrowPhase, PairCache, PairQuery, Poses, Proximity, Routes, Status};
use clearsweep::scene::{Model, Piece, QueryOptions, Shape};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

struct Query {
    seq: u32,
    shapes: [usize; 2],
    poses: [Pose; 2],
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn read_shapes(path: &Path) -> Vec<Shape> {
    let bytes = std::fs::read(path).unwrap();
    let mut at = 8;
    (0..u32_at(&bytes, 4))
        .map(|_| {
            let (nv, nt) = (u32_at(&bytes, at + 4) as usize, u32_at(&bytes, at + 8) as usize);
            at += 40;
            let v = |i: usize| {
                Vec3::new(
                    f64_at(&bytes, at + 24 * i),
                    f64_at(&bytes, at + 24 * i + 8),
                    f64_at(&bytes, at + 24 * i + 16),
                )
            };
            let points: Vec<_> = (0..nv).map(v).collect();
            at += nv * 24 + nt * 12;
            let core = convex_hull(&points).unwrap();
            let radius = core.radius;
            let pieces = vec![Piece { core, radius: 0.0 }];
            let (vertices, triangles) = (nv as u64, nt as u64);
            Shape {
                model: Model::Hull,
                pieces,
                hull: None,
                center: Vec3::ZERO,
                radius,
                vertices,
                triangles,
                watertight: None,
            }
        })
        .collect()
}

fn read_queries(path: &Path) -> Vec<Query> {
    let bytes = std::fs::read(path).unwrap();
    (0..u32_at(&bytes, 4) as usize)
        .map(|i| {
            let at = 8 + 128 * i;
            let pose = |at: usize| {
                let f = |k: usize| f64_at(&bytes, at + 8 * k);
                Pose::new([f(0), f(1), f(2)], [f(3), f(4), f(5), f(6)])
            };
            Query {
                seq: u32_at(&bytes, at),
                shapes: [u32_at(&bytes, at + 4) as usize, u32_at(&bytes, at + 8) as usize],
                poses: [pose(at + 16), pose(at + 72)],
            }
        })
        .collect()
}

fn pass(shapes: &[Shape], queries: &[Query], within: f64, keep: bool) -> (Vec<Option<Proximity>>, Routes, f64) {
    let options = QueryOptions { within, require: None, touch: 0.0, static_pairs: false };
    let mut caches: BTreeMap<u32, PairCache> = BTreeMap::new();
    for q in queries {
        caches.entry(q.seq).or_default();
    }
    let index: BTreeMap<u32, usize> = caches.keys().enumerate().map(|(i, &k)| (k, i)).collect();
    let at: Vec<usize> = queries.iter().map(|q| index[&q.seq]).collect();
    let mut caches: Vec<PairCache> = caches.into_values().collect();
    let mut routes = Routes::default();
    let mut out = Vec::with_capacity(2);
    let mut rows = Vec::with_capacity(if keep { queries.len() } else { 0 });
    let start = Instant::now();
    let mut sink = 0.0;
    for (q, &at) in queries.iter().zip(&at) {
        let query = PairQuery {
            a: &shapes[q.shapes[0]],
            b: &shapes[q.shapes[1]],
            poses_a: Poses::Fixed(&q.poses[0]),
            poses_b: Poses::Fixed(&q.poses[1]),
            samples: 1,
        };
        out.clear();
        if std::env::var_os("PX_COLD").is_some() {
            caches[at] = PairCache::default();
        }
        Gjk.walk(&query, &options, &mut caches[at], &mut routes, &mut out);
        sink += out.first().map_or(0.0, |p| p.distance);
        if keep {
            rows.push(out.first().copied());
        }
    }
    let ns = start.elapsed().as_secs_f64() * 1e9 / queries.len() as f64;
    assert!(sink.is_finite());
    (rows, routes, ns)
}

fn main() {
    let Some(work) = std::env::var_os("PX_WORK") else {
        eprintln!("skipped: PX_WORK does not name a folder of the peers' harness");
        return;
    };
    let work = Path::new(&work);
    for case in std::env::args().skip(1).filter(|a| a.contains(':')) {
        let parts: Vec<&str> = case.split(':').collect();
        let within: f64 = parts.get(2).map_or(f64::INFINITY, |w| w.parse().unwrap());
        let shapes = read_shapes(&work.join("in").join(format!("{}.pxs", parts[0])));
        let queries = read_queries(&work.join("in").join(format!("{}.pxq", parts[1])));
        let (rows, routes, _) = pass(&shapes, &queries, within, true);
        let mut times: Vec<f64> = (0..7).map(|_| pass(&shapes, &queries, within, false).2).collect();
        times.sort_by(f64::total_cmp);
        let reference = std::fs::read(work.join("in").join(format!("{}.ref", parts[1]))).unwrap_or_default();
        let (mut worst, mut missed, mut checked) = (0.0_f64, 0, 0);
        for (i, row) in rows.iter().enumerate() {
            if 16 + 8 * i > reference.len() {
                break;
            }
            let truth = f64_at(&reference, 8 + 8 * i);
            if truth.is_nan() {
                continue;
            }
            if let Some(row) = row {
                checked += 1;
                worst = worst.max((row.distance - truth).abs());
                missed += u32::from(!(row.lower <= truth && truth <= row.upper));
            } else {
                missed += u32::from(truth < within);
            }
        }
        let found = rows.iter().flatten();
        let overlap = found.clone().filter(|r| r.status == Status::Penetrating).count();
        let routes: BTreeMap<_, _> = routes.entries().into_iter().collect();
        println!(
            "{{\"case\":\"{}\",\"queries\":{},\"ns\":{:.1},\"rows\":{},\"overlapping\":{overlap},\"checked\":{checked},\"worst\":{worst:e},\"missed\":{missed},\"routes\":{routes:?}}}",
            parts[1],
            queries.len(),
            times[3],
            found.count(),
        );
    }
}
