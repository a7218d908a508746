//! Placements of bodies in the world.

use clearsweep_geometry::Pose;

use crate::oracle::number::{Vector, Wide, add, cross, times, wide};

/// `world_from_body`: both parts of the position (see [`Pose`]), and the quaternion w, x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Leading part of the position, metres.
    pub position: [f64; 3],
    /// Trailing part of the position, metres.
    pub rest: [f64; 3],
    /// Quaternion of any norm: the rotation is that of the quaternion normalised.
    pub q: [f64; 4],
}

impl From<&Pose> for Placement {
    fn from(pose: &Pose) -> Self {
        Self { position: pose.position.to_array(), rest: pose.rest.to_array(), q: pose.q }
    }
}

impl Placement {
    /// Creates a placement whose position has no trailing part.
    pub fn new(position: [f64; 3], q: [f64; 4]) -> Self {
        Self { position, rest: [0.0; 3], q }
    }

    /// The same as a pose.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position.into(), rest: self.rest.into(), q: self.q }
    }

    /// The columns of the rotation: the images of the unit vectors by the Hamilton product
    /// `q e q*` / `q q*`.
    pub fn columns(&self) -> [Vector<Wide>; 3] {
        let [w, x, y, z] = self.q.map(|c| Wide(c, 0.0));
        let square = w * w + x * x + y * y + z * z;
        let turned = |e: Vector<Wide>| {
            // v + 2 (w (u x v) + u x (u x v)) / |q|^2, u the vector part.
            let u = [x, y, z];
            let once = cross(u, e);
            let twice = cross(u, once);
            let two = Wide(2.0, 0.0) / square;
            add(e, times(add(times(once, w), twice), two))
        };
        [wide([1.0, 0.0, 0.0]), wide([0.0, 1.0, 0.0]), wide([0.0, 0.0, 1.0])].map(turned)
    }
}
