//! Bodies, and the options of the query about every pair, in SI units.

use crate::between::Pivot;
use crate::deviation_source::DeviationSource;
use crate::motion_bounds::MotionBounds;
use crate::shape::Shape;
use crate::steps::PoseSteps;
use clearsweep_geometry::Pose;
use std::path::PathBuf;
use std::sync::Arc;

/// Whether a body moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// It stays at this pose (of the recentred frame).
    Static(Pose),
    /// Its poses are in the trajectories; the slot it has in a `FrameBlock`.
    Dynamic {
        /// Index into `Scene::dynamic` and the slots of a block.
        slot: u32,
    },
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Its geometry.
    pub shape: Arc<Shape>,
    /// Source of its deviation.
    #[doc(hidden)]
    pub deviation_source: DeviationSource,
    /// Static or dynamic.
    #[doc(hidden)]
    pub motion: Motion,
    /// The point that moves on a line between frames.
    #[doc(hidden)]
    pub pivot: Pivot,
    /// All that is known of its motion under `between = "bounded"`.
    #[doc(hidden)]
    pub bounds: MotionBounds,
    /// Its groups, sorted, without duplicates; bodies of one list share it.
    pub groups: Arc<[String]>,
    /// The integer that stands for the name in trajectories, if the body has one.
    pub id: Option<i128>,
    /// The rounding steps of the pose of a static body.
    #[doc(hidden)]
    pub pose_steps: PoseSteps,
}

impl Body {
    /// The largest rounding step of the coordinates of its geometry and its poses as the files
    /// store them, metres. `moving`: the steps of the poses of moving bodies; `None`: they are not
    /// known.
    #[doc(hidden)]
    pub fn coordinate_step(&self, moving: Option<PoseSteps>) -> Option<f64> {
        let steps = match self.motion {
            Motion::Static(_) => self.pose_steps,
            Motion::Dynamic { .. } => moving?,
        };
        let [x, y, z] = self.shape.center.to_array();
        let reach = x.hypot(y).hypot(z) + self.shape.radius;
        Some(self.shape.coordinate_step.max(steps.of_reach(reach)))
    }
}

/// Treatment of a dynamic body without a row in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// It is an error.
    #[default]
    Error,
    /// The body is absent in that frame.
    Absent,
    /// It stays where it was (within the run; an error before its first row).
    Hold,
}

/// The `touch` of a scene that says nothing, metres: a micrometre, far above the rounding of poses
/// and far below what can be measured on a machine.
pub const DEFAULT_TOUCH_M: f64 = 1e-6;

/// The numbers that are computed about a pair: `[query] answer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerKind {
    /// Whether the bodies overlap: rows of bodies that touch or overlap alone, without their depth.
    Overlap,
    /// The distance of bodies that are apart. Of bodies that overlap a bracket that needs no
    /// search.
    Distance,
    /// The distance of bodies that are apart, and the depth of bodies that overlap.
    #[default]
    Depth,
}

impl AnswerKind {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Overlap, Self::Distance, Self::Depth];

    /// The word of the scene file and of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Distance => "distance",
            Self::Depth => "depth",
        }
    }
}

/// Options of the query about every pair, lengths in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryOptions {
    /// A row iff `lower_m <= within`.
    pub within: f64,
    /// Whether `within` follows from what is required: neither the scene nor the command line says
    /// it.
    pub within_from_require: bool,
    /// Violated iff `upper_m < require`.
    pub require: Option<f64>,
    /// Separated iff `lower_m > touch`; penetrating iff `upper_m < -touch`.
    pub touch: f64,
    /// Whether two static bodies are paired too.
    pub static_pairs: bool,
    /// The numbers that are computed about a pair. [`AnswerKind::Overlap`] comes with `within =
    /// touch`.
    pub answer: AnswerKind,
    /// Whether every region in which two bodies touch or overlap is asked for: `[query] contacts =
    /// "all"`.
    pub contacts: bool,
}

impl QueryOptions {
    /// Rows of all moving pairs, with their depths: nothing counts as touching but what rounding
    /// cannot tell.
    pub const EVERYTHING: Self = Self {
        within: f64::INFINITY,
        within_from_require: false,
        require: None,
        touch: 0.0,
        static_pairs: false,
        answer: AnswerKind::Depth,
        contacts: false,
    };
}

/// A length unit of the contract.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthUnit {
    /// The word: m, mm, cm, km, in, ft.
    pub word: &'static str,
    /// Metres in a unit = `numerator / denominator`.
    pub numerator: f64,
    /// See `numerator`.
    pub denominator: f64,
}

impl LengthUnit {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self { word: "m", numerator: 1.0, denominator: 1.0 },
        Self { word: "mm", numerator: 1.0, denominator: 1e3 },
        Self { word: "cm", numerator: 1.0, denominator: 1e2 },
        Self { word: "km", numerator: 1e3, denominator: 1.0 },
        Self { word: "in", numerator: 254.0, denominator: 1e4 },
        Self { word: "ft", numerator: 3048.0, denominator: 1e4 },
    ];

    /// The unit of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.word == word)
    }

    /// The words of all units, for messages.
    #[doc(hidden)]
    pub fn words() -> String {
        Self::ALL.map(|unit| unit.word).join(", ")
    }

    /// Decimals of a length in this unit down to about a micrometre, for messages.
    #[doc(hidden)]
    pub fn decimals(self) -> usize {
        match self.word {
            "mm" => 3,
            "cm" | "in" => 4,
            "ft" => 5,
            "km" => 9,
            _ => 6,
        }
    }

    /// Metres in this unit, to twelve digits, for messages.
    #[doc(hidden)]
    pub fn number(self, metres: f64) -> f64 {
        let value = metres * self.denominator / self.numerator;
        format!("{value:.11e}").parse().unwrap_or(value)
    }

    /// A length of this unit in metres: one multiplication and one division, each correctly
    /// rounded.
    #[inline]
    pub fn metres(self, length: f64) -> f64 {
        length * self.numerator / self.denominator
    }
}

/// The digest of an input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputDigest {
    /// The path as found.
    pub path: PathBuf,
    /// Size, bytes.
    pub bytes: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}
