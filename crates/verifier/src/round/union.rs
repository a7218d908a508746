//! Bodies of several pieces, convex ones and tori. Apart: the least distance of two pieces, to
//! which tori are divided in their angle. Overlapping: any two convex subsets of the bodies bound
//! the signed distance from above, and their hulls bound it from below.

use std::borrow::Cow;
use std::collections::BinaryHeap;

use super::decided::{distance, overlap, signed};
use super::search::Until;
use super::sets::{Affine, Convex, Set};
use super::sweep::Sweep;
use super::{Bracket, Keyed, local};
use crate::number::{Vector, dot, norm, sub};

/// A piece of a body.
#[derive(Clone, Debug)]
pub enum Piece {
    Convex(Convex),
    Sweep(Sweep),
}

/// A body: the union of its pieces.
#[derive(Clone, Debug)]
pub struct Union {
    pub pieces: Vec<Piece>,
    /// All pieces lie in the hull.
    hull: Convex,
}

/// Cells of a search over directions.
pub const CELLS: usize = 6_000;

/// Pairs of parts that are compared, beside those of convex pieces.
const PARTS_COMPARED: usize = 300;

/// Width at which the search over parts ends, and up to which a body counts as symmetric, in sizes of
/// the pair.
const WIDTHS: [f64; 2] = [1e-11, 1e-12];

impl Piece {
    pub fn mapped(&self, map: &Affine) -> Self {
        match self {
            Self::Convex(convex) => Self::Convex(convex.mapped(map)),
            Self::Sweep(sweep) => Self::Sweep(sweep.mapped(map)),
        }
    }

    /// The range of the angle; of a convex piece none.
    pub fn range(&self) -> [f64; 2] {
        match self {
            Self::Convex(_) => [0.0; 2],
            Self::Sweep(sweep) => [0.0, sweep.angle],
        }
    }

    /// The least convex set around the part between two angles.
    pub fn around(&self, range: [f64; 2]) -> Cow<'_, Convex> {
        match self {
            Self::Convex(convex) => Cow::Borrowed(convex),
            Self::Sweep(sweep) => Cow::Owned(sweep.around(range)),
        }
    }

    /// The section at an angle; a convex piece is one as a whole.
    fn at(&self, angle: f64) -> Cow<'_, Convex> {
        match self {
            Self::Convex(convex) => Cow::Borrowed(convex),
            Self::Sweep(sweep) => Cow::Owned(sweep.at(angle)),
        }
    }

    /// Convex sets within the part between two angles.
    fn within(&self, range: [f64; 2]) -> Option<Cow<'_, Convex>> {
        match self {
            Self::Convex(convex) => Some(Cow::Borrowed(convex)),
            Self::Sweep(sweep) => sweep.within(range).map(Cow::Owned),
        }
    }

    /// A point of it.
    pub fn any_point(&self) -> Vector<f64> {
        match self {
            Self::Convex(convex) => convex.farthest([1.0, 0.0, 0.0]),
            Self::Sweep(sweep) => sweep.at(0.0).farthest([1.0, 0.0, 0.0]),
        }
    }
}

/// Parts of two pieces between angles.
struct Parts<'a> {
    pieces: [&'a Piece; 2],
    ranges: [[f64; 2]; 2],
    /// The direction of the least gap of what it is a part of.
    normal: Option<Vector<f64>>,
    /// Whether the lower end is that of the hulls, not of balls around them.
    is_searched: bool,
}

