//! A convex polyhedron clipped by half-spaces, as tetrahedra.
//!
//! The polyhedron is cut exactly into tetrahedra, in its own frame. Each is cut by one plane after
//! the other, the one that it reaches farthest over first, and the part above is dropped.
//!
//! # Proof
//! Let `K` be the true intersection, `L` the height over a true plane, and `l` the height as
//! computed: `|l - L| <= e = HEIGHT` units at every point asked. A cut is where the affine function
//! through the four computed heights is the margin `m`. That is exact, whatever `l` is; only the
//! new corners are stored `step` off their place at most, so that a stored tetrahedron is at every
//! point within `step` of the exact part of the one it was cut from.
//!
//! *Upper end.* A point `x` of `K` has a companion in the tetrahedra left after `k` cuts, no
//! farther from `x` than `k step`. Its affine height is at most `e + k step`, which is below the
//! margin of the next cut: it is not cut away. So `K` lies in the last tetrahedra opened by
//! `k step`; opening a convex body of the area `F` within a ball of radius `R` by `d` adds at most
//! `d (F + 16 pi R d)`. The box of the corners opened alike contains `K`.
//!
//! *Lower end.* Let `F(T)` be the volume of the part of `T` in all half-spaces. A cut and a drop
//! only lose volume of `F`, and storing a corner `step` off its place adds at most `step` times the
//! area of the stored part. In a last tetrahedron no more than `(max l + e) area / 2` lies above a
//! plane: a section of a convex body is at most half of its area. So the sum of the last volumes
//! less these is at most the volume of `K`.

use super::aabb::Aabb;
use super::frame::{HEIGHT, HalfSpace, MOVED, flushed};
use crate::hull::side;
use crate::pose::RelativePose;
use crate::real::{Dd, Real, Scalar};
use crate::{Polyhedron, Vec3};

/// The corners of a tetrahedron.
type Corners = [Vec3<f64>; 4];

/// Cuts that lead to a tetrahedron, at most; what is left then counts for the upper end only.
const CUTS: u32 = 64;

/// Most tetrahedra that are clipped; the rest then counts for the upper end only.
const TETRAHEDRA: usize = 1 << 18;

/// Growth of the margin with each cut, units: more than a new corner is off, and than its height
/// is.
const MARGIN_STEP: f64 = 64.0;

/// Displacement of a new corner, in 2^-53 of the radius of the polyhedron. Its share of the edge is
/// off by 2 u, the difference of the ends, the product and the sum round once each: less than
/// `4 u |q - p| + u |p|`.
const CORNER_STEP: f64 = 10.0;

/// The clipped polyhedron.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clipped {
    /// Proven bounds of the volume, cubic metres.
    pub(super) volume: [f64; 2],
    /// Contains the whole of it, in the frame that `place` leads to; `None`: it is empty.
    pub(super) bounds: Option<Aabb>,
}

/// Clips `core` (of dimension 3, with faces) by half-spaces in its own frame. `place`: the pose of
/// that frame for the box; `unit`: of rounding, metres; `hint`: a point that is most likely deep in
/// the half-spaces.
pub(super) fn clip(
    core: &Polyhedron,
    planes: &[HalfSpace],
    hint: Vec3<f64>,
    place: &RelativePose<f64>,
    unit: f64,
) -> Clipped {
    let step = 0.5 * f64::EPSILON * CORNER_STEP * core.radius;
    let mut clipping = Clipping {
        planes,
        place,
        unit,
        step,
        left: TETRAHEDRA,
        sum: Dd::ZERO,
        unclipped: 0.0,
        added: 0.0,
        lost: 0.0,
        bounds: Aabb::empty(),
    };
    let all: Vec<u32> = (0..planes.len() as u32).collect();
    tetrahedra(core, apex(core, planes, hint)).for_each(|corners| clipping.visit(&corners, 0, &all));
    clipping.finish()
}

/// The tetrahedra between a point of the polyhedron and the faces that it is not on: exactly the
/// polyhedron.
fn tetrahedra(core: &Polyhedron, apex: Vec3<f64>) -> impl Iterator<Item = Corners> + '_ {
    let faces = (0..core.face_count() as u32).filter(move |&f| height_sign(core, f, apex) != 0.0);
    faces.flat_map(move |f| {
        let face = core.face(f);
        let corner = |i: usize| core.vertex(face[i]);
        (2..face.len()).map(move |i| [apex, corner(0), corner(i - 1), corner(i)])
    })
}

