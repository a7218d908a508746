//! Newton's method for the direction in which two convex cores that are apart are nearest.
//!
//! The support of a body along a direction is *carried* by one of its caps or vertices, or by
//! several that reach equally far: the side between two caps, an edge, a face. Let `w(n)` be the
//! mean support point of B less that of A. At the nearest points `w` is parallel to the unit normal
//! `n`, and the carriers of a body tie. These are as many equations as there are unknowns: two
//! coordinates of `n` in its tangent plane, and the weights of the carriers but the first. The
//! derivative of a support point is the curvature of its cap, in closed form.
//!
//! A carrier whose weight falls below zero leaves, and one that reaches farther than the others
//! enters. The flat end of a cap has a normal of its own, and needs no steps: it is tried as soon
//! as a rim is left towards it. The steps prove nothing: exact supports along the last direction
//! do.

use super::nearest_of_segments;
use super::parallel::any_across;
use super::sides::{ConvexPair, Difference, Side};
use clearsweep_geometry::round::{Cap, Curvature};
use clearsweep_geometry::{RoundBody, Vec3};

/// Steps, at most: three to six lead there, and what takes more hardly ends at all.
const MOST: usize = 8;

/// The longest step, as the tangent of its angle.
const LONGEST: f64 = 0.7;

/// Nearest points, and the gap of the supporting planes that proves them.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearestPoints {
    /// The unit vector from A to B.
    pub(super) normal: Vec3<f64>,
    /// The point of the difference farthest along it.
    pub(super) support: Difference,
    /// The gap along it, metres.
    pub(super) gap: f64,
    /// A point of A and one of B, in A's frame.
    pub(super) points: [Vec3<f64>; 2],
    /// The vertices that carry the point of the polyhedron, if one of the bodies is one.
    pub(super) vertices: [u32; MOST_CARRIERS],
    /// How many vertices.
    pub(super) count: usize,
}

/// Carriers of a body, at most.
const MOST_CARRIERS: usize = 3;

/// A cap or a vertex, in A's frame, and its share in the support.
#[derive(Debug, Clone, Copy)]
struct Carrier {
    cap: Cap,
    vertex: u32,
    weight: f64,
    is_used: bool,
    /// Whether its flat end was tried.
    is_tried: bool,
    /// The support point along the normal, its curvature, and how far it reaches from the body.
    at: Curvature,
    height: f64,
}

/// The carriers of a body.
#[derive(Debug, Clone, Copy)]
struct Carriers {
    list: [Carrier; MOST_CARRIERS],
    count: usize,
    /// 1 if the normal points out of the body, else -1.
    outward: f64,
}

impl Carriers {
    /// Carriers without a share.
    fn new(caps: impl Iterator<Item = (Cap, u32)>, outward: f64) -> Self {
        let none = Cap { middle: Vec3::ZERO, axes: [Vec3::ZERO; 3], height: 1.0 };
        let unused = |cap: Cap, vertex: u32| Carrier {
            cap,
            vertex,
            weight: 0.0,
            is_used: false,
            is_tried: false,
            at: Curvature { point: Vec3::ZERO, across: [[0.0; 2]; 2] },
            height: 0.0,
        };
        let mut carriers = Self { list: [unused(none, 0); MOST_CARRIERS], count: 0, outward };
        for (cap, vertex) in caps.take(MOST_CARRIERS) {
            carriers.list[carriers.count] = unused(cap, vertex);
            carriers.count += 1;
        }
        carriers
    }

    fn all(&self) -> &[Carrier] {
        &self.list[..self.count]
    }

    fn used(&self) -> impl Iterator<Item = &Carrier> {
        self.all().iter().filter(|carrier| carrier.is_used)
    }

    /// Gives a carrier a share.
    fn set(&mut self, at: usize, weight: f64) {
        (self.list[at].is_used, self.list[at].weight) = (true, weight);
    }

