//! The candidates by a scalar double loop, which shares no code with any method.

use clearsweep_broad::BroadScene;
use clearsweep_broad::boxes::LatticeBox;
use clearsweep_scene::{Candidate, FrameBlock, Motion};
use clearsweep_testing::scenes::Setup;

/// Compares two boxes end by end.
fn apart(a: &LatticeBox, b: &LatticeBox) -> bool {
    a.max[0] < b.min[0]
        || b.max[0] < a.min[0]
        || a.max[1] < b.min[1]
        || b.max[1] < a.min[1]
        || a.max[2] < b.min[2]
        || b.max[2] < a.min[2]
}

/// Every pair in every interval, one after the other.
pub(crate) fn interval_oracle(setup: &Setup, job: &BroadScene, block: &FrameBlock) -> Vec<Candidate> {
    let scene = &setup.scene;
    let fixed: Vec<(u32, LatticeBox)> = job.fixed_boxes().collect();
    let moving: Vec<_> = (0..scene.dynamic.len()).map(|slot| job.interval_boxes(block, slot)).collect();
    let mut found = Vec::new();
    let mut keep = |a: u32, b: u32, overlap: &dyn Fn(usize) -> bool| {
        let samples = (0..block.samples.len()).filter(|&s| overlap(s)).fold(0_u64, |mask, s| mask | 1 << s);
        if samples != 0 && !scene.ignored.contains(a, b) {
            found.push(Candidate { a: a.min(b), b: a.max(b), samples });
        }
    };
    for (i, &a) in scene.dynamic.iter().enumerate() {
        for (j, &b) in scene.dynamic.iter().enumerate().skip(i + 1) {
            let empty = |s: usize| moving[i].get(s).is_empty() || moving[j].get(s).is_empty();
            keep(a, b, &|s| !empty(s) && !apart(&moving[i].get(s), &moving[j].get(s)));
        }
        for (b, fixed) in &fixed {
            keep(a, *b, &|s| !moving[i].get(s).is_empty() && !apart(&moving[i].get(s), fixed));
        }
    }
    found.sort_unstable();
    found
}

/// Every pair in every sample, one after the other.
pub(crate) fn oracle(setup: &Setup, job: &BroadScene, block: &FrameBlock) -> Vec<Candidate> {
    let scene = &setup.scene;
    let samples = block.samples.len();
    let mut boxes: Vec<Option<Vec<LatticeBox>>> = vec![None; scene.bodies.len()];
    for (body, b) in job.fixed_boxes() {
        boxes[body as usize] = Some(vec![b; samples]);
    }
    for (slot, &body) in scene.dynamic.iter().enumerate() {
        let b = job.boxes(block, slot);
        boxes[body as usize] = Some((0..samples).map(|s| b.get(s)).collect());
    }
    let boxes: Vec<_> = boxes.into_iter().map(|b| b.expect("every body has a box")).collect();
    let present = |body: usize, s: usize| match scene.bodies[body].motion {
        Motion::Static(_) => true,
        Motion::Dynamic { slot } => block.present[slot as usize] >> s & 1 == 1,
    };
    let is_static = |body: usize| matches!(scene.bodies[body].motion, Motion::Static(_));
    let static_pairs = block.index == 0 && (scene.query.static_pairs || scene.dynamic.is_empty());
    let mut found = Vec::new();
    for a in 0..boxes.len() {
        for b in a + 1..boxes.len() {
            let both = is_static(a) && is_static(b);
            if scene.ignored.contains(a as u32, b as u32) || both && !static_pairs {
                continue;
            }
            let mut mask = 0_u64;
            for s in 0..if both { samples.min(1) } else { samples } {
                if present(a, s) && present(b, s) && !apart(&boxes[a][s], &boxes[b][s]) {
                    mask |= 1 << s;
                }
            }
            if mask != 0 {
                found.push(Candidate { a: a as u32, b: b as u32, samples: mask });
            }
        }
    }
    found
}
