//! Whether the arcs of two edges cross on the Gauss map, so that the edges span a face of the
//! Minkowski difference (Choi et al., section 4.3).
//!
//! The arc of an edge of A joins the normals `a` (left) and `b` (right) of its two faces, in the
//! plane orthogonal to the edge `u`. The arc of an edge of -B joins `c` and `d`, orthogonal to `w`.
//! With the left face first, `a x b` is a positive multiple of `u`, and so is `c x d` of `w`, since
//! both normals of -B are those of B with the other sign. The paper's three conditions are about
//! the signs of the determinants `|cba|`, `|dba|`, `|adc|` and `|bdc|`. With `u` and `w` in place
//! of the vector products they read
//!
//! 1. `c` and `d` lie on different sides of the plane orthogonal to `u`;
//! 2. `a` and `b` lie on different sides of the plane orthogonal to `w`;
//! 3. `c . u` and `b . w` have the same sign: else one arc crosses the opposite of the other.
//!
//! All three together: `c . u`, `-d . u`, `b . w` and `-a . w` have one sign, `sigma`. The arcs
//! then cross at the normal `sigma (w x u)`. The vectors of the edges are exact but for one
//! rounding, so that a nearly flat edge, whose normals hardly differ, costs no accuracy.

use clearsweep_geometry::{Polyhedron, Vec3};

/// The share of a vector's length up to which its product with a unit normal may be rounding.
const DOUBT: f64 = 1e-14;

/// The share of the product of two edges' lengths up to which their vector product is rounding: the
/// edges are parallel.
const PARALLEL: f64 = 1e-12;

/// The arc of an edge: the edge's vector, and the normals of the faces to its left and right.
#[derive(Debug, Clone, Copy)]
pub(super) struct GaussArc {
    pub(super) edge: Vec3<f64>,
    pub(super) ends: [Vec3<f64>; 2],
}

/// Crossing of two arcs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ArcCrossing {
    /// They do not.
    None,
    /// At this normal, which is not of unit length.
    At(Vec3<f64>),
    /// At this normal, or they miss each other by no more than rounding.
    Near(Vec3<f64>),
}

impl GaussArc {
    /// The arc of an edge of a solid, in its own frame.
    #[inline(always)]
    pub(super) fn of(p: &Polyhedron, edge: u32) -> Self {
        let edge = &p.edges[edge as usize];
        Self {
            edge: p.vertex(edge.v[1]) - p.vertex(edge.v[0]),
            ends: [p.normals[edge.f[0] as usize], p.normals[edge.f[1] as usize]],
        }
    }

    /// Returns the arc of the mirrored body, with the vector that the edge has in the body itself.
    #[inline(always)]
    pub(super) fn mirrored(&self) -> Self {
        Self { edge: self.edge, ends: [-self.ends[0], -self.ends[1]] }
    }

    /// Returns the arc in another frame.
    #[inline(always)]
    pub(super) fn turned(&self, turn: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Self {
        Self { edge: turn(self.edge), ends: [turn(self.ends[0]), turn(self.ends[1])] }
    }
}

/// Finds the crossing of the arcs of an edge of A and of an edge of -B, both in one frame.
#[inline(always)]
pub(super) fn crossing(of_a: &GaussArc, of_b: &GaussArc) -> ArcCrossing {
    let (u, w) = (of_a.edge, of_b.edge);
    let [a, b] = of_a.ends.map(|normal| normal.dot(w));
    let [c, d] = of_b.ends.map(|normal| normal.dot(u));
    let (doubt_u, doubt_w) = (DOUBT * u.length(), DOUBT * w.length());
    // The least of the four, for either sign.
    let least = |sign: f64| [sign * c + doubt_u, -sign * d + doubt_u, sign * b + doubt_w, -sign * a + doubt_w];
    for sign in [1.0, -1.0] {
        let signs = least(sign);
        if signs.iter().any(|&s| s < 0.0) {
            continue;
        }
        let normal = w.cross(u).scale(sign);
        if normal.length2() <= PARALLEL * PARALLEL * u.length2() * w.length2() {
            return ArcCrossing::None;
        }
        let [c, d, b, a] = signs;
        let is_clear = c.min(d) > 2.0 * doubt_u && b.min(a) > 2.0 * doubt_w;
        return if is_clear { ArcCrossing::At(normal) } else { ArcCrossing::Near(normal) };
    }
    ArcCrossing::None
}
