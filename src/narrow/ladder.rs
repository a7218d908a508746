//! A pair of convex pieces at one pose, with what it remembers: the ladder from the warm methods down.

use super::answer::Answer;
use super::certificate::{self, Strict};
use super::closest_points::finish;
use super::epa::{self, Polytope, Surface};
use super::feature::{Feature, FeaturePair};
use super::gjk::{self, Simplex};
use super::pair::Pair;
use super::resolver;
use super::routes::Routes;
use super::search::SearchEnd;
use super::vclip;
use crate::geometry::{Polyhedron, Pose, RelativePose, Vec3};
use crate::scene::Piece;

/// What a pair of pieces remembers: indices only.
#[derive(Debug, Clone)]
pub struct PartCache {
    /// Vertices, edges and faces of both cores: a memory of other geometry is dropped, its indices mean nothing here.
    of: [u32; 6],
    features: Option<FeaturePair>,
    simplex: Simplex,
    surface: Option<Box<Surface>>,
    /// For how many samples features hold, on average: says what to try first.
    pub(super) pace: f32,
    /// States of V-Clip a sample, from the features of the sample before, and from the line between the bodies: as last seen,
    /// and less with each block since, so that the other way is tried again.
    pub(super) states: [f32; 2],
    /// Whether V-Clip left the remembered features in the query before.
    left: bool,
    /// Where to look for a gap beyond the cut-off (`apart.rs`), if there was one or nothing is known yet.
    pub(super) axis: Option<Vec3<f64>>,
}

impl Default for PartCache {
    fn default() -> Self {
        Self {
            of: [0; 6],
            features: None,
            simplex: Simplex::default(),
            surface: None,
            pace: 8.0,
            states: [0.0; 2],
            left: false,
            axis: Some(Vec3::ZERO),
        }
    }
}

impl PartCache {
    /// Forgets what was remembered of cores of other counts.
    #[inline]
    pub(super) fn belong_to(&mut self, a: &Polyhedron, b: &Polyhedron) {
        let of = counts(a, b);
        // Number by number: what was just put together is not yet to be had as a whole.
        if (0..of.len()).any(|i| self.of[i] != of[i]) {
            *self = Self { of, ..Self::default() };
        }
    }

    /// The remembered features of the cores it belongs to.
    #[inline]
    pub(super) fn features(&self) -> Option<FeaturePair> {
        self.features
    }

    /// Where a search would start.
    #[inline]
    pub(super) fn simplex(&self) -> Simplex {
        self.simplex
    }

    /// Remembers the end of a search.
    #[inline]
    pub(super) fn remember(&mut self, features: Option<FeaturePair>, simplex: Simplex) {
        (self.features, self.simplex) = (features, simplex);
    }

    /// Remembers features that were tracked; a search that is not V-Clip would start from a vertex of each.
    #[inline]
    pub(super) fn follow(&mut self, a: &Polyhedron, b: &Polyhedron, features: FeaturePair) {
        self.features = Some(features);
        self.simplex.pairs[0] = [features.a.first_vertex(a), features.b.first_vertex(b)];
        self.simplex.count = 1;
    }

    /// Remembers what V-Clip found from `start`.
    #[inline]
    pub(super) fn found(&mut self, pair: &Pair<'_, f64>, start: FeaturePair, found: FeaturePair) {
        self.left = found != start;
        self.follow(pair.a, pair.b, found);
    }

    /// Whether V-Clip left the remembered features in the query before: asked once.
    #[inline]
    pub(super) fn take_left(&mut self) -> bool {
        std::mem::take(&mut self.left)
    }

    /// The remembered surface.
    #[inline]
    pub(super) fn surface(&self) -> Option<&Surface> {
        self.surface.as_deref()
    }
}

#[inline]
fn counts(a: &Polyhedron, b: &Polyhedron) -> [u32; 6] {
    let counts = |p: &Polyhedron| [p.count as u32, p.edges.len() as u32, p.face_count() as u32];
    let ([a, b, c], [d, e, f]) = (counts(a), counts(b));
    [a, b, c, d, e, f]
}

