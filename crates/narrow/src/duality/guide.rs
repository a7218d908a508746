//! The objective of the search: the signed distance of a face of the Minkowski difference in the
//! dual space.
//!
//! Choi et al., section 3.2. A face lies in the plane `N . x = k`, with all of the difference M on
//! the side `N . x <= k`. Seen from an inner point `c` of M the face is dual to the point `N / (k -
//! N . c)`, and the origin is dual to the plane `-c . x = 1`. The signed distance of that point
//! from that plane is, times the length of `c`,
//!
//! ```text
//! d(f) = -k / (k - N . c)
//! ```
//!
//! It is positive if and only if the face separates the origin from M. It is largest for the face
//! that the ray from `c` through the origin pierces: the ray leaves through the plane of the face
//! at `c - c / (1 + d)`. The dual of M is convex, so a face with no better neighbour is the best of
//! all.
//!
//! Section 6 asks for the face that the line along a direction `s` pierces. The point `c` is there
//! any inner point of M on that line, which has to be found first. With `c` infinitely far down the
//! line the order of the faces with `N . s > 0` is that of
//!
//! ```text
//! -k / (N . s)
//! ```
//!
//! that is, the negative of the length at which the line from the origin meets the plane of the
//! face. No point `c` is needed. Faces that look the other way come after all these.

use clearsweep_geometry::Vec3;

/// The guide of the search.
#[derive(Debug, Clone, Copy)]
pub(super) enum Guide {
    /// An inner point of M: the face on the ray from there through the origin.
    Point(Vec3<f64>),
    /// A direction: the face through which the line along it leaves M.
    Direction(Vec3<f64>),
}

impl Guide {
    /// The direction that the face looked for is turned to, not of unit length.
    #[inline(always)]
    pub(super) fn along(&self) -> Vec3<f64> {
        match *self {
            Self::Point(c) => -c,
            Self::Direction(s) => s,
        }
    }

    /// The signed distance of the face with this normal (of any length), which M reaches up to
    /// `height` (`k`); the larger the nearer to the face that is pierced.
    #[inline(always)]
    pub(super) fn signed_distance(&self, normal: Vec3<f64>, height: f64) -> f64 {
        match *self {
            Self::Point(c) => -height / (height - normal.dot(c)).max(f64::MIN_POSITIVE),
            Self::Direction(s) => {
                let along = normal.dot(s);
                if along > 0.0 { -height / along } else { f64::NEG_INFINITY }
            }
        }
    }
}
