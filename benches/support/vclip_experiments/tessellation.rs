//! Mirtich 1997 (two-phase), Figure 10: a fixed cube, and a sphere that turns about an axis
//! parallel to the nearest side of the cube, by 1 to 20 degrees a call, at three finenesses.

use super::bodies::{core, cube, sphere};
use super::report::{Parts, Report};
use super::searches::{ByGjk, ByLinCanny, ByVClip, Search};
use clearsweep_geometry::{Pose, RelativePose};
use clearsweep_narrow::lin_canny::TOLERANCE;
use clearsweep_narrow::pair::Pair;
use std::hint::black_box;
use std::time::Instant;

/// Rounds of a timing.
const ROUNDS: usize = 9;
/// Times that the edges of an icosahedron are halved: 80, 320 and 1280 faces, sixteen times as many
/// at last as at first.
const HALVINGS: [u32; 3] = [1, 2, 3];

pub fn run(quick: bool) -> Report {
    let mut report = Report::new(&["faces", "degrees", "search", "calls", "steps", "ns"]);
    let cube = cube(1.0);
    let calls = if quick { 200 } else { 5000 };
    for halvings in HALVINGS {
        let sphere = sphere(halvings);
        for degrees in (1..=20).step_by(if quick { 6 } else { 1 }) {
            let poses = (0..calls).map(|k| {
                let half = f64::from(degrees) * f64::from(k) * (std::f64::consts::PI / 360.0);
                // Off the symmetric place, so that no edge is exactly parallel to the side.
                Pose::new([0.11, 0.07, 2.5], [libm::cos(half), libm::sin(half), 0.0, 0.0])
            });
            let relative = poses.map(|pose| RelativePose::between(&Pose::IDENTITY, &pose));
            let pairs: Vec<_> = relative.map(|pose| Pair::new(core(&cube), core(&sphere), pose, 0.0)).collect();
            measure(&mut report, core(&sphere).face_count(), degrees, &pairs);
        }
    }
    report
}

fn measure(report: &mut Report, faces: usize, degrees: u32, pairs: &[Pair<'_, f64>]) {
    let mut searches: [Box<dyn Search>; 3] =
        [Box::<ByVClip>::default(), Box::new(ByLinCanny::new(TOLERANCE)), Box::new(ByGjk::enhanced())];
    let (mut steps, mut times) = ([0_u64; 3], [const { Parts::new() }; 3]);
    for _ in 0..ROUNDS {
        for (k, search) in searches.iter_mut().enumerate() {
            search.forget();
            steps[k] = 0;
            for (part, pairs) in pairs.chunks(500).enumerate() {
                let start = Instant::now();
                for pair in pairs {
                    steps[k] += u64::from(black_box(search.ask(black_box(pair))).steps);
                }
                times[k].note(part, start);
            }
        }
    }
    for (k, search) in searches.iter().enumerate() {
        report.row(&[
            faces.to_string(),
            degrees.to_string(),
            search.name(),
            pairs.len().to_string(),
            format!("{:.4}", steps[k] as f64 / pairs.len() as f64),
            format!("{:.1}", times[k].nanoseconds(pairs.len())),
        ]);
    }
}
