//! Caps: affine images of a part of the unit ball.

use crate::vec3::Vec3;

/// The image of the points of the unit ball with `z >= least`: `middle + axes * (x, y, z)`, metres.
///
/// A disc has no third axis (it is the zero vector) and the least 0; an ellipsoid has the least -1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// Image of the origin.
    pub middle: Vec3<f64>,
    /// Images of the unit vectors, less the middle.
    pub axes: [Vec3<f64>; 3],
    /// The least height of a point of the unit ball that belongs to it, -1 to 1.
    pub least: f64,
}

impl Cap {
    /// A disc about a middle, with two half axes.
    pub fn disc(middle: Vec3<f64>, axes: [Vec3<f64>; 2]) -> Self {
        Self { middle, axes: [axes[0], axes[1], Vec3::ZERO], least: 0.0 }
    }

    /// Whether it is a disc.
    pub fn is_flat(&self) -> bool {
        self.axes[2] == Vec3::ZERO && self.least == 0.0
    }

    /// The image of a point.
    #[inline(always)]
    pub fn image(&self, [x, y, z]: [f64; 3]) -> Vec3<f64> {
        self.middle + (self.axes[0].scale(x) + self.axes[1].scale(y) + self.axes[2].scale(z))
    }

    /// The point of the unit ball whose image is farthest along `d`; in the middle of all of them
    /// if there are several.
    #[inline(always)]
    pub fn farthest(&self, d: Vec3<f64>) -> [f64; 3] {
        let [x, y, z] = self.axes.map(|axis| axis.dot(d));
        let across = x * x + y * y;
        let length = (across + z * z).sqrt();
        if length == 0.0 {
            return [0.0, 0.0, self.least.max(0.0)];
        }
        if z >= self.least * length {
            return [x / length, y / length, z / length];
        }
        if across == 0.0 {
            return [0.0, 0.0, self.least];
        }
        let scale = ((1.0 - self.least) * (1.0 + self.least) / across).sqrt();
        [x * scale, y * scale, self.least]
    }
}

/// The point of the caps farthest along `d`; of equal ones that of the first cap.
#[inline]
pub(super) fn support(caps: &[Cap], d: Vec3<f64>) -> Vec3<f64> {
    let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
    for cap in caps {
        let point = cap.image(cap.farthest(d));
        let height = point.dot(d);
        if height > best.0 {
            best = (height, point);
        }
    }
    best.1
}
