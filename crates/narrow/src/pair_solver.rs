//! A pair of convex pieces at one pose: the pair solver, from the warm methods down.

use super::answer::Answer;
use super::cache::PieceCache;
use super::certificate::{self, Certificate};
use super::closest_points::{Closest, closest_points};
use super::cold_start::{ColdStart, cold_start};
use super::duality::{self, DifferenceFace};
use super::epa::{self, ExpansionEnd, Polytope, ProvenDepth, Surface};
use super::feature::FeaturePair;
use super::feature_search::FeatureSearch;
use super::gjk::{self, GjkOptions};
use super::overlap_proof::OverlapDepths;
use super::pair::{Pair, SupportSearch, VertexPair};
use super::parallel_features;
use super::parallel_features::equal_depths::EqualDepths;
use super::resolver;
use super::round;
use super::search::SearchEnd;
use super::solve_outcome::{SolveOutcome, beyond};
use super::solver_stats::SolverStats;
use super::vclip;
use crate::feature::FeatureKind;
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};

/// The search for what the remembered features and surface do not settle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum SearchMethod {
    /// V-Clip from remembered features, and of cold pairs that are likely apart; a polytope, then
    /// GJK, for others.
    #[default]
    Auto,
    /// GJK, as its options say.
    Gjk(GjkOptions),
    /// V-Clip from the remembered features; GJK where they penetrate.
    VClip,
    /// Lin-Canny from the remembered features; GJK where they penetrate.
    LinCanny,
    /// The overlap test of CD-Dual from the remembered features; V-Clip from the face that
    /// separates the cores; if none does, its own proof, or EPA if the depth is asked for.
    CdDual,
}

impl SearchMethod {
    /// The search from feature to feature, where one is made.
    #[inline(always)]
    pub(super) fn by_features(self) -> FeatureSearch {
        if matches!(self, Self::LinCanny) { FeatureSearch::LinCanny } else { FeatureSearch::VClip }
    }

    /// Whether that search is made, and may go through many samples or pairs before any is proven.
    #[inline(always)]
    pub fn tracks(self) -> bool {
        matches!(self, Self::Auto | Self::VClip | Self::LinCanny)
    }

    /// Whether that search comes first for cold cores: if they are likely apart, or the method
    /// always makes it.
    #[inline(always)]
    pub(super) fn searches_cold(self, likely_apart: impl FnOnce() -> bool) -> bool {
        matches!(self, Self::VClip | Self::LinCanny) || (self == Self::Auto && likely_apart())
    }

    /// The options of its searches by GJK.
    fn gjk_options(self) -> GjkOptions {
        match self {
            Self::Gjk(options) => options,
            Self::Auto | Self::VClip | Self::LinCanny | Self::CdDual => GjkOptions::DEFAULT,
        }
    }
}

/// How a pair is searched, and with which working memory.
#[derive(Debug)]
pub struct PairSolver<'a> {
    /// The search.
    pub search: SearchMethod,
    /// Whether the query is of one sample: a pair of which nothing is remembered is then most
    /// likely never asked again, and its surface is not worth remembering.
    pub single: bool,
    /// Working memory.
    pub polytope: &'a mut Polytope,
    /// The depths beyond which pairs count as overlapping, and are not searched further; `None`:
    /// depths are asked for.
    pub overlap: Option<OverlapDepths>,
}

/// Two pieces with their poses in the world.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The core of A's piece, and that of B's.
    pub cores: [&'a Polyhedron; 2],
    /// Growth of both cores together, metres.
    pub growth: f64,
    /// Pose of A.
    pub pose_a: &'a Pose,
    /// Pose of B.
    pub pose_b: &'a Pose,
    /// B's frame in A's, the same poses.
    pub relative: &'a RelativePose<f64>,
}

/// A pair on the pair solver.
struct SolveState<'c, 'p> {
    pair: &'c Pair<'p, f64>,
    /// The gap of the cores above which there is no row, metres.
    beyond: f64,
    cache: &'c mut PieceCache,
    /// Whether a surface is worth remembering.
    keeps: bool,
    /// Whether the face at which CD-Dual ended proves that the cores overlap by more than the
    /// solver asks.
    face_proves: bool,
}