/// The search for what the remembered features and surface do not settle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Search {
    /// V-Clip from the remembered features where these hold for some samples, GJK elsewhere.
    #[default]
    Auto,
    /// GJK from the remembered simplex.
    Gjk,
    /// V-Clip from the remembered features; GJK where they penetrate.
    VClip,
}

/// Working memory of a walk.
#[derive(Debug, Default)]
pub struct Scratch {
    search: Search,
    polytope: Polytope,
    /// Of one sample.
    single: bool,
    /// Whether a surface is worth remembering: most pairs of which nothing was known before a walk of one sample are never
    /// asked again.
    keeps: bool,
}

impl Scratch {
    /// For a walk with this search through these samples.
    pub fn set(&mut self, search: Search, samples: u64) {
        (self.search, self.single) = (search, samples.is_power_of_two());
    }

    /// The search of this walk.
    pub fn search(&self) -> Search {
        self.search
    }
}

/// Two pieces with their poses in the world.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Piece of A.
    pub a: &'a Piece,
    /// Piece of B.
    pub b: &'a Piece,
    /// Pose of A.
    pub pose_a: &'a Pose,
    /// Pose of B.
    pub pose_b: &'a Pose,
    /// B's frame in A's, the same poses.
    pub relative: &'a RelativePose<f64>,
}

/// The promised width of a bracket, in sizes of the pair.
pub const PROMISE: f64 = 1e-12;

/// How far, in shares of the way from the line between the origins towards the difference of the vertices that support
/// the planes across it, the second direction lies in which a cold pair is looked at. It saves V-Clip a seventh of its
/// states on hulls of 8 points of ellipsoids (the peers' cases N2), a fifth of 32, a quarter of 128; less or more saves
/// less.
pub(super) const TOWARD: f64 = 0.6;

/// By how much planes across that direction may overlap where cores are still searched as if they were apart, in shares of
/// its length, times the root of the number of vertices of both: touching bodies overlap there by less the finer they
/// are. V-Clip in vain costs about 170 ns, a polytope in vain 500. Of the same hulls (N2) 1.3 takes touching ones in 0.95 of the
/// time that 1 takes, overlapping ones in 1.02.
pub(super) const OVERLAP: f64 = 1.3;

/// What is known of two pieces.
#[derive(Debug, Clone, Copy)]
pub enum Solved {
    /// The grown pieces are proven to be at least `gap` apart, and that is more than the cut-off by more than the
    /// promised width of a bracket, so that on no way there is a row.
    Beyond {
        /// Metres.
        gap: f64,
        /// The direction along which they are, in A's frame.
        normal: Vec3<f64>,
    },
    /// The answer about the cores.
    Answer(Answer),
}

impl Solved {
    /// The answer, if there is one.
    pub fn answer(self) -> Option<Answer> {
        match self {
            Self::Beyond { .. } => None,
            Self::Answer(answer) => Some(answer),
        }
    }
}

/// The gap that ends a candidate of two shapes without a distance, metres between the grown bodies.
pub fn beyond(cutoff: f64, size: f64) -> f64 {
    cutoff + PROMISE * size
}

