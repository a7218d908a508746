//! The verifier of `cargo xtask recheck`, on a small scale: every family is asked a few thousand
//! queries, and every row proven again; and its own hull against the oracle's, which tries all
//! triples.

use clearsweep_testing::recheck::place;
use clearsweep_testing::recheck::solid;
use clearsweep_testing::recheck::verify;
use clearsweep_testing::recheck::ways;
use std::fs;
use std::path::Path;

use clearsweep_testing::oracle::families::{self as bodies, Random};
use clearsweep_testing::oracle::number::{Number, Wide, dot, times};
use clearsweep_testing::oracle::{self, Body};
use clearsweep_testing::recheck::campaign::{self, Plan};
use clearsweep_testing::recheck::families::{self, Family, Walk};
use clearsweep_testing::recheck::hull::Hull;
use clearsweep_testing::recheck::record::{Record, Terms};
use clearsweep_testing::recheck::run::{Effort, Run};
use clearsweep_testing::recheck::tally::Tally;

const EFFORT: Effort = Effort { ways: 200, known: 25, deception: 25 };

#[test]
fn every_row_is_proven_again() {
    let mut all = Tally::default();
    for family in campaign::families() {
        let name = family.name;
        let queries = if name.starts_with("large") { 300 } else { 3_000 };
        let tally = Run::new(family, 2, EFFORT).ask(queries);
        eprintln!("{name}: {} rows, {} misses", tally.rows, tally.misses);
        assert!(!tally.failed(), "{name}: misses, uncertified rows, other bits, or a verifier that believes anything");
        all.add(&tally);
    }
    // Representative: all of what a row can be, proven by all of the means but the last resort.
    assert!(all.statuses[..3].iter().all(|&n| n > 1_000), "{:?}", all.statuses);
    assert!(all.methods[..3].iter().all(|&n| n > 1_000), "{:?}", all.methods);
    assert!(all.lower[..3].iter().all(|&n| n > 500), "{:?}", all.lower);
    assert!([0, 1, 2, 3].iter().all(|&by| all.upper[by] > 200), "{:?}", all.upper);
    assert!(all.known > 1_000 && all.false_ends > 2_000 && all.ways.rows > 5_000, "{} {}", all.known, all.false_ends);
    assert!(all.absent > 50, "{}", all.absent);
}

fn plan(queries: u64, commit: &str) -> Plan {
    let terms = Terms { seed: 5, chunk: 150, commit: commit.to_string() };
    Plan { terms, queries, from: 0, threads: 2, hours: f64::INFINITY, effort: EFFORT }
}

/// The lines of a record without their seconds, which differ, in order of their chunks.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a record");
    let mut lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    lines.iter_mut().for_each(|line| line["seconds"] = 0.into());
    lines.sort_by_key(|line| line["chunk"].as_u64());
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn a_campaign_that_was_killed_goes_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
    let done = campaign::run(&plan(3_000, "a"), &whole).expect("it runs");
    assert!(done.done.len() == 20 && campaign::summary(&done).is_empty());
    // As a kill in the middle of a line leaves it.
    let text = fs::read_to_string(&whole).expect("a record");
    let end = text.match_indices('\n').nth(6).expect("twenty lines").0 + 40;
    fs::write(&cut, &text[..end]).expect("written");
    assert_eq!(Record::read(&cut).expect("whole lines are read").done.len(), 7);
    drop(done);
    campaign::run(&plan(1_500, "a"), &cut).expect("it goes on");
    let longer = campaign::run(&plan(3_000, "a"), &cut).expect("it goes on, longer");
    assert!(longer.done.len() == 20 && lines(&cut) == lines(&whole), "the same chunks, once each");
    let rest = dir.path().join("rest");
    campaign::run(&Plan { from: 12, ..plan(3_000, "a") }, &rest).expect("it runs");
    assert_eq!(lines(&rest), lines(&whole)[12..], "the chunks that another record lacks");
    // While it is open no other campaign writes it.
    let refused = campaign::run(&plan(3_000, "a"), &cut).err().expect("it is locked");
    assert!(refused.contains("another campaign"), "{refused}");
    drop(longer);
    let refused = campaign::run(&plan(3_000, "b"), &cut).err().expect("another commit");
    assert!(refused.contains("line 1") && refused.contains("--commit a, not"), "{refused}");
    fs::write(&cut, "what is this\n").expect("written");
    let refused = campaign::run(&plan(3_000, "a"), &cut).err().expect("no record");
    assert!(refused.contains("line 1: no chunk"), "{refused}");
}

