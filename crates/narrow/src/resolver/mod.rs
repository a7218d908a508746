//! The cold resolver: decides what no warm start can. It always starts from the same state, so its
//! answer is a function of the geometry and the relative pose.
//!
//! Three levels of precision, from cheap to certain: GJK and EPA in `f64`, whose answer counts if
//! it is strict, or a tie that rounding cannot change; extended precision (double-double, relative
//! error 2^-104 per operation); exact integers (`narrow::exact`). Ties are enumerated and chosen by
//! the published rule: feature kinds in the order FV, VF, EE, EV, VE, VV (V vertex, E edge, F face;
//! A's feature first), then the lowest indices.
//!
//! ```text
//! directions.rs      every direction along which the depth can be attained, with its gap (Gauss maps: Gregorius 2013)
//! prefilter.rs       pairs that cannot be witnesses, from a few products
//! tie_break.rs       ties in `f64`
//! closest_sets.rs    of parallel features: the sets of closest points along a direction
//! separated.rs       extended precision for cores apart
//! overlap.rs         extended precision for cores that touch or overlap
//! ```

mod closest_sets;
pub(crate) mod directions;
mod overlap;
mod prefilter;
mod separated;
mod tie_break;

use super::answer::Answer;
use super::certificate::{self, Certificate};
use super::epa::{self, Polytope};
use super::exact;
use super::feature::FeaturePair;
use super::gjk::{self, GjkResult, Simplex};
use super::pair::Pair;
use super::pose_rounding::pose_error;
use super::search::SearchEnd;
use super::solver_stats::SolverStats;
use clearsweep_geometry::{Dd, Pose, RelativePose};

/// Distance of cores, in bounds E, up to which the faces around the nearest point are tried for
/// contact.
const TOUCHING: f64 = 64.0;

/// The answer for a pair of cores from a cold start. `growth`: the sum of both radii, metres;
/// `poses`: those of A and B in the world.
pub fn resolve(pair: &Pair<'_, f64>, growth: f64, poses: (&Pose, &Pose), stats: &mut SolverStats) -> Answer {
    stats.cold += 1;
    if let Some(answer) = resolve_in_f64(pair, stats) {
        return answer;
    }
    stats.extended += 1;
    let wide = Pair::<Dd>::new(pair.a, pair.b, RelativePose::between(poses.0, poses.1), growth);
    let found = gjk::search(&wide, &Simplex::default(), f64::INFINITY);
    let apart = matches!(found.end, SearchEnd::Converged | SearchEnd::Stalled);
    let off = pose_error(pair.a, poses.0) + pose_error(pair.b, poses.1);
    let answer = if apart { separated::resolve(pair, &wide, &found, off) } else { None };
    if let Some(answer) = answer.or_else(|| overlap::resolve(pair, &wide, found.point.length(), off)) {
        return closest_sets::with_middle(pair, answer);
    }
    stats.exact += 1;
    resolve_exactly(pair, poses, off).map(|answer| closest_sets::with_middle(pair, answer)).unwrap_or_else(|| {
        stats.uncertified += 1;
        Answer::uncertified(pair, found.point.to_f64())
    })
}

/// The exact answer; `off`: bound on the pose error, metres. If its features are strict in `f64`,
/// it is the strict answer, which every other route gives.
fn resolve_exactly(pair: &Pair<'_, f64>, poses: (&Pose, &Pose), off: f64) -> Option<Answer> {
    let answer = exact::resolve(pair.a, pair.b, poses)?;
    let strict = certificate::local(pair, &answer.features).map(|s| Answer::certified(&s));
    let same = |s: &Answer| s.lower <= answer.lower && answer.upper <= s.upper;
    Some(strict.filter(same).unwrap_or(answer.opened(off)))
}

/// The answer about cores whose nearest point of the difference is the origin up to rounding.
fn touching(pair: &Pair<'_, f64>, found: &GjkResult<f64>) -> Option<Answer> {
    let is_near = found.simplex.count < 4 && found.point.length() <= TOUCHING * pair.bound();
    if is_near { tie_break::contact(pair, found.simplex.as_slice()) } else { None }
}

/// GJK and EPA in `f64` from a cold start: a strict answer, or a tie that rounding cannot change.
fn resolve_in_f64(pair: &Pair<'_, f64>, stats: &mut SolverStats) -> Option<Answer> {
    let found = gjk::search(pair, &Simplex::default(), f64::INFINITY);
    let mut tie = |answer: Option<Answer>| {
        stats.ties += u64::from(answer.is_some());
        answer
    };
    if found.end != SearchEnd::Overlap {
        if found.point.length() <= epa::IN_CONTACT * pair.bound()
            && let Some(answer) = touching(pair, &found)
        {
            return tie(Some(answer));
        }
        let strict = FeaturePair::of_simplex(pair.a, pair.b, found.simplex.as_slice())
            .and_then(|features| certificate::local(pair, &features))
            .filter(Certificate::in_contact_band);
        let answer = strict.map(|s| Answer::certified(&s)).or_else(|| touching(pair, &found));
        return answer.or_else(|| tie(tie_break::separated(pair, &found)));
    }
    if let Some(answer) = touching(pair, &found) {
        return tie(Some(answer));
    }
    let tetrahedron = epa::tetrahedron(pair, &found.simplex)?;
    let mut polytope = Polytope::default();
    if !polytope.start(pair, tetrahedron) {
        return None;
    }
    let proven = epa::penetration(pair, &mut polytope);
    proven.map(|proven| Answer::certified(&proven.answer)).or_else(|| tie(tie_break::overlapping(pair, &mut polytope)))
}
