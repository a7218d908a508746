//! The margins of certificates, in rounding bounds E of a pair (docs/reference/numerics.md), and
//! the bracket.

use crate::float::Float;

/// Contact band, in bounds E: cores that overlap by less are no case for a proof of depth. The sign
/// of their distance is open in `f64`, and [`local`] leaves them to extended precision.
pub(super) const BAND: f64 = 8.0;

/// Cores nearer than this, in bounds E, and not deeper than [`BAND`], need extended precision.
const CONTACT: f64 = 4.0;

/// How far, metres, other features must stay away: four bounds, times what the direction's error is
/// amplified by.
#[inline(always)]
pub(super) fn margin<T: Float>(bound: T, amplification: T) -> T {
    T::from_f64(4.0) * bound * amplification
}

/// Whether cores at this distance are apart by more than rounding; `bound`: E, metres.
#[inline(always)]
pub(crate) fn apart<T: Float>(distance: T, bound: T) -> T::Mask {
    distance.gt(T::from_f64(CONTACT) * bound)
}

/// Whether cores at this distance overlap by more than the contact band; `bound`: E, metres.
#[inline(always)]
pub(crate) fn deep<T: Float>(distance: T, bound: T) -> T::Mask {
    distance.lt(T::from_f64(-BAND) * bound)
}

/// Whether cores at this distance do not overlap by more than the contact band; `bound`: E, metres.
#[inline(always)]
pub(crate) fn is_near_contact_or_apart<T: Float>(distance: T, bound: T) -> T::Mask {
    distance.ge(T::from_f64(-BAND) * bound)
}

/// Proven bounds of the signed distance of cores, metres: of closest points at `distance` with this
/// `residual`, and the `gap` of their supporting planes; `bound`: E.
#[inline(always)]
pub(crate) fn bracket<T: Float>(distance: T, residual: T, gap: T, bound: T) -> (T, T) {
    let in_band = is_near_contact_or_apart(distance, bound);
    let upper = T::select(in_band, distance.abs(), distance);
    (gap - bound, upper + residual + bound)
}
