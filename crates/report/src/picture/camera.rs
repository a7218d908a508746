//! The camera: where points, triangles and lines lie in a picture, and the choice of a camera that
//! shows both bodies.
//!
//! Arithmetic is `+ - * /` and square roots of `f64` in a fixed order: the same samples on every
//! platform.

use super::projection::{Corner, Projection, first_from};
use super::raster::{Layer, Scratch, for_triangles};
use crate::data::{Camera, DisplayMesh, ViewPart};
use clearsweep_geometry::Vec3;

/// The samples of lines and dots.
impl Projection {
    /// Draws a segment in the camera frame, `thickness` samples wide. `sample` gets indices and the
    /// nearness.
    pub(super) fn line(&self, ends: [Vec3<f64>; 2], thickness: usize, mut sample: impl FnMut(usize, f64)) {
        let Some(ends) = self.clipped_segment(ends) else { return };
        let ends = ends.map(|p| self.corner(p));
        let Some([a, b]) = self.clipped_line(ends, thickness as f64) else { return };
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let is_flat = dx.abs() >= dy.abs();
        let steps = first_from(dx.abs().max(dy.abs()), u32::MAX >> 1) + 1;
        for step in 0..=steps {
            let share = f64::from(step) / f64::from(steps);
            let nearness = a.nearness + (b.nearness - a.nearness) * share;
            let (x, y) = (a.x + dx * share, a.y + dy * share);
            for k in 0..thickness {
                let across = k as f64 - 0.5 * (thickness - 1) as f64;
                let (x, y) = if is_flat { (x, y + across) } else { (x + across, y) };
                if let Some(at) = self.sample_at(x, y) {
                    sample(at, nearness);
                }
            }
        }
    }

    /// Draws a disc around a point in the camera frame; `radius` in samples.
    pub(super) fn dot(&self, centre: Vec3<f64>, radius: f64, mut sample: impl FnMut(usize)) {
        if centre.z < self.near {
            return;
        }
        let centre = self.corner(centre);
        let [width, height] = self.size;
        let span = |c: f64, count| [c - radius, c + radius].map(|end| first_from(end, count as u32) as usize);
        let [[top, bottom], [left, right]] = [span(centre.y, height), span(centre.x, width)];
        for row in top..bottom {
            for column in left..right {
                let (dx, dy) = (column as f64 + 0.5 - centre.x, row as f64 + 0.5 - centre.y);
                if dx * dx + dy * dy <= radius * radius {
                    sample(row * width + column);
                }
            }
        }
    }

    /// The index of the sample at a place of the grid.
    fn sample_at(&self, x: f64, y: f64) -> Option<usize> {
        let [width, height] = self.size;
        let is_inside = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
        is_inside.then(|| y as usize * width + x as usize)
    }

    /// The part of a line within the grid and a margin around it (Liang and Barsky 1984).
    fn clipped_line(&self, [a, b]: [Corner; 2], margin: f64) -> Option<[Corner; 2]> {
        let [width, height] = self.size.map(|n| n as f64);
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (start, step, length) in [(a.x, b.x - a.x, width), (a.y, b.y - a.y, height)] {
            let (low, high) = (-margin - start, length + margin - start);
            if step == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (enter, leave) = if step > 0.0 { (low / step, high / step) } else { (high / step, low / step) };
            (from, to) = (from.max(enter), to.min(leave));
        }
        let at = |share: f64| {
            let place = [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share];
            Corner::new(place, a.nearness + (b.nearness - a.nearness) * share, self.size)
        };
        (from <= to).then(|| [at(from), at(to)])
    }
}

/// Size of the pictures that are compared, samples.
const TRIAL: [usize; 2] = [48, 32];

/// Distance of the eye at which a sphere of the reach just fits, with a margin, in reaches.
const DISTANCE: f64 = 1.15 / Camera::TAN_HALF_VIEW;

/// Least depth that is shown, in reaches.
pub(super) const NEAR: f64 = 0.04;

/// Samples of a body that are enough, counted by [`Trial::visibility`].
const MOST_VISIBLE: f64 = 80.0;

/// Number of the best candidates that are compared with their neighbours.
const FINALISTS: usize = 4;

