//! Perspective projection: the place of points, triangles and lines on a grid of samples.

use crate::data::Camera;
use clearsweep_geometry::Vec3;

/// A point on a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    /// Place to the right of the left side, samples.
    pub x: f64,
    /// Place below the upper side, samples.
    pub y: f64,
    /// One over the depth along the view: linear on the grid.
    pub nearness: f64,
    /// The first column whose middle is not to the left; `width` if there is none.
    pub column: u32,
    /// The first row whose middle is not above; the number of rows if there is none.
    pub row: u32,
}

impl Corner {
    /// Stands for a point that is too near, or behind the eye.
    pub(super) const TOO_NEAR: Self = Self { x: 0.0, y: 0.0, nearness: 0.0, column: u32::MAX, row: u32::MAX };

    /// The point at a place on a grid of `width` and `height` samples.
    #[inline(always)]
    pub(super) fn new([x, y]: [f64; 2], nearness: f64, [width, height]: [usize; 2]) -> Self {
        Self { x, y, nearness, column: first_from(x, width as u32), row: first_from(y, height as u32) }
    }
}

/// A perspective projection. The camera frame has x to the right, y up and z forward.
#[derive(Debug, Clone)]
pub(super) struct Projection {
    eye: Vec3<f64>,
    axes: [Vec3<f64>; 3],
    /// Samples per unit of x / z.
    pub scale: f64,
    /// Columns and rows.
    pub size: [usize; 2],
    middle: [f64; 2],
    /// Least depth shown, metres.
    pub near: f64,
}

impl Projection {
    /// The projection of a camera onto a grid; `near`: the least depth shown, metres, above 0.
    pub(super) fn new(camera: &Camera, size: [usize; 2], near: f64) -> Self {
        let (forward, up) = (Vec3::from(camera.forward), Vec3::from(camera.up));
        let scale = 0.5 * size[1] as f64 / Camera::TAN_HALF_VIEW;
        Self {
            eye: camera.eye.into(),
            axes: [forward.cross(up), up, forward],
            scale,
            size,
            middle: size.map(|n| 0.5 * n as f64),
            near,
        }
    }

    /// A vector in the camera frame.
    pub(super) fn turned(&self, v: Vec3<f64>) -> Vec3<f64> {
        let [right, up, forward] = self.axes;
        Vec3::new(right.dot(v), up.dot(v), forward.dot(v))
    }

    /// A point in the camera frame, metres.
    pub(super) fn point(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.turned(p - self.eye)
    }

    /// The place on the grid of a point in the camera frame, whose depth is above 0.
    #[inline]
    pub(super) fn corner(&self, p: Vec3<f64>) -> Corner {
        let nearness = 1.0 / p.z;
        let scale = nearness * self.scale;
        Corner::new([self.middle[0] + p.x * scale, self.middle[1] - p.y * scale], nearness, self.size)
    }

    /// Whether a sphere in the camera frame is wholly outside the picture.
    pub(super) fn misses(&self, centre: Vec3<f64>, radius: f64) -> bool {
        let [width, height] = self.size;
        let beyond = |c: f64, samples: usize| {
            let tangent = 0.5 * samples as f64 / self.scale;
            c.abs() - centre.z * tangent > radius * (1.0 + tangent * tangent).sqrt()
        };
        centre.z + radius < self.near || beyond(centre.x, width) || beyond(centre.y, height)
    }

    /// The part of a segment in the camera frame that is not too near; `None` if nothing is left.
    pub(super) fn clipped_segment(&self, [a, b]: [Vec3<f64>; 2]) -> Option<[Vec3<f64>; 2]> {
        match [a.z >= self.near, b.z >= self.near] {
            [true, true] => Some([a, b]),
            [true, false] => Some([a, self.crossing(a, b)]),
            [false, true] => Some([self.crossing(b, a), b]),
            [false, false] => None,
        }
    }

    /// The point of depth `near` on the segment from `inside` to `outside`.
    fn crossing(&self, inside: Vec3<f64>, outside: Vec3<f64>) -> Vec3<f64> {
        let share = (inside.z - self.near) / (inside.z - outside.z);
        let p = inside + (outside - inside).scale(share);
        Vec3::new(p.x, p.y, self.near)
    }

    /// Calls `triangle` for the part of a triangle in the camera frame that is not too near: for
    /// none, one or two triangles, in the camera frame and on the grid (Sutherland and Hodgman
    /// 1974).
    pub(super) fn cut(&self, corners: [Vec3<f64>; 3], mut triangle: impl FnMut([Vec3<f64>; 3], [Corner; 3])) {
        let (mut polygon, mut count) = ([Vec3::ZERO; 4], 0);
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let is_inside = [from.z >= self.near, to.z >= self.near];
            if is_inside[0] {
                polygon[count] = from;
                count += 1;
            }
            if is_inside[0] != is_inside[1] {
                // From the inside to the outside: both triangles beside an edge get the same point.
                polygon[count] = if is_inside[0] { self.crossing(from, to) } else { self.crossing(to, from) };
                count += 1;
            }
        }
        for k in 2..count {
            let part = [polygon[0], polygon[k - 1], polygon[k]];
            triangle(part, part.map(|p| self.corner(p)));
        }
    }
}

/// The first of `count` samples whose middle is beyond `c`; `count` if there is none. A middle at
/// `c` counts as beyond if its number is even.
#[inline(always)]
pub(super) fn first_from(c: f64, count: u32) -> u32 {
    /// Its last place is 1, so that a sum with it is rounded to a whole number, which its last bits
    /// are.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    let c = if c > 0.0 { c } else { 0.0 };
    let most = f64::from(count);
    (if c < most { c } else { most } + WHOLE).to_bits() as u32
}
