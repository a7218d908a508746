//! The first surface of a search that knows nothing yet: a double pyramid of supports, found side by side.
//!
//! For bodies that are likely to overlap this takes the place of GJK: it costs a few of its steps, the origin lies inside or
//! not far outside, and growing leads to the nearest facet either way. Its tip points the way the bodies are apart from each
//! other, where the nearest facet is most likely.

use super::polytope::Work;
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::pair::{CLIMB_ABOVE, Pair};
use crate::narrow::support::support_each;
use crate::simd::{Lane, Simd, V, WIDTH};

/// Directions in a frame whose third axis is the axis: a tip, four around the axis, to be tilted towards it, and a foot.
const AROUND: [Lane; 2] = [[0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0]];
const ALONG: [Lane; 2] = [[1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]];

/// How many of them are meant.
const COUNT: usize = 6;

/// The triangles between their supports, counter-clockwise seen from outside.
const CORNERS: [[u8; WIDTH]; 3] = [[0, 0, 0, 0, 5, 5, 5, 5], [1, 2, 3, 4, 2, 3, 4, 1], [2, 3, 4, 1, 1, 2, 3, 4]];

/// The cotangent of the angle to the axis that leads to the fewest steps (hulls of ellipsoids, the peers' cases N2): about
/// 60 degrees for a dozen vertices, 45 for many dozens, 35 for hundreds. Narrower, supports coincide.
fn tilt(vertices: usize) -> f64 {
    match vertices {
        0..=32 => 0.55,
        33..=100 => 1.0,
        _ => 1.35,
    }
}

/// Two unit vectors across a unit vector, such that the three are a right-handed frame (Duff et al. 2017, Building an
/// Orthonormal Basis, Revisited).
#[inline(always)]
fn across(z: Vec3<f64>) -> [Vec3<f64>; 2] {
    let sign = 1.0_f64.copysign(z.z);
    let a = -1.0 / (sign + z.z);
    let b = z.x * z.y * a;
    [
        Vec3 { x: 1.0 + sign * z.x * z.x * a, y: sign * b, z: -sign * z.x },
        Vec3 { x: b, y: sign + z.y * z.y * a, z: -z.y },
    ]
}

/// Vertices far along the directions of the lanes: the farthest, or on a large polyhedron those that a table names.
#[inline(always)]
fn far<S: Simd>(p: &Polyhedron, d: Vec3<V<S>>) -> V<S> {
    if p.count <= CLIMB_ABOVE || p.starts.is_empty() {
        return support_each(p, d).0;
    }
    let mut lanes = [[0.0; WIDTH]; 3];
    d.store(&mut lanes);
    let mut at = [0.0; WIDTH];
    for k in 0..WIDTH {
        at[k] = f64::from(p.near(Vec3 { x: lanes[0][k], y: lanes[1][k], z: lanes[2][k] }).unwrap_or(0));
    }
    V::load(&at)
}

impl Work {
    /// Starts from supports around `axis`; the surface need not hold the origin.
    #[inline(always)]
    pub(super) fn around<S: Simd>(&mut self, pair: &Pair<'_, f64>, axis: Vec3<f64>) {
        self.clear(pair.size);
        let z = if axis.length2() > 0.0 { axis.normalized() } else { Vec3 { x: 0.0, y: 0.0, z: 1.0 } };
        let [x, y] = across(z);
        let tilt = V::<S>::splat(tilt(pair.a.count + pair.b.count));
        let w = V::load(&ALONG[0]) + V::load(&ALONG[1]) * tilt;
        let d = Vec3::from_f64(x).scale(V::load(&AROUND[0]))
            + Vec3::from_f64(y).scale(V::load(&AROUND[1]))
            + Vec3::from_f64(z).scale(w);
        let r =
            [Vec3::<V<S>>::from_f64(pair.pose.r[0]), Vec3::from_f64(pair.pose.r[1]), Vec3::from_f64(pair.pose.r[2])];
        let m = r[0].scale(d.x) + r[1].scale(d.y) + r[2].scale(d.z);
        let (i, j) = (far(pair.a, d), far(pair.b, -m));
        let (a, b) = (vertices(pair.a, i), vertices(pair.b, j));
        let turned = Vec3 { x: r[0].dot(b), y: r[1].dot(b), z: r[2].dot(b) };
        let points = a - (turned + Vec3::from_f64(pair.pose.t));
        self.take_eight([i, j], points, COUNT, CORNERS);
    }
}

/// The vertices with these numbers.
#[inline(always)]
pub(super) fn vertices<S: Simd>(p: &Polyhedron, at: V<S>) -> Vec3<V<S>> {
    Vec3 { x: V::gather(&p.x, at), y: V::gather(&p.y, at), z: V::gather(&p.z, at) }
}
