//! Questions: bodies and walks of a pair, family by family.

use crate::oracle::families::{self as bodies, Random, Recipe, Regime, cuboid, moved, rounded};
use crate::oracle::number::{Vector, add, times};
use crate::oracle::{self, Placement};
use crate::recheck::drawings;
use crate::recheck::solid::Solid;
use crate::recheck::verify::cold;

/// Samples of a pair, in order, and what is known of them.
pub struct Walk {
    /// Indices into the pool.
    pub bodies: [usize; 2],
    pub samples: Vec<(Placement, Placement)>,
    /// Signed distances known from elsewhere, one a sample or none at all; NaN for a sample without
    /// one.
    pub known: Vec<f64>,
    pub within: f64,
}

/// Bodies drawn at a time.
const POOL: usize = 96;

type Draw = fn(&mut Random, usize) -> Recipe;
type Step = fn(&mut Random, &[Solid]) -> Walk;

/// A family of queries.
pub struct Family {
    pub name: &'static str,
    /// Part of all queries.
    pub share: f64,
    /// Drawing of its bodies; `None`: the pool is given.
    draw: Option<Draw>,
    pub step: Step,
    pub pool: Vec<Solid>,
    /// Walks to be done first.
    pub given: Vec<Walk>,
    /// The least shares of rows apart, touching and overlapping for the family to be
    /// representative, percent.
    pub least: [f64; 3],
}

impl Family {
    pub fn new(name: &'static str, share: f64, draw: Draw, step: Step) -> Self {
        Self { name, share, draw: Some(draw), step, pool: Vec::new(), given: Vec::new(), least: [0.0; 3] }
    }

    /// Returns the family with the least shares it has to reach.
    pub fn least(self, least: [f64; 3]) -> Self {
        Self { least, ..self }
    }

    pub fn of_pool(name: &'static str, share: f64, pool: Vec<Solid>, given: Vec<Walk>, step: Step) -> Self {
        Self { name, share, draw: None, step, pool, given, least: [0.0; 3] }
    }

    /// Draws new bodies, if they are drawn.
    pub fn renew(&mut self, random: &mut Random) {
        if let Some(draw) = self.draw {
            self.pool = (0..POOL).map(|i| Solid::from_recipe(draw(random, i))).collect();
        }
    }
}

/// The families that need no input.
pub fn own() -> Vec<Family> {
    vec![
        Family::new("crowd", 0.30, crowd, coherent).least([20.0, 0.0, 30.0]),
        Family::new("near-parallel", 0.08, parallel_bodies, near_parallel).least([25.0, 1.0, 24.0]),
        Family::new("slivers", 0.06, bodies::sliver, anyhow).least([32.0, 0.0, 18.0]),
        Family::new("needles", 0.02, needles, near_parallel).least([36.0, 0.4, 13.0]),
        Family::new("scales", 0.06, scaled, anyhow).least([28.0, 0.0, 22.0]),
        Family::new("far away", 0.06, bodies::compact, far_away).least([26.0, 0.0, 24.0]),
        Family::new("far drawn", 0.06, drawings::drawn, drawings::carried).least([28.0, 1.0, 20.0]),
        Family::new("exact touch", 0.07, bodies::tied, exact_touch).least([29.0, 20.0, 0.0]),
        Family::new("ties", 0.07, bodies::tied, slide).least([42.0, 4.0, 3.5]),
        Family::new("creeping", 0.06, creepers, creep).least([27.0, 0.03, 23.0]),
        Family::new("disks", 0.06, disks, anyhow).least([25.0, 0.0, 25.0]),
        Family::new("concentric", 0.06, symmetric, concentric).least([0.2, 0.0, 50.0]),
        Family::new("flat", 0.06, bodies::flat, anyhow).least([33.0, 0.0, 16.0]),
        Family::new("rounded", 0.06, bodies::round, anyhow).least([25.0, 2.8, 22.0]),
        Family::new("medium hulls", 0.02, bodies::medium, anyhow).least([24.0, 0.0, 25.0]),
        Family::new("large hulls", 0.01, large, anyhow).least([24.0, 0.0, 26.0]),
        Family::new("large hulls, coherent", 0.02, large, coherent).least([13.0, 0.0, 37.0]),
    ]
}

