//! Three-dimensional vectors over any [`Scalar`].
//!
//! Our own, not a linear-algebra crate's: values here define rows, so the order of every sum is
//! fixed by this file and the same code runs in `f64`, in double-double and in registers of eight
//! `f64`.

use super::real::{Real, Scalar};
use std::ops::{Add, Index, Mul, Neg, Sub};

/// A vector or point; components x, y, z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vec3<T> {
    /// Component along x.
    pub x: T,
    /// Component along y.
    pub y: T,
    /// Component along z.
    pub z: T,
}

impl<T: Real> Vec3<T> {
    /// The zero vector.
    pub const ZERO: Self = Self { x: T::ZERO, y: T::ZERO, z: T::ZERO };

    /// Rounded to `f64`.
    #[inline(always)]
    pub fn to_f64(self) -> Vec3<f64> {
        Vec3 { x: self.x.to_f64(), y: self.y.to_f64(), z: self.z.to_f64() }
    }
}

impl<T: Scalar> Vec3<T> {
    /// A vector from its components.
    #[inline(always)] // as everything below: into code for wider registers
    pub const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
    /// The vector of `f64`s, exactly; the same in each lane of a register.
    #[inline(always)]
    pub fn from_f64(v: Vec3<f64>) -> Self {
        Self { x: T::from_f64(v.x), y: T::from_f64(v.y), z: T::from_f64(v.z) }
    }
    /// `a` where the mask is true, else `b`.
    #[inline(always)]
    pub fn select(mask: T::Mask, a: Self, b: Self) -> Self {
        Self { x: T::select(mask, a.x, b.x), y: T::select(mask, a.y, b.y), z: T::select(mask, a.z, b.z) }
    }
    /// Scalar product, summed as (x + y) + z.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }
    /// Times a number.
    #[inline(always)]
    pub fn scale(self, s: T) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
    /// Square of the length.
    #[inline(always)]
    pub fn length2(self) -> T {
        self.dot(self)
    }
    /// Length.
    #[inline(always)]
    pub fn length(self) -> T {
        self.length2().sqrt()
    }
    /// Divided by its length; not finite for the zero vector.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        self.scale(T::one() / self.length())
    }
    /// The components.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }
}

impl Vec3<f64> {
    /// The axis of the largest component, the first of equal ones.
    #[doc(hidden)]
    pub fn longest_axis(self) -> usize {
        (1..3).fold(0, |longest, axis| if self[axis] > self[longest] { axis } else { longest })
    }
    /// Whether all components are finite.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline(always)]
    fn from([x, y, z]: [T; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        match i {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl<T: Scalar> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<T: Scalar> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<T: Scalar> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<T: Scalar> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        self.scale(s)
    }
}
