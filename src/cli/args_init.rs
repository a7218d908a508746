//! Flags of `clearsweep init`.

use super::help;
use super::values::Bytes;
use clap::Args;
use std::path::PathBuf;

/// The units of lengths.
pub(crate) const UNITS: [&str; 6] = ["m", "mm", "cm", "km", "in", "ft"];

#[derive(Debug, Args)]
#[command(after_help = help::INIT)]
pub(crate) struct InitArgs {
    /// The geometry file (.glb, .gltf, .obj, .stl, .ply, .dae, .3mf, .rvm)
    pub(crate) file: PathBuf,
    /// The scene file to be written
    #[arg(long, value_name = "SCENE")]
    pub(crate) out: PathBuf,
    /// The unit of lengths in the scene, and of a geometry file that names none [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = UNITS)]
    pub(crate) unit: Option<String>,
    /// Bytes that the geometry file may have (500MB, 32GiB); 16GiB if left out
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_input: Option<Bytes>,
    /// Replace the scene file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object with all that was found instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