pub fn two(random: &mut Random, pool: &[Solid]) -> [usize; 2] {
    [random.below(pool.len()), random.below(pool.len())]
}

/// Boxes, hulls of up to 20 points, prisms, capsules, spheres; some inflated: as
/// `clearsweep generate crowd` draws them.
pub fn crowd(random: &mut Random, i: usize) -> Recipe {
    let inflated = if random.chance(0.2) { random.between(0.005, 0.05) } else { 0.0 };
    let mut recipe = match i % 8 {
        0..=2 => Recipe::new("box", cuboid([0; 3].map(|_| random.between(0.05, 0.5))), 0.0),
        3..=5 => {
            let (count, axes) = (8 + random.below(13), [0; 3].map(|_| random.between(0.15, 0.5)));
            Recipe::new("hull", bodies::ellipsoid(random, count, axes), 0.0)
        }
        6 => {
            let half = random.between(0.05, 0.5);
            Recipe::new("prism", bodies::disk(random, 5..13, half), 0.0)
        }
        _ => bodies::round(random, i / 8 % 2),
    };
    recipe.growth += inflated;
    recipe
}

fn parallel_bodies(random: &mut Random, i: usize) -> Recipe {
    match i % 4 {
        0 | 1 => Recipe::new("box", cuboid([0; 3].map(|_| random.between(0.1, 0.5))), 0.0),
        2 => {
            let half = random.between(0.05, 0.5);
            Recipe::new("prism", bodies::disk(random, 3..9, half), 0.0)
        }
        _ => bodies::compact(random, 1),
    }
}

/// Boxes and hulls up to a million times as long as thin, flat ones among them.
fn needles(random: &mut Random, i: usize) -> Recipe {
    let mut axes = [0.5, random.scale(5e-7, 0.5), random.scale(5e-7, 0.5)];
    axes.rotate_left(random.below(3));
    let count = 3 + random.below(10);
    match i % 5 {
        0 | 1 => Recipe::new("needle", cuboid(axes), 0.0),
        2 | 3 => Recipe::new("needle", bodies::ellipsoid(random, count, axes), 0.0),
        _ => Recipe::new("polygon", bodies::polygon(random), 0.0),
    }
}

/// A compact body times a power of two.
fn scaled(random: &mut Random, i: usize) -> Recipe {
    let recipe = bodies::compact(random, i);
    let scale = 2.0_f64.powi(random.below(41) as i32 - 20);
    Recipe { points: recipe.points.iter().map(|&p| times(p, scale)).collect(), ..recipe }
}

/// Hulls of 64 to 400 points, some of them near-smooth: searches climb from 192 vertices on.
fn large(random: &mut Random, i: usize) -> Recipe {
    let count = 64 + random.below(if i.is_multiple_of(4) { 337 } else { 160 });
    let axes = if i.is_multiple_of(2) { [0.4; 3] } else { [0; 3].map(|_| random.between(0.1, 0.6)) };
    Recipe::new("large hull", bodies::ellipsoid(random, count, axes), 0.0)
}

/// Prisms of many sides, thick and thin.
fn disks(random: &mut Random, i: usize) -> Recipe {
    let half = random.scale(1e-3, 0.5);
    Recipe::new("disk", bodies::disk(random, if i.is_multiple_of(8) { 17..49 } else { 5..17 }, half), 0.0)
}

