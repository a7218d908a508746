//! probes
#![allow(clippy::print_stderr, dead_code)]

#[path = "oracle/bridge.rs"]
mod bridge;
#[path = "oracle/invariants.rs"]
mod invariants;
#[path = "oracle/mod.rs"]
mod oracle;

use bridge::{EVERYTHING, Solid, bits, check, pose, recipe};
use clearsweep::narrow::{PairCache, query_one};
use invariants::walk_once;
use oracle::Placement;
use oracle::families::{self, Random, Regime, cuboid, moved, place};
use oracle::number::{Number, Wide, norm, times};
use std::time::Instant;

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

#[test]
fn wedge() {
    let mut random = Random(1);
    let (mut bad, mut wrong, mut n) = (0, 0, 0);
    for k in 0..2000 {
        let phi = random.scale(1e-10, 1e-4);
        let a = Solid::new(
            "wedge",
            vec![
                [0.0, 0.5, 0.0],
                [0.0, -0.5, 0.0],
                [1.0, 0.5, phi],
                [1.0, -0.5, phi],
                [1.0, 0.5, -phi],
                [1.0, -0.5, -phi],
            ],
            0.0,
        );
        let b = if k % 2 == 0 {
            Solid::new("point", vec![[0.0; 3]], 0.0)
        } else {
            Solid::new("needle", vec![[0.0; 3], [0.3, 0.01, 1e-3], [0.3, -0.01, 1e-3]], 0.0)
        };
        let half = random.scale(2e-14, 1e-12);
        let x = half / phi;
        if x > 0.9 {
            continue;
        }
        n += 1;
        let z = random.between(-1.5, 1.5) * half;
        let pa = Placement::new([0.0; 3], STILL);
        let pb = Placement::new([x, 0.0, z], STILL);
        if let Err(e) = check(&a, &pa, &b, &pb) {
            wrong += 1;
            if wrong < 3 {
                eprintln!("wedge {k}: {e}");
            }
        }
        let cold = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
        for dz in [1e-3, -1e-3, 1e-11, -1e-11, 3e-13, -3e-13] {
            let mut cache = PairCache::default();
            walk_once(&a.shape, &pa, &b.shape, &Placement::new([x, 0.0, z + dz], STILL), &mut cache);
            let warm = walk_once(&a.shape, &pa, &b.shape, &pb, &mut cache);
            if bits(&warm) != bits(&cold) {
                bad += 1;
                if bad < 4 {
                    eprintln!(
                        "wedge {k} from dz {dz:e}: warm {:?} {:?} {:e} [{:e},{:e}] cold {:?} {:?} {:e} [{:e},{:e}]\n{}",
                        warm.feature,
                        warm.method,
                        warm.distance,
                        warm.lower,
                        warm.upper,
                        cold.feature,
                        cold.method,
                        cold.distance,
                        cold.lower,
                        cold.upper,
                        recipe(&a, &pa, &b, &pb)
                    );
                }
                break;
            }
        }
    }
    eprintln!("wedge: {n} poses, {bad} path dependent, {wrong} wrong");
}

fn ico(n: usize, seed: u64) -> Vec<[f64; 3]> {
    let mut r = Random(seed);
    let mut v = Vec::new();
    for _ in 0..n / 2 {
        let d = r.direction();
        v.push(d);
        v.push(d.map(|c| -c));
    }
    v
}

