//! Bodies of several convex pieces against the oracle over all pairs of pieces.
//!
//! Apart, the signed distance is the least over the pairs. Overlapping, no closed form is known:
//! the proven bracket is checked at both ends. The depth is at least that of the deepest pair, so
//! `upper_m` may claim no more; and moving B by the reported depth must really separate every pair.

use clearsweep_narrow::{Method, PairCache, Proximity, Status, query_one};
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::bridge::{EVERYTHING, bits, pose, shape};
use clearsweep_testing::invariants::walk_once;
use clearsweep_testing::oracle::families::{Random, cuboid, moved};
use clearsweep_testing::oracle::number::{Number, Vector, Wide, times};
use clearsweep_testing::oracle::{self, Body, Placement};

/// A body of several pieces for the oracle and for the engine.
struct Compound {
    pieces: Vec<Vec<Vector<f64>>>,
    bodies: Vec<Body>,
    shape: Shape,
}

impl Compound {
    fn new(pieces: Vec<Vec<Vector<f64>>>, growth: f64) -> Self {
        let bodies: Vec<Body> = pieces.iter().map(|points| Body::new(points, growth)).collect();
        let mut whole = shape(&pieces.concat(), growth);
        let hull = whole.pieces.pop();
        let cores = pieces.iter().map(|points| shape(points, growth).pieces.remove(0)).collect::<Vec<_>>();
        let hull = hull.filter(|_| cores.len() > 1).map(Box::new);
        Self { pieces, bodies, shape: Shape { model: Model::Pieces, pieces: cores, hull, ..whole } }
    }

    fn reach(&self) -> f64 {
        self.bodies.iter().fold(0.0, |r, body| r.max(body.reach))
    }
}

fn block(center: Vector<f64>, half: [f64; 3]) -> Vec<Vector<f64>> {
    cuboid(half).into_iter().map(|p| [p[0] + center[0], p[1] + center[1], p[2] + center[2]]).collect()
}

/// L, chains of boxes with shared faces, overlapping boxes, apart boxes, a box beside a hull.
fn compound(random: &mut Random, kind: usize) -> Compound {
    let growth = if random.chance(0.2) { random.scale(1e-3, 0.1) } else { 0.0 };
    let pieces = match kind % 5 {
        0 => vec![block([0.0, 0.0, 0.0], [0.5, 0.125, 0.125]), block([-0.375, 0.375, 0.0], [0.125, 0.25, 0.125])],
        1 => {
            let links = 2 + random.below(4);
            (0..links).map(|k| block([0.25 * k as f64 - 0.5, 0.0, 0.0], [0.125, 0.0625, 0.25])).collect()
        }
        2 => (0..3).map(|_| block([0; 3].map(|_| random.between(-0.3, 0.3)), [0.2, 0.1, 0.15])).collect(),
        3 => (0..2).map(|k| block([1.2 * k as f64 - 0.6, 0.0, 0.0], [0.1, 0.3, 0.3])).collect(),
        _ => vec![
            block([0.3, 0.0, 0.0], [0.2; 3]),
            (0..9).map(|_| random.direction()).map(|d| [0.2 * d[0] - 0.3, 0.3 * d[1], 0.2 * d[2]]).collect(),
        ],
    };
    Compound::new(pieces, growth)
}

/// The least signed distance over all pairs of pieces.
fn least(a: &Compound, pa: &Placement, b: &Compound, pb: &Placement) -> Wide {
    let pairs = a.bodies.iter().flat_map(|x| b.bodies.iter().map(move |y| (x, y)));
    let distances = pairs.map(|(x, y)| oracle::signed_distance(x, pa, y, pb).distance);
    distances.reduce(|x, y| if y < x { y } else { x }).expect("there are pieces")
}

fn placed(random: &mut Random, a: &Compound, b: &Compound, number: usize) -> (Placement, Placement) {
    let aligned = random.chance(0.3);
    let turn = |random: &mut Random| if aligned { random.quarter_turn() } else { random.turn() };
    let (qa, qb) = (turn(random), turn(random));
    let reach = a.reach() + b.reach();
    let share = if number.is_multiple_of(2) { random.between(0.0, 0.4) } else { random.between(0.3, 1.4) };
    let mut t = times(random.direction(), share * reach);
    if aligned {
        t = t.map(|x| (x * 16.0).round() / 16.0); // flush faces, exact touching
    }
    (Placement::new([0.0; 3], qa), Placement::new(t, qb))
}

