//! The methods that users choose between. All give the same rows, bit for bit; they differ in the
//! search of the pair solver.

use super::bodies::Bodies;
use super::cache::PairCache;
use super::driver;
use super::gjk::GjkOptions;
use super::mesh;
use super::pair_solver::SearchMethod;
use super::query::{BodyPoses, PairQuery};
use super::solver_stats::SolverStats;
use super::workspace::Workspace;
use clearsweep_geometry::{Pose, RelativePose};
use clearsweep_model::{Contact, Proximity};
use clearsweep_model::{QueryOptions, Shape};

/// A method that answers queries. All methods give the same rows, bit for bit.
pub trait NarrowPhase: Sync + Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Computes what is needed of a shape once and for all, which is otherwise done when it is
    /// first asked. Of two threads that ask for it together one has to wait.
    fn prepare(&self, _: &Shape) {}

    /// Answers several queries, each with its cache: appends to `out`, query by query and in order
    /// of sample, a row for every set sample whose `lower <= options.within` (and every uncertified
    /// one), in A's recentred frame; and to `ends`, for each query, the length of `out` after its
    /// rows.
    fn query_batch(
        &self,
        queries: &[PairQuery<'_>],
        options: &QueryOptions,
        caches: &mut [PairCache],
        work: &mut Workspace,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
        ends: &mut Vec<usize>,
    );

    /// [`Self::query_batch`] of one query.
    fn walk(
        &self,
        query: &PairQuery<'_>,
        options: &QueryOptions,
        cache: &mut PairCache,
        work: &mut Workspace,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
    ) {
        let (queries, caches) = (std::slice::from_ref(query), std::slice::from_mut(cache));
        let mut ends = std::mem::take(&mut work.ends);
        self.query_batch(queries, options, caches, work, stats, out, &mut ends);
        ends.clear();
        work.ends = ends;
    }
}

/// The fastest method: V-Clip from remembered features, and for pairs of which nothing is
/// remembered if they are likely apart; EPA at once for other cold pairs; GJK for the rest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto;

/// GJK, EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gjk {
    /// Options of the search.
    pub options: GjkOptions,
}

impl Gjk {
    /// The default: signed volumes, from the remembered simplex.
    pub const DEFAULT: Self = Self { options: GjkOptions::DEFAULT };
}

/// Enhanced GJK ([`GjkOptions::ENHANCED`]), EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnhancedGjk;

/// V-Clip from feature to feature; GJK and EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct VClip;

/// Lin-Canny from feature to feature; GJK and EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinCanny;

/// CD-Dual, whether the cores overlap; then V-Clip for the distance, EPA for the depth.
#[derive(Debug, Clone, Copy, Default)]
pub struct CdDual;

/// Vertices up to which the planes of a shape are formed before it is known whether they are
/// needed.
const PREPARED: usize = 10_000;

/// The methods differ in the search that the pair solver falls back on.
macro_rules! method {
    ($method:ident, $name:literal, $search:expr) => {
        impl NarrowPhase for $method {
            fn name(&self) -> &'static str {
                $name
            }

            fn prepare(&self, shape: &Shape) {
                if let Some(piece) = shape.only_piece()
                    && !matches!($search(self), SearchMethod::Gjk(_))
                    && piece.core.round.is_none()
                    && piece.core.count <= PREPARED
                {
                    piece.core.planes();
                }
            }

            fn query_batch(
                &self,
                queries: &[PairQuery<'_>],
                options: &QueryOptions,
                caches: &mut [PairCache],
                work: &mut Workspace,
                stats: &mut SolverStats,
                out: &mut Vec<Proximity>,
                ends: &mut Vec<usize>,
            ) {
                driver::answer($search(self), queries, options, caches, work, stats, (out, ends));
            }
        }
    };
}
method!(Auto, "auto", |_: &Auto| SearchMethod::Auto);
method!(Gjk, "gjk", |gjk: &Gjk| SearchMethod::Gjk(gjk.options));
method!(EnhancedGjk, "enhanced-gjk", |_: &EnhancedGjk| SearchMethod::Gjk(GjkOptions::ENHANCED));
method!(VClip, "vclip", |_: &VClip| SearchMethod::VClip);
method!(CdDual, "cd-dual", |_: &CdDual| SearchMethod::CdDual);
method!(LinCanny, "lin-canny", |_: &LinCanny| SearchMethod::LinCanny);

/// The answer about one pair from a cold start, whatever the distance: witness points and normal in
/// A's recentred frame.
pub fn query_one(a: &Shape, b: &Shape, pose_a: &Pose, pose_b: &Pose, options: &QueryOptions) -> Proximity {
    let all = QueryOptions { within: f64::INFINITY, ..*options };
    let (poses_a, poses_b) = (BodyPoses::Fixed(pose_a), BodyPoses::Fixed(pose_b));
    let query = PairQuery { a, b, poses_a, poses_b, samples: 1 };
    let (mut out, mut work) = (Vec::with_capacity(1), Workspace::default());
    Auto.walk(&query, &all, &mut PairCache::default(), &mut work, &mut SolverStats::default(), &mut out);
    out.pop().expect("no distance is beyond an infinite cut-off")
}

/// Appends the regions in which two bodies touch or overlap, in the world and of sample 0, in a
/// fixed order. Asked of bodies that are not proven apart by more than `options.touch`, at the
/// poses of their recentred frames.
pub fn contacts(
    [a, b]: [&Shape; 2],
    [pose_a, pose_b]: [&Pose; 2],
    options: &QueryOptions,
    work: &mut Workspace,
    out: &mut Vec<Contact>,
) {
    let relative = RelativePose::between(pose_a, pose_b);
    mesh::contacts(&Bodies { a, b, pose_a: *pose_a, pose_b: *pose_b, relative }, options, work, out);
}

/// A method by its name on the command line; `None` for a name that is not a method of this
/// version.
pub fn by_name(name: &str) -> Option<Box<dyn NarrowPhase>> {
    match name {
        "auto" => Some(Box::new(Auto)),
        "gjk" => Some(Box::new(Gjk::DEFAULT)),
        "enhanced-gjk" => Some(Box::new(EnhancedGjk)),
        "vclip" => Some(Box::new(VClip)),
        "cd-dual" => Some(Box::new(CdDual)),
        "lin-canny" => Some(Box::new(LinCanny)),
        _ => None,
    }
}
