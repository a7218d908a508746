//! A plant: a pipe rack with its lines, tanks and pumps, at rest; a crane with a swinging load, a
//! pump being pulled out of its bay and two vehicles, moving.

mod catalogue;
mod crane;
mod lines;
mod parts;
mod piping;
mod structure;
mod traffic;

use super::dataset::{Dataset, SCENE, TRAJECTORIES};
use super::models::{SolidModel, dished_end};
use super::random::Random;
use super::space::{Point3, Quaternion, add, rotate};
use catalogue::SIZES;
use clearsweep_base::error::{Error, Result};
use clearsweep_tables::trajectory_file::{TrajectoryFile, TrajectoryRow};
use crane::{Crane, ROPE};
use lines::{PUMP_Y, PUMPS};
use parts::{PlantPart, table};
use std::path::{Path, PathBuf};
use traffic::{Skid, Vehicle};

/// Duration of the motion, seconds, for any number of frames.
const DURATION: f64 = 100.0;
/// Streams of the random numbers.
const LINES: u64 = 0;
const CRANE: u64 = 1;
const SKID: u64 = 2;
const TRUCK: u64 = 3;
const FORK_LIFT: u64 = 4;

/// Moving bodies, in the order of the trajectories.
const MOVING: [&str; 10] = [
    "crane-jib",
    "crane-trolley",
    "crane-rope",
    "crane-rigging",
    "crane-load",
    "P-101B",
    "truck-tractor",
    "truck-trailer",
    "forklift",
    "forklift-carriage",
];

/// A plant with a pipe rack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeRack {
    /// Frames, evenly over 100 seconds.
    pub frames: u32,
    /// The seed of all draws: insulation, the first swing of the load, when vehicles start.
    pub seed: u64,
}

impl Default for PipeRack {
    fn default() -> Self {
        Self { frames: 2000, seed: 1 }
    }
}