#[test]
fn symmetric() {
    for n in [20usize, 60, 120, 128] {
        let mut random = Random(n as u64);
        let (mut bad, mut wrong, mut total) = (0, 0, 0);
        let mut methods = [0; 6];
        let t0 = Instant::now();
        for k in 0..60 {
            let a = Solid::new("s", ico(n, k), 0.0);
            let b = Solid::new("s", ico(n, k + 1000), 0.0);
            let pa = Placement::new([0.0; 3], random.turn());
            let t = times(random.direction(), random.scale(1e-14, 1e-11));
            let pb = Placement::new(t, random.turn());
            total += 1;
            let cold = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
            methods[cold.method as usize] += 1;
            if k < 6
                && let Err(e) = check(&a, &pa, &b, &pb)
            {
                wrong += 1;
                if wrong < 2 {
                    eprintln!("symmetric {n} {k}: {}", &e[..400.min(e.len())]);
                }
            }
            for step in 0..12 {
                let mut cache = PairCache::default();
                let from = moved(&pb, times(random.direction(), random.scale(1e-12, 1e-1)));
                walk_once(&a.shape, &pa, &b.shape, &from, &mut cache);
                let warm = walk_once(&a.shape, &pa, &b.shape, &pb, &mut cache);
                if bits(&warm) != bits(&cold) {
                    bad += 1;
                    if bad < 3 {
                        eprintln!(
                            "symmetric n {n} k {k} step {step}: warm {:?} {:?} {:e} [{:e},{:e}] cold {:?} {:?} {:e} [{:e},{:e}]\n pa {pa:?} pb {pb:?} from {from:?}",
                            warm.feature,
                            warm.method,
                            warm.distance,
                            warm.lower,
                            warm.upper,
                            cold.feature,
                            cold.method,
                            cold.distance,
                            cold.lower,
                            cold.upper
                        );
                    }
                    break;
                }
            }
        }
        eprintln!(
            "symmetric {n}: {total}, {bad} path dependent, {wrong} wrong, methods {methods:?}, {:?}",
            t0.elapsed()
        );
    }
}

#[test]
fn thin_plates() {
    let mut random = Random(5);
    let (mut wrong, mut n) = (0, 0);
    let mut methods = [0; 6];
    let mut classes = std::collections::BTreeMap::<String, (usize, String)>::new();
    for k in 0..100_000 {
        let thin = random.scale(1e-17, 1e-8);
        let a = Solid::new("plate", cuboid([random.between(0.2, 1.0), random.between(0.2, 1.0), thin]), 0.0);
        let b = match k % 3 {
            0 => Solid::new("box", cuboid([0; 3].map(|_| random.between(0.1, 1.0))), 0.0),
            1 => Solid::new(
                "plate",
                cuboid([random.between(0.2, 1.0), random.between(0.2, 1.0), random.scale(1e-17, 1e-8)]),
                0.0,
            ),
            _ => Solid::new("hull", families::ellipsoid(&mut random, 8, [0.5; 3]), 0.0),
        };
        let pa = Placement::new([0.0; 3], STILL);
        let e = random.scale(1e-16, 1e-5);
        let d = random.direction();
        let q = [1.0, d[0] * e, d[1] * e, d[2] * e];
        let top = b.points.iter().map(|p| p[2]).fold(f64::NEG_INFINITY, f64::max);
        let z = top + random.scale(1e-16, 1e-8) * if random.chance(0.5) { 1.0 } else { -1.0 };
        let pb = Placement::new(
            [
                random.between(-1.0, 1.0),
                random.between(-1.0, 1.0),
                if k % 5 == 0 { random.scale(1e-16, 1e-6) } else { z },
            ],
            if k % 7 == 0 { random.turn() } else { q },
        );
        n += 1;
        match check(&a, &pa, &b, &pb) {
            Ok(c) => methods[c.row.method as usize] += 1,
            Err(e) => {
                wrong += 1;
                let key = e
                    .split('\n')
                    .next()
                    .unwrap_or("")
                    .split(';')
                    .map(|p| p.trim().chars().filter(|c| c.is_alphabetic() || *c == ' ').collect::<String>())
                    .take(3)
                    .collect::<Vec<_>>()
                    .join(";");
                let c = classes.entry(key).or_insert((0, e.clone()));
                c.0 += 1;
            }
        }
    }
    for (key, (c, e)) in &classes {
        eprintln!("{c} x {key}: first {e}");
    }
    eprintln!("plates: {n}, {wrong} wrong, {methods:?}");
}

fn scaled(s: &Solid, f: f64) -> clearsweep::scene::Shape {
    let p: Vec<_> = s.points.iter().map(|v| v.map(|c| c * f)).collect();
    bridge::shape(&p, s.growth * f)
}

