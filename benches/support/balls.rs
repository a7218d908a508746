//! Scenes of balls, whose boxes are cubes.

use clearsweep_geometry::Vec3;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_scene::model::{DeviationSource, IgnoredPairs, LengthUnit};
use clearsweep_scene::{
    Body, Missing, Model, Motion, MotionRule, NodeHierarchy, Piece, Pivot, QueryOptions, Scene, Shape,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A scene of `n` moving balls of radius 1 m.
pub(crate) fn scene(n: usize) -> Scene {
    let core = convex_hull(&[Vec3::ZERO]).unwrap();
    let piece = Piece { core, radius: 1.0 };
    let shape = Arc::new(Shape {
        model: Model::Hull,
        pieces: vec![piece],
        hull: None,
        center: Vec3::ZERO,
        middle: Vec3::ZERO,
        radius: 1.0,
        vertices: 1,
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
    });
    let body = |slot: u32| Body {
        name: String::new(),
        shape: Arc::clone(&shape),
        motion: Motion::Dynamic { slot },
        pivot: Pivot::Origin,
        groups: Default::default(),
        id: None,
        pose_steps: Default::default(),
        bounds: Default::default(),
        deviation_source: DeviationSource::Exact,
    };
    Scene {
        path: PathBuf::new(),
        name: String::new(),
        unit: LengthUnit::ALL[0],
        require_unit: LengthUnit::ALL[0],
        bodies: (0..n as u32).map(body).collect(),
        dynamic: (0..n as u32).collect(),
        trajectories: None,
        columns: Default::default(),
        missing: Missing::Absent,
        frame_rate: None,
        query: QueryOptions { within: 0.0, ..QueryOptions::EVERYTHING },
        direction: None,
        search: Default::default(),
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
        overrides: clearsweep_scene::SceneOverrides::default(),
        joints: None,
        robots: Vec::new(),
        hierarchy: NodeHierarchy::default(),
        trees: Vec::new(),
        notes: Vec::new(),
    }
}
