//! One joint, and the pose of what it carries.

use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Dd, Pose, Real, Vec3};

/// Limits that were written as decimals, and values that were computed to them, may differ by so
/// much, relative to the greater of 1 and the limit.
pub const RANGE_SLACK: f64 = 1e-9;

/// Motion of a joint's child with the joint's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// A turn about the axis, radians.
    Revolute,
    /// A way along the axis, metres.
    Prismatic,
    /// A turn about the axis, radians, and `lead` metres along it with each radian.
    Screw {
        /// Metres a radian.
        lead: f64,
    },
}

impl JointKind {
    /// Whether its value is an angle.
    pub fn turns(self) -> bool {
        matches!(self, Self::Revolute | Self::Screw { .. })
    }

    /// Largest magnitude of its values: radians beyond which single values are no longer told apart
    /// well, or metres.
    pub fn largest_value(self) -> f64 {
        if self.turns() { 1e6 } else { 1e18 }
    }

    /// The way along the axis with each unit of the value; 0: none.
    pub(crate) fn slide(self) -> f64 {
        match self {
            Self::Fixed | Self::Revolute => 0.0,
            Self::Prismatic => 1.0,
            Self::Screw { lead } => lead,
        }
    }
}

/// Source of a joint's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointValue {
    /// It is fixed and has none.
    None,
    /// `ratio` times the value in a column, plus `offset`: 1 and 0 for the joint of the column,
    /// other numbers for a joint that mimics it.
    Column {
        /// Index of the column.
        column: u32,
        /// Units of the joint for one unit of the column.
        ratio: f64,
        /// In its own units.
        offset: f64,
    },
}

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// Kind of its motion.
    pub kind: JointKind,
    /// The joint whose link carries it; `None`: it stands in the world.
    pub parent: Option<u32>,
    /// Pose of its frame in the frame of the link that carries it (metres). Its axis goes through
    /// the origin.
    pub place: Pose,
    /// The axis in its frame, unit.
    pub axis: Vec3<f64>,
    /// Least and greatest value.
    pub range: Option<[f64; 2]>,
    /// Source of its value.
    pub value: JointValue,
    /// Whether it goes from one value to the next by the shortest turn; else by their difference.
    pub wraps: bool,
}

impl Joint {
    /// The value of its column at the end of a step from one value to the next.
    pub fn step_end(&self, from: f64, to: f64) -> f64 {
        if self.wraps { nearest_turn(from, to) } else { to }
    }
}

/// The angle at most half a turn from another one that differs from `to` by whole turns; within 2
/// units in its last place.
pub(crate) fn nearest_turn(from: f64, to: f64) -> f64 {
    // 2 pi as the sum of two numbers.
    const TURN: [f64; 2] = [std::f64::consts::TAU, 2.449_293_598_294_706_4e-16];
    let turns = ((to - from) / TURN[0]).round();
    if turns == 0.0 { to } else { libm::fma(-turns, TURN[1], libm::fma(-turns, TURN[0], to)) }
}

/// A joint as a step on the way from one frame to another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    /// The frame of the joint in the one before.
    pub(crate) place: Pose,
    pub(crate) axis: Vec3<f64>,
    /// The axis in the frame before.
    pub(crate) axis_before: Vec3<f64>,
    pub(crate) kind: JointKind,
    pub(crate) column: u32,
    pub(crate) ratio: f64,
    pub(crate) offset: f64,
    pub(crate) wraps: bool,
}

impl Step {
    /// `None`: the joint does not move.
    pub(crate) fn new(joint: &Joint, place: Pose) -> Option<Self> {
        let JointValue::Column { column, ratio, offset } = joint.value else { return None };
        let axis_before = turned(&rotation(place.q), joint.axis);
        let (axis, kind, wraps) = (joint.axis, joint.kind, joint.wraps);
        Some(Self { place, axis, axis_before, kind, column, ratio, offset, wraps })
    }

    /// Returns the joint's value, from the value of its column.
    pub(crate) fn value(&self, of_column: f64) -> f64 {
        self.ratio * of_column + self.offset
    }

    /// Returns the rates of the joint's value from those of its column.
    pub(crate) fn rate(&self, of_column: f64) -> f64 {
        self.ratio.abs() * of_column
    }

    /// Returns the joint's values at both ends of an interval, from the values of its column.
    pub(crate) fn ends(&self, [from, to]: [f64; 2]) -> [f64; 2] {
        [from, if self.wraps { nearest_turn(from, to) } else { to }].map(|of_column| self.value(of_column))
    }

    /// The frame behind the joint at a value, from the frame before it.
    pub(crate) fn after(&self, before: &Pose, value: f64) -> Pose {
        let way = self.axis_before.scale(self.kind.slide() * value);
        let moved = moved(before, [self.place.position, self.place.rest + way]);
        let placed = turned_by(before.q, self.place.q);
        if !self.kind.turns() {
            return Pose { q: placed, ..moved };
        }
        let (sine, cosine) = libm::sincos(0.5 * value);
        let turn = [cosine, self.axis.x * sine, self.axis.y * sine, self.axis.z * sine];
        Pose { q: product(placed, turn), ..moved }
    }
}

/// The product of a matrix, by rows, and a vector.
pub(crate) fn turned(rows: &[Vec3<f64>; 3], v: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v))
}

/// A frame placed in another one: [`Pose::after`], with the low part of positions, so that what
/// stands far from the origin loses nothing.
pub(crate) fn placed(before: &Pose, place: &Pose) -> Pose {
    let moved = moved(before, [place.position, place.rest]);
    Pose { q: turned_by(before.q, place.q), ..moved }
}

/// A frame moved to a point of its own, the sum of two vectors, with its low part.
fn moved(before: &Pose, [to, beside]: [Vec3<f64>; 2]) -> Pose {
    let rows = rotation(before.q);
    let (way, beside) = (turned(&rows, to), turned(&rows, beside));
    let at = |k: usize| Dd::from_parts(before.position[k], before.rest[k]) + Dd::sum(way[k], beside[k]);
    let [x, y, z] = [at(0), at(1), at(2)];
    Pose { position: Vec3::new(x.hi, y.hi, z.hi), rest: Vec3::new(x.lo, y.lo, z.lo), q: before.q }
}

fn turned_by(before: [f64; 4], turn: [f64; 4]) -> [f64; 4] {
    if turn == Pose::IDENTITY.q { before } else { product(before, turn) }
}

/// The product of two quaternions.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    clearsweep_geometry::pose::conjugate_product([a[0], -a[1], -a[2], -a[3]], b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    #[test]
    fn the_nearest_turn_is_the_same_direction_within_half_a_turn() {
        let mut turned = 0;
        for k in -400..400_i32 {
            let from = 0.37 * f64::from(k % 90);
            let to = from + 0.01 * f64::from(k % 300) + TAU * f64::from(k / 3);
            let nearest = nearest_turn(from, to);
            assert!((nearest - from).abs() <= PI * (1.0 + 1e-15), "{from} {to}: {nearest}");
            let (of_nearest, of_to) = (libm::sincos(nearest), libm::sincos(to));
            // `to` is exact, `nearest` is off by its last places.
            let most = 2.0 * f64::EPSILON * (1.0 + nearest.abs());
            assert!((of_nearest.0 - of_to.0).abs() <= most && (of_nearest.1 - of_to.1).abs() <= most, "{from} {to}");
            turned += u32::from(nearest != to);
        }
        assert!(turned > 700, "{turned}");
        assert_eq!(nearest_turn(3.0, 3.1).to_bits(), 3.1_f64.to_bits(), "a short step stays as it is");
    }
}
