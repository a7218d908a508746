//! The signed distance of two convex sets by a local search over directions.
//!
//! Minus the gap of two supporting planes is the sum of two heights, and each height is the largest
//! of its *pieces*: smooth surfaces, known around a direction to the second order, and single
//! points. A step goes to the least of that model in the tangent plane (a bundle method with
//! second-order pieces). The weights of the pieces there mix a point of each set, and the distance
//! of both points is an end from above; the gap along any direction is an end from below.

use super::sets::{Convex, Patch};
use crate::number::{Vector, add, cross, dot, norm, sub, times};

/// Steps of a search, at most.
const STEPS: usize = 48;

/// Steps without progress after which a search ends: of sets apart, of such that overlap, and of
/// parts.
const IDLE: [usize; 3] = [12, 8, 3];

/// Gaps that differ by less are equal but for rounding, in sizes of the pair.
const LEVEL: f64 = 4e-16;

/// Points of earlier steps that a model keeps.
const KEPT: usize = 8;

/// Result of a search about two cores, metres.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// The largest gap of supporting planes that was seen, and its direction: unit, from A to B.
    pub gap: f64,
    pub normal: Vector<f64>,
    /// The least distance of a point of A and a point of B that was seen.
    pub upper: f64,
}

/// A piece in the tangent plane of a direction.
#[derive(Clone, Copy)]
struct Model {
    /// A point of A, or minus a point of B.
    at: Vector<f64>,
    height: f64,
    slope: [f64; 2],
    bend: Bend,
}

/// A symmetric matrix of the tangent plane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bend {
    pub xx: f64,
    pub xy: f64,
    pub yy: f64,
}

impl Bend {
    pub fn plus(self, other: Self, share: f64) -> Self {
        Self { xx: self.xx + share * other.xx, xy: self.xy + share * other.xy, yy: self.yy + share * other.yy }
    }

    fn times(self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.xx * x + self.xy * y, self.xy * x + self.yy * y]
    }

    fn inverse(self) -> Self {
        let whole = self.xx * self.yy - self.xy * self.xy;
        Self { xx: self.yy / whole, xy: -self.xy / whole, yy: self.xx / whole }
    }

    /// With the smaller eigenvalue raised to at least `least`.
    fn raised(self, least: f64) -> Self {
        let (mean, half) = (0.5 * (self.xx + self.yy), 0.5 * (self.xx - self.yy));
        let lift = (least - (mean - half.hypot(self.xy))).max(0.0);
        Self { xx: self.xx + lift, yy: self.yy + lift, ..self }
    }
}

