//! One pair at one pose, with what led to the answer.

use super::methods;
use super::world::in_world;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::{Pose, RelativePose};
use clearsweep_model::{DEFAULT_TOUCH_M, QueryOptions, SearchOptions, Shape};
use clearsweep_narrow::deviation::Deviation;
use clearsweep_narrow::pair::bound_of;
use clearsweep_narrow::pose_rounding::pose_error;
use clearsweep_narrow::{BodyPoses, PairCache, PairQuery, Proximity, SolverStats, Workspace, exact};

/// An answer with what led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The answer.
    pub answer: Proximity,
    /// The routes taken.
    pub stats: SolverStats,
    /// The size of the pair S, metres (docs/reference/numerics.md).
    pub size: f64,
    /// The rounding bound E of the pair in `f64`, metres.
    pub bound: f64,
    /// The bracket of exact arithmetic, metres, for bodies of one piece: to compare with the
    /// answer's.
    pub exact: Option<[f64; 2]>,
}

/// The signed distance (metres) of two shapes, whatever it is, with the routes taken, the bounds,
/// and the exact bracket beside the answer's; `a_from_b` is the pose of B's own frame in A's own
/// frame. Witness points and normal are in A's own frame.
///
/// # Errors
/// No such narrow phase.
pub fn explain(a: &Shape, b: &Shape, a_from_b: &Pose, narrow: &str) -> Result<Explained> {
    let poses = placed(a, b, a_from_b);
    let (answer, stats) = asked(a, b, &poses, narrow)?;
    let size = a.radius + b.radius + RelativePose::<f64>::between(&poses.0, &poses.1).t.length();
    let deviation = Deviation::of(a, b);
    // The piece of a mesh is its hull, and the polyhedron around a round body is none of both.
    let is_exact = |body: &Shape| body.mesh.is_none() && body.core_excess() == 0.0;
    let is_convex = is_exact(a) && is_exact(b);
    let exact = match (&a.pieces[..], &b.pieces[..]) {
        ([a], [b]) if is_convex => exact::resolve(&a.core, &b.core, (&poses.0, &poses.1)).map(|answer| {
            let answer = answer.opened(pose_error(&a.core, &poses.0) + pose_error(&b.core, &poses.1));
            // Growing rounds: by half a unit of each of the three numbers.
            let (radii, slack) = (a.radius + b.radius, f64::EPSILON * (a.radius + b.radius + answer.distance.abs()));
            let slack = if radii == 0.0 { 0.0 } else { slack };
            deviation.bracket([answer.lower - radii - slack, answer.upper - radii + slack])
        }),
        _ => None,
    };
    Ok(Explained { answer, stats, size, bound: bound_of::<f64>(size), exact })
}

/// The poses of the recentred frames, A's own frame being the world.
fn placed(a: &Shape, b: &Shape, a_from_b: &Pose) -> (Pose, Pose) {
    (a.recentring().place(&Pose::IDENTITY), b.recentring().place(a_from_b))
}

fn asked(a: &Shape, b: &Shape, poses: &(Pose, Pose), narrow: &str) -> Result<(Proximity, SolverStats)> {
    let narrow = methods::narrow(narrow, &SearchOptions::default())?;
    let asked =
        PairQuery { a, b, poses_a: BodyPoses::Fixed(&poses.0), poses_b: BodyPoses::Fixed(&poses.1), samples: 1 };
    // Far beyond every length, and still finite, so that no bound computed from it is infinite or
    // NaN.
    let options =
        QueryOptions { within: 1e300, touch: DEFAULT_TOUCH_M, static_pairs: true, ..QueryOptions::EVERYTHING };
    let (mut rows, mut stats) = (Vec::with_capacity(1), SolverStats::default());
    narrow.walk(&asked, &options, &mut PairCache::default(), &mut Workspace::default(), &mut stats, &mut rows);
    let answer = rows.pop().ok_or_else(|| Error::internal("query", "the narrow phase gave no answer"))?;
    Ok((in_world(answer, &poses.0), stats))
}
