//! Writes two scenes from real geometry: tumbling robot links, and a box carried through a house.
//!
//! `cargo xtask real-scenes SHARED_DATA_DIR OUT_DIR [--frames N]` writes `OUT_DIR/fetch_links` (18
//! STL links as hulls, tumbling among each other in a box so tight that many overlap) and
//! `OUT_DIR/duplex` (1,141 static OBJ parts of a house as hulls, and one box carried through its
//! rooms). Geometry is referenced, not copied.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::motion::{Wave, unit};
use crate::support::{Outcome, Trajectories};
use clearsweep_testing::random::Random;
use std::process::ExitCode;

/// Seconds between two frames.
const FRAME_S: f64 = 0.01;

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let (data, out, frames) = parsed(arguments)?;
    fetch_links(&data.join("fetch_links"), &out.join("fetch_links"), frames)?;
    duplex(&data.join("duplex"), &out.join("duplex"), frames)?;
    Ok(ExitCode::SUCCESS)
}

/// The folder of the data (absolute, so that scenes may lie anywhere), the folder to write to, the
/// number of frames.
fn parsed(given: &[String]) -> Outcome<(PathBuf, PathBuf, i64)> {
    const USAGE: &str = "usage: real-scenes SHARED_DATA_DIR OUT_DIR [--frames N]";
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let (data, out, frames) = match given.as_slice() {
        [data, out] => (data, out, 1000),
        [data, out, "--frames", n] => (data, out, n.parse().map_err(|_| USAGE)?),
        _ => return Err(USAGE.into()),
    };
    let data = std::fs::canonicalize(data).map_err(|e| format!("{data}: {e}"))?;
    Ok((data, PathBuf::from(out), frames))
}

/// Links tumbling in a box of 0.9 m: most pairs come near, many overlap.
fn fetch_links(data: &Path, out: &Path, frames: i64) -> Outcome<()> {
    let files = files(data, "stl")?;
    let names: Vec<String> = files.iter().map(|f| stem(f)).collect();
    std::fs::create_dir_all(out)?;
    let mut text = head("fetch_links", 0.05);
    for (file, name) in files.iter().zip(&names) {
        write!(text, "\n[[body]]\nname = {name:?}\ngeometry = {:?}\nunit = \"m\"\nmodel = \"hull\"\n", text_of(file)?)?;
    }
    std::fs::write(out.join("scene.toml"), text)?;

    let mut random = Random(18);
    let waves: Vec<[Wave; 7]> = names.iter().map(|_| tumble(&mut random)).collect();
    let mut trajectories = Trajectories::default();
    for frame in 0..frames {
        let time_s = frame as f64 * FRAME_S;
        for (body, waves) in waves.iter().enumerate() {
            let [x, y, z, qw, qx, qy, qz] = [0, 1, 2, 3, 4, 5, 6].map(|k: usize| waves[k].at(time_s));
            let [qw, qx, qy, qz] = unit([qw, qx, qy, qz]);
            trajectories.push(frame, time_s, body as i32, [x, y, z, qw, qx, qy, qz]);
        }
    }
    eprintln!("{}: {} bodies, {} poses", out.display(), names.len(), trajectories.len());
    trajectories.write(&out.join("trajectories.parquet"), &names)
}

/// A position that roams the box, and a quaternion (not yet of unit length) that turns about
/// changing axes.
fn tumble(random: &mut Random) -> [Wave; 7] {
    let mut place = || {
        let mean = random.between(-0.25, 0.25);
        Wave::seeded(random, mean, 0.20)
    };
    let position = [place(), place(), place()];
    let mut turn = || {
        let mean = random.between(-1.0, 1.0);
        Wave::seeded(random, mean, 0.8)
    };
    let turns = [turn(), turn(), turn(), turn()];
    let ([x, y, z], [qw, qx, qy, qz]) = (position, turns);
    [x, y, z, qw, qx, qy, qz]
}

/// A person-sized box carried through both floors of a house.
fn duplex(data: &Path, out: &Path, frames: i64) -> Outcome<()> {
    std::fs::create_dir_all(out)?;
    let mut text = head("duplex", 0.10);
    text.push_str("\n[[body]]\nname = \"payload\"\nshape = { box = [0.6, 0.4, 1.8] }\n");
    let mut parts = 0;
    for (group, prefix) in [("architecture", "a"), ("mep", "m")] {
        for file in files(&data.join(format!("{group}_parts")), "obj")? {
            let (name, geometry) = (format!("{prefix}-{}", stem(&file)), text_of(&file)?);
            write!(text, "\n[[body]]\nname = {name:?}\ngeometry = {geometry:?}\nunit = \"m\"\nmodel = \"hull\"\n")?;
            write!(text, "group = \"{group}\"\nstatic = true\n")?;
            parts += 1;
        }
    }
    std::fs::write(out.join("scene.toml"), text)?;

    let mut trajectories = Trajectories::default();
    for frame in 0..frames {
        trajectories.push(frame, frame as f64 * FRAME_S, 0, carried(frame as f64 / frames as f64));
    }
    eprintln!("{}: {} static parts, {} poses", out.display(), parts, trajectories.len());
    trajectories.write(&out.join("trajectories.parquet"), &["payload".to_string()])
}

/// The pose of the carried box after a `share` of the way: three loops over the ground plan (8.8 m
/// x 17.8 m), from the lower floor to the upper one half way, turning about the vertical and
/// leaning a little.
fn carried(share: f64) -> [f64; 7] {
    use std::f64::consts::TAU;
    let x = 4.4 + 3.7 * libm::sin(TAU * 5.0 * share);
    let y = -8.9 + 8.2 * libm::cos(TAU * 3.0 * share);
    let climb = ((share - 0.45) / 0.10).clamp(0.0, 1.0);
    let z = 1.0 + 3.1 * climb * climb * (3.0 - 2.0 * climb);
    let (yaw, lean) = (TAU * 2.0 * share, 0.15 * libm::sin(TAU * 7.0 * share));
    let (cy, sy, cl, sl) = (libm::cos(yaw / 2.0), libm::sin(yaw / 2.0), libm::cos(lean / 2.0), libm::sin(lean / 2.0));
    let [qw, qx, qy, qz] = unit([cy * cl, cy * sl, sy * sl, sy * cl]); // yaw about z after lean about x
    [x, y, z, qw, qx, qy, qz]
}

fn head(name: &str, within: f64) -> String {
    format!(
        "[scene]\nname = \"{name}\"\nlength_unit = \"m\"\ntrajectories = \"trajectories.parquet\"\n\n\
         [query]\nwithin = {within:?}\n"
    )
}

/// The files of a folder with that ending, sorted by name: scene order must not depend on the file
/// system.
fn files(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == ending) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: there is no .{ending} file", folder.display()).into());
    }
    Ok(files)
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn text_of(path: &Path) -> Outcome<&str> {
    Ok(path.to_str().ok_or_else(|| format!("{}: the path is not Unicode", path.display()))?)
}