#[test]
fn any_beginning_of_a_campaign_is_representative() {
    let shares: Vec<f64> = campaign::families().iter().map(|f| f.share).collect();
    let whole: f64 = shares.iter().sum();
    let order = campaign::order(&shares, 4_000);
    assert_eq!(order[..100], campaign::order(&shares, 100));
    for chunks in [200, 1_000, 4_000] {
        for (family, share) in shares.iter().enumerate() {
            let count = order[..chunks].iter().filter(|&&f| f == family).count() as f64;
            assert!((count - chunks as f64 * share / whole).abs() <= 2.0, "family {family} of {chunks}: {count}");
        }
    }
}

#[test]
fn its_hull_is_the_oracles() {
    let mut random = Random(3);
    let makers = [bodies::compact, bodies::tied, bodies::sliver, bodies::disks, bodies::flat, bodies::round];
    let mut facets = 0;
    for i in 0..300 {
        let points = makers[i % makers.len()](&mut random, i / makers.len()).points;
        let (own, other) = (Hull::new(&points).expect("a polyhedron"), Body::new(&points, 0.0));
        // The oracle drops equal points, and keeps those on a facet that are no corner.
        let at = |k: usize| points.iter().position(|p| *p == other.vertices[k]).expect("a point");
        assert_eq!(own.facets.len(), other.facets.len(), "case {i}: {points:?}");
        for facet in &own.facets {
            let same = other.facets.iter().find(|o| {
                let on: Vec<usize> = o.vertices.iter().map(|&k| at(k)).collect();
                let near = (dot(facet.normal, o.normal) - Wide::of(1.0)).value().abs() < 1e-20;
                near && facet.corners.iter().all(|k| on.contains(k))
            });
            assert!(same.is_some(), "case {i}: {:?} of {points:?}", facet.corners);
            facets += 1;
        }
        let corners: usize = own.facets.iter().map(|f| f.corners.len()).sum();
        assert!(own.facets.is_empty() || corners == 2 * own.edges.len(), "case {i}: two facets beside each edge");
    }
    assert!(facets > 2_000, "not representative: {facets}");
}

/// A prism over a polygon in the plane z = 0, `height` to both sides.
fn prism(polygon: &[[f64; 2]], height: f64) -> solid::Solid {
    solid::Solid::new(polygon.iter().flat_map(|&[x, y]| [[x, y, height], [x, y, -height]]).collect(), 0.0)
}

/// Two edges 6.8e-13 m apart differ by 1.4e-16 rad, and a corner of one is nearest to the other:
/// the direction between them has no part along the edge in which the corner has its foot.
#[test]
fn edges_that_are_hardly_parallel_are_proven_by_their_features() {
    let a = prism(
        &[
            [0.035457535037839986, 0.10912707185477483],
            [-0.03545753503783997, 0.10912707185477484],
            [-0.09282903188635534, 0.06744423949900288],
            [-0.11474299369703075, 1.4051963995565364e-17],
            [0.0, -0.1],
        ],
        0.008423035607249756,
    );
    let b = prism(
        &[
            [0.1471858071946028, -0.1634663994755627],
            [0.16850353075455937, -0.14139125050822032],
            [0.18654152475830366, -0.11656408167989925],
            [0.20094870017046723, -0.08946812559135633],
            [0.0, 0.2],
        ],
        0.09498174888684713,
    );
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let place = |position, q| oracle::Placement { position, rest: [0.0; 3], q };
    let from_a = place([0.027137288962847176, -0.014870010737422005, -0.11223203195324011], [0.0, 0.0, half, half]);
    let from_b = place([0.19124382982316834, -0.11827479523215711, 0.17465635332280902], [0.5, 0.5, 0.5, -0.5]);
    let row = verify::cold(&a, &from_a, &b, &from_b);
    assert!((6e-13..8e-13).contains(&row.lower), "{row:?}");
    let pair = place::Pair::new(&a, &from_a, &b, &from_b);
    let claim = verify::Claim { pair, solids: [&a, &b], places: [&from_a, &from_b], row: &row, last_resort: true };
    let proof = claim.verify().unwrap_or_else(|what| panic!("{what}: {row:?}"));
    assert_eq!(proof.lower, verify::By::Features, "{row:?}");
}

