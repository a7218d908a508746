//! Widths and times, printed:
//! `cargo test -p clearsweep-geometry --lib overlap::tests::measured -- --ignored --nocapture`.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use super::*;
use std::time::Instant;

#[test]
#[ignore = "a measurement"]
fn widths_and_times() {
    let mut random = Random(9);
    for vertices in [8, 50, 200, 1000] {
        let (mut spent, mut width, mut rounds) = (0.0, 0.0_f64, 0);
        for _ in 0..20 {
            let (a, b) = (random.ball(vertices, 1.0), random.ball(vertices, 1.0));
            let poses = [random.pose(0.4), random.pose(0.4)];
            let start = Instant::now();
            let found = of_two(&a, &b, &poses);
            spent += start.elapsed().as_secs_f64();
            rounds += 1;
            width = width.max((found.volume[1] - found.volume[0]) / found.volume[1]);
        }
        println!("hulls of {vertices}: {:.3} ms, width {width:.1e}", 1e3 * spent / f64::from(rounds));
    }
    let round = mesh_of(&random.ball(502, 1.0));
    let core = convex_hull(&[Vec3::ZERO]).expect("a point");
    for budget in [512, 4096, 32768] {
        let poses = [random.pose(0.0), Pose { position: v(0.6, 0.5, 0.3), ..random.pose(0.0) }];
        let balls: &[(&Polyhedron, f64)] = &[(&core, 1.0)];
        for (what, a, b) in [
            ("meshes", Solid::Mesh(&round), Solid::Mesh(&round)),
            ("mesh, sphere", Solid::Mesh(&round), Solid::Pieces(balls)),
            ("spheres", Solid::Pieces(balls), Solid::Pieces(balls)),
        ] {
            let start = Instant::now();
            let found = overlap(a, b, &poses[0], &poses[1], budget);
            let spent = 1e3 * start.elapsed().as_secs_f64();
            let width = (found.volume[1] - found.volume[0]) / found.volume[1];
            println!("{what}, {budget}: {spent:.1} ms, width {width:.4} of {:?}", found.volume);
        }
    }
}
