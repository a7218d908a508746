//! The verdict on a row about any two bodies, from their triangles and poses alone.
//!
//! The signed distance is the distance of the inflated bodies, or minus the length of the shortest
//! translation that separates them.
//! - *Apart*: both ends against the distance by brute force; [`Wide`] decides what `f64` leaves
//!   open.
//! - *Overlapping, lower end* (`-lower` is at least the depth): moved by this length along the
//!   row's normal, the bodies no longer overlap.
//! - *Overlapping, upper end* (`-upper` is at most the depth): no shorter translation that is tried
//!   separates them.

use clearsweep_narrow::{Method, Proximity, Status};

use super::gap::{Gap, Soups};
use crate::oracle::families::Random;
use crate::oracle::number::{Number, Vector, Wide, norm, sub, times};

/// The promised width of a bracket of bodies that are apart, and of a witness point, in sizes of
/// the pair.
const PROMISE: f64 = 1e-12;

/// Largest distance of a witness point from its body, if bodies overlap, in sizes of the pair.
const ON_BODY: f64 = 1e-9;

/// The place of two bodies relative to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Apart,
    Near,
    Touching,
    Overlapping,
    Inside,
    Cavity,
}

impl Place {
    pub const ALL: [Self; 6] = [Self::Apart, Self::Near, Self::Touching, Self::Overlapping, Self::Inside, Self::Cavity];
}

/// A fault of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A lower end above the distance, or above minus the depth.
    Lower,
    /// An upper end below the distance.
    Upper,
    /// An upper end below minus the depth: a shorter translation separates.
    TooDeep,
    /// The translation of the lower end does not separate.
    NotSeparated,
    /// Ends out of order, a status that is not theirs, or a normal that is no unit vector.
    Form,
    /// A bracket of bodies apart that is wider than promised.
    Wide,
    /// A witness point of bodies apart that is not on its body.
    Witness,
    Protrusion,
    Uncertified,
    /// Inside by the winding number, and not told so; or told so and not inside.
    Winding,
    /// The row of swapped bodies, of bodies moved together, or of scaled ones contradicts.
    Swapped,
    Moved,
    Scaled,
    /// The distance along a direction.
    Direction,
    /// An end of the bracket between two samples, or the status.
    Between,
    /// Times of least distance, or of the first contact, between two samples.
    Times,
    /// A row without a depth that contradicts the one with it.
    Answer,
    /// A row by memory has other bits than the same sample asked alone.
    Memory,
    /// The engine or the verifier panicked; a chunk ends with it.
    Panic,
}

impl Fault {
    pub const ALL: [Self; 19] = [
        Self::Lower,
        Self::Upper,
        Self::TooDeep,
        Self::NotSeparated,
        Self::Form,
        Self::Wide,
        Self::Witness,
        Self::Protrusion,
        Self::Uncertified,
        Self::Winding,
        Self::Swapped,
        Self::Moved,
        Self::Scaled,
        Self::Direction,
        Self::Between,
        Self::Times,
        Self::Answer,
        Self::Memory,
        Self::Panic,
    ];
}

/// A row, where its bodies are, and how far their true surfaces may be from the triangles, metres.
pub struct Claim<'a> {
    pub soups: &'a Soups<'a>,
    pub row: &'a Proximity,
    pub slack: f64,
    /// Whether both are meshes, which have a protrusion.
    pub has_protrusion: bool,
}