impl Parts<'_> {
    fn are_convex(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Convex(_)))
    }

    /// The wider part divided into halves.
    fn halves(&self) -> [Self; 2] {
        let width = |k: usize| match self.pieces[k] {
            Piece::Convex(_) => -1.0,
            Piece::Sweep(sweep) => (self.ranges[k][1] - self.ranges[k][0]) * sweep.size() * sweep.map.stretch(),
        };
        let k = usize::from(width(1) > width(0));
        let [from, to] = self.ranges[k];
        let middle = 0.5 * (from + to);
        [[from, middle], [middle, to]].map(|range| {
            let mut ranges = self.ranges;
            ranges[k] = range;
            Self { ranges, is_searched: false, ..*self }
        })
    }

    /// A bracket of the distance of the parts; its upper end is that of their middle sections, and below
    /// 0 if convex sets within the parts overlap by much.
    fn searched(&mut self, above: f64) -> Bracket {
        let [a, b] = [0, 1].map(|k: usize| self.pieces[k].around(self.ranges[k]));
        let growth = a.growth + b.growth;
        let mut found = local::hasty(&a, &b, self.normal, above + growth);
        if found.gap < 0.0 && self.normal.is_some() {
            found = local::hasty(&a, &b, None, above + growth);
        }
        let lower = found.gap - growth;
        self.normal = Some(found.normal).filter(|_| found.gap > 0.0);
        if lower > above {
            return Bracket { lower, upper: f64::INFINITY };
        }
        let [a, b] = [0, 1].map(|k: usize| self.pieces[k].at(0.5 * (self.ranges[k][0] + self.ranges[k][1])));
        let middle = local::hasty(&a, &b, self.normal, f64::INFINITY);
        let deep = (middle.gap < 0.0).then(|| self.overlap()).flatten();
        Bracket { lower, upper: deep.unwrap_or(middle.upper - growth) }
    }

    fn overlap(&self) -> Option<f64> {
        let [a, b] = [0, 1].map(|k: usize| self.pieces[k].within(self.ranges[k]));
        let (a, b) = (a?, b?);
        overlap(&a, &b)
    }
}

impl Union {
    pub fn new(pieces: Vec<Piece>) -> Self {
        let mut sets: Vec<Set> = Vec::new();
        let mut growth = 0.0_f64;
        for piece in &pieces {
            let around = piece.around(piece.range());
            growth = growth.max(around.growth);
            sets.extend(around.sets.iter().cloned());
        }
        // Points of many triangles are one set.
        let points: Vec<Vector<f64>> = sets
            .iter()
            .filter_map(|set| if let Set::Points(points) = set { Some(points.clone()) } else { None })
            .flatten()
            .collect();
        sets.retain(|set| !matches!(set, Set::Points(_)));
        if !points.is_empty() {
            sets.push(Set::Points(points));
        }
        Self { pieces, hull: Convex::new(sets, growth) }
    }

    pub fn mapped(&self, map: &Affine) -> Self {
        Self::new(self.pieces.iter().map(|piece| piece.mapped(map)).collect())
    }

    pub fn is_convex(&self) -> bool {
        matches!(self.pieces[..], [Piece::Convex(_)])
    }

    pub fn has_sweep(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Sweep(_)))
    }

    /// The hull.
    pub fn hull(&self) -> &Convex {
        &self.hull
    }

    /// No point is farther from the origin, metres.
    pub fn reach(&self) -> f64 {
        norm(self.hull.middle) + self.hull.reach + self.hull.growth
    }

    /// How far the body reaches along `n`; of tori no less than that.
    pub fn height(&self, n: Vector<f64>) -> f64 {
        dot(n, self.hull.farthest(n)) + self.hull.growth
    }
}

/// The signed distance of two bodies in one frame as a bracket; `size`: of the pair, metres.
pub fn bracket(a: &Union, b: &Union, size: f64) -> Bracket {
    bracket_until(a, b, size, |_| false)
}

