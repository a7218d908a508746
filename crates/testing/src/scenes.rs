//! Generated scenes and blocks.

use crate::random::Random;
use clearsweep_broad::BroadScene;
use clearsweep_geometry::polyhedron::Boundary;
use clearsweep_geometry::{Polyhedron, Pose, Vec3};
use clearsweep_model::{
    Body, DeviationSource, FrameBlock, IgnoredPairs, LengthUnit, Missing, Model, Motion, MotionRule, NodeHierarchy,
    Piece, Pivot, QueryOptions, Scene, SceneOverrides, SearchOptions, Shape, block::Sample,
};
use clearsweep_trajectory::Bounds;
use std::sync::Arc;

/// A convex core; only its vertices matter here.
pub fn core(points: &[[f64; 3]]) -> Polyhedron {
    let padded = points.len().next_multiple_of(8);
    let column = |k: usize| (0..padded).map(|i| points[if i < points.len() { i } else { 0 }][k]).collect();
    let radius = points.iter().map(|p| (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt()).fold(0.0, f64::max);
    Polyhedron {
        radius: radius * (1.0 + 1e-15),
        away: 0.0,
        ..Polyhedron::of(Boundary {
            dimension: 3,
            count: points.len(),
            x: column(0),
            y: column(1),
            z: column(2),
            source: (0..points.len() as u32).collect(),
            edges: Vec::new(),
            face_start: vec![0],
            face_vertices: Vec::new(),
            face_edges: Vec::new(),
            normals: Vec::new(),
            neighbour_start: vec![0; points.len() + 1],
            neighbours: Vec::new(),
            neighbour_edges: Vec::new(),
            neighbour_blocks: Vec::new(),
            neighbour_block_start: Vec::new(),
            starts: Vec::new(),
            start_side: 0,
            mean: Vec3::ZERO,
            distinct_edges: Vec::new(),
        })
    }
}

pub fn shape(points: &[[f64; 3]], growth: f64) -> Arc<Shape> {
    let core = core(points);
    let radius = (core.radius + growth) * (1.0 + 1e-15);
    Arc::new(Shape {
        model: Model::Hull,
        pieces: vec![Piece { core, radius: growth }],
        hull: None,
        center: Vec3::ZERO,
        middle: Vec3::ZERO,
        radius,
        vertices: points.len() as u64,
        triangles: 0,
        watertight: None,
        fit: None,
        deviation: 0.0,
        decomposition_deviation: None,
        uneven: None,
        coordinate_step: 0.0,
        mesh: None,
        faces: Default::default(),
        tree: Default::default(),
        parts: Default::default(),
        condition: None,
    })
}

/// A cuboid with these edge lengths.
pub fn cuboid(sides: [f64; 3]) -> Arc<Shape> {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 0 { -0.5 } else { 0.5 } * sides[k]);
    let corners: Vec<[f64; 3]> = (0..8).map(corner).collect();
    shape(&corners, 0.0)
}

pub struct Setup {
    pub scene: Scene,
    pub within: f64,
    pub bounds: Option<Bounds>,
}

impl Setup {
    pub fn new(within: f64) -> Self {
        let scene = Scene {
            path: "scene.toml".into(),
            name: "test".into(),
            unit: LengthUnit::ALL[0],
            require_unit: LengthUnit::ALL[0],
            bodies: Vec::new(),
            dynamic: Vec::new(),
            trajectories: None,
            columns: Default::default(),
            missing: Missing::Absent,
            frame_rate: None,
            query: QueryOptions { within, ..QueryOptions::EVERYTHING },
            direction: None,
            search: SearchOptions::default(),
            motion: MotionRule::default(),
            ignored: IgnoredPairs::default(),
            ignore_rules: Vec::new(),
            rules: Default::default(),
            baselines: Default::default(),
            dispositions: Default::default(),
            earlier_issues: None,
            issue_group: Default::default(),
            expected: Default::default(),
            parents: Vec::new(),
            inputs: Vec::new(),
            builder_digest: None,
            overrides: SceneOverrides::default(),
            joints: None,
            robots: Vec::new(),
            hierarchy: NodeHierarchy::default(),
            trees: Vec::new(),
            notes: Vec::new(),
        };
        Self { scene, within, bounds: None }
    }

    pub fn add(&mut self, shape: Arc<Shape>, fixed: Option<Pose>) {
        let index = self.scene.bodies.len() as u32;
        let motion = fixed.map_or(Motion::Dynamic { slot: self.scene.dynamic.len() as u32 }, Motion::Static);
        if fixed.is_none() {
            self.scene.dynamic.push(index);
        }
        let (name, pivot) = (format!("body-{index}"), Pivot::Origin);
        self.scene.bodies.push(Body {
            name,
            shape,
            deviation_source: DeviationSource::Exact,
            motion,
            pivot,
            groups: Arc::default(),
            id: None,
            pose_steps: Default::default(),
            bounds: Default::default(),
        });
    }

