//! NARROW: the signed distance of a near pair, with witnesses and a proven bracket.
//!
//! ```text
//! walk.rs      the ladder for a pair of convex pieces, with what it remembers from sample to sample
//!   strict.rs      1. the remembered features, if still strictly optimal      <- finisher.rs: one formula per kind
//!   gjk/, vclip/   2. the search from the remembered simplex, or from feature to feature
//!   epa/              the polytope of an overlap
//!   resolver/      3. the cold resolver: f64 from a fixed start, then extended precision and the tie rule
//!   exact/         4. integers, for whatever is left
//! pieces.rs    bodies of several pieces
//! rows.rs      the rows of bodies of one piece each, alone or eight at a time
//! ahead.rs     many samples of a pair, eight at a time
//! apart.rs     samples that need no question, since a gap outlasts the motion, or is seen again
//! together/    few samples of many pairs, eight at a time
//! ```
//!
//! A row is a function of geometry, relative pose and options: an answer found warm counts only if it is *strict*
//! (the optimum is unique, so every way ends there); all else is decided by the cold resolver.
//!
//! *Architecture invariant*: does no input or output, and knows no time: a query gets poses of one pair and a mask,
//! and answers in A's frame.

mod ahead;
pub mod answer;
mod apart;
pub mod epa;
pub mod exact;
pub mod feature;
pub mod finisher;
pub mod gjk;
pub mod pair;
pub mod pieces;
pub mod proximity;
mod relative;
pub mod resolver;
pub mod routes;
mod rows;
pub mod strict;
mod support;
mod together;
pub mod vclip;
pub mod walk;

pub use pieces::PairCache;
pub use proximity::{FeatureKind, Method, Proximity, Status};
pub use routes::Routes;

use crate::geometry::{Pose, RelativePose};
use crate::scene::{Lanes, QueryOptions, Shape};
use ahead::{Asked, Known};
use apart::Apart;
use pieces::Found;
use std::cell::Cell;
use together::First;
use walk::Search;

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

/// A method that answers queries. All methods give the same rows, bit for bit.
pub trait NarrowPhase: Sync + Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Computes what is needed of a shape once and for all, which is otherwise done when it is first asked. Of two threads that
    /// ask for it together one has to wait.
    fn prepare(&self, _: &Shape) {}

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

    /// Walks several queries, each with its memory: the rows of one after the other, as [`Self::walk`] appends them. To `ends`
    /// is appended, for each query, the length of `out` after its rows.
    fn walk_all(
        &self,
        queries: &[PairQuery<'_>],
        options: &QueryOptions,
        caches: &mut [PairCache],
        routes: &mut Routes,
        out: &mut Vec<Proximity>,
        ends: &mut Vec<usize>,
    ) {
        for (query, cache) in queries.iter().zip(caches) {
            self.walk(query, options, cache, routes, out);
            ends.push(out.len());
        }
    }
}

/// What is fastest: V-Clip from remembered features, and for pairs of which nothing is remembered where they are likely apart;
/// EPA at once for cold pairs that are not; GJK for what is left.
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto;

/// GJK with signed volumes, EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gjk;

/// V-Clip from feature to feature; GJK and EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct VClip;

/// Vertices up to which the planes of a shape are formed before it is known whether they are needed.
const PREPARED: usize = 10_000;

/// The methods differ in the search that their walks fall back on.
macro_rules! method {
    ($method:ident, $name:literal) => {
        impl NarrowPhase for $method {
            fn name(&self) -> &'static str {
                $name
            }

            fn prepare(&self, shape: &Shape) {
                if let [piece] = &shape.pieces[..]
                    && Search::$method != Search::Gjk
                    && piece.core.count <= PREPARED
                {
                    piece.core.planes();
                }
            }

            fn walk(
                &self,
                query: &PairQuery<'_>,
                options: &QueryOptions,
                cache: &mut PairCache,
                routes: &mut Routes,
                out: &mut Vec<Proximity>,
            ) {
                walk_with(Search::$method, query, options, cache, routes, out);
            }

            fn walk_all(
                &self,
                queries: &[PairQuery<'_>],
                options: &QueryOptions,
                caches: &mut [PairCache],
                routes: &mut Routes,
                out: &mut Vec<Proximity>,
                ends: &mut Vec<usize>,
            ) {
                walk_all_with(Search::$method, queries, options, caches, routes, (out, ends));
            }
        }
    };
}
method!(Auto, "auto");
method!(Gjk, "gjk");
method!(VClip, "vclip");

/// Working memory of a walk: nothing in it outlasts the walk but its allocation.
#[derive(Debug, Default)]
struct Working {
    lanes: relative::RelativeLanes,
    eight: strict::lanes::Eight,
    searched: ahead::Searched,
    scratch: walk::Scratch,
    together: together::Together,
}

thread_local! {
    /// A block has tens of thousands of walks: each would clear tens of kilobytes.
    static WORKING: Cell<Option<Box<Working>>> = const { Cell::new(None) };
}

fn walk_with(
    search: Search,
    query: &PairQuery<'_>,
    options: &QueryOptions,
    cache: &mut PairCache,
    routes: &mut Routes,
    out: &mut Vec<Proximity>,
) {
    let mut working = WORKING.take().unwrap_or_default();
    working.scratch.set(search, query.samples);
    let from = Samples { left: query.samples, gap: None };
    walk_in(&mut working, query, from, options, cache, routes, out);
    WORKING.set(Some(working));
}