fn planar(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Two unit vectors across a unit vector, and across each other.
pub fn across(n: Vector<f64>) -> [Vector<f64>; 2] {
    let [x, y, z] = n.map(f64::abs);
    let least = match () {
        () if x <= y && x <= z => [1.0, 0.0, 0.0],
        () if y <= z => [0.0, 1.0, 0.0],
        () => [0.0, 0.0, 1.0],
    };
    let first = cross(n, least);
    let first = times(first, 1.0 / norm(first));
    [first, cross(n, first)]
}

/// Up to four pieces of a set, and their weights.
#[derive(Clone, Copy, Default)]
struct Chosen {
    list: [(usize, f64); 4],
    count: usize,
}

impl Chosen {
    fn of(piece: usize) -> Self {
        let mut chosen = Self::default();
        chosen.push(piece, 1.0);
        chosen
    }

    fn push(&mut self, piece: usize, weight: f64) {
        self.list[self.count] = (piece, weight);
        self.count += 1;
    }

    fn get(&self) -> &[(usize, f64)] {
        &self.list[..self.count]
    }
}

/// A step in the tangent plane, and the weights of the pieces that carry it.
#[derive(Clone, Copy, Default)]
struct Step {
    to: [f64; 2],
    height: f64,
    weights: [Chosen; 2],
}

/// The search about two sets.
struct Search<'a> {
    sets: [&'a Convex; 2],
    size: f64,
    /// Points of earlier steps: of A, and of minus B.
    kept: [Vec<Vector<f64>>; 2],
    pieces: Vec<Patch>,
}

impl Search<'_> {
    /// The gap along a unit vector.
    fn gap(&self, n: Vector<f64>) -> f64 {
        self.sets[1].gap_from(self.sets[0], n)
    }

    /// The pieces of both sets around a unit vector.
    fn models(&mut self, n: Vector<f64>, basis: [Vector<f64>; 2], models: &mut [Vec<Model>; 2]) {
        for k in 0..2 {
            let sign = [1.0, -1.0][k];
            self.pieces.clear();
            self.sets[k].pieces(times(n, sign), basis, &mut self.pieces);
            let own = self.pieces.iter().map(|piece| (times(piece.point, sign), piece.bend));
            let kept = self.kept[k].iter().map(|&at| (at, Bend::default()));
            let model = |(at, bend): (Vector<f64>, Bend)| Model {
                at,
                height: dot(n, at),
                slope: basis.map(|e| dot(e, at)),
                bend,
            };
            models[k].clear();
            models[k].extend(own.chain(kept).map(model));
        }
    }

    /// Keeps the point of each set farthest along a unit vector.
    fn keep(&mut self, n: Vector<f64>) {
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            if self.kept[k].len() == KEPT {
                self.kept[k].remove(0);
            }
            self.kept[k].push(times(self.sets[k].farthest(times(n, sign)), sign));
        }
    }

    /// Searches from a unit vector, until the gap is above `above`.
    fn ascend(&mut self, start: Vector<f64>, above: f64, most_idle: usize) -> Local {
        self.kept = Default::default();
        let mut found = Local { gap: self.gap(start), normal: start, upper: f64::INFINITY };
        let (mut n, mut idle, mut damping) = (start, 0, 0.0);
        let mut models: [Vec<Model>; 2] = Default::default();
        for _ in 0..STEPS {
            if found.gap > above || idle >= most_idle {
                break;
            }
            let basis = across(n);
            self.models(n, basis, &mut models);
            let Some(step) = best_step(&models, found.gap, damping, self.size) else { break };
            let mean = |k: usize| {
                let part = |sum: Vector<f64>, &(i, share): &(usize, f64)| add(sum, times(models[k][i].at, share));
                step.weights[k].get().iter().fold([0.0; 3], part)
            };
            found.upper = found.upper.min(norm(add(mean(0), mean(1))));
            if found.upper - found.gap <= if most_idle == IDLE[2] { 1e-12 } else { 1e-15 } * self.size {
                break;
            }
            let to = add(n, add(times(basis[0], step.to[0]), times(basis[1], step.to[1])));
            let to = times(to, 1.0 / norm(to));
            let gap = self.gap(to);
            // The gap no longer tells better directions when the points still come nearer.
            let is_level = gap > found.gap - LEVEL * self.size;
            idle = if gap > found.gap + LEVEL * self.size { 0 } else { idle + 1 };
            if is_level {
                self.keep(n);
                n = to;
                damping = if damping > 1e-3 * self.size { 0.25 * damping } else { 0.0 };
            } else {
                self.keep(to);
                damping = 2.0 * damping + if idle > 1 { 1e-2 * self.size } else { 0.0 };
            }
            if gap > found.gap {
                (found.gap, found.normal) = (gap, to);
            }
        }
        found
    }
}

/// The step to the least of both models; `None` if rounding leaves none.
fn best_step(models: &[Vec<Model>; 2], gap: f64, damping: f64, size: f64) -> Option<Step> {
    let highest = |k: usize| (0..models[k].len()).max_by(|&i, &j| models[k][i].height.total_cmp(&models[k][j].height));
    let mut weights = [Chosen::of(highest(0)?), Chosen::of(highest(1)?)];
    let mut step = None;
    // The curvature is that of the pieces that carry the step, which the first pass finds.
    for _ in 0..2 {
        let flat = Bend { xx: gap + damping, xy: 0.0, yy: gap + damping };
        let of = |sum: Bend, k: usize| {
            weights[k].get().iter().fold(sum, |sum, &(i, share)| sum.plus(models[k][i].bend, share))
        };
        // Sets that overlap may have no least value near by: then a step leads downhill.
        let bend = of(of(flat, 0), 1).raised(if gap < 0.0 { -0.03 * gap } else { 1e-13 * size });
        let next = least_of_model(models, bend, size)?;
        weights = next.weights;
        step = Some(next);
    }
    let mut step = step?;
    let length = step.to[0].hypot(step.to[1]);
    if length > 0.7 {
        step.to = step.to.map(|t| t * 0.7 / length);
    }
    Some(step)
}

