//! The flags of `generate`, as typed.

use super::args_input::ProgressArg;
use super::help;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = help::GENERATE)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) name: Generator,
    /// How progress is shown on stderr; auto: a bar on a terminal, else plain lines
    #[arg(long, global = true, value_enum, default_value_t = ProgressArg::Auto)]
    pub(crate) progress: ProgressArg,
    /// Print one JSON object (the files written) instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Generator {
    /// Tumbling convex bodies in a box, as many and as dense as wanted
    Crowd(CrowdArgs),
    /// Two bodies, one revolving around the other: the coherence test of the V-Clip paper
    Coherence(CoherenceArgs),
    /// A plant: about 400 parts of a pipe rack, a crane with a swinging load, a pump being pulled,
    /// two vehicles
    PipeRack(PipeRackArgs),
    /// A Monte Carlo sweep: a payload leaves its adapter between two neighbours, with dispersed
    /// parameters
    Separation(SeparationArgs),
    /// Six boxes that drive about on a floor with parallel faces; two of them stop again and again
    ShopFloor(ShopFloorArgs),
    /// Equal boxes in a grid, face to face
    BoxGrid(BoxGridArgs),
    /// Coins tossed onto a floor: a simulation of the two-phase paper
    Coins(CountedArgs),
    /// A ball and ten pins on a lane with gutters: a simulation of the two-phase paper
    Bowling(SimulationArgs),
    /// A rattleback on a plane: a simulation of the two-phase paper
    Rattleback(SimulationArgs),
    /// Parts that slide down a chute of steps: a simulation of the two-phase paper
    PartFeeder(CountedArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShopFloorArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How boxes are turned: not at all, about z, or about z with noise of 1 mm and 1 mrad in all
    /// directions
    #[arg(long, value_enum, default_value_t = FloorPosesArg::Aligned)]
    pub(crate) poses: FloorPosesArg,
    /// Frames, 100 a second
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    pub(crate) frames: u32,
    /// Seed of all draws: paths and noise
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SimulationArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Frames; what is over comes to rest
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) frames: u32,
    /// Frames a second
    #[arg(long, value_name = "X", default_value_t = 1_000.0)]
    pub(crate) rate: f64,
    /// Seed of all draws; a rattleback has none
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CountedArgs {
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
    /// Coins or parts
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) bodies: u32,
}

#[derive(Debug, Args)]
pub(crate) struct BoxGridArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Boxes; 500 are 10 x 10 x 5
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) bodies: u32,
    /// Frames; from the second one on, the whole grid is turned and shifted
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) frames: u32,
    /// Seed of the motion
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SeparationArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Runs, each with draws of its own
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) runs: u32,
    /// Frames of a run, evenly over 5 seconds
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) frames: u32,
    /// Seed of all draws: springs, mass properties, rates
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct PipeRackArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Frames, evenly over 100 seconds
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) frames: u32,
    /// Seed of all draws: insulation, the first swing of the load, when vehicles start
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CrowdArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Bodies
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) bodies: u32,
    /// Frames of a run
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub(crate) frames: u32,
    /// Runs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) runs: u32,
    /// Seed of all draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Share of the box that the bodies' bounding spheres would fill
    #[arg(long, value_name = "X", default_value_t = 0.1, allow_negative_numbers = true)]
    pub(crate) density: f64,
}

#[derive(Debug, Args)]
pub(crate) struct CoherenceArgs {
    /// The directory for the data set: new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The body, of circumradius 1 m
    #[arg(long, value_enum, default_value_t = ObjectArg::Cube)]
    pub(crate) object: ObjectArg,
    /// Frames of a run
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) frames: u32,
    /// Runs: draws of the phases and the axis
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) runs: u32,
    /// Seed of all draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Degrees a frame, of the revolution and of the rotation
    #[arg(long, value_name = "DEG", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) omega: f64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ObjectArg {
    Cube,
    Icosahedron,
    Disk,
    Sphere642,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FloorPosesArg {
    Aligned,
    Headings,
    Noisy,
}