#[test]
fn scale() {
    for e in [-225, -215, -200, -180, -170, -150, -120, -100, -50, 50, 100, 120, 150, 165, 175, 190, 210, 230, 245] {
        let f = 2f64.powi(e);
        let mut random = Random(9);
        let pool: Vec<Solid> = (0..40)
            .map(|i| Solid::from_recipe(families::mixed(&mut random, i)))
            .filter(|s| s.points.iter().flatten().all(|c| *c == 0.0 || c.abs() > 1e-5))
            .collect();
        let (mut bad, mut unc, mut path, mut n) = (0, 0, 0, 0);
        let mut first = String::new();
        for k in 0..400 {
            let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
            let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][k % 3];
            let (mut pa, mut pb) = place(&mut random, &a.body, &b.body, regime);
            // keep near the origin
            if norm(pa.position) > 10.0 {
                continue;
            }
            n += 1;
            let one = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
            let (sa, sb) = (scaled(a, f), scaled(b, f));
            let from = moved(&pb, times(random.direction(), 0.1));
            let sc =
                |p: &Placement| Placement { position: p.position.map(|c| c * f), rest: p.rest.map(|c| c * f), q: p.q };
            pa = sc(&pa);
            pb = sc(&pb);
            let two = query_one(&sa, &sb, &pose(&pa), &pose(&pb), &EVERYTHING);
            if two.lower.is_nan() {
                unc += 1;
            } else if two.distance != one.distance * f || two.lower > one.upper * f || two.upper < one.lower * f {
                bad += 1;
                if first.is_empty() {
                    first = format!("one {one:?}\n two {two:?}");
                }
            }
            let mut cache = PairCache::default();
            walk_once(&sa, &pa, &sb, &sc(&from), &mut cache);
            let warm = walk_once(&sa, &pa, &sb, &pb, &mut cache);
            if bits(&warm) != bits(&two) && !two.lower.is_nan() {
                path += 1;
            }
        }
        eprintln!("scale 2^{e}: {n}, {bad} differ, {unc} uncertified, {path} path dependent {first}");
    }
}

#[test]
fn concentric_spheres() {
    let mut random = Random(3);
    let mut bad = 0;
    for k in 0..300_000 {
        let (ra, rb) = (random.between(0.25, 1.1), random.between(0.25, 1.1));
        let (a, b) = (bridge::shape(&[[0.0; 3]], ra), bridge::shape(&[[0.0; 3]], rb));
        let t = times(random.direction(), random.scale(1e-18, 1e-12));
        let pb = Placement::new(t, STILL);
        let row = query_one(&a, &b, &pose(&Placement::new([0.0; 3], STILL)), &pose(&pb), &EVERYTHING);
        let w = |x: f64| Wide::of(x);
        let d = (w(t[0]) * w(t[0]) + w(t[1]) * w(t[1]) + w(t[2]) * w(t[2])).root() - Wide::sum(ra, rb);
        if (w(row.lower) - d).value() > 0.0 || (d - w(row.upper)).value() > 0.0 {
            bad += 1;
            if bad < 4 {
                eprintln!("spheres {k}: ra {ra:?} rb {rb:?} t {t:?} truth {d:?} row {row:?}");
            }
        }
    }
    eprintln!("spheres: {bad} bad");
}

fn fibonacci(n: usize) -> Vec<[f64; 3]> {
    (0..n)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / n as f64;
            let r = (1.0 - z * z).sqrt();
            let p = i as f64 * 2.399963229728653;
            [r * p.cos(), r * p.sin(), z]
        })
        .collect()
}

#[test]
fn timing() {
    for n in [200usize, 500, 1000, 2000, 4000] {
        let a = bridge::shape(&fibonacci(n), 0.0);
        let poly: Vec<[f64; 3]> = (0..64)
            .map(|k| {
                let p = k as f64 * 0.0981;
                [(p.cos() * 1048576.0).round() / 1048576.0, (p.sin() * 1048576.0).round() / 1048576.0, 0.0]
            })
            .collect();
        let flat = bridge::shape(&poly, 0.0);
        let seg = bridge::shape(&[[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]], 0.1);
        let poses = [
            ("same", [0.0; 3], STILL),
            ("offset 0.1", [0.1, 0.05, 0.0], STILL),
            ("turned", [0.0; 3], [0.9, 0.1, 0.2, 0.3]),
            ("turned offset", [0.1, 0.2, 0.05], [0.9, 0.1, 0.2, 0.3]),
            ("apart", [2.5, 0.1, 0.2], [0.9, 0.1, 0.2, 0.3]),
            ("mirror touch", [2.0, 0.0, 0.0], STILL),
        ];
        for (name, t, q) in poses {
            for (what, b) in [("sphere", &a), ("polygon", &flat), ("capsule", &seg)] {
                let t0 = Instant::now();
                let row = query_one(
                    &a,
                    b,
                    &pose(&Placement::new([0.0; 3], STILL)),
                    &pose(&Placement::new(t, q)),
                    &EVERYTHING,
                );
                let el = t0.elapsed();
                if el.as_millis() > 50 {
                    eprintln!("timing n {n} {name} {what}: {el:?} {:?} {:e}", row.method, row.distance);
                }
            }
        }
    }
}