/// The least of the sum of both largest pieces and of one quadratic form: pieces that are exceeded
/// there are added until none is.
fn least_of_model(models: &[Vec<Model>; 2], bend: Bend, size: f64) -> Option<Step> {
    let height = |k: usize, i: usize, to: [f64; 2]| models[k][i].height + planar(models[k][i].slope, to);
    let largest = |k: usize, to: [f64; 2]| {
        let better = |best: (usize, f64), i: usize| {
            let next = height(k, i, to);
            if next > best.1 { (i, next) } else { best }
        };
        (0..models[k].len()).fold((0, f64::NEG_INFINITY), better)
    };
    let mut chosen = [0, 1].map(|k: usize| Chosen::of(largest(k, [0.0; 2]).0));
    let mut best = None;
    for _ in 0..16 {
        let step = least_of_chosen(models, &chosen, bend)?;
        let tops = [0, 1].map(|k: usize| largest(k, step.to));
        let known =
            [0, 1].map(|k: usize| chosen[k].get().iter().map(|w| height(k, w.0, step.to)).fold(f64::MIN, f64::max));
        chosen = step.weights;
        let mut is_done = true;
        for k in 0..2 {
            let is_new = chosen[k].get().iter().all(|w| w.0 != tops[k].0);
            if tops[k].1 > known[k] + 1e-17 * size && is_new && chosen[k].count < 4 {
                chosen[k].push(tops[k].0, 0.0);
                is_done = false;
            }
        }
        best = Some(step);
        if is_done {
            break;
        }
    }
    best
}

/// The same of few pieces: every choice of those that are equal there is tried.
fn least_of_chosen(models: &[Vec<Model>; 2], chosen: &[Chosen; 2], bend: Bend) -> Option<Step> {
    let inverse = bend.inverse();
    let mut best: Option<Step> = None;
    let counts = chosen.each_ref().map(|list| 1_usize << list.count);
    for first in 1..counts[0] {
        for second in 1..counts[1] {
            let sizes = first.count_ones() + second.count_ones();
            if sizes > 4 {
                continue;
            }
            let Some(step) = equal_at(models, chosen, [first, second], inverse) else { continue };
            let top = |k: usize| {
                let of = |&(i, _): &(usize, f64)| models[k][i].height + planar(models[k][i].slope, step.to);
                chosen[k].get().iter().map(of).fold(f64::NEG_INFINITY, f64::max)
            };
            let height = top(0) + top(1) + 0.5 * planar(step.to, bend.times(step.to));
            if best.as_ref().is_none_or(|best| height < best.height) {
                best = Some(Step { height, ..step });
            }
        }
    }
    best
}

/// The least of the form among the places where the pieces of a subset of each body are equally
/// high; `None` if a weight is negative.
fn equal_at(models: &[Vec<Model>; 2], chosen: &[Chosen; 2], subset: [usize; 2], inverse: Bend) -> Option<Step> {
    let mut weights = [Chosen::default(); 2];
    let (mut slope, mut rows, mut count) = ([0.0; 2], [(0, 0, [0.0; 2], 0.0); 2], 0);
    for k in 0..2 {
        for (_, &(i, _)) in chosen[k].get().iter().enumerate().filter(|(place, _)| subset[k] >> place & 1 == 1) {
            let model = &models[k][i];
            if weights[k].count == 0 {
                slope = [slope[0] + model.slope[0], slope[1] + model.slope[1]];
            } else {
                let base = &models[k][weights[k].list[0].0];
                let along = [model.slope[0] - base.slope[0], model.slope[1] - base.slope[1]];
                rows[count] = (k, weights[k].count, along, model.height - base.height);
                count += 1;
            }
            weights[k].push(i, 0.0);
        }
    }
    let rows = &rows[..count];
    let ahead = inverse.times(slope);
    let mut shares = [0.0; 2];
    match *rows {
        [] => {}
        [(_, _, along, height)] => shares[0] = (height - planar(along, ahead)) / planar(along, inverse.times(along)),
        [(_, _, u, p), (_, _, v, q), ..] => {
            let (iu, iv) = (inverse.times(u), inverse.times(v));
            let [uu, uv, vv] = [planar(u, iu), planar(u, iv), planar(v, iv)];
            let [p, q] = [p - planar(u, ahead), q - planar(v, ahead)];
            let whole = uu * vv - uv * uv;
            shares = [(p * vv - q * uv) / whole, (q * uu - p * uv) / whole];
        }
    }
    let mut pull = slope;
    for (&(k, place, along, _), share) in rows.iter().zip(shares) {
        weights[k].list[place].1 = share;
        pull = [pull[0] + share * along[0], pull[1] + share * along[1]];
    }
    for chosen in &mut weights {
        let list = &mut chosen.list[..chosen.count];
        list[0].1 = 1.0 - list[1..].iter().map(|w| w.1).sum::<f64>();
        if !list.iter().all(|w| w.1 >= -1e-12) {
            return None;
        }
        // A mix of points of a body is one of its points if no weight is below 0, and all sum to 1.
        let sum: f64 = list.iter().map(|w| w.1.max(0.0)).sum();
        list.iter_mut().for_each(|w| w.1 = w.1.max(0.0) / sum);
    }
    let to = inverse.times(pull).map(|t| -t);
    (to[0].is_finite() && to[1].is_finite()).then_some(Step { to, height: 0.0, weights })
}

