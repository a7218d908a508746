use super::*;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{FeatureKind, Method, Status};

/// Answers every third sample or so of a pair: which ones depends on the pair.
struct Some3;

fn answered(a: u32, b: u32, sample: usize) -> bool {
    (a as usize * 7 + b as usize * 5 + sample).is_multiple_of(3)
}

impl NarrowPhase for Some3 {
    fn name(&self) -> &'static str {
        "some"
    }
    fn query_batch(
        &self,
        queries: &[PairQuery<'_>],
        _: &clearsweep_model::QueryOptions,
        _: &mut [PairCache],
        _: &mut Workspace,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
        ends: &mut Vec<usize>,
    ) {
        for query in queries {
            for sample in (0..SAMPLES).filter(|s| query.samples >> s & 1 == 1) {
                stats.queries += 1;
                // The bodies of the test stand at x = their index.
                let [a, b] = [query.poses_a, query.poses_b].map(|poses| poses.at(sample).position.x as u32);
                if answered(a, b, sample) {
                    out.push(answer(sample));
                }
            }
            ends.push(out.len());
        }
    }
}

fn answer(sample: usize) -> Proximity {
    Proximity {
        sample: sample as u8,
        status: Status::Separated,
        method: Method::Strict,
        feature_kind: [FeatureKind::Vertex; 2],
        feature: [0; 2],
        part: [0; 2],
        distance: 1.0,
        lower: 1.0,
        upper: 1.0,
        point_a: Vec3::ZERO,
        point_b: Vec3::new(1.0, 0.0, 0.0),
        normal: Vec3::new(1.0, 0.0, 0.0),
        protrusion: f64::NAN,
    }
}

/// Bodies at x = their index; even ones are static.
fn scene(bodies: u32) -> Scene {
    let dir = tempfile::tempdir().expect("scratch");
    let path = dir.path().join("scene.toml");
    let mut text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[query]\nwithin = 1.0\n".to_owned();
    for body in 0..bodies {
        text += &format!("[[body]]\nname = \"b{body}\"\nshape = {{ sphere = 0.1 }}\n");
        if body % 2 == 0 {
            text += &format!("static = true\nposition = [{body}.0, 0.0, 0.0]\n");
        }
    }
    std::fs::write(&path, text).expect("written");
    clearsweep_scene::load_scene(&path, &clearsweep_model::SceneOverrides::default()).expect("a scene")
}

fn block(scene: &Scene) -> FrameBlock {
    let mut block = FrameBlock::new(0, scene.dynamic.len());
    for frame in 0..SAMPLES {
        block.samples.push(clearsweep_model::Sample { run: 0, frame: frame as i64, time_s: None });
        for (slot, &body) in scene.dynamic.iter().enumerate() {
            block.set(slot, frame, &Pose::new([f64::from(body), 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
        }
    }
    block
}

#[test]
fn rows_are_sorted_and_the_same_for_any_number_of_threads() {
    let scene = scene(21);
    let block = block(&scene);
    let mut candidates = Vec::new();
    for a in 0..21_u32 {
        for b in a + 1..21 {
            let samples = u64::MAX.rotate_left(a + b) << (b % 40) ^ 0x5a5a << a;
            candidates.push(Candidate { a, b, samples });
        }
    }
    let slice = Slice { pairs: candidates.clone().into(), ends_block: true };
    let mut expected = Vec::new();
    for sample in 0..SAMPLES {
        for c in candidates.iter().filter(|c| c.samples >> sample & 1 == 1 && answered(c.a, c.b, sample)) {
            expected.push((sample, c.a, c.b));
        }
    }
    assert!(expected.len() > 1000, "the test is to have rows");
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let mut caches = Caches::new(1 << 20);
        let found = pool.install(|| narrow(&scene, &block, &Some3, &mut caches, &slice));
        let rows = found.rows.sorted();
        let keys: Vec<_> = rows.iter().map(|row| (usize::from(row.proximity.sample), row.a, row.b)).collect();
        assert_eq!(keys, expected, "{threads} threads");
        let asked: u32 = candidates.iter().map(|c| c.samples.count_ones()).sum();
        assert_eq!(found.stats.queries, u64::from(asked));
        assert!(rows.iter().all(|row| row.proximity.point_a.x == f64::from(row.a)), "in the world");
        let alone = narrow_alone(&scene, &block, &Some3, &mut caches, &slice);
        assert_eq!(alone.rows.sorted(), rows, "alone");
        assert_eq!(alone.stats, found.stats, "alone");
    }
}

#[test]
fn what_is_remembered_stays_within_its_limit_and_ends_with_the_input() {
    let scene = scene(40);
    let pairs = (0..40_u32).flat_map(|a| (a + 1..40).map(move |b| Candidate { a, b, samples: 0b11 }));
    let slice = |ends_block: bool| Slice { pairs: pairs.clone().collect::<Vec<_>>().into(), ends_block };
    let full = block(&scene);
    let last = FrameBlock { samples: full.samples[..1].to_vec(), ..full.clone() };
    for limit in [0, 1, 50_000, 10_000_000] {
        let mut caches = Caches::new(limit);
        narrow(&scene, &full, &Some3, &mut caches, &slice(true));
        assert!(caches.bytes() <= limit && (caches.bytes() > 0) == (limit > 1), "{} bytes", caches.bytes());
        narrow(&scene, &last, &Some3, &mut caches, &slice(true));
        assert_eq!(caches.bytes(), 0, "no sample follows");
        let mut caches = Caches::new(limit);
        narrow_alone(&scene, &last, &Some3, &mut caches, &slice(true));
        assert_eq!(caches.bytes(), 0, "one frame needs no caches");
        narrow_alone(&scene, &last, &Some3, &mut caches, &slice(false));
        assert_eq!(caches.bytes() > 0, limit > 1, "a later sample may ask again");
    }
}

#[test]
fn no_candidates_no_rows() {
    let scene = scene(2);
    let (block, slice) = (block(&scene), Slice { pairs: Default::default(), ends_block: true });
    assert_eq!(narrow(&scene, &block, &Some3, &mut Caches::default(), &slice).rows.len(), 0);
    assert_eq!(narrow_alone(&scene, &block, &Some3, &mut Caches::default(), &slice).rows.len(), 0);
}
