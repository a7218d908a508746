use super::*;
use crate::closest_points::closest_points;
use crate::{Auto, BodyPoses, Gjk, LinCanny, NarrowPhase, Status, VClip, Workspace, vclip};
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{LazyPieceTree, LazySurface, Pose, RelativePose, Vec3};
use clearsweep_model::{Model, SAMPLES, SampleColumn, Shape};

/// Seeded random numbers.
struct RandomBodies(u64);

impl RandomBodies {
    /// In -1..1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) / 2.0 * n as f64) as usize).min(n - 1)
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn cloud(&mut self, count: usize) -> Vec<Vec3<f64>> {
        (0..count).map(|_| self.point().normalized()).collect()
    }

    /// Points of a body: boxes, points, segments, polygons, hulls of few and of many points.
    fn points(&mut self, kind: usize) -> Vec<Vec3<f64>> {
        let signs = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.5 } else { -0.5 });
        match kind {
            0 => (0..8).map(|k| signs(k).into()).collect(),
            1 => vec![Vec3::ZERO],
            2 => vec![Vec3::new(0.0, 0.0, -0.7), Vec3::new(0.0, 0.0, 0.7)],
            3 => (0..6).map(|_| Vec3::new(self.next(), self.next(), 0.0)).collect(),
            4 => self.cloud(40),
            5 => self.cloud(260),
            _ => self.cloud(8),
        }
    }

    /// Makes a shape of one piece or, now and then, of several.
    fn shape(&mut self, kind: usize) -> Shape {
        let growth = if kind == 1 || self.below(3) == 0 { 0.1 } else { 0.0 };
        let mut pieces = vec![self.points(kind)];
        if self.below(12) == 0 {
            let other = self.points(6);
            pieces.push(other.into_iter().map(|p| p + Vec3::new(0.9, 0.0, 0.0)).collect());
        }
        let piece = |points: &[Vec3<f64>]| Piece { core: convex_hull(points).expect("finite points"), radius: growth };
        let all = piece(&pieces.concat());
        let radius = (all.core.radius + growth).next_up();
        let pieces: Vec<Piece> = pieces.iter().map(|points| piece(points)).collect();
        let hull = (pieces.len() > 1).then(|| Box::new(all));
        let (model, center, watertight, fit, mesh, condition) = (Model::Hull, Vec3::ZERO, None, None, None, None);
        let (deviation, vertices, triangles) = (0.0, 0, 0);
        Shape {
            model,
            pieces,
            hull,
            center,
            middle: Vec3::ZERO,
            radius,
            deviation,
            decomposition_deviation: None,
            uneven: None,
            coordinate_step: 0.0,
            vertices,
            triangles,
            watertight,
            fit,
            mesh,
            faces: LazySurface::default(),
            tree: LazyPieceTree::default(),
            parts: Default::default(),
            condition,
        }
    }

    /// Makes a pose of B beside A: apart, near, flush, inside, the same place, far off or nowhere.
    fn pose(&mut self) -> Pose {
        let turn = [self.next(), self.next(), self.next(), self.next()];
        let toward = self.point().normalized();
        let away = match self.below(12) {
            0..5 => 1.8 + self.next().abs() * 2.0,
            5..7 => 1.5 + 0.3 * self.next(),
            7 => self.next().abs(),
            8 => return Pose::new([1.0, 0.25 * self.next().round(), 0.0], [1.0, 0.0, 0.0, 0.0]),
            9 => 0.0,
            10 => 1e5,
            _ => [f64::NAN, 1e200, f64::INFINITY, 2.0, 2.2, 2.4, 2.6, 2.8][self.below(8)],
        };
        Pose::new(toward.scale(away).to_array(), turn)
    }

    /// The components of a slot: `pose` in the first sample, and on from there.
    fn slot(&mut self, pose: &Pose) -> Vec<SampleColumn> {
        let start = [pose.position.x, pose.position.y, pose.position.z, pose.q[0], pose.q[1], pose.q[2], pose.q[3]];
        let mut slot = vec![SampleColumn([0.0; SAMPLES]); 10];
        let rest = self.below(2) == 0;
        for (lane, start) in slot.iter_mut().zip(start) {
            let rate = if rest { 0.0 } else { 0.01 * self.next() };
            lane.0.iter_mut().enumerate().for_each(|(s, x)| *x = start + rate * s as f64);
        }
        slot
    }

    /// Mostly one sample, now and then none, two, some or all.
    fn samples(&mut self) -> u64 {
        let one = 1 << self.below(SAMPLES);
        match self.below(12) {
            0 => 0,
            1 => u64::MAX,
            2 => 0x7 << self.below(60),
            3 | 4 => one | 1 << self.below(SAMPLES),
            _ => one,
        }
    }
}

