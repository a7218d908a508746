//! Pairs with a round body: the verdict on a row, by the oracle of round bodies.
//!
//! ```text
//! make.rs     round bodies               placing.rs  where they are: along, across, tilted
//! ```

pub mod make;
pub mod placing;

use clearsweep_model::Model;
use clearsweep_narrow::{Method, Proximity, Status};

use super::body::Body;
use super::gap::{Gap, Soups, inside};
use super::judge::{Claim, Fault, Place};
use super::make::Subject;
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{Vector, norm, sub, times};
use crate::oracle::round::Bracket;
use crate::oracle::round::search::{Until, signed_distance};
use crate::oracle::round::sets::{Affine, Convex, Set};
use crate::oracle::round::union::{CELLS, Piece, Union, bracket_until, distance_of_point, of_hulls};
use crate::recheck::place::{FILTER, Place as Relative};

/// Promised widths, in sizes of the pair (docs/guide/bracket.md, "Width of the bracket"): apart, with
/// tori apart, as near all round, of convex bodies that overlap, and of those whose middles nearly
/// coincide.
const APART: f64 = 1e-9;
const TORI_APART: f64 = 1e-7;
const TORI_ON_AN_AXIS: f64 = 1e-5;
const OVERLAPPING: f64 = 2e-5;
const CONCENTRIC: f64 = 1e-3;

/// Share of the depths of convex bodies that branch and bound proves, too.
const PROVEN_AGAIN: f64 = 1.0 / 32.0;

/// Width at which that ends, in sizes of the pair.
const DEPTH_WIDTH: f64 = 1e-9;

/// Largest distance of a witness point of bodies apart from its body, in sizes of the pair.
const ON_BODY: f64 = 1e-7;

/// How the axes of two bodies lie: the z axes of their frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alignment {
    /// One axis.
    Coaxial,
    Parallel,
    /// At right angles.
    Across,
    General,
}

impl Alignment {
    pub const ALL: [Self; 4] = [Self::Coaxial, Self::Parallel, Self::Across, Self::General];
}

/// Two bodies of which one is round, in A's frame.
pub struct Truth<'a> {
    pair: [&'a Subject; 2],
    place: Relative,
    bodies: [Union; 2],
    pub size: f64,
}

/// A body as pieces: convex ones as they are, meshes by their triangles.
fn union(subject: &Subject) -> Union {
    if let Some(round) = &subject.round {
        return round.as_ref().clone();
    }
    let Body { points, triangles, starts, parts, growth, is_convex, .. } = &subject.body;
    let of = |points: Vec<Vector<f64>>| Piece::Convex(Convex::new(vec![Set::Points(points)], *growth));
    if *is_convex {
        return Union::new(vec![of(points.clone())]);
    }
    let lists: Vec<Vec<Vector<f64>>> = match subject.shape.model {
        Model::Pieces => {
            let corners = |part: usize| triangles.iter().zip(parts).filter(move |(_, p)| **p == part);
            let list = |part: usize| corners(part).flat_map(|(t, _)| t.map(|v| points[v])).collect();
            (0..starts.len()).map(list).collect()
        }
        _ => triangles.iter().map(|&t| subject.body.corners(t).to_vec()).collect(),
    };
    Union::new(lists.into_iter().map(of).collect())
}

fn is_mesh(subject: &Subject) -> bool {
    matches!(subject.shape.model, Model::Mesh | Model::Decomposition)
}