/// Directions to the eye that are always tried, not of unit length; z is up.
const DIRECTIONS: [[f64; 3]; 14] = [
    [1.0, -1.0, 0.75],
    [-1.0, -1.0, 0.75],
    [1.0, 1.0, 0.75],
    [-1.0, 1.0, 0.75],
    [0.4, -1.3, 0.65],
    [1.3, 0.4, 0.65],
    [-0.4, 1.3, 0.65],
    [-1.3, -0.4, 0.65],
    [0.6, -0.8, 1.4],
    [-0.8, -0.6, 1.4],
    [-0.6, 0.8, 1.4],
    [0.8, 0.6, 1.4],
    [0.1, -0.3, 1.0],
    [0.5, -0.9, -0.6],
];

/// Cosine and sine of the multiples of 45 degrees.
const CIRCLE: [[f64; 2]; 8] = {
    const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [HALF, HALF], [0.0, 1.0], [-HALF, HALF], [-1.0, 0.0], [-HALF, -HALF], [0.0, -1.0], [HALF, -HALF]]
};

/// Chooses the camera from which A and B, the first two parts, are both seen well near the origin
/// of the view.
///
/// Trial pictures from fixed directions are compared, and from directions at right angles to
/// `normal` (unit): those show a gap from its side. `reach`: the radius around the origin that the
/// picture shows, metres.
pub(crate) fn choose_camera(
    parts: &[ViewPart],
    meshes: &[DisplayMesh],
    normal: Option<[f64; 3]>,
    reach: f64,
) -> Camera {
    let normal = normal.map(Vec3::from).filter(|n| n.is_finite() && n.length2() > 0.0).map(Vec3::normalized);
    let reach = if reach > 0.0 && reach.is_finite() { reach } else { 1.0 };
    let mut trial = Trial::new(parts, meshes, reach);
    let mut candidates: Vec<_> = candidates(normal).into_iter().map(|d| (preference(d, normal), d)).collect();
    candidates.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut best: Vec<(f64, Camera)> = Vec::with_capacity(candidates.len());
    for (preference, direction) in candidates {
        // No later candidate is better than one that is seen in full.
        if best.len() >= FINALISTS && best[FINALISTS - 1].0 >= preference * MOST_VISIBLE.sqrt() {
            break;
        }
        let camera = looking_from(direction, reach);
        let score = preference * trial.visibility(&camera);
        best.insert(best.partition_point(|(better, _)| *better >= score), (score, camera));
    }
    best.truncate(FINALISTS);
    let uncovered = best.iter().map(|(score, camera)| score * trial.uncovered(camera));
    let last = uncovered.enumerate().fold((0, 0.0), |best, (k, score)| if score > best.1 { (k, score) } else { best });
    best[last.0].1
}

/// The unit directions to the eye that are tried.
fn candidates(normal: Option<Vec3<f64>>) -> Vec<Vec3<f64>> {
    let mut directions: Vec<_> = DIRECTIONS.iter().map(|&d| Vec3::from(d).normalized()).collect();
    if let Some(normal) = normal {
        // One of both axes is level, so that some candidates are.
        let u = upright(normal);
        let v = normal.cross(u);
        for [cosine, sine] in CIRCLE {
            let edge_on = u.scale(cosine) + v.scale(sine);
            directions.push(edge_on);
            directions.push((edge_on + Vec3::new(0.0, 0.0, 0.35)).normalized());
        }
    }
    directions
}

/// The unit vector at right angles to `forward` (unit) that is nearest to z; to y if `forward` is
/// along z.
pub(super) fn upright(forward: Vec3<f64>) -> Vec3<f64> {
    let up = if forward.z.abs() > 0.999 { Vec3::new(0.0, 1.0, 0.0) } else { Vec3::new(0.0, 0.0, 1.0) };
    (up - forward.scale(forward.dot(up))).normalized()
}

/// The camera in a unit direction from the origin, looking at it.
fn looking_from(direction: Vec3<f64>, reach: f64) -> Camera {
    let forward = -direction;
    let eye = direction.scale(DISTANCE * reach);
    Camera { eye: eye.to_array(), forward: forward.to_array(), up: upright(forward).to_array() }
}

/// Small pictures of a view, which tell samples of A, of B and of neighbours.
struct Trial<'a> {
    parts: &'a [ViewPart],
    meshes: &'a [DisplayMesh],
    reach: f64,
    bodies: Layer,
    ghosts: Layer,
    scratch: Scratch,
}

impl<'a> Trial<'a> {
    fn new(parts: &'a [ViewPart], meshes: &'a [DisplayMesh], reach: f64) -> Self {
        let [bodies, ghosts] = [Layer::default(), Layer::default()];
        Self { parts, meshes, reach, bodies, ghosts, scratch: Scratch::default() }
    }