/// A direction along which sets that are apart have a gap, roughly: points of the difference come
/// nearer to the origin (Gilbert 1966).
fn approach(a: &Convex, b: &Convex) -> Vector<f64> {
    let mut at = sub(b.middle, a.middle);
    for _ in 0..10 {
        let length = norm(at);
        if length == 0.0 {
            return [0.6, 0.48, 0.64];
        }
        let n = times(at, 1.0 / length);
        let next = sub(b.farthest(times(n, -1.0)), a.farthest(n));
        let along = sub(next, at);
        let share = -dot(at, along) / dot(along, along);
        if share.is_nan() || share <= 0.0 {
            break;
        }
        at = add(at, times(along, share.min(1.0)));
    }
    let length = norm(at);
    if length > 0.0 { times(at, 1.0 / length) } else { [0.6, 0.48, 0.64] }
}

fn size(a: &Convex, b: &Convex) -> f64 {
    a.reach + b.reach + norm(sub(a.middle, b.middle))
}

/// The search from a direction that sets apart have, until the gap is above `above`, metres.
pub fn from_outside(a: &Convex, b: &Convex, above: f64) -> Local {
    from(a, b, approach(a, b), above)
}

/// The search from a unit vector, until the gap is above `above`, metres.
pub fn from(a: &Convex, b: &Convex, start: Vector<f64>, above: f64) -> Local {
    let mut search = Search { sets: [a, b], size: size(a, b), kept: Default::default(), pieces: Vec::new() };
    search.ascend(start, above, IDLE[0])
}

/// The search from a unit vector, or else from a direction that sets apart have, to a few digits less.
pub fn hasty(a: &Convex, b: &Convex, start: Option<Vector<f64>>, above: f64) -> Local {
    let mut search = Search { sets: [a, b], size: size(a, b), kept: Default::default(), pieces: Vec::new() };
    search.ascend(start.unwrap_or_else(|| approach(a, b)), above, IDLE[2])
}

/// Directions from which the search begins where sets overlap.
const STARTS: usize = 4;

/// The largest gap of sets that overlap, by searches from the most promising of `more`, the axes of both sets, and of the frame.
pub fn from_inside(a: &Convex, b: &Convex, more: &[Vector<f64>]) -> Local {
    let mut search = Search { sets: [a, b], size: size(a, b), kept: Default::default(), pieces: Vec::new() };
    let axes = a.axes().chain(b.axes()).chain([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let both = axes.flat_map(|axis| [axis, times(axis, -1.0)]);
    let mut starts: Vec<(f64, Vector<f64>)> = Vec::new();
    for n in more.iter().copied().chain([approach(a, b)]).chain(both) {
        let length = norm(n);
        if length > 0.0 && starts.iter().all(|(_, known)| dot(*known, n) < 0.999 * length) {
            let n = times(n, 1.0 / length);
            starts.push((search.gap(n), n));
        }
    }
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut best: Option<Local> = None;
    for (_, n) in starts.into_iter().take(STARTS) {
        let next = search.ascend(n, f64::INFINITY, IDLE[1]);
        let upper = best.map_or(next.upper, |best| best.upper.min(next.upper));
        let better = best.filter(|best| best.gap >= next.gap).unwrap_or(next);
        best = Some(Local { upper, ..better });
    }
    best.expect("a start")
}
