//! Random ties: two bodies with parallel parts, one on top of the other, and where they are.
//!
//! In the *tie's frame* A lies below, B above, and the common normal is z. The pair is then turned,
//! scaled and moved as a whole.

use super::bodies::{Body, Heights, on_a_face, on_an_edge};
use super::closest::{self, Tie, runner_up};
use clearsweep_testing::oracle::families::Random;
use clearsweep_testing::oracle::number::Wide;
use clearsweep_testing::oracle::{Placement, out_of_frame};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    FaceFace,
    FaceEdge,
    EdgeFace,
    EdgeEdge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    Apart,
    Touching,
    Overlapping,
}

/// How the rotations of the two bodies are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The same quaternion.
    Same,
    /// Few bits: the product with a turn about the normal is exact.
    Exact,
    /// Small integers, and heights and positions on a lattice: a gap of 0 is exactly 0.
    Lattice,
    /// The product with a turn about the normal, rounded to `f64`.
    Rounded,
    /// Components of B's quaternion are off by so many units in the last place.
    Ulps(u8),
    /// Coordinates of the parts are off by so many units in the last place.
    Bent(u8),
}

impl Turn {
    /// Whether the parts are exactly parallel.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Same | Self::Exact | Self::Lattice)
    }
}

/// Two bodies and their places.
#[derive(Clone, Debug)]
pub struct Case {
    pub kind: Kind,
    pub regime: Regime,
    pub turn: Turn,
    pub a: Body,
    pub b: Body,
    pub pa: Placement,
    pub pb: Placement,
}

/// Least width of the set of closest points, in sizes of the pair: below, no rounding of the pose
/// leaves it as it is.
const LEAST_WIDTH: f64 = 1e-3;

/// Other directions are deeper than the tie's by this, in sizes of the pair.
const DEEPER: f64 = 1e-5;

impl Case {
    /// The size of the pair: both reaches about the origins, and the distance of the origins.
    pub fn size(&self) -> f64 {
        let (pa, pb) = (&self.pa, &self.pb);
        let t = [0, 1, 2].map(|k: usize| (pb.position[k] - pa.position[k]) + (pb.rest[k] - pa.rest[k]));
        self.a.reach() + self.b.reach() + closest::length(t)
    }

    pub fn tie(&self) -> Option<Tie> {
        closest::tie(&self.a, &self.pa, &self.b, &self.pb)
    }

    /// All that brings it back.
    pub fn recipe(&self) -> String {
        let body = |b: &Body| format!("{} on {:?}, growth {:?}, {:?}", b.name, b.part, b.growth, b.vertices);
        let (a, b) = (body(&self.a), body(&self.b));
        format!(
            "  A {a}\n  at {:?}\n  B {b}\n  at {:?}\n  {:?} {:?} {:?}",
            self.pa, self.pb, self.kind, self.regime, self.turn
        )
    }
}

/// Case `number` of a seed.
pub fn case(seed: u64, number: usize) -> Case {
    let kinds = [Kind::FaceFace, Kind::FaceFace, Kind::FaceEdge, Kind::EdgeFace, Kind::EdgeEdge];
    let regimes = [Regime::Apart, Regime::Touching, Regime::Overlapping];
    let kind = kinds[number % kinds.len()];
    let regime = match regimes[number / kinds.len() % 3] {
        Regime::Overlapping if kind == Kind::EdgeEdge => Regime::Apart, // two edges carry no facet of the difference
        regime => regime,
    };
    let mut random = Random(seed << 32 ^ number as u64);
    loop {
        let turn = any_turn(&mut random, kind, regime);
        if let Some(case) = attempt(&mut random, kind, regime, turn) {
            return case;
        }
    }
}

fn any_turn(random: &mut Random, kind: Kind, regime: Regime) -> Turn {
    if kind == Kind::EdgeEdge && regime == Regime::Touching {
        return Turn::Lattice; // edges that touch but for rounding overlap, and then another pair of parts is the tie
    }
    let ulps = 1 + random.below(8) as u8;
    match random.below(8) {
        0 | 1 => Turn::Same,
        2 | 3 => Turn::Exact,
        4 => Turn::Lattice,
        5 => Turn::Rounded,
        6 => Turn::Ulps(ulps),
        _ => Turn::Bent(ulps),
    }
}

