//! A first polytope without GJK: a bipyramid of six supports, found side by side.
//!
//! For cores that are likely to overlap. It costs as much as a few iterations of GJK. The origin
//! lies inside or not far outside, and the expansion leads to the nearest facet either way. The
//! apex points along the axis between the bodies, where the nearest facet is most likely.

use super::gather::{broadcast, vertices};
use super::mesh::PolytopeMesh;
use crate::pair::Pair;
use crate::support::CLIMB_ABOVE;
use crate::support::support_each;
use clearsweep_base::simd::{Lane, Simd, V, WIDTH};
use clearsweep_geometry::{Polyhedron, Vec3};

/// The directions of the supports in a frame whose third axis is the axis: x and y. Lane 0 is the
/// apex, lanes 1 to 4 go around the axis, lane 5 is the opposite apex.
const ACROSS: [Lane; 2] = [[0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0]];
/// Their third component: a constant part, and a part that the tilt of the directions around the
/// axis multiplies.
const ALONG: [Lane; 2] = [[1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]];

/// The number of supports.
const COUNT: usize = 6;

/// The triangles between the supports, counter-clockwise seen from outside.
const CORNERS: [[u8; WIDTH]; 3] = [[0, 0, 0, 0, 5, 5, 5, 5], [1, 2, 3, 4, 2, 3, 4, 1], [2, 3, 4, 1, 1, 2, 3, 4]];

/// The cotangent of the angle between the axis and the directions around it that leads to the
/// fewest expansions, measured on hulls of ellipsoids: about 60 degrees for a dozen vertices, 45
/// for many dozens, 35 for hundreds. At narrower angles supports coincide.
fn tilt(vertices: usize) -> f64 {
    match vertices {
        0..=32 => 0.55,
        33..=100 => 1.0,
        _ => 1.35,
    }
}

/// Two unit vectors that complete a unit vector to a right-handed orthonormal frame (Duff et al.
/// 2017, "Building an Orthonormal Basis, Revisited").
#[inline(always)]
fn orthonormal_basis(z: Vec3<f64>) -> [Vec3<f64>; 2] {
    let sign = 1.0_f64.copysign(z.z);
    let a = -1.0 / (sign + z.z);
    let b = z.x * z.y * a;
    [
        Vec3 { x: 1.0 + sign * z.x * z.x * a, y: sign * b, z: -sign * z.x },
        Vec3 { x: b, y: sign + z.y * z.y * a, z: -z.y },
    ]
}

/// A vertex far along the direction of each lane: the farthest, or on a large polyhedron the one in
/// its table of start vertices.
#[inline(always)]
fn approximate_supports<S: Simd>(p: &Polyhedron, d: Vec3<V<S>>) -> V<S> {
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

impl PolytopeMesh {
    /// Starts from supports around `axis`, from A to B; the surface need not contain the origin.
    #[inline(always)]
    pub(super) fn start_from_supports<S: Simd>(&mut self, pair: &Pair<'_, f64>, axis: Vec3<f64>) {
        self.clear(pair.size);
        let z = if axis.length2() > 0.0 { axis.normalized() } else { Vec3 { x: 0.0, y: 0.0, z: 1.0 } };
        let [x, y] = orthonormal_basis(z);
        let tilt = V::<S>::splat(tilt(pair.a.count + pair.b.count));
        let w = V::load(&ALONG[0]) + V::load(&ALONG[1]) * tilt;
        let d = Vec3::from_f64(x).scale(V::load(&ACROSS[0]))
            + Vec3::from_f64(y).scale(V::load(&ACROSS[1]))
            + Vec3::from_f64(z).scale(w);
        let pose = broadcast::<S>(&pair.pose);
        let m = pose.inverse_vector(d);
        let (i, j) = (approximate_supports(pair.a, d), approximate_supports(pair.b, -m));
        let points = vertices(pair.a, i) - pose.point(vertices(pair.b, j));
        self.start_from_eight([i, j], points, COUNT, CORNERS);
    }
}