/// A query with its poses.
struct Case {
    shapes: [usize; 2],
    slots: [Vec<SampleColumn>; 2],
    fixed: Option<Pose>,
    samples: u64,
}

impl Case {
    fn draw(draw: &mut RandomBodies, shapes: usize) -> Self {
        let (here, there) = (draw.point(), draw.pose());
        let fixed = (draw.below(2) == 0).then(|| Pose::new(here.to_array(), [1.0, 0.0, 0.0, 0.0]));
        let at = |p: &Pose| Pose { position: p.position + here, ..*p };
        let slots = [draw.slot(&at(&Pose::IDENTITY)), draw.slot(&at(&there))];
        Self { shapes: [draw.below(shapes), draw.below(shapes)], slots, fixed, samples: draw.samples() }
    }

    fn query<'a>(&'a self, shapes: &'a [Shape]) -> PairQuery<'a> {
        PairQuery {
            a: &shapes[self.shapes[0]],
            b: &shapes[self.shapes[1]],
            poses_a: self.fixed.as_ref().map_or(BodyPoses::Moving(&self.slots[0]), BodyPoses::Fixed),
            poses_b: BodyPoses::Moving(&self.slots[1]),
            samples: self.samples,
        }
    }
}

fn bits(row: &Proximity) -> Vec<u64> {
    let vectors = [row.point_a, row.point_b, row.normal].into_iter().flat_map(|v| v.to_array());
    let numbers = vectors.chain([row.distance, row.lower, row.upper]).map(f64::to_bits);
    let kinds = row.feature_kind.map(|kind| kind as u64);
    let words = [u64::from(row.sample), row.status as u64, row.method as u64, kinds[0], kinds[1]];
    let features = row.feature.into_iter().chain(row.part).map(|n| n as u64);
    numbers.chain(words).chain(features).collect()
}

