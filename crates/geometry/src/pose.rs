//! Poses, and the relative pose of a pair.
//!
//! Conventions: `world_from_body`; right-handed; quaternions `(w, x, y, z)`. The rotation of a
//! quaternion `q` is the rational matrix `M(q) / |q|^2`, so a quaternion off norm by rounding still
//! names an exact rotation.

use super::real::{Dd, Real, Scalar};
use super::vec3::Vec3;

/// `world_from_body`: a rotation, then a translation (metres), of a body's *recentred* frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the recentred origin, leading part, metres.
    pub position: Vec3<f64>,
    /// Remainder of the position, metres (zero unless the body was recentred): the origin is
    /// `position + rest`.
    pub rest: Vec3<f64>,
    /// Quaternion w, x, y, z as read; the rotation is that of the quaternion normalised.
    pub q: [f64; 4],
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, rest: Vec3::ZERO, q: [1.0, 0.0, 0.0, 0.0] };

    /// A pose whose frame was not recentred.
    pub fn new(position: [f64; 3], q: [f64; 4]) -> Self {
        Self { position: position.into(), rest: Vec3::ZERO, q }
    }

    /// The pose of the frame that lies at `center` of this one: `position + R center`, in
    /// double-double.
    pub fn recentred(&self, center: Vec3<f64>) -> Self {
        if center == Vec3::ZERO {
            return *self;
        }
        let r = rotation::<Dd>(self.q.map(Dd::from_f64));
        let c = Vec3::<Dd>::from_f64(center);
        let at = |hi: f64, lo: f64, row: &Vec3<Dd>| Dd::from_parts(hi, lo) + row.dot(c);
        let [x, y, z] = [
            at(self.position.x, self.rest.x, &r[0]),
            at(self.position.y, self.rest.y, &r[1]),
            at(self.position.z, self.rest.z, &r[2]),
        ];
        Self { position: Vec3::new(x.hi, y.hi, z.hi), rest: Vec3::new(x.lo, y.lo, z.lo), q: self.q }
    }

    /// First `child`, then `self`, in `f64`: `world_from_parent` and `parent_from_child` to
    /// `world_from_child`. Neither frame may be recentred. The identity on either side leaves the
    /// other as it is, bit by bit.
    #[doc(hidden)]
    pub fn after(&self, child: &Self) -> Self {
        if *self == Self::IDENTITY {
            return *child;
        }
        let (p, c) = (self.q, child.q);
        let q = if c == Self::IDENTITY.q {
            p
        } else if p == Self::IDENTITY.q {
            c
        } else {
            unit(conjugate_product([p[0], -p[1], -p[2], -p[3]], c))
        };
        Self { position: self.apply(child.position), rest: Vec3::ZERO, q }
    }

    /// The pose that undoes this one, in `f64`; its frame may not be recentred.
    #[doc(hidden)]
    pub fn inverse(&self) -> Self {
        let turned = Self { q: [self.q[0], -self.q[1], -self.q[2], -self.q[3]], ..Self::IDENTITY };
        Self { position: Vec3::ZERO - turned.apply(self.position), ..turned }
    }

    /// A point of the body's recentred frame in the world, in `f64`.
    pub fn apply(&self, p: Vec3<f64>) -> Vec3<f64> {
        let r = rotation(self.q);
        self.position + (Vec3::new(r[0].dot(p), r[1].dot(p), r[2].dot(p)) + self.rest)
    }
}

/// Place of a recentred frame in the body's own frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recentring {
    /// Origin, metres; zero: it is the body's own frame.
    pub center: Vec3<f64>,
    /// Distance from the origin of the world up to which a position and its rest tell places of the
    /// body apart, metres: the sum of the coordinates' sizes.
    pub reach: f64,
}

impl Recentring {
    /// The pose of the recentred frame, from that of the body's own. Beyond the reach its rest is
    /// NaN: what is computed from it is uncertified.
    pub fn place(&self, pose: &Pose) -> Pose {
        let placed = pose.recentred(self.center);
        let [x, y, z] = placed.position.to_array().map(f64::abs);
        if self.center == Vec3::ZERO || x + y + z <= self.reach {
            return placed;
        }
        Pose { rest: Vec3::new(f64::NAN, f64::NAN, f64::NAN), ..placed }
    }
}