    /// Assigns every body to one of `classes` by its index. Class 0 ignores itself; classes 0 and 1
    /// ignore each other.
    pub fn ignore(&mut self, classes: usize) {
        assert!((2..8).contains(&classes));
        self.scene.ignored = IgnoredPairs {
            class: (0..self.scene.bodies.len()).map(|i| (i % classes) as u32).collect(),
            classes,
            matrix: vec![1 | 1 << 1 | 1 << classes],
        };
    }

    /// The bounds of the positions of a block, as a reader finds them.
    pub fn bound(&mut self, block: &FrameBlock) {
        let mut b = Bounds { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };
        for slot in 0..self.scene.dynamic.len() {
            for s in (0..block.samples.len()).filter(|s| block.present[slot] >> s & 1 == 1) {
                let p = block.pose(slot, s).position.to_array();
                for k in 0..3 {
                    b.min[k] = b.min[k].min(p[k]);
                    b.max[k] = b.max[k].max(p[k]);
                }
            }
        }
        self.bounds = (b.min[0] <= b.max[0]).then_some(b);
    }

    pub fn job(&self) -> BroadScene {
        BroadScene::new(&self.scene, self.bounds, self.within)
    }
}

/// Returns an empty block of `samples` samples; `run_length` samples a run.
pub fn block(index: u64, slots: usize, samples: usize, run_length: usize) -> FrameBlock {
    let mut block = FrameBlock::new(index, slots);
    for s in 0..samples {
        let (run, frame) = ((s / run_length) as i64, (s % run_length) as i64);
        block.samples.push(Sample { run, frame, time_s: None });
        block.starts_run |= u64::from(frame == 0) << s;
    }
    block
}

/// The arrangement, the sizes and the motion of the bodies of a generated scene.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub name: &'static str,
    pub bodies: usize,
    /// The share of static bodies.
    pub fixed: f64,
    /// The edges of the space along each axis, in sizes of a body.
    pub space: [f64; 3],
    /// The ratio of the largest to the smallest size, which is 1; sizes are distributed
    /// log-uniformly.
    pub ratio: f64,
    /// The motion between samples, in sizes.
    pub step: f64,
    pub offset: f64,
    pub scale: f64,
    pub samples: usize,
    pub run_length: usize,
    /// The share of samples in which a body is absent.
    pub absent: f64,
    pub classes: usize,
    /// The number of tight clusters; 0 for a uniform arrangement.
    pub clusters: usize,
    pub seed: u64,
}

pub const BASE: Recipe = Recipe {
    name: "uniform",
    bodies: 300,
    fixed: 0.2,
    space: [9.0; 3],
    ratio: 1.0,
    step: 0.02,
    offset: 0.0,
    scale: 1.0,
    samples: 64,
    run_length: 64,
    absent: 0.0,
    classes: 0,
    clusters: 0,
    seed: 1,
};

/// The scene and one block of it.
pub fn generate(recipe: &Recipe) -> (Setup, FrameBlock) {
    let r = &mut Random(recipe.seed);
    let mut setup = Setup::new(0.1 * recipe.scale);
    let mut moving = Vec::new();
    let centres: Vec<[f64; 3]> = (0..recipe.clusters).map(|_| r.in_cube(0.5)).collect();
    for _ in 0..recipe.bodies {
        let size = recipe.scale * recipe.ratio.powf(r.unit());
        let sides = std::array::from_fn(|_| size * r.between(0.5, 1.0));
        let spread = if recipe.clusters > 0 { 0.02 } else { 1.0 };
        let mut at = r.in_cube(0.5 * spread);
        if recipe.clusters > 0 {
            let c = centres[r.below(recipe.clusters)];
            at = std::array::from_fn(|k| at[k] + c[k]);
        }
        let at: [f64; 3] = std::array::from_fn(|k| recipe.offset + recipe.scale * recipe.space[k] * at[k]);
        let pose = Pose::new(at, r.turn());
        let fixed = r.unit() < recipe.fixed;
        if !fixed {
            moving.push((pose, r.in_cube(recipe.step * size)));
        }
        setup.add(cuboid(sides), fixed.then_some(pose));
    }
    let mut block = block(1, moving.len(), recipe.samples, recipe.run_length);
    for (slot, (pose, velocity)) in moving.iter().enumerate() {
        let mut q = pose.q;
        for s in 0..recipe.samples {
            let t = (s % recipe.run_length) as f64;
            let jump = if s >= recipe.run_length { (s / recipe.run_length) as f64 } else { 0.0 };
            let shift: [f64; 3] = std::array::from_fn(|k| {
                velocity[k] * t + if recipe.run_length < 64 { velocity[(k + 1) % 3] * 60.0 * jump } else { 0.0 }
            });
            q[1] += 0.01;
            let p: [f64; 3] = std::array::from_fn(|k| pose.position.to_array()[k] + shift[k]);
            if r.unit() >= recipe.absent {
                block.set(slot, s, &Pose::new(p, q));
            }
        }
    }
    if recipe.classes > 0 {
        setup.ignore(recipe.classes);
    }
    setup.bound(&block);
    (setup, block)
}
