//! NARROW: the signed distance of a near pair, with witnesses and a proven bracket.
//!
//! *Architecture invariant*: does no input or output, and knows no time: a query gets poses of one pair and a mask,
//! and answers in A's frame.

pub mod proximity;

pub use proximity::{FeatureKind, Method, Proximity, Status};

use crate::geometry::Pose;
use crate::scene::{Lanes, QueryOptions, Shape};

/// The poses of one body over the samples of a block.
#[derive(Debug, Clone, Copy)]
pub enum Poses<'a> {
    /// The same in every sample.
    Fixed(&'a Pose),
    /// The ten components of a slot of a block (`FrameBlock::slot`).
    Moving(&'a [Lanes]),
}

impl Poses<'_> {
    /// The pose in `sample`.
    #[inline]
    pub fn at(&self, sample: usize) -> Pose {
        match self {
            Self::Fixed(pose) => **pose,
            Self::Moving(c) => Pose {
                position: [c[0].0[sample], c[1].0[sample], c[2].0[sample]].into(),
                q: [c[3].0[sample], c[4].0[sample], c[5].0[sample], c[6].0[sample]],
                rest: [c[7].0[sample], c[8].0[sample], c[9].0[sample]].into(),
            },
        }
    }
}

/// One pair in the samples of a mask.
#[derive(Debug, Clone, Copy)]
pub struct PairQuery<'a> {
    /// Body A.
    pub a: &'a Shape,
    /// Body B.
    pub b: &'a Shape,
    /// Poses of A.
    pub poses_a: Poses<'a>,
    /// Poses of B.
    pub poses_b: Poses<'a>,
    /// Bit `s`: answer for sample `s`.
    pub samples: u64,
}

/// What a pair remembers from sample to sample and from block to block: indices only, never coordinates.
#[derive(Debug, Clone, Default)]
pub struct PairCache {}

/// How often each route was taken; sums go to the manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Routes {
    /// Queries asked (samples of pieces).
    pub queries: u64,
}

impl Routes {
    /// Adds the counts of another worker.
    pub fn add(&mut self, other: &Self) {
        self.queries += other.queries;
    }

    /// Names and counts, for the manifest, in a fixed order.
    pub fn entries(&self) -> Vec<(&'static str, u64)> {
        vec![("queries", self.queries)]
    }
}

/// A method that answers queries. All methods give the same rows, bit for bit.
pub trait NarrowPhase: Sync + Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Appends to `out`, in order of sample, a row for every set sample whose `lower <= options.within` (and every
    /// uncertified one), in A's recentred frame.
    fn walk(
        &self,
        query: &PairQuery<'_>,
        options: &QueryOptions,
        cache: &mut PairCache,
        routes: &mut Routes,
        out: &mut Vec<Proximity>,
    );
}