/// The rows of `M(q) / |q|^2`, `q = (w, x, y, z)`.
#[inline(always)] // into loops over samples, so that they vectorise
pub fn rotation<T: Scalar>(q: [T; 4]) -> [Vec3<T>; 3] {
    let [w, x, y, z] = q;
    let (ww, xx, yy, zz) = (w * w, x * x, y * y, z * z);
    let s = T::one() / (ww + xx + (yy + zz));
    let two = s + s;
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    [
        Vec3::new((ww + xx - (yy + zz)) * s, (xy - wz) * two, (xz + wy) * two),
        Vec3::new((xy + wz) * two, (ww + yy - (xx + zz)) * s, (yz - wx) * two),
        Vec3::new((xz - wy) * two, (yz + wx) * two, (ww + zz - (xx + yy)) * s),
    ]
}

/// A quaternion scaled to the norm 1, but for rounding.
fn unit(q: [f64; 4]) -> [f64; 4] {
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / norm)
}

/// The product `conj(a) b` of two quaternions.
#[inline(always)]
pub fn conjugate_product<T: Scalar>(a: [T; 4], b: [T; 4]) -> [T; 4] {
    [
        a[0] * b[0] + a[1] * b[1] + (a[2] * b[2] + a[3] * b[3]),
        a[0] * b[1] - a[1] * b[0] + (a[3] * b[2] - a[2] * b[3]),
        a[0] * b[2] - a[2] * b[0] + (a[1] * b[3] - a[3] * b[1]),
        a[0] * b[3] - a[3] * b[0] + (a[2] * b[1] - a[1] * b[2]),
    ]
}

/// `a_from_b`: the pose of B's recentred frame in A's, in the numbers `T`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelativePose<T> {
    /// The rows of the rotation.
    pub r: [Vec3<T>; 3],
    /// The translation, metres.
    pub t: Vec3<T>,
}

impl<T: Real> RelativePose<T> {
    /// Computes the relative pose from two poses in the world. The difference of the positions is
    /// formed before it is rotated, so that a common offset costs no accuracy.
    #[inline(always)]
    pub fn between(a: &Pose, b: &Pose) -> Self {
        let d = Vec3::new(
            T::difference(a.position.x, a.rest.x, b.position.x, b.rest.x),
            T::difference(a.position.y, a.rest.y, b.position.y, b.rest.y),
            T::difference(a.position.z, a.rest.z, b.position.z, b.rest.z),
        );
        let (qa, qb) = (a.q.map(T::from_f64), b.q.map(T::from_f64));
        Self::of_rotations((&rotation(qa), qa), qb, d)
    }
}

impl<T: Scalar> RelativePose<T> {
    /// From the orientation of A, as rows and as quaternion, the quaternion of B, and the way from
    /// A's origin to B's in the world, metres.
    #[inline(always)]
    pub fn of_rotations((rows, qa): (&[Vec3<T>; 3], [T; 4]), qb: [T; 4], d: Vec3<T>) -> Self {
        // R_a^T d: the columns of R_a times the components of d.
        let t = rows[0].scale(d.x) + rows[1].scale(d.y) + rows[2].scale(d.z);
        Self { r: rotation(conjugate_product(qa, qb)), t }
    }

    /// A point of B in A's frame.
    #[inline(always)]
    pub fn point(&self, p: Vec3<T>) -> Vec3<T> {
        self.vector(p) + self.t
    }
    /// A direction of B in A's frame.
    #[inline(always)]
    pub fn vector(&self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.r[0].dot(v), self.r[1].dot(v), self.r[2].dot(v))
    }
    /// A direction of A in B's frame.
    #[inline(always)]
    pub fn inverse_vector(&self, v: Vec3<T>) -> Vec3<T> {
        self.r[0].scale(v.x) + self.r[1].scale(v.y) + self.r[2].scale(v.z)
    }
}

impl<T: Scalar> RelativePose<T> {
    /// The pose of `f64`s, exactly; the same in each lane of a register.
    #[inline(always)] // into code for wider registers
    pub fn from_f64(pose: &RelativePose<f64>) -> Self {
        let [a, b, c] = pose.r;
        // No `map`: a closure is compiled without wider registers.
        Self { r: [Vec3::from_f64(a), Vec3::from_f64(b), Vec3::from_f64(c)], t: Vec3::from_f64(pose.t) }
    }

    /// A bound of how far any point of B within `radius` of its origin moves in A's frame between
    /// two relative poses: the translation, and the chord of the rotation, whose matrix difference
    /// has the Frobenius norm `2 sqrt 2 sin(angle / 2)`. Exact but for a few ulp of the operands.
    #[inline(always)]
    pub fn motion(&self, other: &Self, radius: f64) -> T {
        let rows = [self.r[0] - other.r[0], self.r[1] - other.r[1], self.r[2] - other.r[2]];
        let frobenius2 = rows[0].length2() + rows[1].length2() + rows[2].length2();
        (self.t - other.t).length() + T::from_f64(radius) * (T::from_f64(0.5) * frobenius2).sqrt()
    }
}