    /// Computes the supports along a normal; the carrier that reaches farthest enters if the others
    /// do not reach as far.
    fn turn_to(&mut self, normal: Vec3<f64>, tangents: [Vec3<f64>; 2], rounding: f64) {
        let d = normal.scale(self.outward);
        for carrier in &mut self.list[..self.count] {
            carrier.at = carrier.cap.curvature(d, tangents);
            carrier.height = carrier.at.point.dot(d);
        }
        let reached = self.used().map(|carrier| carrier.height).fold(f64::NEG_INFINITY, f64::max);
        let farthest = (0..self.count).max_by(|&i, &j| self.list[i].height.total_cmp(&self.list[j].height));
        if let Some(farthest) = farthest.filter(|&k| self.list[k].height > reached + rounding) {
            let weight = if reached == f64::NEG_INFINITY { 1.0 } else { 0.0 };
            self.set(farthest, weight);
        }
    }

    /// How far the body reaches along the outward normal.
    fn height(&self) -> f64 {
        self.all().iter().map(|carrier| carrier.height).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The mean support point.
    fn point(&self) -> Vec3<f64> {
        self.used().fold(Vec3::ZERO, |sum, carrier| sum + carrier.at.point.scale(carrier.weight))
    }

    /// Carriers of negative weight leave, and the weights sum to 1.
    fn settle(&mut self) {
        for carrier in &mut self.list[..self.count] {
            if carrier.is_used && carrier.weight < 0.0 {
                (carrier.is_used, carrier.weight) = (false, 0.0);
            }
        }
        let sum: f64 = self.used().map(|carrier| carrier.weight).sum();
        for carrier in &mut self.list[..self.count] {
            carrier.weight = if carrier.is_used { carrier.weight / sum } else { 0.0 };
        }
    }

    /// The carriers that reach farthest, and no others: one twice, or both ends of a side. `None` if
    /// more than two reach as far.
    fn farthest(&self, rounding: f64) -> Option<[usize; 2]> {
        let most = self.height();
        let mut ends = (0..self.count).filter(|&k| self.list[k].height >= most - rounding);
        let first = ends.next()?;
        let second = ends.next().unwrap_or(first);
        ends.next().is_none().then_some([first, second])
    }

    /// Gives all of the support to two ends; `share`: what the second has.
    fn set_ends(&mut self, [first, second]: [usize; 2], share: f64) {
        self.list[..self.count].iter_mut().for_each(|carrier| (carrier.is_used, carrier.weight) = (false, 0.0));
        self.set(first, 1.0 - share);
        if second != first {
            self.set(second, share);
        }
    }
}

/// The nearest points of two hulls of caps, from the nearest points of the segments between the
/// middles of their caps; with its `normal` and `gap` alone if that is beyond `beyond`, metres.
/// `None` if no points are proven the nearest.
pub(super) fn from_axes(pair: &ConvexPair<'_>, beyond: f64) -> Option<NearestPoints> {
    let mut sides = [carriers_of_caps(pair, 0)?, carriers_of_caps(pair, 1)?];
    let ends = sides.each_ref().map(|side| [side.list[0].cap.middle, side.list[side.count - 1].cap.middle]);
    let nearest = nearest_of_segments(ends);
    let between = nearest[1] - nearest[0];
    let normal = Some(between.normalized()).filter(|normal| normal.is_finite())?;
    for ((side, [from, to]), point) in sides.iter_mut().zip(ends).zip(nearest) {
        let along = to - from;
        let square = along.length2();
        let share = if square > 0.0 { (point - from).dot(along) / square } else { 0.0 };
        if share < 1.0 {
            side.set(0, 1.0 - share);
        }
        if share > 0.0 {
            side.set(side.count - 1, share);
        }
        side.settle();
    }
    steps(pair, &mut sides, normal, beyond)
}

/// The nearest points, from a normal and the vertices of a polyhedron in a simplex of points of the
/// difference; else as [`from_axes`].
pub(super) fn from_simplex(
    pair: &ConvexPair<'_>,
    simplex: &[Difference],
    normal: Vec3<f64>,
    beyond: f64,
) -> Option<NearestPoints> {
    let carriers = |side: usize| carriers_of_caps(pair, side).or_else(|| carriers_of_vertices(pair, side, simplex));
    steps(pair, &mut [carriers(0)?, carriers(1)?], normal, beyond)
}

/// The carriers of a hull of one or two caps.
fn carriers_of_caps(pair: &ConvexPair<'_>, side: usize) -> Option<Carriers> {
    let Side::Round(RoundBody::Caps { caps, .. }) = pair.sides[side] else { return None };
    let placed = |cap: &Cap| match side {
        0 => *cap,
        _ => Cap { middle: pair.pose.point(cap.middle), axes: cap.axes.map(|axis| pair.pose.vector(axis)), ..*cap },
    };
    Some(Carriers::new(caps.iter().map(|cap| (placed(cap), 0)), OUTWARD[side]))
}

/// Signs of the normal: it points out of A, and into B.
const OUTWARD: [f64; 2] = [1.0, -1.0];

/// The vertices of a polyhedron or triangle in a simplex, with equal shares.
fn carriers_of_vertices(pair: &ConvexPair<'_>, side: usize, simplex: &[Difference]) -> Option<Carriers> {
    if !matches!(pair.sides[side], Side::Polyhedron(_) | Side::Triangle(_)) {
        return None;
    }
    let of = |k: usize| simplex[k].sides[side];
    let is_first = |&k: &usize| (0..k).all(|i| of(i).vertex != of(k).vertex);
    let vertex = |k: usize| (Cap { middle: of(k).point, axes: [Vec3::ZERO; 3], height: 1.0 }, of(k).vertex);
    let mut carriers = Carriers::new((0..simplex.len()).filter(is_first).map(vertex), OUTWARD[side]);
    for k in 0..carriers.count {
        carriers.set(k, 1.0 / carriers.count as f64);
    }
    Some(carriers)
}

/// Newton's steps from a normal.
fn steps(
    pair: &ConvexPair<'_>,
    sides: &mut [Carriers; 2],
    mut normal: Vec3<f64>,
    beyond: f64,
) -> Option<NearestPoints> {
    for _ in 0..MOST {
        let along = any_across(normal);
        let tangents = [along, normal.cross(along)];
        sides.iter_mut().for_each(|side| side.turn_to(normal, tangents, 0.25 * pair.bound));
        let gap = -sides[0].height() - sides[1].height();
        let points = [sides[0].point(), sides[1].point()];
        let between = points[1] - points[0];
        if gap > beyond || between.length() - gap <= 0.5 * pair.bound {
            return proven(pair, sides, normal, points, beyond);
        }
        if let Some(found) = on_flat_end(pair, sides, normal, beyond) {
            return Some(found);
        }
        // The bodies overlap along this direction, and the equations lead to no nearest point.
        if between.dot(normal) <= 0.0 {
            return None;
        }
        let step = Step::new(sides, normal, tangents, between).solved()?;
        let length = step.turn[0].hypot(step.turn[1]);
        let turn = step.turn.map(|turn| turn * (LONGEST / length).min(1.0));
        normal = (normal + tangents[0].scale(turn[0]) + tangents[1].scale(turn[1])).normalized();
        step.reweigh(sides);
    }
    None
}

/// The nearest points along a direction, if exact supports prove them, or a gap beyond `beyond`:
/// a polyhedron has other vertices than its carriers.
fn proven(
    pair: &ConvexPair<'_>,
    sides: &[Carriers; 2],
    normal: Vec3<f64>,
    points: [Vec3<f64>; 2],
    beyond: f64,
) -> Option<NearestPoints> {
    let support = pair.support(normal);
    let gap = -support.point.dot(normal);
    let is_proven = gap > beyond || (points[1] - points[0]).length() - gap <= pair.bound;
    if !is_proven {
        return None;
    }
    let mut found = NearestPoints { normal, support, gap, points, vertices: [0; MOST_CARRIERS], count: 0 };
    if let Some(side) = pair.polyhedron() {
        for carrier in sides[side].used().filter(|carrier| carrier.weight > 1e-9) {
            found.vertices[found.count] = carrier.vertex;
            found.count += 1;
        }
    }
    Some(found)
}

/// The nearest points where one lies on a flat end towards which the normal points: the other body's
/// support along the normal of the end lies over the end.
fn on_flat_end(
    pair: &ConvexPair<'_>,
    sides: &mut [Carriers; 2],
    normal: Vec3<f64>,
    beyond: f64,
) -> Option<NearestPoints> {
    for side in 0..2 {
        for k in 0..sides[side].count {
            let Carrier { cap, is_used, is_tried, .. } = sides[side].list[k];
            if !is_used || is_tried || !cap.is_flat() {
                continue;
            }
            let [x, y, _] = cap.axes;
            let across = x.cross(y).normalized();
            let cosine = across.dot(normal);
            // Also of axes along one line, which have no normal.
            if cosine.abs() <= STEEP || cosine.is_nan() {
                continue;
            }
            sides[side].list[k].is_tried = true;
            let face = if cosine > 0.0 { across } else { -across };
            if let Some(found) = over_face(pair, *sides, [side, k], face, beyond) {
                return Some(found);
            }
        }
    }
    None
}

/// Cosine of the angle between a normal and that of a flat end below which the end is not tried.
const STEEP: f64 = 0.8;

/// The nearest points if one of them lies on a flat end, that of a side and a carrier, whose normal
/// (from A to B) is `face`.
fn over_face(
    pair: &ConvexPair<'_>,
    mut sides: [Carriers; 2],
    [side, k]: [usize; 2],
    face: Vec3<f64>,
    beyond: f64,
) -> Option<NearestPoints> {
    sides.iter_mut().for_each(|side| side.turn_to(face, [Vec3::ZERO; 2], 0.0));
    let rounding = 0.25 * pair.bound;
    if sides[side].list[k].height < sides[side].height() - rounding {
        return None;
    }
    let ends = sides[1 - side].farthest(rounding)?;
    let [from, to] = ends.map(|k| sides[1 - side].list[k].at.point);
    let cap = sides[side].list[k].cap;
    let [from_disc, to_disc] = [from, to].map(|point| coordinates(&cap, point));
    // The point of the other's side that is nearest to the middle of the end.
    let along = [0, 1].map(|i| to_disc[i] - from_disc[i]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = -(from_disc[0] * along[0] + from_disc[1] * along[1]) / square;
    let share = if square > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
    let [x, y] = [0, 1].map(|i| from_disc[i] + share * along[i]);
    let is_over = x.hypot(y) <= 1.0;
    if !is_over {
        return None;
    }
    sides[1 - side].set_ends(ends, share);
    let mut points = [sides[1 - side].point(); 2];
    points[side] = cap.image([x, y, 0.0]);
    proven(pair, &sides, face, points, beyond)
}

/// The coordinates of a point along the axes of a disc, the disc being the unit one.
fn coordinates(disc: &Cap, point: Vec3<f64>) -> [f64; 2] {
    let [x, y, _] = disc.axes;
    let from = point - disc.middle;
    let [xx, xy, yy] = [x.dot(x), x.dot(y), y.dot(y)];
    solve([[xx, xy], [xy, yy]], [from.dot(x), from.dot(y)]).unwrap_or([f64::INFINITY; 2])
}

/// The equations of a step: `curvature` times the turn of the normal plus `ties` times the changes
/// of the weights is `-slope`, and every tie times the turn is `-excess`.
struct Step {
    curvature: [[f64; 2]; 2],
    slope: [f64; 2],
    /// For each carrier after the first of its body: its support point less that of the first, in
    /// the tangent plane; how much farther it reaches; and its place.
    ties: [Tie; 2],
    count: usize,
    is_solvable: bool,
    /// The turn of the normal along the tangents.
    turn: [f64; 2],
}

#[derive(Debug, Clone, Copy, Default)]
struct Tie {
    across: [f64; 2],
    excess: f64,
    side: usize,
    first: usize,
    carrier: usize,
    change: f64,
}

impl Step {
    fn new(sides: &[Carriers; 2], normal: Vec3<f64>, tangents: [Vec3<f64>; 2], between: Vec3<f64>) -> Self {
        let distance = between.dot(normal);
        let mut step = Self {
            curvature: [[-distance, 0.0], [0.0, -distance]],
            slope: tangents.map(|tangent| tangent.dot(between)),
            ties: [Tie::default(); 2],
            count: 0,
            is_solvable: true,
            turn: [0.0; 2],
        };
        for (side, carriers) in sides.iter().enumerate() {
            let mut first = None;
            for (k, carrier) in carriers.all().iter().enumerate().filter(|(_, carrier)| carrier.is_used) {
                for (i, row) in carrier.at.across.iter().enumerate() {
                    for (j, entry) in row.iter().enumerate() {
                        step.curvature[i][j] -= carrier.weight * entry;
                    }
                }
                let Some(first) = first else {
                    first = Some(k);
                    continue;
                };
                if step.count == 2 {
                    step.is_solvable = false;
                    continue;
                }
                let apart = (carrier.at.point - carriers.list[first].at.point).scale(-carriers.outward);
                let across = tangents.map(|tangent| tangent.dot(apart));
                step.ties[step.count] = Tie { across, excess: apart.dot(normal), side, first, carrier: k, change: 0.0 };
                step.count += 1;
            }
        }
        step
    }

    /// The turn and the changes of the weights; `None` if they are not determined.
    fn solved(mut self) -> Option<Self> {
        if !self.is_solvable {
            return None;
        }
        let [[a, b], [c, d]] = self.curvature;
        let right =
            |turn: [f64; 2]| [-self.slope[0] - a * turn[0] - b * turn[1], -self.slope[1] - c * turn[0] - d * turn[1]];
        match self.count {
            0 => self.turn = solve(self.curvature, self.slope.map(|slope| -slope))?,
            1 => {
                let Tie { across: [x, y], excess, .. } = self.ties[0];
                let square = x * x + y * y;
                // Along the tie, so that the carriers reach equally far, then across it.
                let along = [x, y].map(|coordinate| -excess * coordinate / square);
                let [p, q] = right(along);
                let bent = a * y * y - (b + c) * x * y + d * x * x;
                let share = (q * x - p * y) / bent;
                self.turn = [along[0] - share * y, along[1] + share * x];
                let [p, q] = right(self.turn);
                self.ties[0].change = (p * x + q * y) / square;
            }
            _ => {
                let [first, second] = self.ties;
                let [[x, y], [z, w]] = [first.across, second.across];
                self.turn = solve([[x, y], [z, w]], [-first.excess, -second.excess])?;
                let changes = solve([[x, z], [y, w]], right(self.turn))?;
                (self.ties[0].change, self.ties[1].change) = (changes[0], changes[1]);
            }
        }
        let is_finite = self.turn.iter().all(|turn| turn.is_finite());
        (is_finite && self.ties.iter().all(|tie| tie.change.is_finite())).then_some(self)
    }

    /// Changes the weights.
    fn reweigh(&self, sides: &mut [Carriers; 2]) {
        for tie in &self.ties[..self.count] {
            sides[tie.side].list[tie.carrier].weight += tie.change;
            sides[tie.side].list[tie.first].weight -= tie.change;
        }
        sides.iter_mut().for_each(Carriers::settle);
    }
}

/// The solution of two linear equations, `None` if they do not determine one.
fn solve([[a, b], [c, d]]: [[f64; 2]; 2], [p, q]: [f64; 2]) -> Option<[f64; 2]> {
    let whole = a * d - b * c;
    let found = [(p * d - q * b) / whole, (a * q - c * p) / whole];
    found.iter().all(|number| number.is_finite()).then_some(found)
}
