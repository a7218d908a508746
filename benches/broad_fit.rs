//! Costs of each search over a grid of cases, the fit behind `--broad auto`, and how far `auto` is
//! from the best.
//!
//! `cargo bench --bench broad_fit [-- METHOD,METHOD... [CASE]]`; by default brute, tree, grid and
//! hash, and all kinds of cases. It runs on one thread. A case is one search among moving boxes,
//! then between moving and fixed ones. A time is the least of several rounds, because other work on
//! the machine only adds to it. In each round all methods take turns, so that a busy period of the
//! machine affects all of them. Fits minimise the relative error by least squares.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep_broad::boxes::LatticeBox;
use clearsweep_broad::internals::SearchInput;
use clearsweep_testing::random::Random;
use std::time::Instant;

/// The most comparisons for which brute force is measured.
const TOO_MANY: usize = 1 << 28;
/// The edge of the space, lattice spacings.
const SPACE: f64 = 4e9;

/// The arrangement and the sizes of boxes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Uniform,
    Clustered,
    Planar,
    /// Sizes from 1 to 1000, distributed log-uniformly.
    Sizes,
    /// All boxes overlap each other.
    Heap,
}

const KINDS: [(&str, Kind); 5] = [
    ("uniform", Kind::Uniform),
    ("clustered", Kind::Clustered),
    ("planar", Kind::Planar),
    ("1:1000", Kind::Sizes),
    ("heap", Kind::Heap),
];

/// `count` boxes, of a size for which each of `crowd` boxes overlaps about five others.
fn boxes(kind: Kind, count: usize, crowd: usize, random: &mut Random) -> Vec<LatticeBox> {
    let n = crowd.max(1) as f64;
    let centres: Vec<[f64; 3]> = (0..10).map(|_| [0; 3].map(|_| 0.05 + 0.9 * random.unit())).collect();
    let side = match kind {
        Kind::Planar => (1.25 / n).sqrt(),
        Kind::Heap => 2.0,
        Kind::Clustered => 0.05 * (10.0 * 0.625 / n).cbrt(),
        Kind::Sizes => 2.2 * (0.625 / n).cbrt(),
        Kind::Uniform => (0.625 / n).cbrt(),
    };
    let mut all = Vec::with_capacity(count);
    for i in 0..count {
        let mut at = [0; 3].map(|_| random.unit());
        let mut size = side;
        match kind {
            Kind::Clustered => at = std::array::from_fn(|k| centres[i % 10][k] + 0.05 * (at[k] - 0.5)),
            Kind::Planar => at[2] = 0.5 + 0.1 * side * at[2],
            Kind::Sizes => size = side * 1000_f64.powf(random.unit() - 1.0),
            Kind::Uniform | Kind::Heap => {}
        }
        let cell = |v: f64| (v * SPACE).clamp(1.0, SPACE) as u32;
        all.push(LatticeBox {
            min: std::array::from_fn(|k| cell(at[k] - 0.5 * size)),
            max: std::array::from_fn(|k| cell(at[k] + 0.5 * size)),
        });
    }
    all
}

struct Case {
    name: String,
    moving: usize,
    fixed: usize,
    /// The times by method, nanoseconds.
    times: Vec<Option<f64>>,
    /// The ratio of the time of the method that `auto` chooses to the best time.
    auto: f64,
}

/// The least time of a search by each of the methods, nanoseconds.
fn least(boxes: &SearchInput, methods: &[&str], found: usize, asked: impl Fn(&str) -> bool) -> Vec<Option<f64>> {
    let mut times: Vec<Option<f64>> = methods.iter().map(|method| asked(method).then_some(f64::INFINITY)).collect();
    let (mut spent, mut rounds) = (0.0, 0);
    // The first round builds what is built once and warms the caches.
    while rounds < 6 || spent < 2e7 * methods.len() as f64 && rounds < 2000 {
        for (time, method) in times.iter_mut().zip(methods).filter(|(time, _)| time.is_some()) {
            let begun = Instant::now();
            assert_eq!(boxes.pairs(method).unwrap().len(), found, "{method}");
            let ns = begun.elapsed().as_secs_f64() * 1e9;
            spent += ns;
            *time = time.map(|least| if rounds == 0 { least } else { least.min(ns) });
        }
        rounds += 1;
    }
    times
}