/// The answer about the cores of two pieces, or the proof that the grown pieces are farther apart than `cutoff`
/// (metres).
pub fn solve(
    parts: &Parts<'_>,
    cutoff: f64,
    cache: &mut PartCache,
    scratch: &mut Scratch,
    routes: &mut Routes,
) -> Solved {
    let growth = parts.a.radius + parts.b.radius;
    let pair = Pair::new(&parts.a.core, &parts.b.core, *parts.relative, growth);
    routes.queries += 1;
    if !pair.size.is_finite() || !pair.pose.r.iter().all(|r| r.is_finite()) {
        routes.uncertified += 1;
        return Solved::Answer(Answer::uncertified(&pair, parts.relative.t));
    }
    cache.belong_to(pair.a, pair.b);
    let beyond = beyond(cutoff, pair.size) + growth;
    let strict = match warm(&pair, beyond, cache, scratch, routes) {
        Warm::Beyond(gap, normal) => {
            routes.beyond += 1;
            return Solved::Beyond { gap: gap - growth, normal };
        }
        Warm::Strict(strict) => Some(strict),
        Warm::Open => None,
    };
    let answer = match strict {
        Some(strict) => Answer::strict(&strict),
        None => resolver::resolve(&pair, growth, (parts.pose_a, parts.pose_b), routes),
    };
    cache.features = Some(answer.features);
    if answer.lower > beyond {
        return Solved::Beyond { gap: answer.lower - growth, normal: answer.normal };
    }
    Solved::Answer(answer)
}

enum Warm {
    /// The cores are at least this far apart, along this direction.
    Beyond(f64, Vec3<f64>),
    Strict(Strict),
    Open,
}

fn warm(pair: &Pair<'_, f64>, beyond: f64, cache: &mut PartCache, scratch: &mut Scratch, routes: &mut Routes) -> Warm {
    let cold = cache.features.is_none();
    scratch.keeps = !(cold && scratch.single);
    // Features left once are likely to be left again, and V-Clip tells so at less than half the price of their proof.
    let tracks = match scratch.search {
        Search::Auto if cache.simplex.count == 0 => likely_apart(pair, cache),
        Search::Auto => cache.features.is_some(),
        Search::Gjk => false,
        Search::VClip => true,
    };
    let first = tracks && (cache.take_left() || cold) && cache.surface.is_none();
    if first {
        if let Some(found) = track(pair, beyond, cache, routes) {
            return found;
        }
        if cold {
            // Where it started from was a guess.
            cache.features = None;
        }
    }
    let mut placed = false;
    if let Some(features) = cache.features
        && let Some(strict) = certificate::local(pair, &features)
    {
        if strict.in_contact_band() {
            routes.verified += 1;
            return apart_or_near(strict, beyond);
        }
        if let Some(surface) = &cache.surface {
            placed = true;
            if scratch.polytope.verifies(pair, surface, &strict) {
                routes.surface_verified += 1;
                return Warm::Strict(strict);
            }
        }
    }
    if let Some(surface) = cache.surface.take() {
        if !placed {
            scratch.polytope.restore(pair, &surface);
        }
        if let Some(strict) = epa::penetration(pair, &mut scratch.polytope) {
            routes.surface_grown += 1;
            remember_surface(cache, &mut scratch.polytope, &strict, surface);
            return Warm::Strict(strict);
        }
    }
    if tracks
        && !first
        && let Some(found) = track(pair, beyond, cache, routes)
    {
        return found;
    }
    search(pair, beyond, cache, scratch, routes)
}

/// Whether two cores of which nothing is remembered are more likely apart than not, by the planes across the line between
/// their origins. V-Clip is the faster search of bodies that are apart, and in vain for others. The vertices that
/// support the planes are remembered: every search starts from them.
fn likely_apart(pair: &Pair<'_, f64>, cache: &mut PartCache) -> bool {
    let t = pair.pose.t;
    if cache.features.is_some() || t.length2() == 0.0 {
        return cache.features.is_some();
    }
    let (start, reach) = pair.support(t, [0, 0]);
    (cache.simplex.pairs[0], cache.simplex.count) = (start, 1);
    let apart = reach < 0.1 * t.length2();
    if apart {
        cache.features = Some(FeaturePair { a: Feature::vertex(start[0]), b: Feature::vertex(start[1]) });
    }
    apart
}

