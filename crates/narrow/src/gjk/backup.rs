//! The Backup procedure: the nearest of all feet that lie inside their sets of vertices.
//!
//! Source: Gilbert, Johnson, Keerthi 1988, section IV; Montanari, Petrinic, Barbieri 2017, sections
//! 3.2 and 5.
//!
//! Johnson's tests compare signs of cofactors of different sets. In rounding they may contradict
//! each other, and then no set passes. The procedure tests each set alone: if all its cofactors are
//! positive, then its foot is a point of the simplex. The nearest of these points is the answer. A
//! single vertex always passes, so there always is one.

use super::johnson::Cofactors;
use super::simplex_point::{DistanceSubAlgorithm, SimplexPoint};
use clearsweep_geometry::{Real, Vec3};

/// Johnson's sub-algorithm, and the Backup procedure where it finds nothing.
pub(super) struct JohnsonWithBackup;

impl DistanceSubAlgorithm for JohnsonWithBackup {
    #[inline]
    fn nearest<T: Real>(s: &[Vec3<T>; 4], count: usize) -> Option<SimplexPoint<T>> {
        let mut cofactors = Cofactors::of_vertices(s, count);
        // A search that finds nothing has formed all cofactors.
        Some(cofactors.search(s).unwrap_or_else(|| nearest_foot(s, &cofactors)))
    }
}

/// The Backup procedure alone.
pub(super) struct Backup;

impl DistanceSubAlgorithm for Backup {
    #[inline]
    fn nearest<T: Real>(s: &[Vec3<T>; 4], count: usize) -> Option<SimplexPoint<T>> {
        Some(nearest_foot(s, &Cofactors::new(s, count)))
    }
}

/// The nearest of the feet that lie inside their sets; of equally near ones that of the fewest
/// vertices.
fn nearest_foot<T: Real>(s: &[Vec3<T>; 4], cofactors: &Cofactors<T>) -> SimplexPoint<T> {
    let inside = cofactors.all_sets().filter(|&set| cofactors.is_inside(set));
    inside.map(|set| cofactors.foot(s, set)).fold(SimplexPoint::vertex(s, 0), SimplexPoint::nearer)
}