/// A case, unless another direction is as near, or the set of closest points is too small.
fn attempt(random: &mut Random, kind: Kind, regime: Regime, turn: Turn) -> Option<Case> {
    let quaternions = Quaternions::new(random, turn, kind);
    let heights = Heights(quaternions.step);
    let body = |random: &mut Random, face: bool| {
        if face { on_a_face(random, heights) } else { on_an_edge(random, heights) }
    };
    let lower_face = matches!(kind, Kind::FaceFace | Kind::FaceEdge);
    let upper_face = matches!(kind, Kind::FaceFace | Kind::EdgeFace);
    let (mut a, mut b) = (body(random, lower_face).flipped(), body(random, upper_face));
    if turn == Turn::Lattice {
        (a.growth, b.growth) = (0.0, 0.0);
    }
    let size = a.reach() + b.reach();
    let gap = core_gap(random, regime, size, a.growth + b.growth, heights, kind)?;
    let lean = if kind == Kind::EdgeEdge { random.between(-0.8, 0.8) * a.cone.min(b.cone) } else { 0.0 };
    let offset = heights_or_exact(heights, quaternions.offset(random, &a, &b));
    let across = [0.0, gap * libm::sin(lean), gap * libm::cos(lean)];
    let t = [offset[0], offset[1] + across[1], a.low() - b.low() + across[2]];
    let t = if kind == Kind::EdgeEdge { [t[0], across[1], t[2]] } else { t };
    let mut case = Case { kind, regime, turn, a, b, pa: quaternions.pose_a(), pb: quaternions.pose_b(t) };
    disturb(random, &mut case);
    stretch(random, &mut case);
    if random.chance(0.3) {
        away(random, &mut case);
    }
    if random.chance(0.5) {
        exchange(&mut case);
    }
    fits(&case, gap).then_some(case)
}

fn heights_or_exact(heights: Heights, offset: [f64; 2]) -> [f64; 2] {
    offset.map(|x| if heights.0 == 0.0 { x } else { (x / heights.0).round() * heights.0 })
}

/// The gap of the cores.
fn core_gap(random: &mut Random, regime: Regime, size: f64, growth: f64, heights: Heights, kind: Kind) -> Option<f64> {
    let gap = match regime {
        Regime::Apart => random.scale(1e-6, 1.0) * size,
        Regime::Touching => 0.0,
        Regime::Overlapping => -random.scale(1e-5, 0.3) * size,
    };
    let gap = if gap == 0.0 || heights.0 == 0.0 { gap } else { heights.of(gap.abs()) * gap.signum() };
    // Edges have no depth: they overlap by growth alone.
    (kind != Kind::EdgeEdge || gap + growth >= 0.0).then_some(gap + growth)
}

/// Whether the tie is what it is meant to be.
fn fits(case: &Case, gap: f64) -> bool {
    let Some(tie) = case.tie() else { return false };
    if tie.width < LEAST_WIDTH * case.size() || (case.turn.is_exact() && !tie.exact) {
        return false;
    }
    // A plate may have passed through the other body: it leaves on the far side.
    if tie.hidden > 1e-9 * case.size() || (gap < 0.0 && tie.across.sign >= 0) {
        return false;
    }
    let touching_edges = case.kind == Kind::EdgeEdge && case.regime == Regime::Touching;
    if gap > 1e-9 || touching_edges {
        return true;
    }
    let [own, other] = runner_up(&case.a, &case.pa, &case.b, &case.pb, tie.normal);
    own > other + DEEPER * case.size()
}

/// The common rotation of a pair, and B's own turn about the normal.
struct Quaternions {
    common: [f64; 4],
    own: [f64; 4],
    b: [f64; 4],
    /// Lengths in the tie's frame are multiples of this (0: any length).
    step: f64,
}

impl Quaternions {
    fn new(random: &mut Random, turn: Turn, kind: Kind) -> Self {
        let still = [1.0, 0.0, 0.0, 0.0];
        let angle = random.between(0.0, std::f64::consts::PI);
        let about_z = [libm::cos(angle), 0.0, 0.0, libm::sin(angle)];
        let about_z = if kind == Kind::EdgeEdge { still } else { about_z };
        let common = random.turn();
        let few = |q: [f64; 4]| q.map(|c| (c * 2_f64.powi(24)).round() / 2_f64.powi(24));
        let small = |random: &mut Random| f64::from(random.below(7) as i32 - 3);
        let (common, own, step) = match turn {
            Turn::Same => (common, still, 0.0),
            Turn::Exact => (few(common), few(about_z), 0.0),
            Turn::Lattice => {
                let q = [1.0, small(random), small(random), small(random)];
                let own =
                    if kind == Kind::EdgeEdge { still } else { [1.0 + small(random).abs(), 0.0, 0.0, small(random)] };
                (q, own, q.iter().map(|c| c * c).sum::<f64>() * 2_f64.powi(-16))
            }
            Turn::Ulps(_) | Turn::Bent(_) => (few(common), few(about_z), 0.0),
            // Not of length 1, so that the product rounds even where the turn is 0.
            Turn::Rounded => (common, about_z.map(|c| c * 1.0003), 0.0),
        };
        Self { common, own, b: product(common, own), step }
    }