impl PipeRack {
    /// Writes the data set into `out`, which must not exist or be empty; returns the files, the
    /// scene last.
    ///
    /// # Errors
    /// There are no frames, or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>> {
        if self.frames == 0 {
            return Err(Error::usage("--frames", "there is nothing to write", "ask for one or more"));
        }
        let mut set = Dataset::create(out)?;
        for (name, bytes) in geometry() {
            set.write(&format!("geometry/{name}"), bytes)?;
        }
        let [structure, piping, equipment] = self.parts();
        set.write("structure.csv", table(&structure)?)?;
        set.write("piping.csv", table(&piping)?)?;
        set.write("equipment.csv", table(&equipment)?)?;
        let path = set.path(TRAJECTORIES)?;
        let file = TrajectoryFile::create(&path, &MOVING.map(str::to_owned))?;
        self.trajectories(file.expecting(u64::from(self.frames) * MOVING.len() as u64))?;
        let parts = structure.len() + piping.len() + equipment.len();
        set.write(SCENE, self.scene(parts))?;
        set.finish()
    }

    /// Returns the parts that do not move, table by table.
    fn parts(&self) -> [Vec<PlantPart>; 3] {
        let mut random = Random::new(self.seed, LINES);
        [structure::parts(), lines::parts(&mut random), lines::equipment()]
    }

    fn trajectories(&self, mut file: TrajectoryFile) -> Result<()> {
        let mut moving = Moving::new(self.seed);
        for frame in 0..self.frames {
            let time_s = DURATION * f64::from(frame) / f64::from(self.frames);
            for (body, (position, q)) in (0..).zip(moving.advance(time_s)) {
                file.push(&TrajectoryRow { run: 0, frame: frame.into(), time_s, body, position, q })?;
            }
        }
        file.finish()
    }

    fn scene(&self, parts: usize) -> String {
        let Self { frames, seed } = self;
        let rate = f64::from(*frames) / DURATION;
        let rope = ROPE * 1e3;
        format!(
            r#"# A plant with a pipe rack: {parts} parts at rest (structure.csv, piping.csv, equipment.csv), {moving} moving bodies.
# A tower crane carries a tube bundle past the rack, pump P-101B is pulled out of its bay, a truck turns round the
# crane and a fork lift passes along the north side. {DURATION} s, {frames} frames ({rate} Hz), seed {seed}.
[scene]
name = "pipe-rack"
length_unit = "mm"     # of this file, the tables and the geometry; trajectories.parquet says that it is in metres
trajectories = "{TRAJECTORIES}"

[query]
within = 500      # mm: a row for every pair this near. What is required is left to --require

# What moves. Poses are in the trajectories.

[[body]]
name = "crane-jib"
geometry = "geometry/crane-jib.obj"
model = "pieces"  # every object of the file is a convex piece
group = ["crane"]

[[body]]
name = "crane-trolley"
shape = {{ box = [900, 800, 400] }}
group = ["crane"]

[[body]]
name = "crane-rope"
shape = {{ capsule = [30, {rope}] }}
group = ["crane"]

[[body]]
name = "crane-rigging"
geometry = "geometry/crane-rigging.obj"
model = "pieces"
group = ["crane", "lifted"]

[[body]]
name = "crane-load"
geometry = "geometry/tube-bundle.glb"  # glTF is in metres, whatever the scene's unit
model = "pieces"
up = "y"
offset = 20       # the tarpaulin around it
group = ["crane", "lifted"]

[[body]]          # the same file as for the pumps that stay, in equipment.csv
name = "P-101B"
geometry = "geometry/pump-skid.glb"
model = "pieces"
up = "y"
group = ["pumps", "on-ground"]

[[body]]
name = "truck-tractor"
geometry = "geometry/truck-tractor.obj"
model = "pieces"
group = ["truck", "on-ground"]

[[body]]
name = "truck-trailer"
geometry = "geometry/truck-trailer.obj"
model = "pieces"
group = ["truck", "on-ground"]

[[body]]
name = "forklift"
geometry = "geometry/forklift.obj"
model = "pieces"
group = ["fork-lift", "on-ground"]

[[body]]
name = "forklift-carriage"
geometry = "geometry/forklift-carriage.obj"
model = "pieces"
group = ["fork-lift", "on-ground"]

# What does not move: a row each, with name, shape or geometry, pose, groups and insulation (offset).

[[bodies]]
table = "structure.csv"
static = true

[[bodies]]
table = "piping.csv"
static = true

[[bodies]]
table = "equipment.csv"
static = true

# What touches by design. Two parts at rest are not paired anyway, unless [query] says `static_pairs = true`: most of
# these rules are for whoever checks the plant itself.
{rules}"#,
            moving = MOVING.len(),
            rules = rules(),
        )
    }
}

/// Pairs that touch by design: a, b, reason.
const TOUCHING: [(&str, &str, &str); 23] = [
    ("group:crane", "group:crane", "parts of one machine, and what it lifts"),
    ("group:truck", "group:truck", "coupled at the king pin"),
    ("group:fork-lift", "group:fork-lift", "one machine"),
    ("ground", "group:on-ground", "they stand and drive on it"),
    ("ground", "crane-foot", "stands on it"),
    ("ground", "crane-tower", "stands in its foot"),
    ("ground", "group:civil", "foundations"),
    ("ground", "group:road", "bollards and posts stand on it"),
    ("ground", "group:equipment", "legs and saddles stand on it"),
    ("ground", "group:pumps", "base plates stand on it"),
    ("group:civil", "group:steel", "columns stand on their foundations"),
    ("group:steel", "group:steel", "bolted and welded"),
    ("group:steel", "group:trays", "trays and their brackets rest on the steel"),
    ("group:trays", "group:trays", "joined end to end; cables lie in them"),
    ("group:steel", "group:supports", "shoes stand on the beams"),
    ("group:piping", "group:supports", "pipes rest on their shoes, inside the insulation"),
    ("group:piping", "group:piping", "one system: welded, bolted, branched"),
    ("group:piping", "group:equipment", "bolted to the nozzles"),
    ("group:equipment", "group:equipment", "shells, heads, nozzles and legs are welded"),
    ("P-101A", "group:PS-105-1", "bolted to the suction flange"),
    ("P-101A", "group:PD-103-1", "bolted to the discharge flange"),
    ("P-101C", "group:PS-105-3", "bolted to the suction flange"),
    ("P-101C", "group:PD-103-3", "bolted to the discharge flange"),
];