fn survey(name: &str, n: usize, mut make: impl FnMut(&mut Random, usize) -> (Solid, Placement, Solid, Placement)) {
    let mut random = Random(77);
    let (mut wrong, mut path) = (0, 0);
    let (mut methods, mut statuses) = ([0; 6], [0; 4]);
    let mut classes = std::collections::BTreeMap::<String, (usize, String)>::new();
    let t0 = Instant::now();
    for k in 0..n {
        let (a, pa, b, pb) = make(&mut random, k);
        match check(&a, &pa, &b, &pb) {
            Ok(c) => {
                methods[c.row.method as usize] += 1;
                statuses[c.row.status as usize] += 1
            }
            Err(e) => {
                wrong += 1;
                let key = e
                    .split('\n')
                    .next()
                    .unwrap_or("")
                    .split(';')
                    .map(|p| p.trim().chars().filter(|c| c.is_alphabetic() || *c == ' ').collect::<String>())
                    .take(2)
                    .collect::<Vec<_>>()
                    .join(";");
                let c = classes.entry(key).or_insert((0, format!("case {k}: {e}")));
                c.0 += 1;
            }
        }
        let cold = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
        for step in 0..3 {
            let mut cache = PairCache::default();
            let from = match step {
                0 => moved(&pb, times(random.direction(), random.scale(1e-12, 0.1))),
                1 => Placement { q: random.turn(), ..pb },
                _ => moved(&pb, times(random.direction(), random.scale(1e-15, 1e-9))),
            };
            walk_once(&a.shape, &pa, &b.shape, &from, &mut cache);
            let warm = walk_once(&a.shape, &pa, &b.shape, &pb, &mut cache);
            if bits(&warm) != bits(&cold) {
                path += 1;
                if path < 3 {
                    eprintln!(
                        "PATH {name} {k} step {step} from {from:?}\n warm {warm:?}\n cold {cold:?}\n{}",
                        recipe(&a, &pa, &b, &pb)
                    );
                }
                break;
            }
        }
    }
    for (key, (c, e)) in &classes {
        eprintln!("{name}: {c} x {key}: first {e}");
    }
    eprintln!("{name}: {n}, {wrong} WRONG, {path} PATH, methods {methods:?} statuses {statuses:?} {:?}", t0.elapsed());
}

fn tiny_turn(random: &mut Random) -> [f64; 4] {
    let e = random.scale(1e-17, 1e-6);
    let d = random.direction();
    let axis =
        if random.chance(0.5) { d } else { [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][random.below(3)] };
    [1.0, axis[0] * e, axis[1] * e, axis[2] * e]
}

fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (a, b);
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