    /// Draws A and B, or their neighbours.
    fn draw(&mut self, camera: &Camera, are_ghosts: bool) {
        let Self { parts, meshes, reach, bodies, ghosts, scratch } = self;
        let layer = if are_ghosts { ghosts } else { bodies };
        layer.clear(TRIAL);
        let projection = Projection::new(camera, TRIAL, NEAR * *reach);
        for (k, part) in parts.iter().enumerate().filter(|(k, _)| (*k >= 2) == are_ghosts) {
            for_triangles(&projection, &part.placement, &meshes[part.mesh], scratch, |_, corners| {
                layer.draw(corners, k as u32 + 1);
            });
        }
    }

    /// How well both bodies are seen: from 1 to the root of [`MOST_VISIBLE`]. Samples near the
    /// middle count more; less if a body hides the middle.
    fn visibility(&mut self, camera: &Camera) -> f64 {
        self.draw(camera, false);
        let [width, height] = TRIAL;
        let mut seen = [0.0_f64; 2];
        for (at, &face) in self.bodies.face.iter().enumerate().filter(|(_, face)| **face != 0) {
            let (dx, dy) = ((at % width).abs_diff(width / 2), (at / width).abs_diff(height / 2));
            seen[face as usize - 1] += if dx <= width / 6 && dy <= height / 4 { 3.0 } else { 1.0 };
        }
        let middle = f64::from(self.bodies.nearness[height / 2 * width + width / 2]);
        let is_hidden = middle * DISTANCE * self.reach > 1.03;
        let both = (seen[0].min(seen[1]) + 1.0).min(MOST_VISIBLE);
        both.sqrt() * if is_hidden { 0.6 } else { 1.0 }
    }

    /// A factor below 1 if neighbours stand before the bodies.
    fn uncovered(&mut self, camera: &Camera) -> f64 {
        if self.parts.len() <= 2 {
            return 1.0;
        }
        self.draw(camera, false);
        self.draw(camera, true);
        let (mut shown, mut covered) = (1.0, 0.0);
        for (body, ghost) in self.bodies.nearness.iter().zip(&self.ghosts.nearness).filter(|(body, _)| **body > 0.0) {
            shown += 1.0;
            covered += f64::from(u8::from(ghost > body));
        }
        1.0 - 0.5 * covered / shown
    }
}

