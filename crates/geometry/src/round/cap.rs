//! Caps: affine images of a part of the unit ball.

use crate::vec3::Vec3;

/// The image of the highest part of the unit ball: of its points with `z >= 1 - height`.
///
/// The coordinate z counts from the plane of the rim if the height is at most 1, else from the
/// middle of the ball: a shallow cap is a small part of a large ball, whose middle would be far
/// away. The image is `middle + axes * (x, y, z)`, metres. A disc has no third axis (it is the zero
/// vector) and the height 1; an ellipsoid has the height 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// Image of the origin.
    pub middle: Vec3<f64>,
    /// Images of the unit vectors, less the middle.
    pub axes: [Vec3<f64>; 3],
    /// Height of the part of the unit ball, above 0 and up to 2.
    pub height: f64,
}

impl Cap {
    /// A disc about a middle, with two half axes.
    pub fn disc(middle: Vec3<f64>, axes: [Vec3<f64>; 2]) -> Self {
        Self { middle, axes: [axes[0], axes[1], Vec3::ZERO], height: 1.0 }
    }

    /// Whether it is a disc.
    pub fn is_flat(&self) -> bool {
        self.axes[2] == Vec3::ZERO && self.height == 1.0
    }

    /// Radius of the rim.
    #[inline(always)]
    pub(super) fn rim(&self) -> f64 {
        (self.height * (2.0 - self.height)).sqrt()
    }

    /// The lowest z of the part.
    #[inline(always)]
    pub(super) fn lowest(&self) -> f64 {
        (1.0 - self.height).min(0.0)
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
            return [0.0, 0.0, 0.0];
        }
        if self.height >= 1.0 {
            if z >= (1.0 - self.height) * length {
                return [x / length, y / length, z / length];
            }
        } else if z > 0.0 {
            // How far below the top, without a difference of numbers near to 1.
            let drop = across / (length * (length + z));
            if drop <= self.height {
                return [x / length, y / length, self.height - drop];
            }
        }
        if across == 0.0 {
            return [0.0, 0.0, self.lowest()];
        }
        let scale = (self.height * (2.0 - self.height) / across).sqrt();
        [x * scale, y * scale, self.lowest()]
    }

    /// The point farthest along `d`, and how it moves as `d` turns towards the tangents.
    ///
    /// The support of the image of a ball of radius r under E is `r |E^T d|`. Its first derivative is
    /// the point `u`, its second `(r^2 E E^T - u u^T) / (u . d)`. A rim is the image of a disc.
    #[inline]
    pub fn curvature(&self, d: Vec3<f64>, tangents: [Vec3<f64>; 2]) -> Curvature {
        let [x, y, z] = self.farthest(d);
        let is_rim = self.height < 2.0 && z == self.lowest();
        let (z_of_ball, radius) = if is_rim { (0.0, self.rim()) } else { (z + (1.0 - self.height).max(0.0), 1.0) };
        let unit = [x, y, z_of_ball];
        let reach = (0..3).map(|k| unit[k] * self.axes[k].dot(d)).sum::<f64>();
        let mut across = [[0.0; 2]; 2];
        if reach > 0.0 {
            let moved = self.axes.map(|axis| tangents.map(|tangent| radius * axis.dot(tangent)));
            let used = if is_rim { 2 } else { 3 };
            let of_point = [0, 1].map(|i| (0..used).map(|k| unit[k] / radius * moved[k][i]).sum::<f64>());
            for (i, row) in across.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let whole: f64 = moved[..used].iter().map(|axis| axis[i] * axis[j]).sum();
                    *entry = (whole - of_point[i] * of_point[j]) / reach;
                }
            }
        }
        Curvature { point: self.image([x, y, z]), across }
    }
}

/// A support point, and how it moves as the direction turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature {
    /// The support point, metres.
    pub point: Vec3<f64>,
    /// Its derivative by the direction, metres, in the plane of two tangents: symmetric, and zero at
    /// a corner.
    pub across: [[f64; 2]; 2],
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