/// The answer about the cores of two pieces, or the proof that the inflated pieces are farther
/// apart than `cutoff` (metres); never open.
pub fn solve(
    parts: &Parts<'_>,
    cutoff: f64,
    cache: &mut PieceCache,
    solver: &mut PairSolver<'_>,
    stats: &mut SolverStats,
) -> SolveOutcome<Answer> {
    solve_by(round::answer, parts, cutoff, cache, solver, stats)
}

/// [`solve`] about the convex hulls of the cores, which differ from them for sectors of tori: their
/// signed distance is a convex function of a translation.
pub(super) fn solve_hulls(
    parts: &Parts<'_>,
    cutoff: f64,
    cache: &mut PieceCache,
    solver: &mut PairSolver<'_>,
    stats: &mut SolverStats,
) -> SolveOutcome<Answer> {
    solve_by(round::answer_of_hulls, parts, cutoff, cache, solver, stats)
}

/// [`solve`] with the search for pairs of which one core is round.
#[inline(always)]
fn solve_by(
    round: impl FnOnce(&Pair<'_, f64>, f64) -> SolveOutcome<Answer>,
    parts: &Parts<'_>,
    cutoff: f64,
    cache: &mut PieceCache,
    solver: &mut PairSolver<'_>,
    stats: &mut SolverStats,
) -> SolveOutcome<Answer> {
    let Parts { cores: [a, b], growth, .. } = *parts;
    let pair = Pair::new(a, b, *parts.relative, growth);
    stats.queries += 1;
    if !pair.size.is_finite() || !pair.pose.r.iter().chain([&pair.pose.t]).all(|r| r.is_finite()) {
        stats.uncertified += 1;
        return SolveOutcome::Answered(Answer::uncertified(&pair, parts.relative.t));
    }
    if round::is_round(pair.a, pair.b) {
        stats.searched += 1;
        let outcome = round(&pair, beyond(cutoff, pair.size) + growth);
        let overlap = solver.overlap;
        return match outcome {
            SolveOutcome::Beyond { gap, normal } => SolveOutcome::Beyond { gap: gap - growth, normal },
            // The row says no more of a deep pair than that it is one.
            other => other.map(|answer| match overlap.filter(|depths| answer.upper < -depths.cores) {
                Some(depths) => depths.answer(&pair),
                None => answer,
            }),
        };
    }
    cache.belong_to(pair.a, pair.b);
    if let Some(overlap) = solver.overlap
        && overlap.are_proven_by(&pair, cache.simplex())
    {
        stats.verified += 1;
        return SolveOutcome::Answered(overlap.answer(&pair));
    }
    let beyond = beyond(cutoff, pair.size) + growth;
    // A surface is of no use where nobody asks how deep.
    let keeps = solver.overlap.is_none() && (cache.features().is_some() || !solver.single);
    let mut state = SolveState { pair: &pair, beyond, cache, keeps, face_proves: false };
    let outcome = state.warm(solver, stats);
    let face_proves = state.face_proves;
    let answer = match outcome {
        SolveOutcome::Beyond { gap, normal } => {
            stats.beyond += 1;
            return SolveOutcome::Beyond { gap: gap - growth, normal };
        }
        SolveOutcome::Answered(strict) => Answer::certified(&strict),
        SolveOutcome::Undecided => {
            if let Some(overlap) = solver.overlap.filter(|_| face_proves) {
                stats.searched += 1;
                return SolveOutcome::Answered(overlap.answer(&pair));
            }
            if let Some(overlap) = solver.overlap.filter(|depths| depths.are_proven_by(&pair, cache.simplex())) {
                stats.searched += 1;
                cache.set_features(None);
                return SolveOutcome::Answered(overlap.answer(&pair));
            }
            let ties = stats.ties;
            let answer = resolver::resolve(&pair, growth, (parts.pose_a, parts.pose_b), stats);
            cache.learned.depths_tie = stats.ties > ties && answer.upper < 0.0;
            answer
        }
    };
    if let Some(overlap) = solver.overlap.filter(|overlap| answer.upper < -overlap.cores) {
        cache.set_features(None);
        return SolveOutcome::Answered(overlap.answer(&pair));
    }
    cache.set_features(Some(answer.features));
    if answer.lower > beyond {
        return SolveOutcome::Beyond { gap: answer.lower - growth, normal: Some(answer.normal) };
    }
    SolveOutcome::Answered(answer)
}

impl SolveState<'_, '_> {
    /// The rungs above the cold resolver.
    fn warm(&mut self, solver: &mut PairSolver<'_>, stats: &mut SolverStats) -> SolveOutcome<Certificate> {
        let cold = self.cache.features().is_none();
        let tracks = match cold {
            true => solver.search.searches_cold(|| self.starts_apart()),
            false => solver.search.tracks(),
        };
        if self.cache.learned.take_depths_tie() && self.overlaps() {
            return SolveOutcome::Undecided;
        }
        if solver.search == SearchMethod::CdDual {
            return self.by_overlap_test(solver, stats);
        }
        let first = tracks && self.cache.is_searched_first(cold);
        if first {
            if let Some(outcome) = self.track(solver.search.by_features(), stats) {
                return outcome;
            }
            if cold {
                // The search started from a guess.
                self.cache.set_features(None);
            }
        }
        if let Some(outcome) = self.remembered(solver, stats) {
            return outcome;
        }
        if tracks
            && !first
            && let Some(outcome) = self.track(solver.search.by_features(), stats)
        {
            return outcome;
        }
        self.search(solver, stats)
    }

    /// The remembered features, with the remembered surface where they overlap, or what grows from
    /// it.
    fn remembered(
        &mut self,
        solver: &mut PairSolver<'_>,
        stats: &mut SolverStats,
    ) -> Option<SolveOutcome<Certificate>> {
        let mut placed = false;
        if let Some(features) = self.cache.features()
            && let Some(strict) = certificate::local(self.pair, &features)
        {
            if strict.in_contact_band() {
                stats.verified += 1;
                return Some(self.apart_or_near(strict));
            }
            if let Some(surface) = self.cache.surface() {
                placed = true;
                if solver.polytope.verifies(self.pair, surface, &strict) {
                    stats.surface_verified += 1;
                    return Some(SolveOutcome::Answered(strict));
                }
            }
            if let Some(preferred) = self.equal_depths(&strict, solver.polytope) {
                stats.surface_verified += 1;
                return Some(SolveOutcome::Answered(preferred));
            }
        }
        let surface = self.cache.take_surface()?;
        if !placed {
            solver.polytope.restore(self.pair, &surface);
        }
        let proven = epa::penetration(self.pair, solver.polytope)?;
        stats.surface_grown += 1;
        self.remember_surface(solver.polytope, &proven, surface);
        Some(SolveOutcome::Answered(proven.answer))
    }

    /// The answer of the remembered features and of those at an equal depth, if `polytope`, placed
    /// at the pose, proves it.
    fn equal_depths(&mut self, strict: &Certificate, polytope: &Polytope) -> Option<Certificate> {
        let depths = EqualDepths::remembered(self.pair, strict, &self.cache.rival()?)?;
        let facets = [&depths.preferred.features, &depths.rival];
        let in_facet = |t: &[VertexPair; 3]| facets.iter().any(|f| epa::is_of_facet([self.pair.a, self.pair.b], f, t));
        let proven = polytope.proves(&certificate::claim(&depths.preferred), in_facet);
        proven.then(|| self.cache.set_rival(depths.rival))?;
        Some(depths.preferred)
    }

    /// Whether the remembered features are still locally optimal for cores that overlap.
    fn overlaps(&self) -> bool {
        let found = self.cache.features().and_then(|features| certificate::local(self.pair, &features));
        found.is_some_and(|found| !found.in_contact_band())
    }

    /// Whether cold cores are likely apart. Every search starts from the vertices that support the
    /// planes, so these are remembered.
    fn starts_apart(&mut self) -> bool {
        // A remembered simplex is of a search that left no features.
        if self.cache.simplex().count > 0 || self.pair.pose.t.length2() == 0.0 {
            return false;
        }
        let ColdStart { first, apart } = cold_start(self.pair);
        self.cache.set_simplex(gjk::Simplex::of_vertices(apart.unwrap_or(first)));
        self.cache.set_features(apart.map(FeaturePair::of_vertices));
        apart.is_some()
    }

    /// V-Clip or Lin-Canny from the remembered features; `None` is for the next rung: overlap or
    /// contact, and states that come back.
    fn track(&mut self, search: FeatureSearch, stats: &mut SolverStats) -> Option<SolveOutcome<Certificate>> {
        let pair = self.pair;
        let start = self.cache.features().unwrap_or_else(|| vclip::cold_start(pair));
        let found = search.search(pair, start, stats);
        if found.end != SearchEnd::Converged {
            return None;
        }
        let held = self.cache.features() == Some(found.features);
        self.cache.found(pair, start, found.features);
        let Closest { normal, distance, amplification, .. } = closest_points(pair, &found.features)?;
        let has_face = [found.features.a.kind, found.features.b.kind].contains(&FeatureKind::Face);
        if distance.abs() <= epa::IN_CONTACT * pair.bound() && !has_face {
            // Without a direction: the faces around are the resolver's to try.
            return Some(SolveOutcome::Undecided);
        }
        let strict = certificate::local(pair, &found.features).filter(Certificate::in_contact_band);
        let Some(strict) = strict else {
            if let Some(tie) = self.parallel(parallel_features::along(pair, normal, amplification)) {
                stats.searched += 1;
                return Some(self.apart_or_near(tie));
            }
            // A tie beyond the cut-off needs no decision: any direction with a gap will do.
            let Some(beyond) = self.beyond(pair.gap(normal), normal) else { return Some(SolveOutcome::Undecided) };
            self.cache.set_features(None);
            return Some(beyond);
        };
        stats.count_found(held);
        Some(self.apart_or_near(strict))
    }

    /// The remembered features, then the overlap test of CD-Dual: V-Clip goes on from the face that
    /// separates the cores, EPA starts along the normal of the face through which the origin is
    /// left.
    fn by_overlap_test(&mut self, solver: &mut PairSolver<'_>, stats: &mut SolverStats) -> SolveOutcome<Certificate> {
        if let Some(outcome) = self.remembered(solver, stats) {
            return outcome;
        }
        let pair = self.pair;
        let found = duality::overlap_test(pair, self.cache.features());
        let [faces_a, faces_b, arcs] = found.counts.map(u64::from);
        stats.duality_faces_a += faces_a;
        stats.duality_faces_b += faces_b;
        stats.duality_arcs += arcs;
        match (found.end, found.face) {
            (SearchEnd::Beyond, Some(face)) => {
                self.cache.set_features(Some(face.features));
                let normal = face.normal.normalized();
                // A support found by climbing is no proof: the gap over all vertices is.
                if face.gap() > self.beyond
                    && let Some(beyond) = self.beyond(pair.gap(normal), normal)
                {
                    return beyond;
                }
                if let Some(outcome) = self.track(FeatureSearch::VClip, stats) {
                    return outcome;
                }
            }
            (SearchEnd::Overlap, Some(face)) if self.proves_overlap(&face, solver) => {
                // The next search begins at the face (section 4.4 of the paper).
                self.cache.set_features(Some(face.features));
                self.face_proves = true;
                return SolveOutcome::Undecided;
            }
            (SearchEnd::Overlap, face) => {
                let axis = face.map_or(pair.pose.t, |face| face.normal);
                if let Some(outcome) = self.expand_supports(axis, solver, stats) {
                    return outcome;
                }
            }
            _ => {}
        }
        self.search(solver, stats)
    }

    /// Whether the depth of the cores is not asked for, and this face of the difference proves
    /// that they overlap deeply enough.
    fn proves_overlap(&self, face: &DifferenceFace, solver: &PairSolver<'_>) -> bool {
        solver.overlap.is_some_and(|depths| depths.are_proven_by_face(self.pair, face))
    }

    /// EPA from supports around `axis`, of cores that are likely to overlap; `None` is for GJK.
    fn expand_supports(
        &mut self,
        axis: Vec3<f64>,
        solver: &mut PairSolver<'_>,
        stats: &mut SolverStats,
    ) -> Option<SolveOutcome<Certificate>> {
        let mut simplex = *self.cache.simplex();
        let end = epa::penetration_from_supports(self.pair, axis, solver.polytope, &mut simplex);
        self.cache.set_simplex(simplex);
        match end {
            ExpansionEnd::Depth(proven) => Some(self.expanded(&proven, solver.polytope, stats)),
            ExpansionEnd::Contact => Some(SolveOutcome::Undecided),
            ExpansionEnd::Apart(_) | ExpansionEnd::Undecided => None,
        }
    }

    /// Follows parallel features if the cores do not overlap.
    fn parallel(&mut self, found: Option<Certificate>) -> Option<Certificate> {
        let tie = found.filter(Certificate::in_contact_band)?;
        self.cache.follow(self.pair.a, self.pair.b, tie.features);
        Some(tie)
    }

    /// A strict answer about cores that do not overlap.
    fn apart_or_near(&self, strict: Certificate) -> SolveOutcome<Certificate> {
        self.beyond(strict.gap, strict.closest.normal).unwrap_or(SolveOutcome::Answered(strict))
    }

    /// The proof that the cores are beyond the cut-off, from the gap of their supporting planes
    /// over all vertices, metres, if it is one.
    fn beyond(&self, gap: f64, normal: Vec3<f64>) -> Option<SolveOutcome<Certificate>> {
        let gap = gap - self.pair.bound();
        (gap > self.beyond).then_some(SolveOutcome::Beyond { gap, normal: Some(normal) })
    }

    /// The search from the remembered simplex, or from nothing.
    fn search(&mut self, solver: &mut PairSolver<'_>, stats: &mut SolverStats) -> SolveOutcome<Certificate> {
        let pair = self.pair;
        // Nothing is known but one vertex at most, and V-Clip would have come first if the bodies
        // were likely apart.
        if solver.search == SearchMethod::Auto
            && solver.overlap.is_none()
            && self.cache.simplex().count < 2
            && let Some(outcome) = self.expand_supports(pair.pose.t, solver, stats)
        {
            return outcome;
        }
        let options = solver.search.gjk_options();
        let found = gjk::search_by(pair, self.cache.simplex(), self.beyond, &options);
        stats.search_iterations += u64::from(found.iterations);
        self.cache.set_simplex(found.simplex);
        match found.end {
            SearchEnd::Beyond => {
                self.cache.set_features(None);
                // A support found by climbing is no proof: the gap over all vertices is.
                let normal = -found.point.normalized();
                let climbs = pair.climbs() || options.supports == SupportSearch::Climb;
                let gap = if climbs { pair.gap(normal) } else { found.gap };
                self.beyond(gap, normal).unwrap_or(SolveOutcome::Undecided)
            }
            SearchEnd::Overlap if solver.overlap.is_some_and(|depths| depths.are_proven_by(pair, &found.simplex)) => {
                SolveOutcome::Undecided
            }
            SearchEnd::Overlap => {
                let Some(tetrahedron) = epa::tetrahedron(pair, &found.simplex) else { return SolveOutcome::Undecided };
                if !solver.polytope.start(pair, tetrahedron) {
                    return SolveOutcome::Undecided;
                }
                match epa::penetration(pair, solver.polytope) {
                    Some(proven) => self.expanded(&proven, solver.polytope, stats),
                    None => SolveOutcome::Undecided,
                }
            }
            _ if found.point.length() <= epa::IN_CONTACT * pair.bound() => SolveOutcome::Undecided,
            SearchEnd::Converged | SearchEnd::Cycle | SearchEnd::Stalled => {
                let strict = FeaturePair::of_simplex(pair.a, pair.b, found.simplex.as_slice())
                    .and_then(|features| certificate::local(pair, &features))
                    .filter(Certificate::in_contact_band)
                    .or_else(|| self.parallel(parallel_features::near(pair, -found.point.normalized())));
                let Some(strict) = strict else { return SolveOutcome::Undecided };
                stats.searched += 1;
                SolveOutcome::Answered(strict)
            }
        }
    }

    /// The answer of a polytope that was expanded.
    fn expanded(
        &mut self,
        proven: &ProvenDepth,
        polytope: &mut Polytope,
        stats: &mut SolverStats,
    ) -> SolveOutcome<Certificate> {
        stats.expanded += 1;
        if self.keeps {
            self.remember_surface(polytope, proven, Box::default());
        }
        SolveOutcome::Answered(proven.answer)
    }

    /// Keeps the surface of an overlap for the next sample.
    fn remember_surface(&mut self, polytope: &mut Polytope, proven: &ProvenDepth, mut surface: Box<Surface>) {
        if !proven.answer.in_contact_band() && polytope.remember(&mut surface) {
            self.cache.set_surface(surface, proven.rival);
        }
    }
}
