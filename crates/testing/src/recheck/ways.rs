//! Every way to a row: cold, from memories of elsewhere and of others, by each method. All bits
//! must be equal.

use clearsweep_narrow::{
    Auto, BodyPoses, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, VClip, Workspace,
};

use crate::bridge::{EVERYTHING, bits};
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{add, times};
use crate::recheck::families::Walk;
use crate::recheck::solid::Solid;

/// Rows compared, and those that differ.
#[derive(Default, Clone, Copy)]
pub struct Ways {
    pub queries: u64,
    pub rows: u64,
    pub different: u64,
    /// Queries with a memory of other bodies of the same counts.
    pub same_counts: u64,
}

fn once(
    method: &dyn NarrowPhase,
    [a, b]: [&Solid; 2],
    places: &(Placement, Placement),
    cache: &mut PairCache,
) -> Proximity {
    let (pa, pb) = (a.pose(&places.0), b.pose(&places.1));
    let query = PairQuery {
        a: &a.shape,
        b: &b.shape,
        poses_a: BodyPoses::Fixed(&pa),
        poses_b: BodyPoses::Fixed(&pb),
        samples: 1,
    };
    let mut rows = Vec::new();
    method.walk(&query, &EVERYTHING, cache, &mut Workspace::default(), &mut SolverStats::default(), &mut rows);
    rows[0]
}

/// The row of the last of several queries that are handed over together, nothing remembered.
fn together(method: &dyn NarrowPhase, queries: &[([&Solid; 2], (Placement, Placement))]) -> Proximity {
    let poses: Vec<_> = queries.iter().map(|([a, b], places)| (a.pose(&places.0), b.pose(&places.1))).collect();
    let all: Vec<_> = queries
        .iter()
        .zip(&poses)
        .map(|(([a, b], _), (pa, pb))| PairQuery {
            a: &a.shape,
            b: &b.shape,
            poses_a: BodyPoses::Fixed(pa),
            poses_b: BodyPoses::Fixed(pb),
            samples: 1,
        })
        .collect();
    let mut caches = vec![PairCache::default(); all.len()];
    let mut rows = Vec::new();
    method.query_batch(
        &all,
        &EVERYTHING,
        &mut caches,
        &mut Workspace::default(),
        &mut SolverStats::default(),
        &mut rows,
        &mut Vec::new(),
    );
    rows[rows.len() - 1]
}

/// Compares the row of one sample with the rows of all other ways; the error is the first way that
/// differs.
pub fn compare(
    ways: &mut Ways,
    random: &mut Random,
    pool: &[Solid],
    walk: &Walk,
    sample: usize,
    row: Option<&Proximity>,
) -> Result<(), String> {
    let here = &walk.samples[sample];
    let bodies = walk.bodies.map(|i| &pool[i]);
    let cold = once(&Gjk::DEFAULT, bodies, here, &mut PairCache::default());
    let expected = bits(&cold);
    let mut wrong = None;
    let mut see = |what: String, found: &Proximity| {
        ways.rows += 1;
        if bits(found) != expected {
            ways.different += 1;
            wrong.get_or_insert(format!("{what} differs:\n  {found:?}\n  cold {cold:?}"));
        }
    };
    if let Some(row) = row {
        see("the row of the walk".into(), row);
    }
    let reach = bodies[0].radius() + bodies[1].radius();
    let away = times(random.direction(), random.between(0.2, 2.0) * reach);
    let far = (here.0, Placement::new(add(here.0.position, away), random.turn()));
    let inside = (here.0, Placement::new(here.0.position, random.turn()));
    let elsewhere = walk.samples[(sample + walk.samples.len() / 2) % walk.samples.len()];
    let other = [random.below(pool.len()), random.below(pool.len())];
    let alike = alike(random, pool, walk.bodies);
    ways.queries += 1;
    ways.same_counts += u64::from(alike != walk.bodies);
    let methods: [&dyn NarrowPhase; 4] = [&Auto, &Gjk::DEFAULT, &VClip, &LinCanny];
    for method in methods {
        let name = method.name();
        see(format!("{name}, cold"), &once(method, bodies, here, &mut PairCache::default()));
        let others = other.map(|i| &pool[i]);
        let group = [(bodies, far), (others, *here), (bodies, inside), (bodies, elsewhere), (bodies, *here)];
        see(format!("{name}, together with others"), &together(method, &group));
        let memories = [
            ("a stale cache, far", bodies, far),
            ("a stale cache, inside", bodies, inside),
            ("a stale cache, elsewhere", bodies, elsewhere),
            ("a cache of other bodies of the same counts", alike.map(|i| &pool[i]), far),
            ("a cache of other bodies of the same counts, near", alike.map(|i| &pool[i]), *here),
            ("a cache of other bodies", other.map(|i| &pool[i]), *here),
        ];
        for (what, before, places) in memories {
            // The memory may come from any method.
            for first in methods {
                let mut cache = PairCache::default();
                once(first, before, &places, &mut cache);
                see(format!("{name}, {what}, of {}", first.name()), &once(method, bodies, here, &mut cache));
            }
        }
    }
    wrong.map_or(Ok(()), Err)
}

/// Other bodies whose memory is not dropped at sight; the same bodies if there are no others.
fn alike(random: &mut Random, pool: &[Solid], bodies: [usize; 2]) -> [usize; 2] {
    bodies.map(|body| {
        let same: Vec<usize> =
            (0..pool.len()).filter(|&i| i != body && pool[i].counts() == pool[body].counts()).collect();
        if same.is_empty() { body } else { same[random.below(same.len())] }
    })
}
