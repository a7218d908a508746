//! Internals that the tests, the benchmarks, the examples, the fuzz targets and the program of this repository need.
//!
//! It is no part of the API: it changes without notice.

pub use crate::{Error, ErrorKind, Result};

/// From the module of the same name.
pub mod broad {
    pub use crate::broad::{BroadPhase, BroadScene, DeviceReport, NAMES, Unavailable, bench_support, boxes, by_name};
}

/// From the module of the same name.
pub mod engine {
    pub use crate::engine::{
        Advance, Checked, DEFAULT_MEMORY, Device, Explained, GroupFound, Job, JobOptions, LargestStep, LastingContact,
        Loaded, MeshFound, MotionQuery, Outcome, PairOptions, Progress, ProximityQuery, RuleFound, Warning, check,
        explain, simd_features,
    };
}

/// From the module of the same name.
pub mod error {
    pub use crate::error::{Error, ErrorKind};
}

/// From the module of the same name.
pub mod generate {
    pub use crate::generate::{BoxGrid, Coherence, Crowd, FloorPoses, Object, PipeRack, Separation, ShopFloor};
}

/// From the module of the same name.
pub mod geometry {
    pub use crate::geometry::{
        LazyPieceTree, LazySurface, PieceTree, Polyhedron, Pose, RelativePose, TriangleMesh, Vec3, hull, real,
    };
}

/// From the module of the same name.
pub mod narrow {
    pub use crate::narrow::closest_points::{Closest, closest_points};
    pub use crate::narrow::{
        Auto, BodyPoses, CdDual, DirectionalDistance, DirectionalRelation, FeatureKind, Gjk, IntervalMethod,
        IntervalProximity, IntervalStatus, LinCanny, Method, NarrowPhase, PairCache, PairQuery, Proximity, Routes,
        Status, VClip, Workspace, answer, by_name, certificate, directional_distance, duality, epa, exact, feature,
        gjk, interval, lin_canny, pair, query_one, resolver, search, vclip,
    };
}

/// From the module of the same name.
pub mod scene {
    pub use crate::scene::{
        BetweenFrames, Body, BodyBuilder, BodyTree, Candidate, Carriage, CarriageLink, Following, FrameBlock, Geometry,
        IgnoreRule, Lanes, MeshCondition, Missing, Model, Motion, MotionRule, Outline, Piece, Pivot, QueryOptions,
        RestPose, SAMPLES, Sample, Scene, SceneBuilder, SceneOverrides, Shape, TreeNode, block, ignore, model, readers,
    };
}

/// From the module of the same name.
pub mod table {
    pub use crate::table::{
        DistanceColumns, FinishedTables, IntervalRow, JobInputs, ParquetTables, Row, RunLine, TableOptions,
        TableWriter, Totals, WorstPair, trajectory_file, worst_pairs, worst_runs,
    };
}

/// From the module of the same name.
pub mod trajectory {
    pub use crate::trajectory::{
        Bounds, ReadOptions, Reading, SortOptions, SortPhase, SortStep, Sorted, Trajectory, sort,
    };
}
