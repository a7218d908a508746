//! `clearsweep generate`: data sets.

use super::args_generate::{FloorPosesArg, GenerateArgs, Generator, ObjectArg, SimulationArgs};
use super::exit::ProgramEnd;
use super::progress::Meter;
use super::text::{count, rate};
use super::{interrupt, progress, stdout};
use clearsweep::{ErrorKind, Result};
use clearsweep_base::text::shell_word;
use clearsweep_datasets::{
    BoxGrid, Coherence, Crowd, Dataset, FloorPoses, Object, PipeRack, Separation, ShopFloor, Simulated, Simulation,
};
use clearsweep_tables::trajectory_file::rows_written;
use serde_json::json;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Time between two looks at what is written.
const EVERY: Duration = Duration::from_millis(200);

/// Writes a data set, and prints its files and the next step.
pub(crate) fn generate(args: GenerateArgs) -> Result<ProgramEnd> {
    interrupt::at_first(Dataset::stop);
    match watched(progress::meter(args.progress), || write(args.name)) {
        Ok(files) => {
            if args.json {
                let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
                stdout::print_json(&json!({ "files": names, "scene": names.last() }))?;
            } else {
                stdout::print(&text(&files))?;
            }
            Ok(ProgramEnd::Clear)
        }
        Err(error) if error.kind == ErrorKind::Cancelled => Ok(ProgramEnd::Interrupted),
        Err(error) => Err(error),
    }
}

/// Does the work, and shows meanwhile how much of the trajectories is written.
fn watched<T>(meter: Box<dyn Meter>, work: impl FnOnce() -> T) -> T {
    let (done, ended) = mpsc::channel::<()>();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let watch = move || {
            while ended.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                let (rows, all) = rows_written();
                if all > 0 {
                    let speed = rows as f64 / begun.elapsed().as_secs_f64().max(1e-3);
                    let state = || format!("{} of {} rows  {}", count(rows), count(all), rate(speed, "rows"));
                    meter.show(rows as f64 / all as f64, &state);
                }
            }
        };
        // Without a thread for it, nothing is shown, and the work is done all the same.
        let _ = std::thread::Builder::new().spawn_scoped(scope, watch);
        let result = work();
        drop(done);
        result
    })
}

/// Writes the files of a data set; the scene is the last of them.
fn write(name: Generator) -> Result<Vec<PathBuf>> {
    match name {
        Generator::Crowd(args) => {
            Crowd { bodies: args.bodies, frames: args.frames, runs: args.runs, density: args.density, seed: args.seed }
                .write(&args.out)
        }
        Generator::Coherence(args) => Coherence {
            object: match args.object {
                ObjectArg::Cube => Object::Cube,
                ObjectArg::Icosahedron => Object::Icosahedron,
                ObjectArg::Disk => Object::Disk,
                ObjectArg::Sphere642 => Object::Sphere642,
            },
            runs: args.runs,
            frames: args.frames,
            omega: args.omega,
            seed: args.seed,
        }
        .write(&args.out),
        Generator::PipeRack(args) => PipeRack { frames: args.frames, seed: args.seed }.write(&args.out),
        Generator::Separation(args) => {
            Separation { runs: args.runs, frames: args.frames, seed: args.seed }.write(&args.out)
        }
        Generator::ShopFloor(args) => ShopFloor {
            poses: match args.poses {
                FloorPosesArg::Aligned => FloorPoses::Aligned,
                FloorPosesArg::Headings => FloorPoses::Headings,
                FloorPosesArg::Noisy => FloorPoses::Noisy,
            },
            frames: args.frames,
            seed: args.seed,
        }
        .write(&args.out),
        Generator::BoxGrid(args) => {
            BoxGrid { bodies: args.bodies, frames: args.frames, seed: args.seed }.write(&args.out)
        }
        Generator::Coins(args) => simulation(Simulated::Coins(args.bodies), &args.simulation),
        Generator::Bowling(args) => simulation(Simulated::Bowling, &args),
        Generator::Rattleback(args) => simulation(Simulated::Rattleback, &args),
        Generator::PartFeeder(args) => simulation(Simulated::PartFeeder(args.bodies), &args.simulation),
    }
}

fn simulation(simulated: Simulated, args: &SimulationArgs) -> Result<Vec<PathBuf>> {
    Simulation { simulated, frames: args.frames, rate: args.rate, seed: args.seed }.write(&args.out)
}

/// The scene is the last of the files.
fn text(files: &[PathBuf]) -> String {
    let mut text: String = files.iter().map(|file| format!("written  {}\n", file.display())).collect();
    if let Some(scene) = files.last() {
        text.push_str(&format!(
            "next     clearsweep run {} --out {}\n",
            shell_word(scene),
            shell_word(&scene.with_file_name("out"))
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Keeps what it is told.
    struct Kept(Arc<Mutex<Vec<(f64, String)>>>);

    impl Meter for Kept {
        fn begin(&self) {}
        fn show(&self, share: f64, state: &dyn Fn() -> String) {
            self.0.lock().expect("not poisoned").push((share, state()));
        }
    }

    #[test]
    fn progress_is_told_while_a_data_set_is_written() {
        let dir = tempfile::tempdir().expect("scratch");
        let told = Arc::new(Mutex::new(Vec::new()));
        let set = Coherence { object: Object::Cube, runs: 70, frames: 1000, omega: 1.0, seed: 1 };
        let files = watched(Box::new(Kept(Arc::clone(&told))), || {
            let files = set.write(&dir.path().join("set"));
            std::thread::sleep(3 * EVERY);
            files
        });
        assert_eq!(files.expect("written").len(), 3);
        let told = told.lock().expect("not poisoned");
        let whole = |(share, state): &(f64, String)| *share == 1.0 && state.starts_with("70,000 of 70,000 rows");
        assert!(told.iter().any(whole), "{told:?}");
    }
}