fn measure(kind: (&str, Kind), moving: usize, fixed: usize, methods: &[&str]) -> Case {
    let random = &mut Random((moving + 3 * fixed) as u64);
    let crowd = moving + fixed;
    let boxes = SearchInput::new(
        boxes(kind.1, moving, crowd, random).into_iter(),
        boxes(kind.1, fixed, crowd, random).into_iter(),
    );
    let found = boxes.pairs("auto").unwrap().len();
    let asked = |method: &str| method != "brute" || moving * (moving + fixed) < TOO_MANY;
    let times = least(&boxes, methods, found, asked);
    let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let words: Vec<String> = times.iter().map(|t| t.map_or("-".to_owned(), |t| format!("{:.1}", t / 1e3))).collect();
    let chosen = boxes.chosen();
    let auto = methods.iter().position(|&m| m == chosen).and_then(|m| times[m]).map_or(f64::NAN, |t| t / best);
    println!("| {} | {moving} | {fixed} | {found} | {} | {chosen} | {auto:.2} |", kind.0, words.join(" | "));
    Case { name: kind.0.to_owned(), moving, fixed, times, auto }
}

/// Coefficients that minimise the relative error of `terms . x = time`, by the normal equations.
fn fit(rows: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let n = rows[0].0.len();
    let mut a = vec![vec![0.0; n + 1]; n];
    for (terms, time) in rows {
        let scaled: Vec<f64> = terms.iter().map(|t| t / time).collect();
        for i in 0..n {
            (0..n).for_each(|j| a[i][j] += scaled[i] * scaled[j]);
            a[i][n] += scaled[i];
        }
    }
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
        a.swap(i, pivot);
        for r in (0..n).filter(|&r| r != i) {
            let factor = a[r][i] / a[i][i];
            for c in i..=n {
                let v = a[i][c];
                a[r][c] -= factor * v;
            }
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

/// Terms of the models: see `crates/broad/src/cost.rs`, whose cases these repeat.
fn terms(method: &str, moving: usize, fixed: usize) -> Vec<f64> {
    let (n, m) = (moving as f64, fixed as f64);
    let only = |condition: bool, v: f64| if condition { v } else { 0.0 };
    let against = n * (m + 1.0).log2();
    match method {
        "brute" => vec![1.0, n, n * n / 2.0 + n * m],
        "tree" => {
            let few = 8 * moving < fixed;
            let built = moving > 16 || fixed > 0 && !few;
            let build = [1.0, n, n * (n + 1.0).log2()].map(|v| only(built, v));
            [&build[..], &[only(few, against), only(!few, against)]].concat()
        }
        _ => vec![1.0, n, n * (n + 1.0).log2(), against],
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|a| !a.starts_with('-'));
    let asked = arguments.next().unwrap_or_else(|| "brute,tree,grid,hash".to_owned());
    let only = arguments.next();
    let is_asked = |(name, _): &(&str, Kind)| only.as_ref().is_none_or(|only| only == name);
    let methods: Vec<&str> = asked.split(',').collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    println!("| case | moving | fixed | pairs | {} (us) | auto takes | auto / best |", methods.join(" (us) | "));
    println!("|{}", " --- |".repeat(6 + methods.len()));
    let mut cases = Vec::new();
    pool.install(|| {
        for kind in KINDS.into_iter().filter(is_asked) {
            for moving in [4, 12, 30, 60, 100, 200, 400, 700, 1000, 2000, 5000, 20_000, 100_000] {
                if kind.1 != Kind::Heap || moving <= 1000 {
                    cases.push(measure(kind, moving, 0, &methods));
                }
            }
        }
        for kind in KINDS[..4].iter().filter(|kind| is_asked(kind)) {
            for (moving, fixed) in [(1, 100), (1, 10_000), (12, 30), (12, 300), (12, 3000), (12, 100_000), (100, 1000)]
            {
                cases.push(measure(*kind, moving, fixed, &methods));
            }
            for (moving, fixed) in [(100, 10_000), (1000, 1000), (1000, 100_000), (10_000, 100), (10_000, 10_000)] {
                cases.push(measure(*kind, moving, fixed, &methods));
            }
        }
    });
    for (m, method) in methods.iter().enumerate() {
        // A heap costs every search what its pairs cost.
        // Up to sixteen moving boxes, the tree searches by brute force.
        let of = |case: &Case| {
            let small = *method == "tree" && case.moving <= 16;
            let brute = if small { 54.0 + 13.0 * case.moving as f64 } else { 0.0 };
            let time = case.times[m]? - brute;
            let terms = terms(method, case.moving, case.fixed);
            (time > 100.0 && terms.iter().any(|&t| t > 0.0)).then_some((terms, time))
        };
        let rows: Vec<_> = cases.iter().filter(|case| case.name != "heap").filter_map(of).collect();
        if !rows.is_empty() {
            println!("{method}: {:.3?} ns, of the terms in `terms`", fit(&rows));
        }
    }
    let known = cases.iter().filter(|case| !case.auto.is_nan());
    let worst =
        known.max_by(|a, b| a.auto.total_cmp(&b.auto)).expect("a case of this name, and methods that auto takes");
    println!("auto / best at most {:.2} ({}, {} moving, {} fixed)", worst.auto, worst.name, worst.moving, worst.fixed);
}