/// The same, as wide as it is when `is_enough` says so.
pub fn bracket_until(a: &Union, b: &Union, size: f64, is_enough: impl Fn(&Bracket) -> bool) -> Bracket {
    let until = Until { width: 1e-13 * size, above: f64::INFINITY, cells: CELLS };
    if let ([Piece::Convex(a)], [Piece::Convex(b)]) = (&a.pieces[..], &b.pieces[..]) {
        return signed(a, b, until).bracket;
    }
    let alone = SectionsAlone::of(a, b, size);
    let (mut open, mut upper, mut compared) = (BinaryHeap::new(), f64::INFINITY, 0);
    for pieces in alone.pairs(a, b) {
        let ranges = pieces.map(Piece::range);
        let lower = ball_gap(&pieces[0].around(ranges[0]), &pieces[1].around(ranges[1]));
        open.push(Keyed { key: -lower, value: Parts { pieces, ranges, normal: None, is_searched: false } });
    }
    // Parts that are left out are no nearer than the upper end.
    let least = loop {
        let Some(Keyed { key, value: mut parts }) = open.pop() else { break upper };
        let least = -key;
        if is_enough(&Bracket { lower: least - alone.off, upper }) {
            break least;
        }
        if upper - least <= WIDTHS[0] * size || upper < -1e-6 * size || compared >= PARTS_COMPARED {
            break least;
        }
        if parts.is_searched {
            if parts.are_convex() {
                // Known as well as it can be: what is left of the bracket stays open.
                break least;
            }
            for half in parts.halves() {
                open.push(Keyed { key, value: half });
            }
            continue;
        }
        let found = if parts.are_convex() {
            let [p, q] = parts.pieces.map(|piece| piece.around([0.0; 2]));
            distance(&p, &q, Until { above: upper, ..until }).bracket
        } else {
            compared += 1;
            parts.searched(upper)
        };
        upper = upper.min(found.upper);
        parts.is_searched = true;
        let lower = least.max(found.lower);
        if lower < upper {
            open.push(Keyed { key: -lower, value: parts });
        }
    };
    let least = least.min(upper) - alone.off;
    let lower = if least > 0.0 { least } else { of_hulls(a, b, &[]).min(upper) };
    Bracket { lower, upper }
}

/// The largest gap of the hulls of two bodies that overlap, which is no larger than their signed
/// distance: by local searches, of which some begin along `more`.
pub fn of_hulls(a: &Union, b: &Union, more: &[Vector<f64>]) -> f64 {
    local::from_inside(&a.hull, &b.hull, more).gap - a.hull.growth - b.hull.growth
}

/// Sections that stand for sweeps: if a turn about the axis of a sweep leaves the other piece as it is,
/// all sections are as far from it.
struct SectionsAlone {
    sections: Vec<(usize, usize, usize, Piece)>,
    /// How far this may be off, metres.
    off: f64,
}

impl SectionsAlone {
    fn of(a: &Union, b: &Union, size: f64) -> Self {
        let mut found = Self { sections: Vec::new(), off: 0.0 };
        for (i, p) in a.pieces.iter().enumerate() {
            for (k, q) in b.pieces.iter().enumerate() {
                for (side, [own, other]) in [[p, q], [q, p]].into_iter().enumerate() {
                    let Piece::Sweep(sweep) = own else { continue };
                    let (axis, off) = sweep.axis();
                    let off = off + axis.off(other);
                    if off <= WIDTHS[1] * size {
                        found.off = found.off.max(off);
                        found.sections.push((i, k, side, Piece::Convex(sweep.at(0.5 * sweep.angle))));
                        break;
                    }
                }
            }
        }
        found
    }

    /// All pairs of pieces, with these sections.
    fn pairs<'a>(&'a self, a: &'a Union, b: &'a Union) -> impl Iterator<Item = [&'a Piece; 2]> {
        let all =
            a.pieces.iter().enumerate().flat_map(|(i, p)| b.pieces.iter().enumerate().map(move |(k, q)| (i, k, p, q)));
        all.map(|(i, k, p, q)| match self.sections.iter().find(|s| (s.0, s.1) == (i, k)) {
            Some((_, _, 0, section)) => [section, q],
            Some((_, _, _, section)) => [p, section],
            None => [p, q],
        })
    }
}

fn ball_gap(a: &Convex, b: &Convex) -> f64 {
    norm(sub(a.middle, b.middle)) * (1.0 - 1e-14) - a.reach - b.reach - a.growth - b.growth
}

/// The signed distance of a point from a body.
pub fn distance_of_point(body: &Union, p: Vector<f64>, size: f64) -> Bracket {
    bracket(body, &Union::new(vec![Piece::Convex(Convex::point(p))]), size)
}
