//! Three-dimensional vectors over any [`Real`].
//!
//! Our own, not a linear-algebra crate's: values here define rows, so the order of every sum is fixed by this file
//! and the same code runs in `f64` and in double-double.

use super::real::Real;
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

    /// A vector from its components.
    #[inline]
    pub fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
    /// The vector of `f64`s, exactly.
    #[inline]
    pub fn from_f64(v: Vec3<f64>) -> Self {
        Self { x: T::from_f64(v.x), y: T::from_f64(v.y), z: T::from_f64(v.z) }
    }
    /// Rounded to `f64`.
    #[inline]
    pub fn to_f64(self) -> Vec3<f64> {
        Vec3 { x: self.x.to_f64(), y: self.y.to_f64(), z: self.z.to_f64() }
    }
    /// Scalar product, summed as (x + y) + z.
    #[inline]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    /// Vector product.
    #[inline]
    pub fn cross(self, o: Self) -> Self {
        Self { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }
    /// Times a number.
    #[inline]
    pub fn scale(self, s: T) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
    /// Square of the length.
    #[inline]
    pub fn length2(self) -> T {
        self.dot(self)
    }
    /// Length.
    #[inline]
    pub fn length(self) -> T {
        self.length2().sqrt()
    }
    /// Divided by its length; not finite for the zero vector.
    #[inline]
    pub fn normalized(self) -> Self {
        self.scale(T::ONE / self.length())
    }
    /// The components.
    #[inline]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }
}

impl Vec3<f64> {
    /// Whether all components are finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    #[inline]
    fn from([x, y, z]: [T; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline]
    fn index(&self, i: usize) -> &T {
        match i {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline]
    fn mul(self, s: T) -> Self {
        self.scale(s)
    }
}