#[test]
fn near_parallel() {
    survey("near parallel boxes", 20_000, |r, _| {
        let a = Solid::cuboid([0; 3].map(|_| r.between(0.1, 0.5)));
        let b = Solid::cuboid([0; 3].map(|_| r.between(0.1, 0.5)));
        let axis = r.below(3);
        let mut t = [0, 1, 2].map(|_| r.between(-1.0, 1.0));
        let (ha, hb) = (a.points[7], b.points[7]);
        t[axis] = ha[axis] + hb[axis] + [0.0, r.scale(1e-16, 1e-3), -r.scale(1e-16, 1e-3)][r.below(3)];
        (a, Placement::new([0.0; 3], STILL), b, Placement::new(t, tiny_turn(r)))
    });
    survey("near parallel turned", 20_000, |r, _| {
        let a = Solid::cuboid([0; 3].map(|_| r.between(0.1, 0.5)));
        let b = Solid::cuboid([0; 3].map(|_| r.between(0.1, 0.5)));
        let q = r.turn();
        let t = times(r.direction(), r.between(0.0, 1.2));
        let t2 = tiny_turn(r);
        (a, Placement::new([0.0; 3], q), b, Placement::new(t, product(q, t2)))
    });
    survey("near parallel disks", 6_000, |r, _| {
        let h = r.scale(1e-3, 0.3);
        let a = Solid::new("disk", families::disk(r, 5..40, h), 0.0);
        let b = Solid::new("disk", families::disk(r, 5..40, h), 0.0);
        let t = [r.between(-0.5, 0.5), r.between(-0.5, 0.5), [0.0, 2.0 * h, 2.0 * h + 1e-9, 0.3][r.below(4)]];
        (a, Placement::new([0.0; 3], STILL), b, Placement::new(t, tiny_turn(r)))
    });
}

#[test]
fn slivers_extreme() {
    survey("slivers 1e6", 20_000, |r, _| {
        let make = |r: &mut Random| {
            let mut axes = [0.5, r.scale(5e-7, 0.5), r.scale(5e-7, 0.5)];
            axes.rotate_left(r.below(3));
            if r.chance(0.5) {
                Solid::new("long box", cuboid(axes), 0.0)
            } else {
                let n = 4 + r.below(13);
                Solid::new("sliver", families::ellipsoid(r, n, axes), 0.0)
            }
        };
        let (a, b) = (make(r), make(r));
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][r.below(3)];
        let (pa, pb) = place(r, &a.body, &b.body, regime);
        (a, pa, b, pb)
    });
    survey("slivers aligned", 20_000, |r, _| {
        let make = |r: &mut Random| {
            let mut axes = [0.5, r.scale(5e-7, 0.5), r.scale(5e-7, 0.5)];
            axes.rotate_left(r.below(3));
            Solid::new("long box", cuboid(axes), 0.0)
        };
        let (a, b) = (make(r), make(r));
        let t = times(r.direction(), r.scale(1e-7, 1.0));
        let q = tiny_turn(r);
        (a, Placement::new([0.0; 3], STILL), b, Placement::new(t, q))
    });
}

#[test]
fn same_and_inside() {
    survey("identical", 9_000, |r, k| {
        let maker =
            [families::compact, families::tied, families::disks, families::flat, families::round, families::medium]
                [k % 6];
        let recipe = maker(r, k / 6);
        let (points, growth) = (recipe.points.clone(), recipe.growth);
        let a = Solid::from_recipe(recipe);
        let b = Solid::new("same", points, growth);
        let q = if r.chance(0.5) { r.turn() } else { r.quarter_turn() };
        let q2 = match r.below(4) {
            0 => q,
            1 => {
                let t = tiny_turn(r);
                product(q, t)
            }
            2 => {
                let t = r.quarter_turn();
                product(q, t)
            }
            _ => r.turn(),
        };
        let t = match r.below(3) {
            0 => [0.0; 3],
            1 => times(r.direction(), r.scale(1e-17, 1e-9)),
            _ => times(r.direction(), r.scale(1e-9, 0.3)),
        };
        (a, Placement::new([0.0; 3], q), b, Placement::new(t, q2))
    });
    survey("inside", 6_000, |r, k| {
        let a = Solid::from_recipe(families::mixed(r, k));
        let small = families::compact(r, k);
        let f = r.scale(1e-6, 0.2);
        let b = Solid::new("small", small.points.iter().map(|p| p.map(|c| c * f)).collect(), 0.0);
        let q = r.turn();
        let t = times(r.direction(), r.between(0.0, 0.2));
        (a, Placement::new([0.0; 3], STILL), b, Placement::new(t, q))
    });
}

#[test]
fn far_away() {
    survey("far", 9_000, |r, k| {
        let a = Solid::from_recipe(families::mixed(r, k));
        let b = Solid::from_recipe(families::mixed(r, k + 3));
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][k % 3];
        let (pa, pb) = place(r, &a.body, &b.body, regime);
        let far = times(r.direction(), [5e6, 1e9, 1e15][r.below(3)]);
        (a, moved(&pa, far), b, moved(&pb, far))
    });
}