/// The ignore rules, as the scene file has them.
fn rules() -> String {
    let rule = |(a, b, reason)| format!("\n[[ignore]]\na = \"{a}\"\nb = \"{b}\"\nreason = \"{reason}\"\n");
    TOUCHING.map(rule).concat()
}

/// Everything that moves.
struct Moving {
    crane: Crane,
    skid: Skid,
    truck: Vehicle,
    fork_lift: Vehicle,
}

impl Moving {
    fn new(seed: u64) -> Self {
        let (_, x) = PUMPS[1];
        Self {
            crane: Crane::new(&mut Random::new(seed, CRANE)),
            skid: Skid::new(&mut Random::new(seed, SKID), [x * 1e-3, PUMP_Y * 1e-3]),
            truck: Vehicle::truck(&mut Random::new(seed, TRUCK)),
            fork_lift: Vehicle::fork_lift(&mut Random::new(seed, FORK_LIFT)),
        }
    }

    /// The poses at a time, which must not lie before the last one, in the order of [`MOVING`].
    fn advance(&mut self, t: f64) -> [(Point3, Quaternion); MOVING.len()] {
        let crane = self.crane.advance(t);
        let rope = add(crane.pivot, rotate(crane.hanging, [0.0, 0.0, -0.2 - ROPE / 2.0]));
        let truck = self.truck.advance(t);
        let lift = self.fork_lift.advance(t);
        [
            ([crane::TOWER[0], crane::TOWER[1], crane::JIB], crane.slew),
            (crane.pivot, crane.slew),
            (rope, crane.hanging),
            (crane.load, crane.hanging),
            (crane.load, crane.hanging),
            self.skid.at(t),
            (truck.position, truck.tractor),
            (truck.position, truck.trailer),
            (lift.position, lift.tractor),
            (add(lift.position, [0.0, 0.0, FORKS]), lift.tractor),
        ]
    }
}

/// Height at which the fork lift carries, metres.
const FORKS: f64 = 0.25;

/// The geometry files: name and content.
fn geometry() -> Vec<(String, Vec<u8>)> {
    let obj = |name: &str, model: &SolidModel, comment: &str| (name.to_owned(), model.to_obj(comment).into_bytes());
    let mut files = vec![
        obj("crane-jib.obj", &crane::jib(), "jib, counterweight and cab of the crane, mm"),
        obj("crane-rigging.obj", &crane::rigging(), "hook block, slings and beam, mm"),
        obj("truck-tractor.obj", &traffic::tractor(), "tractor, mm"),
        obj("truck-trailer.obj", &traffic::trailer(), "semi-trailer with pipes, mm"),
        obj("forklift.obj", &traffic::fork_lift(), "fork lift, mm"),
        obj("forklift-carriage.obj", &traffic::carriage(), "what the fork lift lifts, mm"),
        ("tube-bundle.glb".to_owned(), crane::bundle().to_glb()),
        ("pump-skid.glb".to_owned(), catalogue::pump_skid().to_glb()),
        ("dished-end.stl".to_owned(), dished_end().into_bytes()),
    ];
    files.extend(structure::models().iter().map(|(name, model, comment)| obj(name, model, comment)));
    for size in SIZES {
        let dn = size.dn;
        files.push(obj(&size.file("elbow"), &size.elbow_model(), &format!("elbow DN {dn}, mm")));
        files.push((size.file("tee"), size.tee_model().to_stl().into_bytes()));
        files.push(obj(&size.file("valve"), &size.valve_model(), &format!("gate valve DN {dn}, mm")));
    }
    files
}