/// The sign of the height of a point over a face: exact.
fn height_sign(core: &Polyhedron, f: u32, p: Vec3<f64>) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|i| core.vertex(core.face(f)[i]));
    side(a, b, c, p)
}

/// The point of the polyhedron that is deepest in the half-spaces: its mean, the hint, the middle
/// of both, or a vertex. Cuts then take off no more than the far ends of tetrahedra, mostly. The
/// choice changes no volume.
fn apex(core: &Polyhedron, planes: &[HalfSpace], hint: Vec3<f64>) -> Vec3<f64> {
    let inner = [hint, core.mean, (hint + core.mean).scale(0.5)].map(flushed);
    let is_inside = |p: &Vec3<f64>| (0..core.face_count() as u32).all(|f| height_sign(core, f, *p) < 0.0);
    let vertices = (0..core.count as u32).map(|v| core.vertex(v));
    let height = |p: Vec3<f64>| planes.iter().map(|plane| plane.height(p)).fold(f64::NEG_INFINITY, f64::max);
    let candidates = inner.into_iter().filter(is_inside).chain(vertices).map(|p| (height(p), p));
    candidates.reduce(|best, other| if other.0 < best.0 { other } else { best }).map_or(core.vertex(0), |best| best.1)
}

struct Clipping<'a> {
    planes: &'a [HalfSpace],
    place: &'a RelativePose<f64>,
    unit: f64,
    step: f64,
    /// Tetrahedra that may still be clipped.
    left: usize,
    /// Volumes of the last tetrahedra.
    sum: Dd,
    /// Volumes of those that were not cut to the end.
    unclipped: f64,
    /// Bounds of what the sum lacks, and of what it has too much.
    added: f64,
    lost: f64,
    bounds: Aabb,
}

impl Clipping<'_> {
    fn margin(&self, cuts: u32) -> f64 {
        (HEIGHT + 128.0 + MARGIN_STEP * f64::from(cuts)) * self.unit
    }

    /// Looks at a tetrahedron; `near`: the planes that it may reach over.
    fn visit(&mut self, corners: &Corners, cuts: u32, near: &[u32]) {
        let margin = self.margin(cuts);
        // Below this a plane stays below all parts, their displacements included.
        let far = -self.margin(CUTS);
        let mut reached = Vec::with_capacity(near.len());
        let mut worst: Option<(f64, [f64; 4])> = None;
        for &plane in near {
            let heights = corners.map(|p| self.planes[plane as usize].height(p));
            let (low, high) = (fold(heights, f64::min), fold(heights, f64::max));
            if low > margin {
                return; // nothing of the intersection is here
            }
            if high > far {
                reached.push(plane);
            }
            if high > worst.map_or(margin, |(most, _)| most) {
                worst = Some((high, heights));
            }
        }
        let Some((_, heights)) = worst else { return self.keep(corners, cuts, &reached) };
        if cuts == CUTS || self.left == 0 {
            return self.keep_unclipped(corners, cuts);
        }
        self.left -= 1;
        let mut parts = [*corners; 3];
        let count = below(corners, heights.map(|height| height - margin), &mut parts);
        for part in &parts[..count] {
            self.lost += self.step * self.opened_area(part);
            self.visit(part, cuts + 1, &reached);
        }
    }

    /// Counts a tetrahedron that all planes are above.
    fn keep(&mut self, corners: &Corners, cuts: u32, reached: &[u32]) {
        let (volume, rounding) = volume(corners);
        let area = area(corners);
        for &plane in reached {
            let high = fold(corners.map(|p| self.planes[plane as usize].height(p)), f64::max);
            self.lost += 0.5 * area * (high + HEIGHT * self.unit).max(0.0);
        }
        self.lost += rounding;
        self.sum += Dd::from_f64(volume);
        self.cover(corners, cuts, rounding);
    }

    /// Counts a tetrahedron that is not cut to the end.
    fn keep_unclipped(&mut self, corners: &Corners, cuts: u32) {
        let (volume, rounding) = volume(corners);
        self.unclipped += volume;
        self.cover(corners, cuts, rounding);
    }

    /// Opens the box and the upper end for a tetrahedron.
    fn cover(&mut self, corners: &Corners, cuts: u32, rounding: f64) {
        let off = f64::from(cuts) * self.step;
        self.added += rounding + off * self.opened_area(corners);
        let placed = corners.map(|p| self.place.point(p));
        self.bounds = self.bounds.with(&Aabb::around(placed, MOVED * self.unit + 2.0 * off));
    }

    /// The area, and what opening by `CUTS` steps adds to it.
    fn opened_area(&self, corners: &Corners) -> f64 {
        let length = longest_edge(corners);
        area(corners) + 64.0 * f64::from(CUTS) * self.step * (length + f64::from(CUTS) * self.step)
    }

    fn finish(self) -> Clipped {
        if self.bounds == Aabb::empty() {
            return Clipped { volume: [0.0; 2], bounds: None };
        }
        // The bounds are sums of positive numbers, each off by less than 2^-40 for 2^18 terms; the
        // sum is one of double-doubles.
        let wide = 1.0 + 2.0_f64.powi(-30);
        let sum = self.sum.to_f64();
        let lower = (sum * (1.0 - 2.0 * f64::EPSILON) - self.lost * wide).max(0.0);
        let upper = sum * (1.0 + 2.0 * f64::EPSILON) + (self.added + self.unclipped) * wide;
        Clipped { volume: [lower, upper.next_up()], bounds: Some(self.bounds) }
    }
}

