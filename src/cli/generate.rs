//! `clearsweep generate`: data sets.

use super::args::{GenerateArgs, Generator, ObjectArg};
use super::exit::ProgramEnd;
use super::{interrupt, stdout};
use crate::Result;
use crate::generate::{Coherence, Crowd, Dataset, Object, PipeRack, Separation};
use serde_json::json;
use std::path::PathBuf;

/// Writes a data set, and prints its files and the next step.
pub(crate) fn generate(args: GenerateArgs) -> Result<ProgramEnd> {
    let out = match &args.name {
        Generator::Crowd(args) => args.out.clone(),
        Generator::Coherence(args) => args.out.clone(),
        Generator::PipeRack(args) => args.out.clone(),
        Generator::Separation(args) => args.out.clone(),
    };
    interrupt::remove_and_exit(&out, Dataset::WORK);
    let files = match args.name {
        Generator::Crowd(args) => {
            Crowd { bodies: args.bodies, frames: args.frames, runs: args.runs, density: args.density, seed: args.seed }
                .write(&args.out)?
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
        .write(&args.out)?,
        Generator::PipeRack(args) => PipeRack { frames: args.frames, seed: args.seed }.write(&args.out)?,
        Generator::Separation(args) => {
            Separation { runs: args.runs, frames: args.frames, seed: args.seed }.write(&args.out)?
        }
    };
    if args.json {
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        stdout::print_json(&json!({ "files": names, "scene": names.last() }))?;
    } else {
        stdout::print(&text(&files))?;
    }
    Ok(ProgramEnd::Clear)
}

/// The scene is the last of the files.
fn text(files: &[PathBuf]) -> String {
    let mut text: String = files.iter().map(|file| format!("written  {}\n", file.display())).collect();
    if let Some(scene) = files.last() {
        text.push_str(&format!(
            "next     clearsweep run {} --out {}\n",
            scene.display(),
            scene.with_file_name("out").display()
        ));
    }
    text
}
