//! The inputs of the peers' harness (formats: `benches/peers_narrow.rs`), with new poses of the
//! same kind.

use std::f64::consts::{PI, TAU};
use std::fs;
use std::io;
use std::path::Path;

use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{Random, moved};
use clearsweep_testing::oracle::number::{norm, times};
use clearsweep_testing::oracle::out_of_frame;
use clearsweep_testing::recheck::families::{Family, Walk};
use clearsweep_testing::recheck::solid::Solid;
use clearsweep_testing::recheck::verify::cold;

/// Degrees a frame of the cases of N1.
const TURNS: [&str; 6] = ["0", "0.1", "1", "5", "10", "25"];
/// Shapes of N1, in the order of their file.
const BODIES: [&str; 5] = ["cube", "icosa", "disk", "sphere642", "cubebox"];
/// Points of the hulls of N2, and how many hulls of each there are.
const POINTS: [usize; 4] = [8, 32, 128, 512];
const HULLS: usize = 20;

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn shapes(path: &Path) -> io::Result<Vec<Solid>> {
    let bytes = fs::read(path)?;
    let mut at = 8;
    let mut all = Vec::new();
    for _ in 0..u32_at(&bytes, 4) {
        let (vertices, triangles) = (u32_at(&bytes, at + 4), u32_at(&bytes, at + 8));
        at += 40;
        let point = |i: usize| [0, 1, 2].map(|k: usize| f64_at(&bytes, at + 24 * i + 8 * k));
        all.push(Solid::new((0..vertices).map(point).collect(), 0.0));
        at += vertices * 24 + triangles * 12;
    }
    Ok(all)
}

/// The queries of a case as walks: consecutive ones of one sequence and pair together. `first`:
/// index of its shapes.
fn walks(work: &Path, case: &str, first: usize) -> io::Result<Vec<Walk>> {
    let bytes = fs::read(work.join("in").join(format!("{case}.pxq")))?;
    let known = fs::read(work.join("in").join(format!("{case}.ref"))).unwrap_or_default();
    let mut all: Vec<Walk> = Vec::new();
    let mut last = None;
    for i in 0..u32_at(&bytes, 4) {
        let at = 8 + 128 * i;
        let bodies = [first + u32_at(&bytes, at + 4), first + u32_at(&bytes, at + 8)];
        let key = Some((u32_at(&bytes, at), bodies));
        if last != key {
            all.push(Walk { bodies, samples: Vec::new(), known: Vec::new(), within: f64::INFINITY });
        }
        last = key;
        let place = |at: usize| {
            let f = |k: usize| f64_at(&bytes, at + 8 * k);
            Placement::new([f(0), f(1), f(2)], [f(3), f(4), f(5), f(6)])
        };
        let walk = all.last_mut().expect("there is a walk");
        walk.samples.push((place(at + 16), place(at + 72)));
        let at = 8 + 8 * i;
        walk.known.push(if at + 8 <= known.len() { f64_at(&known, at) } else { f64::NAN });
    }
    Ok(all)
}

/// N1 and N2 and the pairs of E1 that come near; `work`: the harness' work folder.
pub(crate) fn families(work: &Path) -> io::Result<Vec<Family>> {
    let inputs = work.join("in");
    let mut n1 = Vec::new();
    for body in BODIES {
        for turn in TURNS {
            n1.extend(walks(work, &format!("n1_{body}_{turn}"), 0)?);
        }
    }
    let (mut pool, mut n2) = (Vec::new(), Vec::new());
    for points in POINTS {
        for regime in ["sep", "touch", "over"] {
            n2.extend(walks(work, &format!("n2_{points}_{regime}"), pool.len())?);
        }
        pool.extend(shapes(&inputs.join(format!("n2_{points}.pxs")))?);
        assert_eq!(pool.len() % HULLS, 0, "twenty hulls of each size");
    }
    let e1 = walks(work, "e1_200f", 0)?;
    let asked = e1.iter().map(|w| w.samples.len()).sum::<usize>();
    Ok(vec![
        Family::of_pool("N1", 0.14, shapes(&inputs.join("n1.pxs"))?, n1, revolve),
        Family::of_pool("N2", 0.08, pool, n2, meet),
        Family::of_pool("E1", asked as f64, shapes(&inputs.join("e1.pxs"))?, e1, meet_any),
    ])
}

/// The coherence test of the V-Clip paper (Mirtich 1997, Algorithm 9): one body revolves around the
/// other one.
fn revolve(random: &mut Random, pool: &[Solid]) -> Walk {
    let body = random.below(pool.len());
    let step = [0.1_f64, 1.0, 5.0, 10.0, 25.0][random.below(5)].to_radians();
    let (phases, axis) = loop {
        let phases = [0; 3].map(|_| random.between(0.0, TAU));
        let at = |k: u32| norm(phases.map(|p: f64| 3.2 * libm::cos(PI * f64::from(k) / 360.0 + p)));
        if (0..720).map(at).fold(f64::INFINITY, f64::min) > 2.1 {
            break (phases, random.direction());
        }
    };
    let start = random.between(0.0, TAU);
    let sample = |k: u32| {
        let angle = start + step * f64::from(k);
        let [x, y, z] = times(axis, libm::sin(angle / 2.0));
        let t = phases.map(|p: f64| 3.2 * libm::cos(angle + p));
        (Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]), Placement::new(t, [libm::cos(angle / 2.0), x, y, z]))
    };
    Walk { bodies: [body; 2], samples: (0..256).map(sample).collect(), known: Vec::new(), within: f64::INFINITY }
}

/// Two hulls of one size apart, in touch, or overlapping; the larger ones less often.
fn meet(random: &mut Random, pool: &[Solid]) -> Walk {
    let chance = random.between(0.0, 1.0);
    let size = if chance < 0.66 {
        0
    } else if chance < 0.95 {
        1
    } else if chance < 0.99 {
        2
    } else {
        3
    };
    let bodies = [0; 2].map(|_| size * HULLS + random.below(HULLS));
    met(random, pool, bodies)
}

fn meet_any(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = [0; 2].map(|_| random.below(pool.len()));
    met(random, pool, bodies)
}

fn met(random: &mut Random, pool: &[Solid], bodies: [usize; 2]) -> Walk {
    let [a, b] = bodies.map(|i| &pool[i]);
    let reach = a.radius() + b.radius();
    let samples = (0..64).map(|k| {
        let pa = Placement::new([0; 3].map(|_| random.between(-1.0, 1.0)), random.turn());
        let away = random.between(if k % 3 == 2 { 0.0 } else { 0.3 }, if k % 3 == 2 { 0.4 } else { 1.5 });
        let pb = moved(&Placement { q: random.turn(), ..pa }, times(random.direction(), away * reach));
        if k % 3 != 1 {
            return (pa, pb);
        }
        let row = cold(a, &pa, b, &pb);
        let n = out_of_frame(&pa, row.normal.to_array());
        let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
        (pa, moved(&pb, times(n, sign * random.scale(1e-12, 1e-6) - row.distance)))
    });
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}