/// V-Clip from the remembered features; `None` is for the next rung: overlap or contact, and states that come back.
fn track(pair: &Pair<'_, f64>, beyond: f64, cache: &mut PartCache, routes: &mut Routes) -> Option<Warm> {
    let start = cache.features.unwrap_or_else(|| vclip::cold_start(pair));
    let found = vclip::search(pair, start);
    routes.vclip_steps += u64::from(found.iterations);
    routes.cycles += u64::from(found.end == SearchEnd::Cycle);
    if found.end != SearchEnd::Converged {
        return None;
    }
    cache.left = found.features != start;
    let Some(strict) = certificate::local(pair, &found.features).filter(Strict::in_contact_band) else {
        cache.follow(pair.a, pair.b, found.features);
        // A tie beyond the cut-off needs no decision: any direction with a gap will do.
        let normal = finish(pair, &found.features)?.normal;
        let lower = pair.gap(normal) - pair.bound();
        if lower > beyond {
            cache.features = None;
            return Some(Warm::Beyond(lower, normal));
        }
        return Some(Warm::Open);
    };
    let held = cache.features == Some(found.features);
    cache.follow(pair.a, pair.b, found.features);
    routes.verified += u64::from(held);
    routes.searched += u64::from(!held);
    Some(apart_or_near(strict, beyond))
}

/// A strict answer about cores that do not overlap.
fn apart_or_near(strict: Strict, beyond: f64) -> Warm {
    let lower = strict.gap - strict.bound;
    if lower > beyond { Warm::Beyond(lower, strict.closest.normal) } else { Warm::Strict(strict) }
}

fn search(
    pair: &Pair<'_, f64>,
    beyond: f64,
    cache: &mut PartCache,
    scratch: &mut Scratch,
    routes: &mut Routes,
) -> Warm {
    // Nothing is known but one vertex at most, and V-Clip would have come first if the bodies were likely apart.
    if scratch.search == Search::Auto
        && cache.simplex.count < 2
        && let Some(strict) =
            epa::penetration_from_supports(pair, pair.pose.t, &mut scratch.polytope, &mut cache.simplex)
    {
        routes.expanded += 1;
        if scratch.keeps {
            remember_surface(cache, &mut scratch.polytope, &strict, Box::default());
        }
        return Warm::Strict(strict);
    }
    let found = gjk::search(pair, &cache.simplex, beyond);
    routes.search_iterations += u64::from(found.iterations);
    cache.simplex = found.simplex;
    match found.end {
        SearchEnd::Beyond => {
            cache.features = None;
            // A support found by climbing is no proof: the gap over all vertices is.
            let normal = -found.point.normalized();
            let gap = if pair.climbs() { pair.gap(normal) } else { found.gap };
            let lower = gap - pair.bound();
            if lower > beyond { Warm::Beyond(lower, normal) } else { Warm::Open }
        }
        SearchEnd::Overlap => {
            let Some(tetrahedron) = epa::tetrahedron(pair, &found.simplex) else { return Warm::Open };
            if !scratch.polytope.start(pair, tetrahedron) {
                return Warm::Open;
            }
            let Some(strict) = epa::penetration(pair, &mut scratch.polytope) else { return Warm::Open };
            routes.expanded += 1;
            if scratch.keeps {
                remember_surface(cache, &mut scratch.polytope, &strict, Box::default());
            }
            Warm::Strict(strict)
        }
        SearchEnd::Converged | SearchEnd::Cycle | SearchEnd::Stalled => {
            let strict = FeaturePair::of_simplex(pair.a, pair.b, found.simplex.as_slice())
                .and_then(|features| certificate::local(pair, &features))
                .filter(Strict::in_contact_band);
            match strict {
                Some(strict) => {
                    routes.searched += 1;
                    Warm::Strict(strict)
                }
                None => Warm::Open,
            }
        }
    }
}

/// Keeps the surface of an overlap for the next sample.
fn remember_surface(cache: &mut PartCache, polytope: &mut Polytope, strict: &Strict, mut surface: Box<Surface>) {
    if strict.in_contact_band() {
        return;
    }
    if polytope.remember(&mut surface) {
        cache.surface = Some(surface);
    }
}