/// Bodies of 2 micrometres against 250 km: of the small one vertices of several faces support it to
/// within rounding, among them all vertices of a face across the plane, and the middle of these
/// vertices is on none of the faces.
fn specks_beside_hulls() -> Vec<[(solid::Solid, oracle::Placement); 2]> {
    let of_points = |points: &[[f64; 3]]| solid::Solid::new(points.to_vec(), 0.0);
    let speck: &[[f64; 3]] = &[
        [8.594992294455405e-7, -1.8151042610843567e-6, -4.524520289932674e-9],
        [1.376076334829895e-6, 9.048495505871205e-8, 1.322619255309652e-7],
        [-4.796532895814756e-7, 1.4357421830194135e-6, 2.7549339660945103e-7],
        [4.579749394330246e-9, 1.260310929140676e-6, 3.2797727063670117e-7],
        [-4.584072317614379e-7, 1.4989864877486035e-6, 2.6753888018290055e-7],
        [-3.353562326667791e-7, 7.151086692805994e-7, -3.645132080203623e-7],
        [9.189016061186215e-8, 1.2001654305710591e-8, 3.9555229156401935e-7],
        [8.322336327325283e-7, -1.821472335557997e-6, -5.1891352023910236e-8],
        [1.6258677386634206e-7, -1.8543358638493614e-6, -2.1896893203476707e-7],
        [9.503413264944568e-7, 1.6817902522197324e-6, -4.955239128406203e-8],
        [6.758760052325925e-7, 5.709018385598999e-7, 3.3661953433985763e-7],
        [-1.4117556535075817e-7, -1.6423775341958528e-6, 2.674529433200397e-7],
        [-1.2318104231232003e-6, 1.1828013693406158e-6, 4.2657695976209134e-8],
    ];
    let hull: &[[f64; 3]] = &[
        [-195935.9912722482, -24977.510066083945, -100341.39116015386],
        [107489.16716130255, 217001.3188908072, 48086.24360608537],
        [246026.03007680216, -136246.4279053978, -37.15301332543121],
        [58221.30029919933, -154601.83678899697, -104283.34466725512],
        [-186554.70934624935, -158706.18063903655, 60507.34817828083],
        [-249693.44144112544, -52103.88351601109, 65131.346447967524],
        [-6477.368521730437, 246413.47912823016, 28799.227380814486],
        [162220.99394014268, 153007.67714699765, 77642.10570592972],
        [-23508.353975109356, 223172.4709473403, -62545.884104287405],
        [244479.58619918057, -114311.3309748144, 42112.38467083974],
        [15912.905906273518, -218347.29358738143, 67827.73626663437],
        [265076.24708865467, 102078.7767074477, -16236.31717857125],
        [-181267.47259865396, -67292.23255222551, 100648.81129157843],
        [129837.18359272103, 168783.72295585572, 81248.85988754248],
        [-56442.80095309443, -244693.23985198763, -19806.894498784226],
        [128646.67664575504, 83254.5520062385, -113915.11040184922],
    ];
    let other_speck: &[[f64; 3]] = &[
        [1.1057314934056199e-7, -6.862150845424306e-8, -6.415667280201767e-7],
        [-1.2791287738744664e-8, -4.6149637558604693e-7, 2.869752243387797e-7],
        [-2.0944759625894425e-8, -3.867129731785568e-7, -4.3618530405274633e-7],
        [2.4436329131800974e-8, -2.638364334094205e-7, 5.715412054635412e-7],
        [4.9320830016903595e-8, -3.230469437141528e-9, 6.645399580412862e-7],
        [-8.631161023639273e-8, -4.839714219922387e-7, 1.722170735928679e-7],
        [3.152350797539008e-8, -3.4993056037036143e-7, -4.851472461009337e-7],
        [-2.5405569364517e-7, -2.853598772745199e-7, -4.037393319219356e-7],
        [3.624699655984983e-8, -3.4713470156269523e-7, -4.87836069648811e-7],
        [3.7985186440189875e-7, 1.4681915243985178e-7, -2.94241301610291e-7],
        [2.549679082509759e-7, -1.1244243002485555e-7, -5.288147921782687e-7],
    ];
    let cuboid = &bodies::cuboid([125885.6746534257, 154867.7775778637, 193859.32634901424]);
    let place = |position, q| oracle::Placement { position, rest: [0.0; 3], q };
    vec![
        [
            (
                of_points(speck),
                place(
                    [-1.5032830145517552e-6, 7.953411071192245e-7, -8.775706099337938e-7],
                    [0.6908551610340917, 0.15024361878980924, 0.03661154519294943, -0.7062617052085481],
                ),
            ),
            (
                of_points(hull),
                place([-8043.642495074914, -3276.4986367214597, -73688.19630303842], [0.0, 0.0, 0.0, 1.0]),
            ),
        ],
        [
            (
                of_points(speck),
                place(
                    [-1.5032830145517552e-6, 7.953411071192245e-7, -8.775706099337938e-7],
                    [0.6908551610340917, 0.15024361878980924, 0.03661154519294943, -0.7062617052085481],
                ),
            ),
            (
                of_points(hull),
                place(
                    [-8034.301795200898, -3273.6581086799965, -73681.14783598868],
                    [-1.6909686261101598e-8, 2.1161446179413172e-8, -4.765279836760885e-8, 1.0],
                ),
            ),
        ],
        [
            (
                of_points(speck),
                place(
                    [-1.5032830145517552e-6, 7.953411071192245e-7, -8.775706099337938e-7],
                    [0.6908551610340917, 0.15024361878980924, 0.03661154519294943, -0.7062617052085481],
                ),
            ),
            (
                of_points(hull),
                place(
                    [-8031.83489592986, -3273.8315942530558, -73686.17262951992],
                    [-0.00014134975567732297, -3.027850442635021e-5, 0.00014894591851320204, 1.0000000000053513],
                ),
            ),
        ],
        [
            (
                of_points(speck),
                place(
                    [-9.790871545565526e-7, 3.950543272297897e-7, -1.8773780860092743e-6],
                    [-0.9421295910683659, -0.27575632398744016, 0.18792725944990657, 0.032150094400096724],
                ),
            ),
            (
                of_points(hull),
                place(
                    [2111.588079775778, 49481.84385735322, -101041.01824967205],
                    [-0.8887039323936455, -0.19778258372895963, 0.4023366557484653, 0.09598221482498101],
                ),
            ),
        ],
        [
            (
                of_points(speck),
                place(
                    [-9.790871545565526e-7, 3.950543272297897e-7, -1.8773780860092743e-6],
                    [-0.9421295910683659, -0.27575632398744016, 0.18792725944990657, 0.032150094400096724],
                ),
            ),
            (
                of_points(hull),
                place(
                    [2111.5534565471376, 49481.851762277045, -101041.01768911355],
                    [-0.888703927738313, -0.19778258923421962, 0.40233666491866327, 0.09598220814521263],
                ),
            ),
        ],
        [
            (
                of_points(other_speck),
                place(
                    [-3.7922770604867684e-7, -5.816875701154029e-7, 5.138768489414759e-9],
                    [0.537820075126625, -0.5750277933569647, -0.5724993495738422, -0.22877302812031597],
                ),
            ),
            (
                of_points(cuboid),
                place(
                    [73705.29601627692, 199721.132728534, 73868.6552015297],
                    [-0.37947252666150677, 0.45104947248242094, 0.7426843981248964, 0.3177655268282255],
                ),
            ),
        ],
    ]
}