/// Bodies that are their own mirror images, and boxes.
fn symmetric(random: &mut Random, i: usize) -> Recipe {
    if i.is_multiple_of(2) {
        return bodies::compact(random, i / 2);
    }
    let count = 3 + random.below(5);
    let half: Vec<_> = (0..count).map(|_| times(random.direction(), random.between(0.2, 0.5))).collect();
    Recipe::new("symmetric", half.iter().flat_map(|&d| [d, d.map(|c| -c)]).collect(), 0.0)
}

/// The placement of B moved along the normal to about that gap: where poses come from proves
/// nothing about rows.
fn brought_to(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement, gap: f64) -> Placement {
    let row = cold(a, pa, b, pb);
    moved(pb, times(oracle::out_of_frame(pa, row.normal.to_array()), gap - row.distance))
}

fn regime(random: &mut Random) -> Regime {
    [Regime::Separated, Regime::Touching, Regime::Overlapping][random.below(3)]
}

/// A gap of the regime, for bodies of that reach; `None`: as it is.
fn gap(random: &mut Random, regime: Regime, reach: f64) -> Option<f64> {
    let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
    match regime {
        Regime::Separated => Some(random.scale(1e-6, 1.0) * reach),
        Regime::Touching if random.chance(0.1) => Some(0.0),
        Regime::Touching => Some(sign * random.scale(1e-17, 1e-9) * reach),
        Regime::Overlapping if random.chance(0.3) => Some(-random.scale(1e-6, 1e-2) * reach),
        Regime::Overlapping => None,
    }
}

/// B about A in a regime.
fn placed(random: &mut Random, a: &Solid, pa: Placement, b: &Solid, qb: [f64; 4]) -> (Placement, Placement) {
    let reach = (a.radius() + b.radius()).max(1e-9);
    let regime = regime(random);
    let away = if regime == Regime::Overlapping { random.between(0.0, 0.4) } else { random.between(0.2, 2.0) };
    let pb = Placement::new(add(pa.position, times(random.direction(), away * reach)), qb);
    let Some(gap) = gap(random, regime, reach) else { return (pa, pb) };
    let pb = brought_to(a, &pa, b, &pb, gap);
    (pa, if random.chance(0.5) { rounded(pb) } else { pb })
}

/// Anything in each sample; a sample in three lies near the one before.
pub fn anyhow(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    let [a, b] = bodies.map(|i| &pool[i]);
    let mut samples: Vec<(Placement, Placement)> = Vec::with_capacity(64);
    for s in 0..64 {
        let last = samples.last().copied();
        if let (Some((pa, pb)), true) = (last, s % 3 != 0) {
            let step = random.scale(1e-9, 1e-1) * (a.radius() + b.radius());
            let pb = moved(&pb, times(random.direction(), step));
            let nudge = times(random.direction(), random.scale(1e-9, 1e-1));
            samples.push((pa, Placement { q: product(pb.q, [1.0, nudge[0], nudge[1], nudge[2]]), ..rounded(pb) }));
            continue;
        }
        let mut turn = || if random.chance(0.1) { random.quarter_turn() } else { random.turn() };
        let (qa, qb) = (turn(), turn());
        let at = times([0; 3].map(|_| random.between(-1.0, 1.0)), a.radius());
        samples.push(placed(random, a, Placement::new(at, qa), b, qb));
    }
    Walk { bodies, samples, known: Vec::new(), within: f64::INFINITY }
}

