//! The cold resolver: decides what no warm start can, always from the same start, so that its answer is a function
//! of the geometry and the relative pose.
//!
//! First the plain methods from a cold start in `f64`: their answer counts if it is strict, or a tie that rounding
//! leaves no doubt about. Then extended precision (double-double, 2^-104 a step), and at last exact integers. Ties are
//! enumerated and chosen by the published rule: kinds in the order FV, VF, EE (then EV, VE, VV), lowest indices.

pub mod directions;
mod overlap;
pub(in crate::narrow) mod planes;
mod prefilter;
mod separated;
mod tie_break;

use super::answer::Answer;
use super::certificate::{self, Strict};
use super::epa::{self, Polytope};
use super::exact;
use super::feature::FeaturePair;
use super::gjk::{self, End, Simplex};
use super::pair::Pair;
use super::routes::Routes;
use crate::geometry::{Dd, Pose, RelativePose};

/// Answers a pair of cores from a cold start. `poses` are those of A and B in the world.
pub fn resolve(pair: &Pair<'_, f64>, growth: f64, poses: (&Pose, &Pose), routes: &mut Routes) -> Answer {
    routes.cold += 1;
    if let Some(answer) = plain(pair, routes) {
        return answer;
    }
    routes.extended += 1;
    let wide = Pair::<Dd>::new(pair.a, pair.b, RelativePose::between(poses.0, poses.1), growth);
    let found = gjk::search(&wide, &Simplex::default(), f64::INFINITY);
    let apart = matches!(found.end, End::Converged | End::Stalled);
    let answer = if apart { separated::resolve(pair, &wide, &found) } else { None };
    if let Some(answer) = answer.or_else(|| overlap::resolve(pair, &wide, found.point.length())) {
        return answer;
    }
    routes.exact += 1;
    exactly(pair, poses).unwrap_or_else(|| {
        routes.uncertified += 1;
        Answer::uncertified(pair, found.point.to_f64())
    })
}

/// The exact answer; where its features are strict in `f64`, the row of every other way.
fn exactly(pair: &Pair<'_, f64>, poses: (&Pose, &Pose)) -> Option<Answer> {
    let answer = exact::resolve(pair.a, pair.b, poses)?;
    let strict = certificate::local(pair, &answer.features).map(|s| Answer::strict(&s));
    let same = |s: &Answer| s.lower <= answer.lower && answer.upper <= s.upper;
    Some(strict.filter(same).unwrap_or(answer))
}

/// The plain methods in `f64`: a strict answer, or a tie that rounding does not touch.
fn plain(pair: &Pair<'_, f64>, routes: &mut Routes) -> Option<Answer> {
    let found = gjk::search(pair, &Simplex::default(), f64::INFINITY);
    let mut tie = |answer: Option<Answer>| {
        routes.ties += u64::from(answer.is_some());
        answer
    };
    if found.end != End::Overlap {
        let strict = FeaturePair::of_simplex(pair.a, pair.b, found.simplex.as_slice())
            .and_then(|features| certificate::local(pair, &features))
            .filter(Strict::in_contact_band);
        return strict.map(|s| Answer::strict(&s)).or_else(|| tie(tie_break::separated(pair, &found)));
    }
    let tetrahedron = epa::tetrahedron(pair, &found.simplex)?;
    let mut polytope = Polytope::default();
    if !polytope.start(pair, tetrahedron) {
        return None;
    }
    let strict = epa::deepest(pair, &mut polytope);
    strict.map(|s| Answer::strict(&s)).or_else(|| tie(tie_break::overlapping(pair, &mut polytope)))
}
