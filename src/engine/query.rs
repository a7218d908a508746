//! One pair at one pose.

use super::methods;
use super::world::in_world;
use crate::error::{Error, Result};
use crate::geometry::Pose;
use crate::narrow::{PairCache, PairQuery, Poses, Proximity, Routes};
use crate::scene::{QueryOptions, Shape};

/// The signed distance (metres) of two shapes, whatever it is; `a_from_b` is the pose of B's own frame in A's own
/// frame. Witness points and normal are in A's own frame.
///
/// # Errors
/// No such narrow phase.
pub fn query(a: &Shape, b: &Shape, a_from_b: &Pose, narrow: &str) -> Result<Proximity> {
    let narrow = methods::narrow(narrow)?;
    let pose_a = Pose::IDENTITY.recentred(a.center);
    let pose_b = a_from_b.recentred(b.center);
    let asked = PairQuery { a, b, poses_a: Poses::Fixed(&pose_a), poses_b: Poses::Fixed(&pose_b), samples: 1 };
    // Far beyond every length, and still finite, so that no bound computed from it is infinite or NaN.
    let options = QueryOptions { within: 1e300, require: None, touch: 0.0, static_pairs: true };
    let mut rows = Vec::with_capacity(1);
    narrow.walk(&asked, &options, &mut PairCache::default(), &mut Routes::default(), &mut rows);
    let answer = rows.pop().ok_or_else(|| Error::internal("query", "the narrow phase gave no answer"))?;
    Ok(in_world(answer, &pose_a))
}
