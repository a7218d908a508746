//! Bodies of several pieces, convex ones and tori. Apart: the least distance of two pieces, to
//! which tori are divided in their angle. Overlapping: any two convex subsets of the bodies bound
//! the signed distance from above, and their hulls bound it from below.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Bracket;
use super::search::{Until, signed_distance};
use super::sets::{Affine, Convex, Set};
use super::sweep::Sweep;
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

/// Parts of a whole turn whose hulls stand for a torus at first.
const PARTS: f64 = 16.0;

/// Cells of a search over directions.
const CELLS: usize = 6_000;

/// The same of parts, of which there are many.
const CELLS_OF_PARTS: usize = 800;

/// Pairs of parts that are compared.
const PARTS_COMPARED: usize = 240;

impl Piece {
    pub fn mapped(&self, map: &Affine) -> Self {
        match self {
            Self::Convex(convex) => Self::Convex(convex.mapped(map)),
            Self::Sweep(sweep) => Self::Sweep(sweep.mapped(map)),
        }
    }

    /// Ranges of the angle; one of a convex piece.
    pub fn ranges(&self) -> Vec<[f64; 2]> {
        let Self::Sweep(sweep) = self else { return vec![[0.0; 2]] };
        let count = (PARTS * sweep.angle / std::f64::consts::TAU).ceil().max(1.0);
        let at = |k: f64| sweep.angle * k / count;
        (0..count as u32).map(|k| [at(f64::from(k)), at(f64::from(k + 1))]).collect()
    }

    /// A point of it.
    pub fn any_point(&self) -> Vector<f64> {
        match self {
            Self::Convex(convex) => convex.farthest([1.0, 0.0, 0.0]),
            Self::Sweep(sweep) => sweep.at(0.0).farthest([1.0, 0.0, 0.0]),
        }
    }

    pub fn around(&self, range: [f64; 2]) -> Convex {
        match self {
            Self::Convex(convex) => convex.clone(),
            Self::Sweep(sweep) => sweep.around(range),
        }
    }

    /// Convex sets within it.
    pub fn within(&self, range: [f64; 2]) -> Vec<Convex> {
        match self {
            Self::Convex(convex) => vec![convex.clone()],
            Self::Sweep(sweep) => {
                sweep.within(range).into_iter().chain([sweep.at(0.5 * (range[0] + range[1]))]).collect()
            }
        }
    }
}

/// Parts of both bodies: the pieces, and their ranges.
struct Parts {
    pieces: [usize; 2],
    ranges: [[f64; 2]; 2],
    lower: f64,
    /// Whether the lower end is that of the hulls, not of balls around them.
    is_searched: bool,
}

impl PartialEq for Parts {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Parts {}
impl PartialOrd for Parts {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Parts {
    /// The nearest parts are the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.lower.total_cmp(&self.lower)
    }
}

impl Union {
    pub fn new(pieces: Vec<Piece>) -> Self {
        let mut sets: Vec<Set> = Vec::new();
        let mut growth = 0.0_f64;
        for piece in &pieces {
            for range in piece.ranges() {
                let around = piece.around(range);
                growth = growth.max(around.growth);
                sets.extend(around.sets);
            }
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
    let until = Until { width: 1e-13 * size, above: f64::INFINITY, cells: CELLS };
    if let ([Piece::Convex(a), Piece::Convex(b)], true) =
        ([&a.pieces[0], &b.pieces[0]], a.pieces.len() + b.pieces.len() == 2)
    {
        return signed_distance(a, b, until).bracket;
    }
    let until = Until { width: 1e-12 * size, cells: CELLS_OF_PARTS, ..until };
    let mut upper = f64::INFINITY;
    let mut open = BinaryHeap::new();
    for (i, p) in a.pieces.iter().enumerate() {
        for (k, q) in b.pieces.iter().enumerate() {
            for own in p.ranges() {
                let around = p.around(own);
                for other in q.ranges() {
                    let second = q.around(other);
                    let lower = ball_gap(&around, &second);
                    open.push(Parts { pieces: [i, k], ranges: [own, other], lower, is_searched: false });
                }
            }
        }
    }
    let mut compared = 0;
    // Parts that are left out are no nearer than the upper end.
    let mut least = loop {
        let Some(mut parts) = open.pop() else { break upper };
        let least = parts.lower;
        if upper - least <= 1e-11 * size || upper < -1e-6 * size || compared >= PARTS_COMPARED {
            break least;
        }
        let (p, q) = (&a.pieces[parts.pieces[0]], &b.pieces[parts.pieces[1]]);
        let is_convex = matches!((p, q), (Piece::Convex(_), Piece::Convex(_)));
        compared += 1;
        if !parts.is_searched {
            let (around, second) = (p.around(parts.ranges[0]), q.around(parts.ranges[1]));
            let found = signed_distance(&around, &second, Until { above: upper, ..until });
            parts.lower = parts.lower.max(found.bracket.lower);
            parts.is_searched = true;
            if is_convex {
                upper = upper.min(found.bracket.upper);
            } else if parts.lower < upper {
                for x in p.within(parts.ranges[0]) {
                    for y in q.within(parts.ranges[1]) {
                        let found = signed_distance(&x, &y, Until { above: upper, ..until });
                        upper = upper.min(found.bracket.upper);
                    }
                }
            }
            if parts.lower < upper {
                open.push(parts);
            }
            continue;
        }
        if is_convex {
            // Known as well as it can be: what is left of the bracket stays open.
            break least;
        }
        let width = |k: usize| (parts.ranges[k][1] - parts.ranges[k][0]) * [a, b][k].hull.reach;
        let k = usize::from(width(1) > width(0));
        let [from, to] = parts.ranges[k];
        let middle = 0.5 * (from + to);
        for range in [[from, middle], [middle, to]] {
            let mut ranges = parts.ranges;
            ranges[k] = range;
            open.push(Parts { ranges, is_searched: false, ..parts });
        }
    };
    least = least.min(upper);
    let lower = if least > 0.0 { least } else { of_hulls(a, b, size).lower.min(upper) };
    Bracket { lower, upper }
}

/// The signed distance of the hulls of two bodies (of tori of sets around them), which is no
/// larger than theirs.
pub fn of_hulls(a: &Union, b: &Union, size: f64) -> Bracket {
    signed_distance(&a.hull, &b.hull, Until { width: 1e-9 * size, above: f64::INFINITY, cells: CELLS }).bracket
}

fn ball_gap(a: &Convex, b: &Convex) -> f64 {
    norm(sub(a.middle, b.middle)) * (1.0 - 1e-14) - a.reach - b.reach - a.growth - b.growth
}

/// The signed distance of a point from a body.
pub fn distance_of_point(body: &Union, p: Vector<f64>, size: f64) -> Bracket {
    bracket(body, &Union::new(vec![Piece::Convex(Convex::point(p))]), size)
}