/// The rows of each query, all handed over in groups of `at_once`.
fn together(
    method: &dyn NarrowPhase,
    queries: &[PairQuery<'_>],
    options: &QueryOptions,
    caches: &mut [PairCache],
    stats: &mut SolverStats,
    at_once: usize,
) -> Vec<Vec<Proximity>> {
    let mut all = Vec::new();
    for (queries, caches) in queries.chunks(at_once).zip(caches.chunks_mut(at_once)) {
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        method.query_batch(queries, options, caches, &mut Workspace::default(), stats, &mut rows, &mut ends);
        assert_eq!(ends.len(), queries.len());
        assert_eq!(ends.last(), Some(&rows.len()));
        let from = std::iter::once(0).chain(ends.iter().copied());
        all.extend(from.zip(&ends).map(|(from, &to)| rows[from..to].to_vec()));
    }
    all
}

#[test]
fn rows_of_queries_answered_together_are_those_of_each_alone() {
    let mut draw = RandomBodies(77);
    let shapes: Vec<Shape> = (0..48).map(|i| draw.shape(i % 9)).collect();
    let (mut statuses, mut stats, mut warm_routes) = ([0; 4], SolverStats::default(), SolverStats::default());
    for case in 0..12 {
        let method: &dyn NarrowPhase = [&Auto as &dyn NarrowPhase, &VClip, &LinCanny, &Gjk::DEFAULT][case % 4];
        let within = [f64::INFINITY, 0.4, 0.01, 0.0, -0.1][case % 5];
        let options = QueryOptions { within, touch: 0.02, ..QueryOptions::EVERYTHING };
        let mut cases: Vec<Case> = (0..60 + draw.below(120)).map(|_| Case::draw(&mut draw, shapes.len())).collect();
        let mut caches = vec![PairCache::default(); cases.len()];
        let (mut by_other, mut by_one) = (caches.clone(), caches.clone());
        for round in 0..3 {
            let queries: Vec<PairQuery<'_>> = cases.iter().map(|case| case.query(&shapes)).collect();
            let stats = if round == 0 { &mut stats } else { &mut warm_routes };
            let rows = together(method, &queries, &options, &mut caches, stats, usize::MAX);
            let none = &mut SolverStats::default();
            let mut work = Workspace::default();
            let others = together(method, &queries, &options, &mut by_other, none, 1 + draw.below(20));
            for (i, query) in queries.iter().enumerate() {
                let (mut warm, mut cold) = (Vec::new(), Vec::new());
                method.walk(query, &options, &mut by_one[i], &mut work, none, &mut warm);
                method.walk(query, &options, &mut PairCache::default(), &mut work, none, &mut cold);
                for (what, alone) in [("warm", &warm), ("cold", &cold), ("in other groups", &others[i])] {
                    let [a, b] = [&rows[i], alone].map(|rows| rows.iter().map(bits).collect::<Vec<_>>());
                    assert_eq!(a, b, "case {case}, round {round}, query {i}, {what}:\n{:?}\n{alone:?}", rows[i]);
                }
                rows[i].iter().for_each(|row| statuses[row.status as usize] += 1);
            }
            // On from there, with what is remembered: mostly by little.
            for case in &mut cases {
                let far = if draw.below(5) == 0 { 0.3 } else { 0.003 };
                case.slots[1].iter_mut().take(7).for_each(|lane| {
                    let by = far * draw.next();
                    lane.0.iter_mut().for_each(|x| *x += by);
                });
            }
        }
    }
    assert!(statuses.iter().all(|&n| n > 100), "not representative: {statuses:?}");
    let taken = |r: &SolverStats| [r.beyond, r.searched, r.expanded, r.cold, r.uncertified, r.skipped];
    assert!(taken(&stats).iter().all(|&n| n > 20), "not representative: {stats:?}");
    assert!(warm_routes.verified > 500 && warm_routes.surface_verified > 100, "not representative: {warm_routes:?}");
}

/// Cold pairs of hulls of one piece at `gap` or so between their spheres.
fn hulls(draw: &mut RandomBodies, gap: f64) -> (Vec<Shape>, Vec<Case>) {
    let shapes: Vec<Shape> = (0..20).map(|i| draw.shape([4, 5, 6, 6][i % 4])).collect();
    let shapes: Vec<Shape> = shapes.into_iter().filter(|shape| shape.pieces.len() == 1).collect();
    let cases = (0..300).map(|_| {
        let mut case = Case::draw(draw, shapes.len());
        let away = draw.point().normalized().scale(2.0 + gap * (1.5 + draw.next()));
        let turn = [draw.next(), draw.next(), draw.next(), 1.0];
        case.slots[1] = draw.slot(&Pose::new(away.to_array(), turn));
        (case.fixed, case.samples) = (Some(Pose::IDENTITY), 1);
        case
    });
    let cases = cases.collect();
    (shapes, cases)
}

#[test]
fn what_is_apart_is_settled_together() {
    let mut draw = RandomBodies(5);
    let options = QueryOptions::EVERYTHING;
    for (gap, search) in
        [(0.3, SearchMethod::Auto), (0.3, SearchMethod::VClip), (-0.4, SearchMethod::Auto), (2.0, SearchMethod::Auto)]
    {
        let (shapes, cases) = hulls(&mut draw, gap);
        let queries: Vec<PairQuery<'_>> = cases.iter().map(|case| case.query(&shapes)).collect();
        let options = QueryOptions { within: if gap > 1.0 { 0.05 } else { f64::INFINITY }, ..options };
        let (mut working, mut stats) = (ManyPairs::default(), SolverStats::default());
        let (mut answered, mut beyond, mut open, mut apart) = (0, 0, 0, 0);
        for queries in queries.chunks(MOST) {
            let mut caches = vec![PairCache::default(); queries.len()];
            working.ask(search, queries, &options, &mut caches, &mut stats);
            for (i, query) in queries.iter().enumerate() {
                match working.first(i, query, &options, &mut stats, &mut Vec::new()) {
                    SolveOutcome::Answered(_) => answered += 1,
                    SolveOutcome::Beyond { .. } => beyond += 1,
                    SolveOutcome::Undecided => open += 1,
                }
                let mut alone = Vec::new();
                let all = QueryOptions { within: f64::INFINITY, ..options };
                Gjk::DEFAULT.walk(
                    query,
                    &all,
                    &mut PairCache::default(),
                    &mut Workspace::default(),
                    &mut SolverStats::default(),
                    &mut alone,
                );
                apart += u32::from(alone[0].status == Status::Separated && alone[0].distance <= options.within);
            }
        }
        let asked = queries.len() as u32;
        if gap > 1.0 {
            assert!(beyond * 10 > asked * 9, "{beyond} of {asked} beyond");
        } else if gap > 0.0 {
            assert!(apart * 10 > asked * 9 && answered * 4 >= apart * 3, "{answered} of {apart} answered");
        } else {
            // Inflated bodies may overlap whose cores are apart.
            assert!(open * 2 > asked && apart * 2 < asked, "{open} open, {apart} of {asked} apart");
        }
    }
}

#[test]
fn lanes_hold_the_single_poses_bit_for_bit() {
    let mut draw = RandomBodies(9);
    let cores: Vec<_> = (0..16).map(|_| convex_hull(&draw.cloud(9)).expect("finite points")).collect();
    for _ in 0..200 {
        let mut eight = PlacedPairs::new([&cores[0], &cores[1]]);
        let poses: Vec<[Pose; 2]> = (0..WIDTH).map(|_| [draw.pose(), draw.pose()]).collect();
        for (k, [a, b]) in poses.iter().enumerate() {
            eight.set(k, [&cores[k], &cores[8 + k]], 0.1, [a, b], true);
        }
        eight.look(WIDTH, f64::INFINITY);
        for (k, [a, b]) in poses.iter().enumerate() {
            let single = Pair::new(&cores[k], &cores[8 + k], RelativePose::between(a, b), 0.1);
            let lane = eight.pair(k);
            let finite = single.pose.t.is_finite() && single.size.is_finite();
            let finite = finite && single.pose.r.iter().all(|r| r.is_finite());
            assert_eq!(eight.finite >> k & 1 == 1, finite);
            if finite {
                let rows = |p: &Pair<'_, f64>| [p.pose.r[0], p.pose.r[1], p.pose.r[2], p.pose.t].map(|v| v.to_array());
                assert_eq!(rows(&lane).as_flattened(), rows(&single).as_flattened());
                assert_eq!(lane.size.to_bits(), single.size.to_bits());
            }
        }
    }
}

#[test]
fn where_the_first_states_end_v_clip_ends_as_near() {
    let mut draw = RandomBodies(31);
    let cores: Vec<_> = (0..40)
        .map(|i| {
            let points = draw.points([0, 2, 3, 4, 5, 6][i % 6]);
            convex_hull(&points).expect("finite points")
        })
        .collect();
    let (mut ended, mut asked, mut kinds) = (0, 0, [0; 3]);
    for _ in 0..120 {
        let pairs: Vec<Pair<'_, f64>> = (0..MOST)
            .map(|_| {
                let away = draw.point().normalized().scale(1.3 + 2.0 * draw.next().abs());
                let pose = Pose::new(away.to_array(), [draw.next(), draw.next(), draw.next(), draw.next()]);
                let relative = RelativePose::between(&Pose::IDENTITY, &pose);
                Pair::new(&cores[draw.below(cores.len())], &cores[draw.below(cores.len())], relative, 0.0)
            })
            .collect();
        let start: Vec<FeaturePair> = pairs.iter().map(vclip::cold_start).collect();
        let mut features = [start[0]; MOST];
        features.copy_from_slice(&start);
        let set = u64::MAX << draw.below(MOST);
        let (open, states) = first_states(&pairs, &mut features, set);
        assert_eq!(open & !set, 0);
        assert!(states >= set.count_ones());
        asked += set.count_ones();
        for k in (0..MOST).filter(|k| (set & !open) >> k & 1 == 1) {
            let found = vclip::search(&pairs[k], start[k]);
            assert_eq!(found.end, SearchEnd::Converged, "{:?} from {:?}", features[k], start[k]);
            let [here, there] =
                [features[k], found.features].map(|f| closest_points(&pairs[k], &f).map(|c| c.distance));
            let (Some(here), Some(there)) = (here, there) else { continue };
            assert!((here - there).abs() < 1e-12, "{here} by {:?}, {there} by {:?}", features[k], found.features);
            ended += 1;
            kinds[features[k].a.kind as usize + features[k].b.kind as usize] += 1;
        }
    }
    assert!(ended * 3 > asked && kinds[0] > 500 && kinds[1] > 500, "{ended} of {asked}, {kinds:?}");
}
