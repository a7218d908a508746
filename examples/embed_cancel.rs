//! NextSample a job, and cancelling it from another thread.
//!
//!     cargo run --release --example embed_cancel
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use clearsweep::{
    Advance, BodyBuilder, CancelToken, ErrorKind, Geometry, Job, JobOptions, PoseSource, Progress, Result, RowBlock,
    Scene, SceneBuilder,
};
use ndarray::Array3;
use std::sync::mpsc::{Sender, channel};

/// Tells another thread how many samples are done.
struct Reported(std::sync::Mutex<Sender<u64>>);

impl Progress for Reported {
    fn advance(&self, advance: &Advance) {
        if let Ok(sender) = self.0.lock() {
            // The other thread may have seen enough.
            let _ = sender.send(advance.samples);
        }
    }
}

const BODIES: usize = 80;
const SAMPLES: usize = 2000;

fn scene() -> Result<Scene> {
    let ball = |number: usize| BodyBuilder::new(format!("ball-{number}"), Geometry::Sphere(0.1));
    (0..BODIES).map(ball).fold(SceneBuilder::new(0.2), SceneBuilder::body).build()
}

fn main() -> Result<()> {
    let scene = scene()?;
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    // Balls on a row that swing along x: (sample, body, component), as a simulation keeps them.
    let poses = Array3::from_shape_fn((SAMPLES, BODIES, 7), |(sample, body, component)| match component {
        0 => body as f64 * 0.3 + 0.1 * (0.01 * (sample * (body + 1)) as f64).sin(),
        3 => 1.0,
        _ => 0.0,
    });
    let source = || PoseSource::array(clearsweep::PoseArray::new(poses.view(), &names));

    let token = CancelToken::new();
    let (sender, receiver) = channel();
    let other = token.clone();
    let canceller = std::thread::spawn(move || {
        // After the third report; the job may have gone on a little until it sees the token.
        let seen: Vec<u64> = receiver.iter().take(3).collect();
        other.cancel();
        seen
    });
    let progress = Reported(sender.into());
    let mut rows = 0;
    let mut sink = |block: &RowBlock<'_>| {
        rows += block.len();
        // A slow consumer, so that the job is still going when it is cancelled.
        std::thread::sleep(std::time::Duration::from_millis(20));
        Ok(())
    };
    let options = JobOptions { threads: Some(2), ..JobOptions::default() };
    let job = Job::new(&scene).options(options).poses(source()).progress(&progress).cancel(&token);
    let error = job.run(&mut sink).expect_err("the job is cancelled long before its end");
    let seen = canceller.join().expect("the thread ends");
    println!("cancelled after {seen:?} samples and {rows} rows: {error}");
    assert_eq!(error.kind, ErrorKind::Cancelled);
    assert!(seen.is_sorted() && seen.len() == 3 && seen[2] < SAMPLES as u64);

    // The same job to its end.
    let mut whole = 0;
    let mut sink = |block: &RowBlock<'_>| {
        whole += block.len();
        Ok(())
    };
    let outcome = Job::new(&scene).poses(source()).run(&mut sink)?;
    println!("to the end: {} samples and {whole} rows", outcome.totals.samples);
    assert_eq!(outcome.totals.samples, SAMPLES as u64);
    assert!(whole > rows && outcome.totals.rows == whole as u64);
    Ok(())
}
