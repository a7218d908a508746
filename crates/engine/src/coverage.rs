//! Whether a job looks at anything at all: a frame in which both bodies of a possible pair have a
//! pose.

use clearsweep_model::{FrameBlock, Motion, PairCounts, Scene};

/// Why a job looked at nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NothingChecked {
    /// The input has no frame.
    NoFrame,
    /// No body moves against another one.
    NoPair,
    /// The rules of the scene ignore every pair.
    AllIgnored,
    /// In no frame did both bodies of a pair have a pose.
    NeverTogether,
}

impl NothingChecked {
    /// The word of the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoFrame => "no-frame",
            Self::NoPair => "no-pair",
            Self::AllIgnored => "all-ignored",
            Self::NeverTogether => "never-together",
        }
    }

    /// The reason as a clause.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoFrame => "there was no frame to look at",
            Self::NoPair => "there is no pair of bodies of which one moves",
            Self::AllIgnored => "every pair is ignored by a rule",
            Self::NeverTogether => "in no frame did both bodies of a pair have a pose",
        }
    }

    /// The reason of a name in a manifest.
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [Self::NoFrame, Self::NoPair, Self::AllIgnored, Self::NeverTogether];
        all.into_iter().find(|reason| reason.name() == name)
    }
}

/// Watches the blocks of a job until a pair is found that is looked at.
pub(super) struct Coverage {
    counts: PairCounts,
    samples: u64,
    reached: bool,
    /// Whether two static bodies are a pair that no rule ignores: it is looked at in the first
    /// sample.
    static_pair: bool,
    classes: Vec<ClassPresence>,
}

/// The bodies of one class of the ignore rules. Rules treat them alike.
#[derive(Debug, Clone, Default)]
struct ClassPresence {
    /// Slots of the dynamic bodies.
    slots: Vec<u32>,
    /// Whether a static body is among them.
    has_static: bool,
    /// Bit `s`: at least one, at least two dynamic bodies have a pose in sample `s` of the block.
    one: u64,
    two: u64,
}

impl Coverage {
    /// Returns the coverage of a job on this scene.
    pub(super) fn new(scene: &Scene) -> Self {
        let counts = scene.pair_counts();
        let unignored = |static_pairs| {
            let counts = scene.pair_counts_with(static_pairs);
            counts.possible - counts.ignored
        };
        let mut classes = vec![ClassPresence::default(); scene.ignored.classes.max(1)];
        for (index, body) in scene.bodies.iter().enumerate() {
            let class = &mut classes[scene.ignored.class.get(index).map_or(0, |&class| class as usize)];
            match body.motion {
                Motion::Static(_) => class.has_static = true,
                Motion::Dynamic { slot } => class.slots.push(slot),
            }
        }
        let static_pair = scene.query.static_pairs && unignored(true) > unignored(false);
        Self { counts, samples: 0, reached: false, static_pair, classes }
    }

    /// Takes the next block.
    pub(super) fn look(&mut self, scene: &Scene, block: &FrameBlock) {
        self.samples += block.samples.len() as u64;
        if self.reached || block.samples.is_empty() || self.counts.possible == self.counts.ignored {
            return;
        }
        self.reached = self.static_pair || self.meets(scene, block);
    }

    /// Whether both bodies of a pair have a pose in some sample of the block.
    fn meets(&mut self, scene: &Scene, block: &FrameBlock) -> bool {
        for class in &mut self.classes {
            (class.one, class.two) = (0, 0);
            for &slot in &class.slots {
                let present = block.present[slot as usize];
                class.two |= class.one & present;
                class.one |= present;
            }
        }
        let ignored = |c: usize, d: usize| {
            let bit = c * scene.ignored.classes + d;
            scene.ignored.matrix.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
        };
        let fixed = |class: &ClassPresence| if class.has_static { u64::MAX } else { 0 };
        let moving = self.classes.iter().enumerate().filter(|(_, class)| class.one != 0);
        moving.into_iter().any(|(c, class)| {
            self.classes.iter().enumerate().any(|(d, other)| {
                let together = if c == d { class.two | class.one & fixed(class) } else { other.one | fixed(other) };
                class.one & together != 0 && !ignored(c, d)
            })
        })
    }

