//! Unions of convex pieces without radius, pair by pair.
//!
//! Let `n(x)` be how many pieces of A hold the point `x`, and `m(x)` how many of B. The volumes of
//! all pairs add up to the integral of `n m`, which is at least the volume of the overlap. On the
//! overlap `n m - 1 = (n - 1) m + (m - 1)`, and `n - 1` is at most the number of pairs of pieces of
//! A that hold `x`. So the sum is too large by no more than the volumes of all `A_i A_k B_j` and
//! `A_i B_j B_l` (Bonferroni).

use super::Local;
use super::aabb::Aabb;
use super::clip::{Clipped, clip};
use super::frame::{Frames, HalfSpace};
use crate::real::{Dd, Real, Scalar};
use crate::{Polyhedron, Vec3};

/// One convex piece and its box in the near frame.
struct Piece<'a> {
    core: &'a Polyhedron,
    bounds: Aabb,
}

struct Pairs<'a> {
    frames: &'a Frames,
    pieces: [Vec<Piece<'a>>; 2],
}

/// Bounds the overlap of two unions of polyhedra; polyhedra of dimension 3 have faces.
pub(super) fn of_unions(frames: &Frames, bodies: [&[(&Polyhedron, f64)]; 2]) -> Local {
    let of_body = |body: usize| {
        bodies[body].iter().map(|&(core, _)| Piece { core, bounds: frames.bounds(body, core, 0.0) }).collect()
    };
    let pairs = Pairs { frames, pieces: [of_body(0), of_body(1)] };
    let (mut lower, mut upper, mut largest, mut bounds) = (0.0, 0.0, 0.0_f64, None);
    let mut met = Vec::new();
    for (i, j) in indices(&pairs.pieces[0], &pairs.pieces[1]) {
        let Some((volume, around)) = pairs.pair(i, j) else { continue };
        bounds = Some(bounds.map_or(around, |all: Aabb| all.with(&around)));
        lower += volume[0];
        upper += volume[1];
        largest = largest.max(volume[0]);
        met.push([i, j]);
    }
    // Sums of positive numbers.
    let rounding = 1.0 + f64::EPSILON * (met.len() as f64 + 1.0);
    let many = if met.len() > 1 { pairs.counted_twice(&met) } else { 0.0 };
    let box_volume = bounds.map_or(0.0, |bounds: Aabb| bounds.volume());
    let lower = if met.len() > 1 { (lower / rounding - many).next_down() } else { lower };
    Local { bounds, volume: [largest.max(lower), box_volume.min(upper * rounding)] }
}

fn indices<'a>(a: &'a [Piece<'_>], b: &'a [Piece<'_>]) -> impl Iterator<Item = (usize, usize)> + 'a {
    (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j)))
}

impl Pairs<'_> {
    /// The volume of the intersection of a piece of A and one of B, and its box; `None`: they do
    /// not overlap.
    fn pair(&self, i: usize, j: usize) -> Option<([f64; 2], Aabb)> {
        let (a, b) = (&self.pieces[0][i], &self.pieces[1][j]);
        let around = a.bounds.meet(&b.bounds)?;
        if a.core.dimension < 3 || b.core.dimension < 3 {
            return Some(([0.0; 2], around));
        }
        // Fewer cuts if the smaller one is cut.
        let clipped = if a.bounds.volume() <= b.bounds.volume() {
            self.clipped([0, i], &[[1, j]])
        } else {
            self.clipped([1, j], &[[0, i]])
        };
        let bounds = clipped.bounds?.meet(&around)?;
        Some(([clipped.volume[0], clipped.volume[1].min(bounds.volume())], bounds))
    }

    /// A piece clipped by others; each is a body and an index.
    fn clipped(&self, [body, piece]: [usize; 2], by: &[[usize; 2]]) -> Clipped {
        let (mut planes, mut hint) = (Vec::new(), Vec3::ZERO);
        for &[of, other] in by {
            let pose = self.frames.between(body, of);
            let core = self.pieces[of][other].core;
            planes.extend(HalfSpace::of_faces(core, &pose));
            hint = hint + pose.point(core.mean).scale(1.0 / by.len() as f64);
        }
        clip(self.pieces[body][piece].core, &planes, hint, &self.frames.near_from[body], self.frames.unit)
    }

    /// An upper bound of the volumes of intersections of two pieces of one body and one of the
    /// other, all together.
    fn counted_twice(&self, met: &[[usize; 2]]) -> f64 {
        let mut sum = Dd::ZERO;
        for body in 0..2 {
            // For each piece of the other body, the pieces that it met.
            let mut partners = vec![Vec::new(); self.pieces[1 - body].len()];
            met.iter().for_each(|pair| partners[pair[1 - body]].push(pair[body]));
            for (other, partners) in partners.iter().enumerate() {
                for (at, &first) in partners.iter().enumerate() {
                    for &second in &partners[at + 1..] {
                        sum += Dd::from_f64(self.of_three([body, first], [body, second], [1 - body, other]));
                    }
                }
            }
        }
        sum.to_f64() * (1.0 + 2.0 * f64::EPSILON)
    }

    /// An upper bound of the volume of the intersection of three pieces; each is a body and an
    /// index.
    fn of_three(&self, first: [usize; 2], second: [usize; 2], third: [usize; 2]) -> f64 {
        let [a, b, c] = [first, second, third].map(|[body, index]| &self.pieces[body][index]);
        let around = a.bounds.meet(&b.bounds).and_then(|met| met.meet(&c.bounds));
        match around {
            Some(around) if [a, b, c].iter().all(|piece| piece.core.dimension == 3) => {
                self.clipped(first, &[second, third]).volume[1].min(around.volume())
            }
            _ => 0.0,
        }
    }
}