fn check(a: &Compound, pa: &Placement, b: &Compound, pb: &Placement, row: &Proximity) -> Result<(), String> {
    let size = a.shape.radius + b.shape.radius + oracle::number::norm(pb.position);
    let truth = least(a, pa, b, pb);
    let above = |x: f64, y: Wide| (Wide::of(x) - y).value();
    if row.lower.is_nan() || !(row.lower <= row.distance && row.distance <= row.upper) {
        return Err("no bracket".into());
    }
    if above(row.upper, truth) < -1e-18 * size {
        return Err(format!("upper is {:e} below the deepest pair", above(row.upper, truth)));
    }
    if row.method != Method::Bound {
        if above(row.lower, truth) > 1e-18 * size {
            return Err(format!("lower is {:e} above the nearest pair", above(row.lower, truth)));
        }
        if row.upper - row.lower > 1e-12 * size {
            return Err(format!("the bracket is {:e} wide", row.upper - row.lower));
        }
        return Ok(());
    }
    // Moved by the depth along the normal, all pairs of pieces are apart.
    let n = oracle::out_of_frame(pa, row.normal.to_array());
    for depth in [-row.distance, -row.lower] {
        let apart = least(a, pa, b, &moved(pb, times(n, depth)));
        if apart.value() < -1e-15 * size {
            return Err(format!("moved by {depth:e} they still overlap by {:e}", -apart.value()));
        }
    }
    Ok(())
}

#[test]
fn brackets_hold_and_do_not_depend_on_the_way() {
    let mut random = Random(1);
    let mut methods = [0; 6];
    let mut statuses = [0; 4];
    for number in 0..3000 {
        let (a, b) = (compound(&mut random, number), compound(&mut random, number / 5));
        let (pa, pb) = placed(&mut random, &a, &b, number);
        let cold = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
        let recipe = || format!("  A {:?} at {pa:?}\n  B {:?} at {pb:?}\n  row {cold:?}", a.pieces, b.pieces);
        if let Err(why) = check(&a, &pa, &b, &pb, &cold) {
            panic!("case {number}: {why}\n{}", recipe());
        }
        methods[cold.method as usize] += 1;
        statuses[cold.status as usize] += 1;
        let mut cache = PairCache::default();
        for _ in 0..3 {
            let from = moved(&pb, times(random.direction(), random.scale(1e-9, 0.3)));
            walk_once(&a.shape, &pa, &b.shape, &from, &mut cache);
            let warm = walk_once(&a.shape, &pa, &b.shape, &pb, &mut cache);
            assert_eq!(bits(&warm), bits(&cold), "case {number}: warm {warm:?}\n{}", recipe());
        }
    }
    let (apart, touching, overlapping) = (
        statuses[Status::Separated as usize],
        statuses[Status::Touching as usize],
        statuses[Status::Penetrating as usize],
    );
    assert!(apart > 700 && overlapping > 900 && touching > 5, "not representative: {statuses:?}");
    assert!(methods[Method::Bound as usize] > 900 && methods[Method::None as usize] == 0, "{methods:?}");
}

/// Boxes all over a ball.
fn many_boxes(random: &mut Random, count: usize) -> Compound {
    let pieces = (0..count).map(|_| {
        let at = times(random.direction(), random.between(0.1, 0.9));
        block(at, [0; 3].map(|_| random.between(0.05, 0.25)))
    });
    Compound::new(pieces.collect(), 0.0)
}

#[test]
fn bodies_of_many_pieces_have_depths_that_no_order_changes() {
    let mut random = Random(5);
    let mut deep = 0;
    for _ in 0..3 {
        let (a, b) = (many_boxes(&mut random, 24), many_boxes(&mut random, 24));
        let pa = Placement::new([0.0; 3], random.turn());
        let (from, step) = (times(random.direction(), 0.6), times(random.direction(), 0.05));
        let turn = random.turn();
        let at = |k: usize| Placement::new([0, 1, 2].map(|i: usize| from[i] + k as f64 * step[i]), turn);
        let cold: Vec<Proximity> =
            (0..16).map(|k| query_one(&a.shape, &b.shape, &pose(&pa), &pose(&at(k)), &EVERYTHING)).collect();
        for (k, row) in cold.iter().enumerate() {
            if let Err(why) = check(&a, &pa, &b, &at(k), row) {
                panic!("sample {k}: {why} {row:?}");
            }
            deep += usize::from(row.method == Method::Bound);
        }
        for order in [|k: usize| k, |k: usize| 15 - k, |k: usize| 7 * k % 16] {
            let mut cache = PairCache::default();
            for k in (0..16).map(order) {
                let warm = walk_once(&a.shape, &pa, &b.shape, &at(k), &mut cache);
                assert_eq!(bits(&warm), bits(&cold[k]), "sample {k}");
            }
        }
    }
    assert!(deep > 30, "not representative: {deep}");
}
