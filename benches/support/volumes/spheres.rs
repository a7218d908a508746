//! Spheres (Quinlan 1994).

use super::tree::{Corners, Motion, SINGLE, Volumes, ends, principal_axes, up};
use clearsweep_geometry::Vec3;

/// Middles and radii.
pub(crate) struct Stored<const W: usize> {
    centers: [[f32; W]; 3],
    radii: [f32; W],
}

/// The same in A's frame.
pub(crate) struct Placed<const W: usize> {
    centers: [[f64; W]; 3],
    radii: [f64; W],
}

/// See above.
pub(crate) struct Spheres;

impl<const W: usize> Volumes<W> for Spheres {
    const NAME: &'static str = "spheres";
    const TURNS: bool = false;
    type Stored = Stored<W>;
    type Placed = Placed<W>;
    type View = Motion;

    fn store(children: &[&[Corners]]) -> Stored<W> {
        let mut to = Stored { centers: [[0.0; W]; 3], radii: [0.0; W] };
        for (lane, triangles) in children.iter().enumerate() {
            let axes = principal_axes(triangles);
            let (low, high) = ends(triangles.iter().flatten().copied(), &axes);
            let center = (0..3).fold(Vec3::ZERO, |sum, k| sum + axes[k] * (0.5 * (low[k] + high[k])));
            let center = center.to_array().map(|c| c as f32);
            let stored = Vec3::from(center.map(f64::from));
            let radius = triangles.iter().flatten().map(|p| (*p - stored).length()).fold(0.0, f64::max);
            for k in 0..3 {
                to.centers[k][lane] = center[k];
            }
            to.radii[lane] = up(radius * (1.0 + SINGLE));
        }
        to
    }

    fn view(motion: &Motion, _: &[Vec3<f64>; 3]) -> Motion {
        *motion
    }

    #[inline(always)]
    fn place(stored: &Stored<W>, view: &Motion) -> Placed<W> {
        Placed { centers: view.turn_all(&stored.centers, true), radii: stored.radii.map(f64::from) }
    }

    #[inline(always)]
    fn row(one: &Placed<W>, lane: usize, all: &Placed<W>, to: &mut [f64; W]) {
        let [x, y, z] = [0, 1, 2].map(|k: usize| one.centers[k][lane]);
        for j in 0..W {
            let d = [all.centers[0][j] - x, all.centers[1][j] - y, all.centers[2][j] - z];
            let gap = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt() - one.radii[lane] - all.radii[j];
            let gap = if gap > 0.0 { gap } else { 0.0 };
            to[j] = gap * gap;
        }
    }
}
