//! Baselines: how near pairs are by design, which a rule does not count.

use clearsweep_geometry::Pose;

/// The moment of a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineAt {
    /// Bodies stand where the scene and its files place them.
    Rest,
    /// The first frame of each run.
    First,
    /// The frame of each run with this number.
    Frame(i64),
}

impl std::fmt::Display for BaselineAt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rest => f.write_str("rest"),
            Self::First => f.write_str("first"),
            Self::Frame(frame) => write!(f, "frame:{frame}"),
        }
    }
}

/// `baseline` and `worse_by` of a rule: a pair that is nearer than required at a moment counts only
/// where it is nearer than it was there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// The moment.
    pub at: BaselineAt,
    /// By how much it has to be nearer in order to count, metres, 0 or more.
    pub worse_by: f64,
}

/// A pair at the baseline of its rule.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselinePair {
    /// The run; 0 of a baseline at rest.
    pub run: i64,
    /// Body A.
    pub a: u32,
    /// Body B.
    pub b: u32,
    /// The requirement of the pair, metres: less than that of its rule. NaN: none, as neither body
    /// moves.
    pub required: f64,
    /// The poses of A and B there (recentred frames in the world), if the bracket there holds
    /// `required`.
    pub poses: Option<Box<[Pose; 2]>>,
}

/// The pairs that were nearer at a baseline than required.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baselines {
    /// Those at rest, sorted by (a, b).
    at_rest: Vec<BaselinePair>,
    /// Those of a frame of each run, by moment, sorted by (run, a, b).
    of_runs: Vec<(BaselineAt, Vec<BaselinePair>)>,
}

impl Baselines {
    /// Adds the pairs of a moment, in any order.
    pub fn add(&mut self, at: BaselineAt, mut pairs: Vec<BaselinePair>) {
        pairs.sort_unstable_by_key(BaselinePair::key);
        match at {
            BaselineAt::Rest => self.at_rest = pairs,
            _ => self.of_runs.push((at, pairs)),
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.at_rest.is_empty() && self.of_runs.is_empty()
    }

    /// Returns a pair that was nearer at this moment; `None` if it was not.
    pub fn pair(&self, at: BaselineAt, run: i64, a: u32, b: u32) -> Option<&BaselinePair> {
        let (pairs, key) = match at {
            BaselineAt::Rest => (&self.at_rest, (0, a, b)),
            _ => (&self.of_runs.iter().find(|(moment, _)| *moment == at)?.1, (run, a, b)),
        };
        pairs.binary_search_by_key(&key, BaselinePair::key).ok().map(|found| &pairs[found])
    }

    /// The pairs of each moment, sorted by (run, a, b).
    pub fn moments(&self) -> impl Iterator<Item = (BaselineAt, &[BaselinePair])> {
        let at_rest = (!self.at_rest.is_empty()).then_some((BaselineAt::Rest, self.at_rest.as_slice()));
        at_rest.into_iter().chain(self.of_runs.iter().map(|(at, pairs)| (*at, pairs.as_slice())))
    }

    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = &BaselinePair> {
        self.at_rest.iter().chain(self.of_runs.iter().flat_map(|(_, pairs)| pairs))
    }
}

impl BaselinePair {
    fn key(&self) -> (i64, u32, u32) {
        (self.run, self.a, self.b)
    }
}