impl Claim<'_> {
    fn growth(&self) -> f64 {
        self.soups.a.growth + self.soups.b.growth
    }

    /// Returns the place of the bodies, found without the row.
    pub fn place(&self, gap: &Gap) -> Place {
        let (g, size, s) = (self.growth(), self.soups.size, self.soups);
        let distance = gap.lower - g;
        match () {
            () if gap.is_inside || ((distance < 0.0 || gap.crosses) && s.is_swallowed()) => Place::Inside,
            () if distance.abs() <= 1e-11 * size && !gap.crosses => Place::Touching,
            () if distance < 0.0 || gap.crosses => Place::Overlapping,
            () if s.in_cavity() => Place::Cavity,
            () if distance < 0.02 * size => Place::Near,
            () => Place::Apart,
        }
    }

    /// Returns the faults of the row.
    pub fn faults(&self, gap: &Gap, random: &mut Random) -> Vec<Fault> {
        let row = self.row;
        if row.method == Method::None || row.status == Status::Uncertified {
            return vec![Fault::Uncertified];
        }
        if let Some(is_right) = self.winding(gap) {
            return if is_right { Vec::new() } else { vec![Fault::Winding] };
        }
        let mut faults = self.form();
        let (e, g) = (self.soups.doubt(), self.growth());
        let (low, high) = (gap.lower - g, gap.upper - g);
        let [lower, upper] = [row.lower - self.slack, row.upper + self.slack];
        let is_apart = low > e || (low > -g && self.soups.a.is_convex && self.soups.b.is_convex);
        if lower > high + e {
            faults.push(Fault::Lower);
        }
        if is_apart && upper < low - e {
            faults.push(Fault::Upper);
        }
        let close = lower > low - e || (is_apart && upper < high + e);
        if faults.is_empty() && close && !gap.is_inside && !gap.crosses {
            self.settle(is_apart, &mut faults);
        }
        if is_apart {
            if row.upper - row.lower > PROMISE * self.soups.size && self.slack == 0.0 {
                faults.push(Fault::Wide);
            }
            // If bodies may touch, points count as on them within a wider margin.
            let room = if row.method == Method::Bound { ON_BODY } else { 4.0 * PROMISE };
            self.witnesses(room, &mut faults);
        } else if self.slack == 0.0 {
            self.depth(random, &mut faults);
            if !(self.soups.a.is_convex && self.soups.b.is_convex) {
                self.witnesses_of_overlap(self.place(gap) == Place::Inside, &mut faults);
            }
        }
        if self.has_protrusion && gap.crosses {
            self.protrusion(&mut faults);
        }
        faults
    }

    /// The fault of a row whose numbers contradict each other.
    pub fn form(&self) -> Vec<Fault> {
        let row = self.row;
        let unit = (norm(row.normal.to_array()) - 1.0).abs() <= 1e-14;
        let status = match () {
            () if row.lower > 0.0 => Status::Separated,
            () if row.upper < 0.0 => Status::Penetrating,
            () => Status::Touching,
        };
        let ordered = row.lower <= row.upper && row.lower.is_finite() && row.upper.is_finite();
        if !ordered || !unit || row.status != status || !(row.lower..=row.upper).contains(&row.distance) {
            return vec![Fault::Form];
        }
        Vec::new()
    }

    /// Whether a row about an open mesh that may hold the other body tells so, with a bracket of
    /// both answers; `None` for all others.
    fn winding(&self, gap: &Gap) -> Option<bool> {
        let (row, s, g) = (self.row, self.soups, self.growth());
        let is_told = row.method == Method::Winding;
        if !(s.a.is_open() || s.b.is_open()) || gap.is_inside || gap.crosses {
            return is_told.then_some(false);
        }
        if gap.lower - g <= s.doubt().max(PROMISE * s.size) + self.slack {
            // Whether the surfaces touch may be open, and whether one body is inside then is, too.
            let may_hold = is_told || s.winding() > 0.5 - 1e-9;
            let [low, high] = [gap.lower - g - s.doubt(), gap.upper - g + s.doubt()];
            return may_hold.then_some(row.lower <= high && row.upper + self.slack >= low);
        }
        let most = s.winding();
        if !is_told {
            return (most > 0.5 + 1e-9).then_some(false);
        }
        // The stored surfaces are beside the true ones by the slack, and the bracket is wider than
        // that of the stored ones by it.
        let room = PROMISE * s.size + 2.0 * self.slack;
        let is_of_surfaces = row.upper >= gap.lower - g - s.doubt() - self.slack && row.upper <= gap.upper - g + room;
        let out = times(row.normal.to_array(), -row.lower + room);
        let is_out = !s.overlap(out, g, 2.0 * room);
        let is_between = row.lower < 0.0 && (row.lower..=row.upper).contains(&row.distance);
        Some(most >= 0.5 - 1e-9 && row.status == Status::Penetrating && is_between && is_of_surfaces && is_out)
    }

    /// Decides in [`Wide`] what `f64` leaves open.
    fn settle(&self, is_apart: bool, faults: &mut Vec<Fault>) {
        let growth = Wide::sum(self.soups.a.growth, self.soups.b.growth);
        let distance = self.soups.fine() - growth;
        let fine = Wide::of(1e-26 * self.soups.size + self.slack);
        if (Wide::of(self.row.lower) - distance - fine).value() > 0.0 {
            faults.push(Fault::Lower);
        }
        if is_apart && (distance - Wide::of(self.row.upper) - fine).value() > 0.0 {
            faults.push(Fault::Upper);
        }
    }

    fn depth(&self, random: &mut Random, faults: &mut Vec<Fault>) {
        let (row, g, size) = (self.row, self.growth(), self.soups.size);
        let room = PROMISE * size;
        let n = row.normal.to_array();
        let out = times(n, -row.lower + room);
        if self.soups.overlap(out, g, 2.0 * room) {
            faults.push(Fault::NotSeparated);
        }
        let length = -row.upper - room;
        if length <= 0.0 {
            return;
        }
        let separates = |d: Vector<f64>| {
            let gap = self.soups.gap(times(d, length));
            gap.lower > g + self.soups.doubt() && !gap.is_inside
        };
        let axes = (0..3).flat_map(|k| [-1.0, 1.0].map(|s| [0, 1, 2].map(|m| if m == k { s } else { 0.0 })));
        let any = [random.direction(), random.direction()];
        if axes.chain([n, times(n, -1.0)]).chain(any).any(separates) {
            faults.push(Fault::TooDeep);
        }
    }

    /// Witness points of bodies apart are on the inflated bodies, but for `room` sizes of the pair.
    fn witnesses(&self, room: f64, faults: &mut Vec<Fault>) {
        let (s, row) = (self.soups, self.row);
        let (a, b) =
            (s.distances_from_cores(row.point_a.to_array())[0], s.distances_from_cores(row.point_b.to_array())[1]);
        let off = (a - s.a.growth).abs().max((b - s.b.growth).abs());
        if off > room * s.size + self.slack {
            faults.push(Fault::Witness);
        }
    }

    /// Witness points of bodies that overlap: each on its body, and not outside of the other. Of a
    /// body that holds the other one, or a part of it while it does not meet the others, no such
    /// point is asked. Of convex ones, also of convex meshes, the points may be those of the
    /// shortest translation instead.
    fn witnesses_of_overlap(&self, is_inside: bool, faults: &mut Vec<Fault>) {
        let (s, row, room) = (self.soups, self.row, ON_BODY * self.soups.size);
        let [p, q] = [row.point_a, row.point_b].map(|p| p.to_array());
        let ([pa, pb], [qa, qb]) = (s.distances_from_cores(p), s.distances_from_cores(q));
        let is_a_held = s.holds(p)[1] || pb <= s.b.growth + room;
        let is_b_held = s.holds(q)[0] || qa <= s.a.growth + room;
        let on = (pa - s.a.growth).abs() <= room && (qb - s.b.growth).abs() <= room;
        let are_held = match [is_a_held, is_b_held] {
            [true, true] => true,
            [false, false] => false,
            _ if is_inside => true,
            [is_a_held, _] => s.holds_parts_of(usize::from(!is_a_held)),
        };
        let way = sub(sub(q, p), times(row.normal.to_array(), row.distance));
        let is_translation = s.a.is_nearly_convex() && s.b.is_nearly_convex() && norm(way) <= room;
        if !(on && (are_held || is_translation)) {
            faults.push(Fault::Witness);
        }
    }

    /// The innermost vertex of one mesh in the other.
    fn protrusion(&self, faults: &mut Vec<Fault>) {
        let found = self.soups.innermost();
        let told = if self.row.protrusion.is_nan() { 0.0 } else { self.row.protrusion };
        if (told - found).abs() > 1e-11 * self.soups.size {
            faults.push(Fault::Protrusion);
        }
    }
}
