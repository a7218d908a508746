//! The certificate of a feature pair: when an answer reached by any way may be accepted, because
//! the optimum is unique.
//!
//! Every optimality test must hold by more than twice its rounding bound: the closest points lie
//! inside their features, and of all vertices of both bodies only those of the features reach the
//! supporting planes. Then no other feature pair is optimal, every correct method ends here, and
//! the row is a function of the pose alone.
//!
//! ```text
//! features.rs        the features of a body: one for all lanes, one a lane, one a lane of a body of its own
//! clearance.rs       what stored planes prove at once
//! unique_support.rs  the feature alone supports its body; scan.rs: by its vertices
//! margins.rs         margins in rounding bounds, and the bracket
//! certify.rs         the certificate: all tests together
//! claim.rs           what is left to be proven where the cores overlap
//! ```

mod certify;
mod claim;
mod clearance;
mod features;
mod margins;
#[cfg(test)]
pub(crate) mod random_bodies;
mod scan;
mod unique_support;

pub use certify::{Certificate, claim, local};
pub(crate) use certify::{Certified, certify, certify_points, claim_of, closest_of, is_decided};
pub use claim::Claim;
pub(crate) use features::{FeaturePerBody, FeaturePerLane, OneFeature};
pub(crate) use margins::{bracket, deep, is_near_contact_or_apart};