    fn pose_a(&self) -> Placement {
        Placement::new([0.0; 3], self.common)
    }

    /// B where its origin is `t` in the tie's frame.
    fn pose_b(&self, t: [f64; 3]) -> Placement {
        if self.step == 0.0 {
            return Placement::new(out_of_frame(&self.pose_a(), t), self.b);
        }
        // The length of a lattice vector over the square of the quaternion is exact, and so are
        // products with integers.
        let [w, x, y, z] = self.common;
        let square = w * w + x * x + y * y + z * z;
        let t = t.map(|c| c / square);
        let rows = [
            [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), w * w + y * y - x * x - z * z, 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w + z * z - x * x - y * y],
        ];
        Placement::new(rows.map(|row| closest::inner(row, t)), self.b)
    }

    /// Returns a place of B's origin such that a point of its part is over one of A's.
    fn offset(&self, random: &mut Random, a: &Body, b: &Body) -> [f64; 2] {
        let ([ax, ay], [bx, by]) = (a.somewhere(random), b.somewhere(random));
        let [w, _, _, z] = self.own;
        let square = w * w + z * z;
        let (cos, sin) = ((w * w - z * z) / square, 2.0 * w * z / square);
        [ax - (cos * bx - sin * by), ay - (sin * bx + cos * by)]
    }
}

/// The product of two quaternions.
pub fn product([aw, ax, ay, az]: [f64; 4], [bw, bx, by, bz]: [f64; 4]) -> [f64; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// The number so many units in the last place away, either way; 0 stays.
pub fn nudged(random: &mut Random, x: f64, ulps: u8) -> f64 {
    let up = random.chance(0.5);
    let step = |x: f64, _| if up { x.next_up() } else { x.next_down() };
    if x == 0.0 { x } else { (0..ulps).fold(x, step) }
}

/// Takes a tie apart by units in the last place.
fn disturb(random: &mut Random, case: &mut Case) {
    match case.turn {
        Turn::Ulps(ulps) => {
            let k = random.below(4);
            case.pb.q[k] = nudged(random, case.pb.q[k], ulps);
            let (k, fewer) = (random.below(4), 1 + random.below(usize::from(ulps)) as u8);
            case.pb.q[k] = nudged(random, case.pb.q[k], fewer);
        }
        Turn::Bent(ulps) => {
            // A triangle and an edge stay what they are. A face with more corners would fall to
            // pieces: it is left alone.
            let body = if random.chance(0.5) { &mut case.a } else { &mut case.b };
            let bends = body.part.corners().len() <= 3 && body.name != "upright plate";
            let corner = body.part.corners()[random.below(body.part.corners().len())];
            for k in 0..if bends { 3 } else { 0 } {
                body.vertices[corner][k] = nudged(random, body.vertices[corner][k], ulps);
            }
            let k = random.below(4);
            case.pb.q[k] = nudged(random, case.pb.q[k], ulps);
        }
        _ => {}
    }
}

/// All lengths times a power of two: no bit changes.
fn stretch(random: &mut Random, case: &mut Case) {
    let scale = 2_f64.powi(random.below(41) as i32 - 20);
    for body in [&mut case.a, &mut case.b] {
        body.vertices.iter_mut().flatten().for_each(|x| *x *= scale);
        body.growth *= scale;
    }
    case.pb.position = case.pb.position.map(|x| x * scale);
}

/// Both bodies up to 5,000 km away; the position keeps what does not fit in its leading part.
fn away(random: &mut Random, case: &mut Case) {
    let distance = random.scale(1.0, 5e6);
    let far = random.direction().map(|c| c * distance);
    let sums = [0, 1, 2].map(|k: usize| Wide::sum(far[k], case.pb.position[k]));
    case.pa.position = far;
    (case.pb.position, case.pb.rest) = (sums.map(|s| s.0), sums.map(|s| s.1));
}

/// A becomes B.
pub fn exchange(case: &mut Case) {
    std::mem::swap(&mut case.a, &mut case.b);
    std::mem::swap(&mut case.pa, &mut case.pb);
    case.kind = match case.kind {
        Kind::FaceEdge => Kind::EdgeFace,
        Kind::EdgeFace => Kind::FaceEdge,
        kind => kind,
    };
}