    /// Why nothing was looked at; `None` where something was.
    pub(super) fn nothing(&self) -> Option<NothingChecked> {
        match () {
            () if self.reached => None,
            () if self.samples == 0 => Some(NothingChecked::NoFrame),
            () if self.counts.possible == 0 => Some(NothingChecked::NoPair),
            () if self.counts.possible == self.counts.ignored => Some(NothingChecked::AllIgnored),
            () => Some(NothingChecked::NeverTogether),
        }
    }
}

/// One word for the outcome of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunVerdict {
    /// A clearance is required, and every row and interval keeps it.
    Clear,
    /// No clearance is required.
    NothingRequired,
    /// A clearance is required, and nothing was looked at.
    NothingChecked,
    /// No row and no interval violates the requirement, and at least one bracket holds the limit.
    Undecided,
    /// No row and no interval violates the requirement, and at least one row has no proven bracket,
    /// or one interval is undecided.
    Uncertified,
    /// At least one row or interval violates the requirement, and all that do are accepted.
    Accepted,
    /// At least one row or interval violates the requirement, and nobody has accepted it.
    Violated,
}

impl RunVerdict {
    /// The word of the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::NothingRequired => "nothing required",
            Self::NothingChecked => "nothing-checked",
            Self::Undecided => "undecided",
            Self::Uncertified => "uncertified",
            Self::Accepted => "accepted",
            Self::Violated => "violated",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::{Missing, Sample};
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};

    /// Two bodies that move and one at rest; `rules` are pairs of selectors that are ignored.
    fn scene(rules: &[(&str, &str)]) -> Scene {
        let body = |name: &str| BodyBuilder::new(name, Geometry::Sphere(1.0)).group(name);
        let mut builder = SceneBuilder::new(1.0).missing(Missing::Absent).body(body("a")).body(body("b"));
        builder = builder.body(body("floor").fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
        for &(a, b) in rules {
            builder = builder.ignore(a, b);
        }
        builder.build().expect("a scene")
    }

    fn nothing(scene: &Scene, present: [u64; 2]) -> Option<NothingChecked> {
        let mut block = FrameBlock::new(0, 2);
        block.samples = (0..3).map(|frame| Sample { run: 0, frame, time_s: None }).collect();
        block.present = present.to_vec();
        let mut coverage = Coverage::new(scene);
        coverage.look(scene, &block);
        coverage.nothing()
    }

    #[test]
    fn a_pair_counts_where_both_bodies_are_there() {
        let together = Some(NothingChecked::NeverTogether);
        assert_eq!(nothing(&scene(&[]), [0, 0]), together);
        assert_eq!(nothing(&scene(&[]), [0b001, 0]), None, "against the floor");
        let no_floor = scene(&[("floor", "*")]);
        assert_eq!(nothing(&no_floor, [0b001, 0b110]), together, "in different frames");
        assert_eq!(nothing(&no_floor, [0b011, 0b110]), None);
        let only_b = scene(&[("a", "*")]);
        assert_eq!(nothing(&only_b, [0b111, 0]), together);
        assert_eq!(nothing(&only_b, [0, 0b100]), None);
    }

    #[test]
    fn each_reason_has_its_name() {
        assert_eq!(nothing(&scene(&[("*", "*")]), [0b111, 0b111]), Some(NothingChecked::AllIgnored));
        assert_eq!(Coverage::new(&scene(&[])).nothing(), Some(NothingChecked::NoFrame));
        let body = BodyBuilder::new("a", Geometry::Sphere(1.0));
        let alone = SceneBuilder::new(1.0).body(body.fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0])).build().expect("a scene");
        let mut block = FrameBlock::new(0, 0);
        block.samples.push(Sample { run: 0, frame: 0, time_s: None });
        let mut coverage = Coverage::new(&alone);
        coverage.look(&alone, &block);
        assert_eq!(coverage.nothing(), Some(NothingChecked::NoPair));
        for reason in [NothingChecked::NoFrame, NothingChecked::NoPair, NothingChecked::NeverTogether] {
            assert_eq!(NothingChecked::of_name(reason.name()), Some(reason));
        }
    }
}