fn walk_all_with(
    search: Search,
    queries: &[PairQuery<'_>],
    options: &QueryOptions,
    caches: &mut [PairCache],
    routes: &mut Routes,
    (out, ends): (&mut Vec<Proximity>, &mut Vec<usize>),
) {
    let mut working = WORKING.take().unwrap_or_default();
    let (mut queries, mut caches) = (queries, caches);
    while !queries.is_empty() {
        let (group, later) = queries.split_at(together::group(queries));
        let (memories, rest) = caches.split_at_mut(group.len());
        (queries, caches) = (later, rest);
        working.together.ask(search, group, options, memories, routes);
        for (i, (query, cache)) in group.iter().zip(memories).enumerate() {
            let first = working.together.first(i, query, options, routes, out);
            let from = Samples::after(&first, query);
            if from.left != 0 {
                working.scratch.set(search, query.samples);
                walk_in(&mut working, query, from, options, cache, routes, out);
            }
            ends.push(out.len());
        }
    }
    WORKING.set(Some(working));
}

/// The samples of a query that are still to be asked.
struct Samples {
    left: u64,
    /// What was proven in one before them.
    gap: Option<(f64, RelativePose<f64>)>,
}

impl Samples {
    /// After the first one was looked at.
    #[inline]
    fn after(first: &First, query: &PairQuery<'_>) -> Self {
        let rest = query.samples & query.samples.wrapping_sub(1);
        match *first {
            First::Open => Self { left: query.samples, gap: None },
            First::Beyond(gap) if rest != 0 => {
                let sample = query.samples.trailing_zeros() as usize;
                let at = RelativePose::between(&query.poses_a.at(sample), &query.poses_b.at(sample));
                Self { left: rest, gap: Some((gap, at)) }
            }
            First::Beyond(_) | First::Answered => Self { left: rest, gap: None },
        }
    }
}

fn walk_in(
    working: &mut Working,
    query: &PairQuery<'_>,
    Samples { mut left, gap }: Samples,
    options: &QueryOptions,
    cache: &mut PairCache,
    routes: &mut Routes,
    out: &mut Vec<Proximity>,
) {
    let Working { lanes, eight, searched, scratch, .. } = working;
    let relative = relative::RelativePoses::new(query.poses_a, query.poses_b, left, lanes);
    let mut ahead = ahead::Ahead::new(scratch.search(), query, options, &relative, cache, (eight, searched));
    out.reserve(left.count_ones() as usize);
    let mut apart = Apart::new(query, options, &relative, cache.hulls.aside);
    if let Some((gap, at)) = gap {
        apart.beyond(gap, at, None);
    }
    while left != 0 {
        let stretch = match apart.next(left, routes) {
            Ok(stretch) => stretch,
            Err(ruled_out) => {
                left &= !ruled_out;
                continue;
            }
        };
        let taken = ahead.take(stretch, routes, out);
        if taken != 0 {
            apart.near();
            left &= !taken;
            continue;
        }
        let sample = left.trailing_zeros() as usize;
        left &= left - 1;
        let asked = Asked { sample, left };
        match ahead.answer(&asked, &mut apart, cache, routes, out) {
            Some(Known::Answered) => {
                apart.near();
                continue;
            }
            Some(Known::Beyond { gap, normal }) => {
                apart.beyond(gap, relative.at(sample), normal);
                continue;
            }
            None => {}
        }
        let at = relative.at(sample);
        let (pose_a, pose_b) = (query.poses_a.at(sample), query.poses_b.at(sample));
        let bodies = pieces::Bodies { a: query.a, b: query.b, pose_a, pose_b, relative: at };
        let before = routes.verified + routes.surface_verified;
        let found = pieces::query(&bodies, options, cache, scratch, routes);
        ahead.asked(routes.verified + routes.surface_verified > before, cache);
        match found {
            Found::Beyond { gap, normal } => apart.beyond(gap, at, normal),
            Found::Row(row) => {
                apart.near();
                if row.lower.is_nan() || row.lower <= options.within {
                    out.push(Proximity { sample: sample as u8, ..row });
                }
            }
        }
    }
    cache.hulls.aside = apart.aside();
}

/// The answer about one pair from a cold start, whatever the distance: witness points and normal in A's recentred
/// frame.
pub fn query_one(a: &Shape, b: &Shape, pose_a: &Pose, pose_b: &Pose, options: &QueryOptions) -> Proximity {
    let all = QueryOptions { within: f64::INFINITY, ..*options };
    let query = PairQuery { a, b, poses_a: Poses::Fixed(pose_a), poses_b: Poses::Fixed(pose_b), samples: 1 };
    let mut out = Vec::with_capacity(1);
    Auto.walk(&query, &all, &mut PairCache::default(), &mut Routes::default(), &mut out);
    out.pop().expect("no distance is beyond an infinite cut-off")
}

/// A method by its name on the command line; `None` for a name that is not a method of this version.
pub fn by_name(name: &str) -> Option<Box<dyn NarrowPhase>> {
    match name {
        "auto" => Some(Box::new(Auto)),
        "gjk" => Some(Box::new(Gjk)),
        "vclip" => Some(Box::new(VClip)),
        _ => None,
    }
}