pub fn product([aw, ax, ay, az]: [f64; 4], [bw, bx, by, bz]: [f64; 4]) -> [f64; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Both bodies drift and spin over four blocks, past each other or through each other.
fn coherent(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    coherent_between(random, pool, bodies, [0.0, 1.1], [0.02, 4.0])
}

/// Makes a walk like [`coherent`] of given bodies; `near`: how near the origins come, in reaches;
/// `motion`: the way in reaches, and the turn in radians.
pub fn coherent_between(
    random: &mut Random,
    pool: &[Solid],
    bodies: [usize; 2],
    near: [f64; 2],
    motion: [f64; 2],
) -> Walk {
    let [a, b] = bodies.map(|i| &pool[i]);
    let reach = a.radius() + b.radius();
    let nearest = times(random.direction(), random.between(near[0], near[1]) * reach);
    let (way, spin) = (random.scale(motion[0], motion[1]) * reach, random.scale(motion[0], motion[1]));
    let (along, axes) = (random.direction(), [random.direction(), random.direction()]);
    let (qa, qb) = (random.turn(), random.turn());
    let home = [0; 3].map(|_| random.between(-5.0, 5.0));
    let sample = |k: usize| {
        let share = k as f64 / 255.0 - 0.5;
        let turned = |q: [f64; 4], axis: Vector<f64>, angle: f64| {
            let (c, s) = (libm::cos(angle / 2.0), libm::sin(angle / 2.0));
            product([c, axis[0] * s, axis[1] * s, axis[2] * s], q)
        };
        let pa = Placement::new(add(home, times(along, -0.3 * way * share)), turned(qa, axes[0], 0.5 * spin * share));
        let t = add(nearest, times(along, 0.7 * way * share));
        (pa, Placement::new(add(home, t), turned(qb, axes[1], spin * share)))
    };
    let samples = (0..256).map(sample).collect();
    let within = if random.chance(0.25) { random.between(0.0, 0.3) * reach } else { f64::INFINITY };
    Walk { bodies, samples, known: Vec::new(), within }
}

/// B parallel to A but for 1e-17 to 1e-3 rad, often one of A's own quarter turns beside it.
fn near_parallel(random: &mut Random, pool: &[Solid]) -> Walk {
    let mut bodies = two(random, pool);
    if random.chance(0.3) {
        bodies[1] = bodies[0];
    }
    let [a, b] = bodies.map(|i| &pool[i]);
    let qa = if random.chance(0.5) { [1.0, 0.0, 0.0, 0.0] } else { random.turn() };
    let quarter = random.quarter_turn();
    let samples = (0..64).map(|_| {
        let any = random.direction();
        let own = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][random.below(3)];
        let half = times(if random.chance(0.5) { any } else { own }, 0.5 * random.scale(1e-17, 1e-3));
        let qb = product(product(qa, quarter), [1.0, half[0], half[1], half[2]]);
        placed(random, a, Placement::new([0.0; 3], qa), b, qb)
    });
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}

/// Anything, 5,000 km away: positions keep their rest, or are rounded to 1 nm as a file would.
fn far_away(random: &mut Random, pool: &[Solid]) -> Walk {
    let mut walk = anyhow(random, pool);
    let far = times(random.direction(), 5e6);
    let keep = random.chance(0.7);
    for (pa, pb) in &mut walk.samples {
        (*pa, *pb) = (moved(pa, far), moved(pb, far));
        if !keep {
            (*pa, *pb) = (rounded(*pa), rounded(*pb));
        }
    }
    walk
}

