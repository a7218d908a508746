//! Accuracy, sections 3.3 and 5.1 of the paper: two gear teeth approach each other until they
//! touch.
//!
//! The paper does not give its meshes. Here the flanks are involutes of 3 to 33 points. Each
//! approach starts at one position of mesh, turned by an angle of no meaning, and halves the
//! distance in each step. The truth is the certified row of the library.

use crate::Effort;
use crate::bodies::{self, PITCH};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::gjk::{self, Cofactors, GjkOptions, GjkStep, Simplex, SimplexPoint, SubAlgorithm};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_scene::Shape;
use clearsweep_testing::random::Random;
use std::fmt::Write;

/// Points a flank.
const SAMPLES: [usize; 5] = [3, 5, 9, 17, 33];
/// The distance at the start, for a module of 1.
const START: f64 = 0.125;
/// Halvings of it: the last distance is below half a unit in the last place of 1.
const STEPS: usize = 52;

/// Result of one search.
struct Measured {
    end: SearchEnd,
    distance: f64,
    iterations: u32,
    /// Simplices of which the sub-algorithm found nothing.
    nothing: u32,
    /// The least |det A| (equation 14) and |det M| (equation 20) of the sets of vertices that
    /// carried a point.
    det_a: f64,
    det_m: f64,
}

/// The determinant of equation 14 for the set that carries the point: the sum of its cofactors.
fn det_a(points: &[Vec3<f64>; 4], count: usize, found: &SimplexPoint<f64>) -> f64 {
    let cofactors = Cofactors::new(points, count);
    let kept = &found.kept[..found.count];
    let set = kept.iter().fold(0, |set, k| set | 1 << k);
    kept.iter().map(|&j| cofactors.of(set, j)).sum::<f64>().abs()
}

/// The determinant of equation 20: the volume, the largest projected area or the largest projected
/// length of the set that carries the point, times a factorial.
fn det_m(points: &[Vec3<f64>; 4], found: &SimplexPoint<f64>) -> f64 {
    let largest = |v: Vec3<f64>| v.to_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    let edge = |k: usize| points[found.kept[k]] - points[found.kept[0]];
    match found.count {
        1 => 1.0,
        2 => largest(edge(1)),
        3 => largest(edge(1).cross(edge(2))),
        _ => edge(1).dot(edge(2).cross(edge(3))).abs(),
    }
}

fn measure(pair: &Pair<'_, f64>, sub_algorithm: SubAlgorithm) -> Measured {
    let options = GjkOptions { sub_algorithm, warm: false, tolerance: Some(f64::EPSILON), ..GjkOptions::DEFAULT };
    let (mut nothing, mut least_a, mut least_m) = (0, f64::INFINITY, f64::INFINITY);
    let found = gjk::search_observed(pair, &Simplex::default(), f64::INFINITY, &options, |step| {
        let GjkStep::Simplex { points, found } = step else { return };
        let mut all = [Vec3::ZERO; 4];
        all[..points.len()].copy_from_slice(points);
        match found {
            None => nothing += 1,
            Some(found) => {
                least_a = least_a.min(det_a(&all, points.len(), found));
                least_m = least_m.min(det_m(&all, found));
            }
        }
    });
    let distance = if found.end == SearchEnd::Overlap { 0.0 } else { found.point.length() };
    Measured { end: found.end, distance, iterations: found.iterations, nothing, det_a: least_a, det_m: least_m }
}

/// B in mesh with A, in A's frame: half a turn about the pitch point; then both gears turn by
/// `phase`, in opposite senses.
fn in_mesh(phase: f64, random: &mut Random) -> Pose {
    // In A's frame the centre of B goes round that of A, and B turns by twice as much.
    let about = |center: Vec3<f64>, angle: f64, p: Vec3<f64>| {
        let (s, c) = angle.sin_cos();
        let d = p - center;
        center + Vec3::new(c * d.x - s * d.y, s * d.x + c * d.y, d.z)
    };
    let centre = about(Vec3::new(-PITCH, 0.0, 0.0), phase, Vec3::new(PITCH, 0.0, 0.0));
    let at = about(centre, phase, about(Vec3::new(-PITCH, 0.0, 0.0), phase, Vec3::ZERO));
    let (s, c) = (0.5 * std::f64::consts::PI + phase).sin_cos();
    // Off the plane by what a bearing leaves, so that edges are not exactly parallel.
    let tilt = 1e-4 * random.signed();
    Pose::new([at.x, at.y, 0.3 + 0.1 * random.signed()], [c, tilt, tilt * random.signed(), s])
}