fn fold(values: [f64; 4], pick: impl Fn(f64, f64) -> f64) -> f64 {
    pick(pick(values[0], values[1]), pick(values[2], values[3]))
}

/// Cuts out the parts of a tetrahedron in which the affine function of these values at the corners
/// is not above 0. Returns the number of parts.
fn below(corners: &Corners, values: [f64; 4], parts: &mut [Corners; 3]) -> usize {
    let mut order = [0, 1, 2, 3];
    order.sort_unstable_by(|&i, &j| values[i].total_cmp(&values[j]));
    let [i, j, k, l] = order;
    let c = |i: usize| corners[i];
    let cut = |below: usize, above: usize| {
        let share = values[below] / (values[below] - values[above]);
        c(below) + (c(above) - c(below)).scale(share)
    };
    match values.iter().filter(|&&value| value <= 0.0).count() {
        0 => 0,
        1 => {
            parts[0] = [c(i), cut(i, j), cut(i, k), cut(i, l)];
            1
        }
        2 => {
            *parts = prism([c(i), cut(i, k), cut(i, l)], [c(j), cut(j, k), cut(j, l)]);
            3
        }
        3 => {
            *parts = prism([c(i), c(j), c(k)], [cut(i, l), cut(j, l), cut(k, l)]);
            3
        }
        _ => {
            parts[0] = *corners;
            1
        }
    }
}

/// Three that fill the prism between two triangles.
fn prism([a, b, c]: [Vec3<f64>; 3], [d, e, f]: [Vec3<f64>; 3]) -> [Corners; 3] {
    [[a, b, c, f], [a, b, e, f], [a, d, e, f]]
}

/// The volume, and a bound on its rounding: three differences, products of three, and five sums,
/// each less than u of the product of the lengths.
fn volume(corners: &Corners) -> (f64, f64) {
    let [a, b, c] = [1, 2, 3].map(|i| corners[i] - corners[0]);
    let size = a.length() * b.length() * c.length();
    (a.dot(b.cross(c)).abs() / 6.0, 2.0 * f64::EPSILON * size + f64::MIN_POSITIVE)
}

/// The area of the four faces.
fn area(corners: &Corners) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|i| corners[i] - corners[0]);
    let faces = [a.cross(b), b.cross(c), c.cross(a), (b - a).cross(c - a)];
    // Each product is off by less than 8 u of its two lengths, and all of them by less than 20 u of
    // this sum.
    let slack = 16.0 * f64::EPSILON * (a.length2() + b.length2() + c.length2());
    0.5 * faces.iter().map(|face| face.length()).sum::<f64>() + slack
}

fn longest_edge(corners: &Corners) -> f64 {
    let from = |i: usize| corners.iter().map(move |&p| (p - corners[i]).length2());
    from(0).chain(from(1)).chain(from(2)).fold(0.0, f64::max).sqrt()
}
