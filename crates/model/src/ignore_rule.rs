//! Rules about pairs that are never reported, and how many pairs they cover.

use super::own_pairs;
use super::{Body, Motion, Scene};

/// An `[[ignore]]` rule and how much it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreRule {
    /// The selector `a`, as written; `None`: everything.
    pub a: Option<String>,
    /// The selector `b`; `None`: everything.
    pub b: Option<String>,
    /// Which ancestor the bodies of a pair have in common; `None`: it does not matter.
    pub same: Option<SameAncestor>,
    /// `reason`, as written.
    pub reason: Option<String>,
    /// Pairs of bodies (static ones too) that the rule covers; 0 where a group or a glob holds a
    /// single body.
    pub pairs: u64,
    /// Some of them: indices of bodies.
    pub examples: Vec<[u32; 2]>,
}

/// Which ancestor bodies have in common: `same` of `[[ignore]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameAncestor {
    /// The node above.
    Parent,
    /// The node of this level that is above, or the body itself; roots have level 1.
    Level(u32),
    /// The node or object of which they are connected components (`each = "component"`).
    Component,
}

impl SameAncestor {
    /// The ancestor of a word of the contract.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "parent" => Some(Self::Parent),
            "component" => Some(Self::Component),
            level => level.strip_prefix("level:")?.parse().ok().filter(|&level| level > 0).map(Self::Level),
        }
    }

    /// The word of the contract.
    pub fn word(self) -> String {
        match self {
            Self::Parent => "parent".to_owned(),
            Self::Level(level) => format!("level:{level}"),
            Self::Component => "component".to_owned(),
        }
    }
}

/// How many pairs of bodies a scene has: pairs of two static bodies count only with `static_pairs`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// All pairs, the ignored ones too.
    pub possible: u64,
    /// Those that rules ignore.
    pub ignored: u64,
}

impl Scene {
    /// Counts the pairs of the scene, by classes of bodies and not one by one.
    #[doc(hidden)]
    pub fn pair_counts(&self) -> PairCounts {
        self.pair_counts_with(self.query.static_pairs)
    }

    /// As [`Scene::pair_counts`], with the pairs of two static bodies or without them, whatever the
    /// scene says.
    #[doc(hidden)]
    pub fn pair_counts_with(&self, static_pairs: bool) -> PairCounts {
        let [dynamic, fixed] = split(&self.bodies);
        let possible = own_pairs(dynamic, fixed, static_pairs);
        PairCounts { possible, ignored: self.ignored.count_ignored(&self.bodies, static_pairs, |_| true) }
    }
}

/// Numbers of dynamic and of static bodies.
fn split(bodies: &[Body]) -> [u64; 2] {
    let fixed = bodies.iter().filter(|body| matches!(body.motion, Motion::Static(_))).count() as u64;
    [bodies.len() as u64 - fixed, fixed]
}