#[test]
fn witness_points_of_specks_lie_on_the_features_named() {
    let mut tally = ways::Ways::default();
    for (number, [(a, from_a), (b, from_b)]) in specks_beside_hulls().into_iter().enumerate() {
        let row = verify::cold(&a, &from_a, &b, &from_b);
        let pair = place::Pair::new(&a, &from_a, &b, &from_b);
        let claim = verify::Claim { pair, solids: [&a, &b], places: [&from_a, &from_b], row: &row, last_resort: true };
        claim.verify().unwrap_or_else(|what| panic!("case {number}: {what}: {row:?}"));
        let samples = vec![(from_a, from_b)];
        let walk = Walk { bodies: [0, 1], samples, known: Vec::new(), within: f64::INFINITY };
        let same = ways::compare(&mut tally, &mut Random(1), &[a, b], &walk, 0, Some(&row));
        same.unwrap_or_else(|what| panic!("case {number}: {what}"));
    }
    assert!(tally.rows > 6 * 60, "{}", tally.rows);
}

/// A compact body, or one so small that it is up to some thousand rounding bounds of a pair with
/// such a body across.
fn speck(random: &mut Random, i: usize) -> bodies::Recipe {
    let recipe = bodies::compact(random, i / 2);
    let scale = if i.is_multiple_of(2) { 1.0 } else { random.scale(1e-13, 1e-10) };
    bodies::Recipe { points: recipe.points.iter().map(|&p| times(p, scale)).collect(), ..recipe }
}

#[test]
fn rows_of_specks_are_proven_again() {
    let tally = Run::new(Family::new("specks", 1.0, speck, families::anyhow), 7, EFFORT).ask(40_000);
    eprintln!("{} rows, {:?}, {:?}, {} misses", tally.rows, tally.statuses, tally.methods, tally.misses);
    assert!(!tally.failed(), "misses, uncertified rows, other bits, or a verifier that believes anything");
    assert!(tally.statuses[..3].iter().all(|&n| n > 200), "{:?}", tally.statuses);
    assert!(tally.methods[..3].iter().all(|&n| n > 100), "{:?}", tally.methods);
}
