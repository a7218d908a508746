//! Clipping an edge against planes of a Voronoi region, and where its nearest point lies then (Mirtich 1997,
//! Algorithms 1 and 2).
//!
//! A point of the edge is `e(lambda) = (1 - lambda) tail + lambda head`. Every function of `lambda` that is needed is
//! linear, so its values at both ends stand for it, and equal tests of two states give equal signs.

use super::regions::Segment;
use crate::geometry::Vec3;
use crate::geometry::planes::Rows;
use crate::geometry::polyhedron::LANES;

/// No plane.
pub(super) const NONE: u32 = u32::MAX;

/// The part of an edge that is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clip {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The plane that the edge enters by, as a place in the list or a lane; [`NONE`] at the tail.
    pub(super) entry: u32,
    /// The plane that it leaves by; [`NONE`] at the head.
    pub(super) exit: u32,
}

/// What planes leave of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cut {
    /// Nothing: both ends lie beyond this plane.
    Simple(u32),
    /// This; nothing if it leaves (`high`) before it enters (`low`).
    Part(Clip),
}

impl Clip {
    /// The whole edge.
    pub(super) const WHOLE: Self = Self { low: 0.0, high: 1.0, entry: NONE, exit: NONE };

    /// Whether nothing is left, by an entry and an exit together.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// Clips against plane `number` with the signed distances `tail` and `head` of the ends, negative beyond it, not
    /// both. The divisor is never smaller than the dividend.
    #[inline(always)]
    pub(super) fn cut(&mut self, tail: f64, head: f64, number: u32) {
        if tail < 0.0 {
            let at = tail / (tail - head);
            if at > self.low {
                (self.low, self.entry) = (at, number);
            }
        } else if head < 0.0 {
            let at = tail / (tail - head);
            if at < self.high {
                (self.high, self.exit) = (at, number);
            }
        }
    }

    /// Algorithm 2: the plane to cross, if the nearest point lies beyond an end of what is left. `slope` is the
    /// derivative, at a `lambda`, of the distance to the feature beyond the plane that is crossed there.
    #[inline(always)]
    pub(super) fn check(&self, slope: impl Fn(u32, f64) -> Slope<f64>) -> Slope<u32> {
        if self.entry != NONE {
            match slope(self.entry, self.low) {
                Slope::Touching => return Slope::Touching,
                Slope::Of(slope) if slope > 0.0 => return Slope::Of(self.entry),
                Slope::Of(_) | Slope::None => {}
            }
        }
        if self.exit != NONE {
            match slope(self.exit, self.high) {
                Slope::Touching => return Slope::Touching,
                Slope::Of(slope) if slope < 0.0 => return Slope::Of(self.exit),
                Slope::Of(_) | Slope::None => {}
            }
        }
        Slope::None
    }
}

/// The least of values, eight in each step, and where it is.
#[derive(Clone, Copy)]
struct Least {
    value: [f64; LANES],
    step: [u64; LANES],
}

impl Least {
    #[inline(always)]
    fn below(limit: f64) -> Self {
        Self { value: [limit; LANES], step: [0; LANES] }
    }

    #[inline(always)]
    fn take(&mut self, values: [f64; LANES], first: usize) {
        for i in 0..LANES {
            let less = values[i] < self.value[i];
            self.step[i] = if less { first as u64 } else { self.step[i] };
            self.value[i] = if less { values[i] } else { self.value[i] };
        }
    }

    #[inline(always)]
    fn of_all(&self) -> f64 {
        let v = &self.value;
        let less = |a: f64, b: f64| if b < a { b } else { a };
        let four = [less(v[0], v[4]), less(v[1], v[5]), less(v[2], v[6]), less(v[3], v[7])];
        less(less(four[0], four[2]), less(four[1], four[3]))
    }

    /// Where the value lies that is least of all.
    #[inline(always)]
    fn place(&self, least: f64) -> u32 {
        let mut mask = 0_u32;
        for i in 0..LANES {
            mask |= u32::from(self.value[i] <= least) << i;
        }
        let lane = mask.trailing_zeros() as usize % LANES;
        self.step[lane] as u32 + lane as u32
    }
}

/// The plane that `x` lies farthest beyond, if it lies beyond one.
#[inline(always)]
pub(super) fn farthest_beyond(planes: &Rows<'_>, x: Vec3<f64>) -> Option<u32> {
    let mut most = Least::below(0.0);
    for first in (0..planes.count()).step_by(LANES) {
        most.take(planes.sides(first, x), first);
    }
    let least = most.of_all();
    (least < 0.0).then(|| most.place(least))
}

/// Clips an edge against all planes of a vertex or a face. Of several planes beyond which all of it lies, that which it
/// comes least near to.
#[inline(always)]
pub(super) fn clip(planes: &Rows<'_>, edge: &Segment) -> Cut {
    let (mut beyond, mut entry, mut exit) = (Least::below(0.0), Least::below(0.0), Least::below(1.0));
    let mut crosses = false;
    for first in (0..planes.count()).step_by(LANES) {
        let (tail, head) = (planes.sides(first, edge.tail), planes.sides(first, edge.head));
        let mut nearer = [0.0; LANES];
        let mut some = 0_u64;
        for i in 0..LANES {
            nearer[i] = if tail[i] < head[i] { head[i] } else { tail[i] };
            some |= u64::from(tail[i] < 0.0) | u64::from(head[i] < 0.0);
        }
        if some == 0 {
            continue;
        }
        crosses = true;
        beyond.take(nearer, first);
        let (mut enters, mut leaves) = ([0.0; LANES], [1.0; LANES]);
        for i in 0..LANES {
            let at = tail[i] / (tail[i] - head[i]);
            enters[i] = if tail[i] < 0.0 { -at } else { 0.0 };
            leaves[i] = if head[i] < 0.0 { at } else { 1.0 };
        }
        entry.take(enters, first);
        exit.take(leaves, first);
    }
    if !crosses {
        return Cut::Part(Clip::WHOLE);
    }
    let nearest = beyond.of_all();
    if nearest < 0.0 {
        return Cut::Simple(beyond.place(nearest));
    }
    let (low, high) = (entry.of_all(), exit.of_all());
    Cut::Part(Clip {
        low: -low,
        high,
        entry: if low < 0.0 { entry.place(low) } else { NONE },
        exit: if high < 1.0 { exit.place(high) } else { NONE },
    })
}

/// A derivative, or what follows from one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slope<T> {
    /// Nothing.
    None,
    /// This.
    Of(T),
    /// The edge meets the feature there: the distance is zero and has no derivative.
    Touching,
}

/// The value at `lambda` of a linear function of given values at the ends: of their sign if both have the same.
#[inline(always)]
pub(super) fn between(tail: f64, head: f64, lambda: f64) -> f64 {
    (1.0 - lambda) * tail + lambda * head
}

/// A number with the sign of the derivative of the distance to a vertex at `v` (Equation 2).
#[inline(always)]
pub(super) fn slope_to_vertex(v: Vec3<f64>, edge: &Segment, lambda: f64) -> Slope<f64> {
    let u = edge.head - edge.tail;
    let (tail, head) = (edge.tail - v, edge.head - v);
    let slope = between(u.dot(tail), u.dot(head), lambda);
    if slope == 0.0 && tail.scale(1.0 - lambda) + head.scale(lambda) == Vec3::ZERO {
        return Slope::Touching;
    }
    Slope::Of(slope)
}