/// How much a direction is liked whatever is seen: a gap from its side, and from above.
fn preference(direction: Vec3<f64>, normal: Option<Vec3<f64>>) -> f64 {
    let along = normal.map_or(0.0, |normal| normal.dot(direction));
    let tilt = (direction.z - 0.45).abs();
    (1.0 - 0.6 * along * along) * (1.0 - 0.35 * tilt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Placement;

    const CAMERA: Camera = Camera { eye: [0.0, -5.0, 0.0], forward: [0.0, 1.0, 0.0], up: [0.0, 0.0, 1.0] };
    use crate::picture::tests::{box_mesh, part};

    /// The number of samples of A and of B.
    fn seen(parts: &[ViewPart], meshes: &[DisplayMesh], camera: &Camera, reach: f64) -> [usize; 2] {
        let mut trial = Trial::new(parts, meshes, reach);
        trial.draw(camera, false);
        [1, 2].map(|face| trial.bodies.face.iter().filter(|&&f| f == face).count())
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        Vec3::from(a).dot(b.into())
    }

    #[test]
    fn a_gap_between_plates_is_seen_from_its_side() {
        for (axis, scale) in [(0, 1.0), (1, 1.0), (2, 1.0), (2, 1e-9), (0, 1e9)] {
            let mut half = [scale; 3];
            half[axis] = 0.1 * scale;
            let mut normal = [0.0; 3];
            normal[axis] = 1.0;
            let meshes = [box_mesh(half)];
            let parts = [-0.12, 0.12].map(|by| part(0, normal.map(|n| n * by * scale)));
            let camera = choose_camera(&parts, &meshes, Some(normal), scale);
            assert!(dot(camera.forward, normal).abs() < 0.5, "{camera:?}");
            let seen = seen(&parts, &meshes, &camera, scale);
            assert!(seen.iter().all(|&count| count > 40), "{seen:?}");
        }
    }

    #[test]
    fn a_body_behind_a_wall_is_found() {
        // The wall hides the small body from all directions of positive x.
        let meshes = [box_mesh([0.05, 4.0, 4.0]), box_mesh([0.2; 3])];
        let parts = [part(0, [0.1, 0.0, 0.0]), part(1, [-0.2, 0.0, 0.0])];
        let camera = choose_camera(&parts, &meshes, None, 1.0);
        assert!(camera.eye[0] < 0.0);
        assert!(seen(&parts, &meshes, &camera, 1.0)[1] > 10);
    }

    #[test]
    fn a_neighbour_is_looked_past() {
        let meshes = [box_mesh([0.3; 3]), box_mesh([3.0, 0.1, 3.0])];
        let bodies = [part(0, [-0.4, 0.0, 0.0]), part(0, [0.4, 0.0, 0.0])];
        for y in [-1.0, 1.0] {
            let parts = [bodies.to_vec(), vec![part(1, [0.0, y, 0.0])]].concat();
            let camera = choose_camera(&parts, &meshes, Some([1.0, 0.0, 0.0]), 1.0);
            assert!(camera.eye[1] * y < 0.0, "{camera:?}");
        }
    }

    #[test]
    fn cameras_are_frames_that_look_at_the_origin() {
        let normals = [None, Some([0.0, 0.0, 1.0]), Some([0.6, 0.0, -0.8]), Some([0.0; 3]), Some([f64::NAN; 3])];
        for (normal, reach) in normals.into_iter().zip([1e-9, 1.0, 1e9, 0.0, 5.0]) {
            let Camera { eye, forward, up } = choose_camera(&[], &[], normal, reach);
            assert!((dot(forward, forward) - 1.0).abs() < 1e-12 && (dot(up, up) - 1.0).abs() < 1e-12);
            assert!(dot(forward, up).abs() < 1e-12 && up[2] >= 0.0);
            let reach = if reach > 0.0 { reach } else { 1.0 };
            assert!((dot(eye, forward) + DISTANCE * reach).abs() < 1e-9 * reach);
        }
        let down = looking_from(Vec3::new(0.0, 0.0, 1.0), 1.0);
        assert_eq!((down.forward, down.up), ([0.0, 0.0, -1.0], [0.0, 1.0, 0.0]));
    }

    #[test]
    fn the_same_scene_has_the_same_camera() {
        let meshes = [box_mesh([1.0, 0.5, 0.2])];
        let turned = Placement { position: [0.3, -1.0, 0.5], q: [0.8, 0.0, 0.6, 0.0] };
        let parts = [part(0, [0.0; 3]), ViewPart { placement: turned, ..part(0, [0.0; 3]) }];
        let choose = || choose_camera(&parts, &meshes, Some([0.0, 0.8, 0.6]), 1.5);
        assert_eq!(choose(), choose());
    }

    #[test]
    fn spheres_outside_are_missed_and_no_others() {
        let projection = Projection::new(&CAMERA, [160, 100], 0.1);
        assert!(!projection.misses(projection.point(Vec3::ZERO), 1.0));
        assert!(projection.misses(projection.point(Vec3::new(0.0, -7.0, 0.0)), 1.0), "behind");
        assert!(projection.misses(projection.point(Vec3::new(4.0, 0.0, 0.0)), 1.0), "beside");
        assert!(!projection.misses(projection.point(Vec3::new(3.0, 0.0, 0.0)), 1.0));
        assert!(!projection.misses(projection.point(Vec3::new(0.0, -7.0, 0.0)), 100.0), "around the eye");
    }

    #[test]
    fn lines_reach_from_end_to_end() {
        let projection = Projection::new(&CAMERA, [160, 100], 0.1);
        let line = |a: [f64; 3], b: [f64; 3]| {
            let mut samples = Vec::new();
            let ends = [a, b].map(|p| projection.point(p.into()));
            projection.line(ends, 1, |at, _| samples.push(at));
            samples.dedup();
            samples
        };
        let across = line([-100.0, 0.0, 0.01], [100.0, 0.0, 0.01]);
        assert_eq!(across, (0..160).map(|x| 49 * 160 + x).collect::<Vec<_>>());
        assert!(line([0.0, -9.0, 0.0], [0.0, -6.0, 0.0]).is_empty(), "behind the eye");
        assert!(!line([0.0, -9.0, 0.0], [0.0, 1e9, 1e8]).is_empty(), "through the least depth");
        assert_eq!(line([0.0; 3], [0.0; 3]), [50 * 160 + 80]);
    }
}
