//! One pair, pose after pose: the query keeps what helps with the next pose.
//!
//!     cargo run --release --example embed_pair
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use clearsweep::{Geometry, PairOptions, Pose, ProximityQuery, Result, Status};

fn main() -> Result<()> {
    let cube = Geometry::Box([1.0, 1.0, 1.0]).shape(0.0)?;
    let rod = Geometry::Capsule { radius: 0.1, length: 1.0 }.shape(0.0)?;
    let mut query = ProximityQuery::new(&cube, &rod, &PairOptions::default())?;

    // The rod stands upright and comes nearer along x, 1 mm at a time.
    let mut last = f64::INFINITY;
    for step in 0..1000 {
        let x = 1.5 - 0.001 * f64::from(step);
        let found = query.proximity(&Pose::IDENTITY, &Pose::new([x, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]))?;
        let found = found.expect("an answer at any distance, since no limit is set");
        let expected = x - 0.5 - 0.1;
        assert!(found.lower <= expected + 1e-12 && expected - 1e-12 <= found.upper, "the bracket holds the distance");
        assert!((found.distance - expected).abs() < 1e-12 && found.distance < last);
        // The normal points from the cube to the rod; the witness points lie a distance along it
        // apart.
        assert!((found.normal.x - 1.0).abs() < 1e-12);
        assert!((found.point_b.x - found.point_a.x - found.distance).abs() < 1e-12);
        assert_eq!(found.status == Status::Penetrating, found.upper < 0.0);
        last = found.distance;
    }
    println!("the rod ends {:.3} m deep in the cube", -last);

    // A limit: beyond it there is no answer, and the proof of that is cheap.
    let limited = PairOptions { within: Some(0.25), ..PairOptions::default() };
    let mut query = ProximityQuery::new(&cube, &rod, &limited)?;
    let far = Pose::new([3.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]);
    assert!(query.proximity(&Pose::IDENTITY, &far)?.is_none());
    Ok(())
}