/// The matrix `M(q)` of a quaternion of small integers, exact; the rotation is `M(q) / |q|^2`.
fn integer_matrix([w, x, y, z]: [f64; 4]) -> [Vector<f64>; 3] {
    [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (z * x + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (z * x - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
}

fn turned(matrix: &[Vector<f64>; 3], v: Vector<f64>) -> Vector<f64> {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Bodies of dyadic coordinates that touch exactly: flush along an axis of A, then both turned by a
/// rational rotation that takes the way from A to B to dyadic numbers again.
fn exact_touch(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    let [a, b] = bodies.map(|i| &pool[i]);
    let samples = (0..64).map(|_| {
        let inner = random.quarter_turn().map(|c| if c == 0.0 { 0.0 } else { c.signum() });
        let (square, matrix) = (inner.iter().map(|c| c * c).sum::<f64>(), integer_matrix(inner));
        let axis = random.below(3);
        let top = a.points.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
        let low = b.points.iter().map(|p| turned(&matrix, *p)[axis] / square).fold(f64::INFINITY, f64::min);
        let home = [0; 3].map(|_| random.below(65) as f64 / 8.0 - 4.0);
        loop {
            let q = [0; 4].map(|_| random.below(4) as f64 - 1.0);
            let square: f64 = q.iter().map(|c| c * c).sum();
            let mut t = [0; 3].map(|_| (random.below(33) as f64 - 16.0) / 32.0);
            t[axis] = top - low;
            let way = turned(&integer_matrix(q), t);
            if square > 0.0 && way.iter().all(|c| (c * 64.0) % square == 0.0) {
                let pb = Placement::new(add(home, way.map(|c| c / square)), product(q, inner));
                return (Placement::new(home, q), pb);
            }
        }
    });
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}

/// Boxes and lattice hulls aligned with the axes, sliding over each other in steps of 1/64.
fn slide(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    let [a, b] = bodies.map(|i| &pool[i]);
    let (axis, along) = (random.below(3), 1 + random.below(2));
    let top = |s: &Solid, sign: f64| s.points.iter().map(|p| sign * p[axis]).fold(f64::NEG_INFINITY, f64::max);
    let lift = [0.0, 0.0, 0.0625, -0.125, 1e-9, -1e-9, 1e-15][random.below(7)];
    let mut t = [0; 3].map(|_| random.below(9) as f64 * 0.125 - 0.5);
    t[axis] = top(a, 1.0) + top(b, -1.0) + lift;
    let sample = |k: usize| {
        let mut t = t;
        t[(axis + along) % 3] += k as f64 / 64.0 - 1.0;
        (Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]), Placement::new(t, [1.0, 0.0, 0.0, 0.0]))
    };
    Walk { bodies, samples: (0..128).map(sample).collect(), known: Vec::new(), within: f64::INFINITY }
}

/// Boxes, lattice hulls, prisms and anything compact.
fn creepers(random: &mut Random, i: usize) -> Recipe {
    [bodies::compact, bodies::tied, disks, bodies::flat][i % 4](random, i / 4)
}

/// From touch on in steps of 1e-17 to 1e-9 of the reach, with turns as small: where strict ends and
/// ties begin.
fn creep(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    let [a, b] = bodies.map(|i| &pool[i]);
    let mut turn = || if random.chance(0.3) { random.quarter_turn() } else { random.turn() };
    let (pa, qb) = (Placement::new([0.0; 3], turn()), turn());
    let reach = (a.radius() + b.radius()).max(1e-9);
    let start = Placement::new(times(random.direction(), random.between(0.1, 1.2) * reach), qb);
    let mut at = brought_to(a, &pa, b, &start, 0.0);
    let (step, twist) = (random.scale(1e-17, 1e-9), random.scale(1e-17, 1e-9));
    let drift = times(random.direction(), step * reach);
    let nudge = times(random.direction(), twist);
    let samples = (0..128).map(|k| {
        at = moved(&at, if k % 2 == 0 { drift } else { times(random.direction(), step * reach) });
        at.q = product(at.q, [1.0, nudge[0], nudge[1], nudge[2]]);
        (pa, at)
    });
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}

/// Deep overlaps: centres in one place, or nearly.
fn concentric(random: &mut Random, pool: &[Solid]) -> Walk {
    let mut bodies = two(random, pool);
    if random.chance(0.3) {
        bodies[1] = bodies[0];
    }
    let reach = pool[bodies[0]].radius() + pool[bodies[1]].radius();
    let (qa, own) = (random.turn(), random.quarter_turn());
    let samples = (0..64).map(|_| {
        let t = [0.0, random.scale(1e-17, 1e-9), random.scale(1e-9, 0.1)][random.below(3)];
        let qb = [qa, product(qa, own), random.turn()][random.below(3)];
        let pa = Placement::new([0.0; 3], qa);
        (pa, Placement::new(times(random.direction(), t * reach), qb))
    });
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}