/// Results of a sub-algorithm over the approaches of a mesh.
#[derive(Default, Clone)]
struct Tally {
    steps: usize,
    /// Contact while the certified distance is above 16 units of the size of the pair.
    false_contacts: usize,
    /// Distances off by more than 1e-12 of the size.
    off: usize,
    nothing: u32,
    stalled: usize,
    worst: f64,
    /// The least distance measured before the first contact, of each approach.
    least: Vec<f64>,
}

/// The approaches of one mesh: lines of the table, and a tally for each sub-algorithm.
fn approaches(tooth: &Shape, samples: usize, phases: usize, csv: &mut String) -> [Tally; 4] {
    let mut random = Random(samples as u64);
    let mut tallies = [(); 4].map(|()| Tally::default());
    for number in 0..phases {
        let phase = 0.3 * (number as f64 / phases as f64 - 0.5) + 0.002 * random.signed();
        let start = in_mesh(phase, &mut random);
        let mut least = [f64::INFINITY; 4];
        let mut ended = [false; 4];
        for step in 0..STEPS {
            let wanted = START * 0.5_f64.powi(step as i32);
            let at = bodies::at_distance(tooth, tooth, &start, wanted);
            let (truth, pair) = (bodies::row(tooth, tooth, &at), bodies::pair(tooth, tooth, &at));
            for (k, sub_algorithm) in SubAlgorithm::ALL.into_iter().enumerate() {
                let m = measure(&pair, sub_algorithm);
                let error = (m.distance - truth.distance.max(0.0)).abs() / pair.size;
                let tally = &mut tallies[k];
                tally.steps += 1;
                tally.nothing += m.nothing;
                tally.stalled += usize::from(m.end == SearchEnd::Stalled);
                tally.off += usize::from(error > 1e-12);
                tally.worst = tally.worst.max(error);
                let contact = m.end == SearchEnd::Overlap;
                tally.false_contacts += usize::from(contact && truth.lower > 16.0 * f64::EPSILON * pair.size);
                ended[k] |= contact;
                if !ended[k] {
                    least[k] = least[k].min(m.distance);
                }
                writeln!(
                    csv,
                    "{samples},{number},{step},{:e},{:.3},{},{:?},{:e},{error:e},{},{},{:e},{:e}",
                    truth.distance,
                    pair.size,
                    sub_algorithm.abbreviation(),
                    m.end,
                    m.distance,
                    m.iterations,
                    m.nothing,
                    m.det_a,
                    m.det_m
                )
                .unwrap();
            }
        }
        for (tally, least) in tallies.iter_mut().zip(least) {
            tally.least.push(least);
        }
    }
    tallies
}

pub(crate) fn run(effort: Effort) -> String {
    let mut csv =
        "samples,approach,step,truth,size,algorithm,end,measured,error,iterations,nothing,det_a,det_m\n".to_owned();
    println!(
        "gear teeth: steps, false contacts, off by > 1e-12, nothing found, stalled, worst error, least distance measured"
    );
    for samples in SAMPLES {
        let tooth = bodies::tooth(samples);
        let tallies = approaches(&tooth, samples, effort.of(3, 24), &mut csv);
        for (sub_algorithm, mut tally) in SubAlgorithm::ALL.into_iter().zip(tallies) {
            tally.least.sort_by(f64::total_cmp);
            println!(
                "{samples:3} a flank, {}: {:5} {:4} {:4} {:4} {:4}  {:.1e}  median {:.1e} worst {:.1e}",
                sub_algorithm.abbreviation(),
                tally.steps,
                tally.false_contacts,
                tally.off,
                tally.nothing,
                tally.stalled,
                tally.worst,
                tally.least[tally.least.len() / 2],
                tally.least[tally.least.len() - 1],
            );
        }
    }
    csv
}