impl<'a> Truth<'a> {
    /// `None` if none of the two is round.
    pub fn of(pair: [&'a Subject; 2], places: &[Placement; 2]) -> Option<Self> {
        if pair.iter().all(|subject| subject.round.is_none()) {
            return None;
        }
        let place = Relative::new(&places[0], &places[1]);
        let moved = Affine::of_rows(place.rough_rows, place.rough_shift);
        let bodies = [union(pair[0]), union(pair[1]).mapped(&moved)];
        let size = pair.iter().map(|s| s.body.reach + s.body.growth).sum::<f64>() + norm(place.rough_shift);
        Some(Self { pair, place, bodies, size })
    }

    /// Promised width of the bracket of a row about bodies apart, in sizes of the pair.
    pub fn width_apart(&self) -> f64 {
        let shift = self.place.rough_shift;
        let beside_axis = [shift, self.place.rough_back(shift)].map(|[x, y, _]| x.hypot(y));
        match self.has_torus() {
            false => APART,
            true if beside_axis[0].min(beside_axis[1]) <= 1e-3 * self.size => TORI_ON_AN_AXIS,
            true => TORI_APART,
        }
    }

    pub fn has_torus(&self) -> bool {
        self.bodies.iter().any(Union::has_sweep)
    }

    /// How the axes lie, if both bodies are round.
    pub fn alignment(&self) -> Option<Alignment> {
        if self.pair.iter().any(|subject| subject.round.is_none()) {
            return None;
        }
        let [x, y, z] = self.place.rough_vector([0.0, 0.0, 1.0]);
        let [p, q, _] = self.place.rough_shift;
        Some(match () {
            () if x.hypot(y) <= 1e-9 && p.hypot(q) <= 1e-9 * self.size => Alignment::Coaxial,
            () if x.hypot(y) <= 1e-9 => Alignment::Parallel,
            () if z.abs() <= 1e-9 => Alignment::Across,
            () => Alignment::General,
        })
    }

    /// The signed distance with B moved by `by`, metres.
    pub fn bracket(&self, by: Vector<f64>) -> Bracket {
        self.bracket_until(by, |_| false)
    }

    /// The same, as wide as it is when `is_enough` says so.
    fn bracket_until(&self, by: Vector<f64>, is_enough: impl Fn(&Bracket) -> bool) -> Bracket {
        let [a, b] = &self.bodies;
        let moved;
        let b = if by == [0.0; 3] {
            b
        } else {
            moved = b.mapped(&Affine { shift: by, ..Affine::IDENTITY });
            &moved
        };
        let found = bracket_until(a, b, self.size, is_enough);
        if found.lower > 0.0 && self.is_in_solid(by) {
            return Bracket { lower: of_hulls(a, b, &[]), upper: -found.lower };
        }
        found
    }

    /// The signed distance with B moved by `by`, as it is most likely: of convex bodies that overlap the
    /// lower end is the sharper one.
    fn likely(&self, by: Vector<f64>) -> f64 {
        let found = self.bracket(by);
        if found.upper < 0.0 && self.bodies.iter().all(Union::is_convex) { found.lower } else { found.upper }
    }

    /// Whether a piece of one begins in the solid of the other, a mesh.
    fn is_in_solid(&self, by: Vector<f64>) -> bool {
        let first = |k: usize| self.bodies[k].pieces.iter().map(Piece::any_point);
        let holds = |k: usize, p: Vector<f64>| {
            let body = &self.pair[k].body;
            is_mesh(self.pair[k]) && inside(body, &|t| body.corners(t), p)
        };
        let to_b = |p: Vector<f64>| self.place.rough_back(sub(sub(p, self.place.rough_shift), by));
        let of_b = |p: Vector<f64>| [0, 1, 2].map(|k: usize| p[k] + by[k]);
        first(1).any(|p| holds(0, of_b(p))) || first(0).any(|p| holds(1, to_b(p)))
    }

    /// Whether they overlap by more than `room` beyond doubt.
    pub fn overlaps(&self, by: Vector<f64>, room: f64) -> bool {
        self.bracket_until(by, |found| found.lower > 0.0).upper < -room
    }

    pub fn is_apart(&self, by: Vector<f64>, room: f64) -> bool {
        self.bracket_until(by, |found| found.lower > room || found.upper <= room).lower > room
    }

    /// Returns the place; `soups` tell it roughly.
    pub fn place(&self, found: &Bracket, soups: &Soups<'_>, gap: &Gap) -> Place {
        let touch = 1e-11 * self.size;
        match () {
            () if found.upper.abs() <= touch => Place::Touching,
            () if found.upper < 0.0 && (gap.is_inside || soups.is_swallowed()) => Place::Inside,
            () if found.upper < 0.0 => Place::Overlapping,
            () if soups.in_cavity() => Place::Cavity,
            () if found.upper < 0.02 * self.size => Place::Near,
            () => Place::Apart,
        }
    }

    /// Returns the faults of a row.
    pub fn faults(&self, claim: &Claim<'_>, found: &Bracket, random: &mut Random) -> Vec<Fault> {
        let (row, slack) = (claim.row, claim.slack);
        if row.method == Method::None || row.status == Status::Uncertified {
            return vec![Fault::Uncertified];
        }
        if row.method == Method::Winding {
            // An open mesh that holds the round body: its surface is as far as the upper end says.
            return if row.lower <= found.upper + slack { Vec::new() } else { vec![Fault::Winding] };
        }
        let mut faults = claim.form();
        let are_convex = self.bodies.iter().all(Union::is_convex);
        let found = &if are_convex && found.upper < 0.0 { self.of_convex(row, found, random) } else { *found };
        let room = 2.0 * FILTER * self.size;
        let [lower, upper] = [row.lower - slack, row.upper + slack];
        if lower > found.upper + room {
            faults.push(if found.upper > 0.0 { Fault::Lower } else { Fault::NotSeparated });
        }
        if upper < found.lower - room {
            faults.push(if found.lower > 0.0 { Fault::Upper } else { Fault::TooDeep });
        }
        let has_mesh = self.pair.iter().any(|s| is_mesh(s));
        let width = (row.upper - row.lower) / self.size;
        if found.lower > 0.0 && !has_mesh {
            // Bodies that touch but for this width may have the bracket of an overlap.
            let most = self.width_apart();
            faults.extend((width > most && found.lower > most * self.size).then_some(Fault::Wide));
        }
        // Points of bodies that may touch can be those of a translation, or of hulls.
        if found.lower > 0.0 && !has_mesh && row.lower > 0.0 {
            let off = [row.point_a, row.point_b].map(|p| p.to_array());
            let off = [0, 1].map(|k: usize| distance_of_point(&self.bodies[k], off[k], self.size).lower);
            faults.extend((off[0].max(off[1]) > ON_BODY * self.size).then_some(Fault::Witness));
        }
        if are_convex && found.upper < 0.0 {
            let [a, b] = self.bodies.each_ref().map(Union::hull);
            let is_concentric = norm(sub(a.middle, b.middle)) <= 1e-2 * self.size;
            faults.extend((width > if is_concentric { CONCENTRIC } else { OVERLAPPING }).then_some(Fault::Wide));
        }
        if !are_convex && found.upper < -1e-10 * self.size && slack == 0.0 {
            self.depth(row, random, &mut faults);
        }
        faults
    }

    /// The signed distance of convex bodies that overlap, as far as it decides about a row: the
    /// direction of the row is the start of one more search, and proves the lower end where it can.
    /// Branch and bound proves what that leaves open, and some of the others.
    fn of_convex(&self, row: &Proximity, found: &Bracket, random: &mut Random) -> Bracket {
        let [a, b] = &self.bodies;
        let lower = found.lower.max(of_hulls(a, b, &[row.normal.to_array()]));
        if row.lower <= lower + FILTER * self.size && !random.chance(PROVEN_AGAIN) {
            return Bracket { lower, upper: found.upper.max(lower) };
        }
        let until = Until { width: DEPTH_WIDTH * self.size, above: f64::INFINITY, cells: CELLS };
        let proven = signed_distance(a.hull(), b.hull(), until, Some(row.normal.to_array())).bracket;
        Bracket { lower: lower.max(proven.lower), upper: proven.upper.max(lower) }
    }

    /// A translation along the normal that is no longer than that of the lower end separates, and no
    /// shorter one than that of the upper end. In a hole one that is longer may not.
    fn depth(&self, row: &Proximity, random: &mut Random, faults: &mut Vec<Fault>) {
        let (room, n) = (1e-10 * self.size, row.normal.to_array());
        let [least, most] = [-row.upper.min(0.0), -row.lower];
        let lengths =
            [most, -row.distance].into_iter().chain((0..8).map(|k| least + (most - least) * f64::from(k) / 8.0));
        if lengths.into_iter().all(|length| self.overlaps(times(n, length + room), 2.0 * room)) {
            faults.push(Fault::NotSeparated);
        }
        let length = -row.upper - room;
        let some = [n, times(n, -1.0), random.direction(), [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]];
        if length > 0.0 && some.into_iter().any(|d| self.is_apart(times(d, length), room)) {
            faults.push(Fault::TooDeep);
        }
    }
}
