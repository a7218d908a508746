//! The data that all readers produce.

use std::fmt;
use std::sync::Arc;

/// Pose of a child frame in its parent frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Origin of the child frame in the parent frame, metres.
    pub position: [f64; 3],
    /// Rotation from the child frame to the parent frame: unit quaternion `(w, x, y, z)`.
    pub orientation: [f64; 4],
}

impl Place {
    /// The child frame that coincides with its parent frame.
    pub const IDENTITY: Self = Self { position: [0.0; 3], orientation: [1.0, 0.0, 0.0, 0.0] };
}

/// Line of a description, which may be in an included file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Path of the file, as messages show it.
    pub file: Arc<str>,
    /// Number of the line, from 1.
    pub number: usize,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.number)
    }
}

/// A robot: links, and the joints between them, which form a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    /// Name of the robot.
    pub name: String,
    /// Links in the order of the file; names are unique.
    pub links: Vec<Link>,
    /// Joints in the order of the file; names are unique. Each link is the child of at most one
    /// joint.
    ///
    /// URDF has exactly one root. MJCF has the root `world`, and one more for each body that moves
    /// freely.
    pub joints: Vec<Joint>,
    /// Index of the link that is the world (MJCF only).
    pub world: Option<usize>,
    /// Pairs of links that the file excludes from collision checks (MJCF only; for URDF see
    /// [`crate::Srdf`]).
    pub excluded: Vec<LinkPair>,
    /// Parts of the file that were not read and may matter for proximity.
    pub notes: Vec<Note>,
}

/// A rigid part of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name, unique among the links.
    pub name: String,
    /// Line of its element.
    pub line: Line,
    /// Pose of the link's frame in the robot's frame, unless a joint carries it: the identity but
    /// for bodies of MJCF that move freely.
    pub place: Place,
    /// Collision geometry in the frame of the link, in the order of the file; may be empty.
    pub collisions: Vec<Collision>,
    /// Name of its free joint, or of the body if that has none or the user moves it (`mocap`);
    /// `None`: it does not move freely (MJCF only).
    pub free: Option<String>,
    /// Whether it is no part of the file, but lies between several joints of one body (MJCF only).
    pub is_between_joints: bool,
}

/// One piece of the collision geometry of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Collision {
    /// Name in the file, if it has one.
    pub name: Option<String>,
    /// Line of its element.
    pub line: Line,
    /// Frame of the shape in the frame of the link.
    pub place: Place,
    /// Shape in its own frame.
    pub shape: CollisionShape,
}

/// A shape in its own frame: its centre is the origin, and its axis, if it has one, is z. Lengths
/// in metres.
#[derive(Debug, Clone, PartialEq)]
pub enum CollisionShape {
    /// Box with edges along the axes.
    Box {
        /// Full edge lengths along x, y and z, each positive.
        sides: [f64; 3],
    },
    /// Sphere.
    Sphere {
        /// Radius, positive.
        radius: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// Radius, positive.
        radius: f64,
        /// Full length along z, positive.
        length: f64,
    },
    /// Capsule along z: all points within `radius` of a segment.
    Capsule {
        /// Radius, positive.
        radius: f64,
        /// Length of the segment between the centres of the caps, positive.
        length: f64,
    },
    /// Ellipsoid with axes along x, y and z.
    Ellipsoid {
        /// Half lengths of the axes, each positive.
        half_axes: [f64; 3],
    },
    /// Mesh in a file.
    Mesh {
        /// Name of the file as the description gives it; see [`crate::resolve`].
        file: String,
        /// Factors along x, y and z that are applied to the vertices first. None is 0; a negative
        /// one mirrors.
        scale: [f64; 3],
    },
}

/// Degrees of freedom of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// No motion.
    Fixed,
    /// Rotation about the axis, within a range.
    Revolute,
    /// Rotation about the axis without end.
    Continuous,
    /// Translation along the axis.
    Prismatic,
    /// Translation across the axis, and rotation about it: three values (URDF only).
    Planar,
    /// Any rigid motion: six values (URDF only).
    Floating,
}

impl JointKind {
    /// Whether it has several values. Its ends do not touch by construction.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Planar | Self::Floating)
    }
}

/// A connection of two links.
///
/// At the joint value `v`, the child's frame in the parent's frame is `place`, followed by a
/// rotation by `v` about `axis` or a translation by `v` along it.
/// A joint of several values has these in its own frame; `axis` of a planar one is the normal.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name, unique among the joints.
    pub name: String,
    /// Line of its element.
    pub line: Line,
    /// Degrees of freedom.
    pub kind: JointKind,
    /// Index of the parent in [`Robot::links`].
    pub parent: usize,
    /// Index of the child in [`Robot::links`].
    pub child: usize,
    /// Frame of the joint at value 0 in the frame of the parent.
    pub place: Place,
    /// Axis in the frame of the joint, unit length; `[1, 0, 0]` for a fixed or floating joint.
    pub axis: [f64; 3],
    /// Least and greatest value: radians, or metres for a prismatic joint. `None` if the file gives
    /// none.
    pub range: Option<[f64; 2]>,
    /// The joint that this one follows.
    pub mimic: Option<Mimic>,
}

/// Coupling of a joint to another: `value = ratio * other + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// Index of the other joint in [`Robot::joints`]. Following these indices never leads in a
    /// circle.
    pub joint: usize,
    /// Factor; radians and metres as the two joints have them.
    pub ratio: f64,
    /// Summand: radians, or metres for a prismatic joint.
    pub offset: f64,
}

/// Two links that are not to be checked against each other, or are to be checked in spite of a
/// default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkPair {
    /// Name of one link.
    pub a: String,
    /// Name of the other link.
    pub b: String,
    /// Reason in the file's words, for example `Adjacent`.
    pub reason: Option<String>,
    /// Line of the file, from 1.
    pub line: usize,
}

/// A part of a file that was not read, or was read with an assumption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Line of the file, from 1.
    pub line: usize,
    /// The part and its consequence.
    pub text: String,
}
