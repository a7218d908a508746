//! GJK (Gilbert, Johnson, Keerthi): the point of the Minkowski difference nearest to the origin.
//!
//! Source: Montanari, Petrinic, Barbieri 2017, Algorithm 1, with their signed-volumes
//! sub-algorithm; Gilbert, Johnson, Keerthi 1988 for Johnson's sub-algorithm and the Backup
//! procedure; Cameron 1997, "Enhancing GJK", for hill climbing.
//!
//! ```text
//! descent.rs         Algorithm 1, generic over the sub-algorithm
//! simplex.rs         the simplex, and the result of a search
//! simplex_point.rs   what a sub-algorithm finds
//! signed_volumes.rs  the distance sub-algorithm by signed volumes
//! johnson.rs         Johnson's, by cofactors
//! backup.rs          the Backup procedure, alone and after Johnson's
//! ```
//!
//! Departures from the paper:
//!
//! - Without a tolerance, the tests of convergence and contact (equations 9 and 10) end at the
//!   bound of rounding of the pair.
//! - One tolerance, a ratio of lengths, stands squared in both tests. The paper has two: `eps_rel`,
//!   squared in equation 10, and `eps_tol`, without a square in equation 9. That would call cores
//!   in contact at the square root of `eps_tol`, above the distances of its section 5.1.
//! - A simplex that brings the point no nearer ends the search. So no search repeats a simplex.
//! - The search ends when a direction shows a gap above a cut-off.
//! - Signed volumes and Johnson's cofactors try faces without the newest vertex, too
//!   (`signed_volumes.rs`, `johnson.rs`).
//! - Where Johnson's sub-algorithm finds nothing, the search ends with the simplex before (van den
//!   Bergen 1999).
//!
//! The search proves nothing: it hands a simplex to the certificate, or to EPA where the cores
//! overlap. So its tolerances decide no row.

mod backup;
mod descent;
mod johnson;
mod signed_volumes;
mod simplex;
mod simplex_point;

pub use clearsweep_model::{GjkOptions, SubAlgorithm};
pub use descent::GjkStep;
pub use johnson::Cofactors;
pub(crate) use signed_volumes::nearest as nearest_of_simplex;
pub use simplex::{GjkResult, Simplex};
pub use simplex_point::SimplexPoint;

use super::pair::{Pair, SupportSearch, Supporting};
use backup::{Backup, JohnsonWithBackup};
use clearsweep_geometry::{Real, Vec3};
use descent::{Descent, descend};
use johnson::Johnson;
use signed_volumes::SignedVolumes;
use simplex_point::DistanceSubAlgorithm;

/// Searches from `start` (its vertices are looked up at the new pose), or from the support along
/// `t` if it is empty.
///
/// `cutoff`: metres; the search ends with `SearchEnd::Beyond` once a direction shows that the cores
/// are farther apart.
pub fn search<T: Supporting>(pair: &Pair<'_, T>, start: &Simplex, cutoff: f64) -> GjkResult<T> {
    search_while_apart(pair, start, cutoff, 0.0)
}

/// Searches like [`search`]; it ends with `SearchEnd::Overlap`, too, once points of the cores are
/// found within `near` (metres) of each other.
pub(crate) fn search_while_apart<T: Supporting>(
    pair: &Pair<'_, T>,
    start: &Simplex,
    cutoff: f64,
    near: f64,
) -> GjkResult<T> {
    let descent = Descent { pair, cutoff, near, supports: SupportSearch::BySize, tolerance: None };
    descend::<T, SignedVolumes>(&descent, start, |_| {})
}

/// [`search`] by the options. A cold search takes no notice of `start`.
pub fn search_by<T: Supporting>(
    pair: &Pair<'_, T>,
    start: &Simplex,
    cutoff: f64,
    options: &GjkOptions,
) -> GjkResult<T> {
    if *options == GjkOptions::DEFAULT {
        return search(pair, start, cutoff);
    }
    search_observed(pair, start, cutoff, options, |_| {})
}

/// [`search_by`] with the same steps; `observe` is called with each.
pub fn search_observed<T: Supporting>(
    pair: &Pair<'_, T>,
    start: &Simplex,
    cutoff: f64,
    options: &GjkOptions,
    observe: impl FnMut(&GjkStep<'_, T>),
) -> GjkResult<T> {
    let descent = Descent::by_options(pair, cutoff, options);
    let start = if options.warm { *start } else { Simplex::default() };
    match options.sub_algorithm {
        SubAlgorithm::SignedVolumes => descend::<T, SignedVolumes>(&descent, &start, observe),
        SubAlgorithm::Johnson => descend::<T, Johnson>(&descent, &start, observe),
        SubAlgorithm::JohnsonWithBackup => descend::<T, JohnsonWithBackup>(&descent, &start, observe),
        SubAlgorithm::Backup => descend::<T, Backup>(&descent, &start, observe),
    }
}

/// The point nearest to the origin of the simplex of the first `count` (1 to 4) points of `s`;
/// `None` where Johnson's sub-algorithm finds none in rounding.
#[inline]
pub fn nearest_point<T: Real>(sub_algorithm: SubAlgorithm, s: &[Vec3<T>; 4], count: usize) -> Option<SimplexPoint<T>> {
    match sub_algorithm {
        SubAlgorithm::SignedVolumes => SignedVolumes::nearest(s, count),
        SubAlgorithm::Johnson => Johnson::nearest(s, count),
        SubAlgorithm::JohnsonWithBackup => JohnsonWithBackup::nearest(s, count),
        SubAlgorithm::Backup => Backup::nearest(s, count),
    }
}
