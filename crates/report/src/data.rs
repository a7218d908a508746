//! The contents of a report as plain data: every format is written from it.

mod plant;

pub use plant::{EarlierDecisions, Element, GroupCell, GroupMatrix, Plant, PlantBox, RuleTotal, RunRow};

use clearsweep_model::LengthUnit;
use clearsweep_records::manifest::Sweep;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A report of one execution.
#[derive(Debug, Clone)]
pub struct Report {
    /// Name of the scene.
    pub name: String,
    /// Version of the program that wrote the tables.
    pub version: String,
    /// The directory of the tables as it was named; `None` if its path begins at the root, which
    /// says nothing on another machine.
    pub dir: Option<PathBuf>,
    /// The unit of all lengths shown.
    pub unit: LengthUnit,
    /// Whether some body moves: otherwise there are no frames and runs to be named.
    pub moves: bool,
    /// Number of runs.
    pub runs: u64,
    /// The sweeps, in the order of their runs; empty if the manifest does not say.
    pub sweeps: Vec<Sweep>,
    /// Whether times are dates: seconds since 1970-01-01 00:00 UTC.
    pub has_dates: bool,
    /// How bodies move between frames: `none`, `linear`, `screw` or `hold`.
    pub between: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Facts that were checked.
    pub checked: Vec<Fact>,
    /// Facts that were not checked, or not in full.
    pub unchecked: Vec<Fact>,
    /// All issues, in the order of `issues.parquet`: worst first.
    pub issues: Vec<Issue>,
    /// How many of the first issues are shown in full, with views and curves.
    pub in_full: usize,
    /// Meshes of the bodies in views.
    pub meshes: Vec<DisplayMesh>,
    /// Totals of rules; empty without rules.
    pub rules: Vec<RuleTotal>,
    /// Violating pairs by groups of bodies; empty if they are of one group.
    pub matrix: GroupMatrix,
    /// Properties of bodies that violate, by index.
    pub elements: BTreeMap<u32, Element>,
    /// The worst of several runs, worst first.
    pub worst_runs: Vec<RunRow>,
    /// All bodies in their places; `None`: geometry is not read.
    pub plant: Option<Plant>,
    /// Whether the execution read a file of decisions.
    pub has_decisions: bool,
    /// The rows of that file, if it is known.
    pub decisions: Option<EarlierDecisions>,
}

/// The colour of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing is open.
    Good,
    /// Something violates.
    Bad,
    /// Something is not proven.
    Doubtful,
}

/// The verdict of an execution.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The word of the manifest: `clear`, `violated`, ...
    pub word: String,
    /// Its colour.
    pub tone: Tone,
    /// One sentence for people.
    pub sentence: String,
}

/// A line of what was checked or not.
#[derive(Debug, Clone)]
pub struct Fact {
    /// One or two words: `bodies`.
    pub name: String,
    /// The sentence.
    pub text: String,
    /// Lines that belong to it, such as names of bodies.
    pub details: Vec<String>,
}

/// An issue: violations that belong together.
#[derive(Debug, Clone)]
pub struct Issue {
    /// 12 hexadecimal digits, the same over revisions of a model.
    pub id: String,
    /// The body, pair, node or rule that leads.
    pub group: String,
    /// Name of the rule.
    pub rule: String,
    /// Word of its severity: `info`, `minor`, `major`, `critical`.
    pub severity: String,
    /// Word of its state: `new`, `active`, `approved`, ...
    pub state: String,
    /// Whether somebody has to decide about it.
    pub is_open: bool,
    /// Word of its kind: `near`, `touching`, `crossing`, `inside`, `coincident`; `None` without an
    /// event.
    pub kind: Option<String>,
    /// Number of events.
    pub events: u64,
    /// Number of pairs of bodies.
    pub pairs: u64,
    /// Number of runs with an event, summed over pairs.
    pub runs: u64,
    /// Proven bracket of the least distance, metres; an end is `None` where it is not proven.
    pub bracket_m: [Option<f64>; 2],
    /// First and last frame of its events.
    pub frames: Option<[i64; 2]>,
    /// Box of the deepest overlap, world frame, metres.
    pub overlap_m: Option<[[f64; 3]; 2]>,
    /// Bracket of its volume, cubic metres.
    pub volume_m3: Option<[f64; 2]>,
    /// Note of the rule, or reason of a decision.
    pub note: Option<String>,
    /// Cells of [`Report::matrix`] that its pairs are in.
    pub between: Vec<[usize; 2]>,
    /// Its pairs, open ones first, then nearest first; at most [`Issue::MOST_FINDINGS`], `pairs`
    /// counts all.
    pub findings: Vec<Finding>,
    /// Pairs that are known from before and violate nothing any more; at most
    /// [`Issue::MOST_FINDINGS`].
    pub solved: Vec<SolvedPair>,
}

impl Report {
    /// Number of pairs of issues that lists leave out: those beyond [`Issue::MOST_FINDINGS`] each.
    pub fn pairs_not_listed(&self) -> u64 {
        self.issues.iter().map(|issue| issue.pairs.saturating_sub(issue.findings.len() as u64)).sum()
    }
}

impl Issue {
    /// Pairs of an issue that are listed.
    pub const MOST_FINDINGS: usize = 50;

    /// The names of the pair that leads: the worst one that violates, else the first one that is
    /// solved.
    pub fn names(&self) -> Option<&[String; 2]> {
        self.findings.first().map(|finding| &finding.names).or(self.solved.first().map(|pair| &pair.names))
    }

    /// The view of that pair.
    pub fn view(&self) -> Option<&View> {
        match self.findings.first() {
            Some(finding) => finding.view.as_ref(),
            None => self.solved.first()?.view.as_ref(),
        }
    }

    /// The decision about that pair.
    pub fn decision(&self) -> Option<&Decision> {
        self.findings.first().map(|finding| &finding.decision).or(self.solved.first().map(|pair| &pair.decision))
    }

    /// The bracket of the worst pair, metres.
    pub fn worst_m(&self) -> [Option<f64>; 2] {
        self.findings.first().map_or(self.bracket_m, |finding| finding.bracket_m)
    }
}

/// The words of a decision about a pair, as the file of accepted pairs has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The last day on which it holds.
    pub until: Option<String>,
    /// Who decided.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// A pair that is known from before, by a decision or from the earlier result, and violates nothing
/// any more.
#[derive(Debug, Clone)]
pub struct SolvedPair {
    /// Names of the bodies.
    pub names: [String; 2],
    /// The rule or the body that is no more, or that the pair is ignored.
    pub note: Option<String>,
    /// Decision about the pair.
    pub decision: Decision,
    /// Bracket of the least distance in the earlier result, metres.
    pub earlier_m: [Option<f64>; 2],
    /// Run and frame of that distance.
    pub earlier: Option<[i64; 2]>,
    /// Both bodies at that moment, as they stand now.
    pub view: Option<View>,
}

/// A sample's place in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Frame.
    pub frame: i64,
    /// Time, seconds.
    pub time_s: Option<f64>,
}

/// The first proven contact of a pair in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The samples around it.
    pub ends: [Moment; 2],
    /// Shares of the interval: proven clear before the first, and in contact at the second.
    pub shares: [f64; 2],
    /// Whether no interval of the pair before it is undecided.
    pub is_first: bool,
}

/// The violations of a pair under a rule: its worst event, and numbers of all.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Indices of the bodies in the scene, in its order.
    pub bodies: [u32; 2],
    /// Their names.
    pub names: [String; 2],
    /// The clearance required, metres.
    pub required_m: f64,
    /// Run of the worst event.
    pub run: i64,
    /// First and last moment of the worst event.
    pub span: [Moment; 2],
    /// Moment of its least distance.
    pub least: Moment,
    /// Share of the interval after `least.frame` at which the distance is least; `None`: it is
    /// least at the frame.
    pub share: Option<f64>,
    /// Proven bracket of the least distance over all events of the pair, metres; an end is `None`
    /// where it is not proven.
    pub bracket_m: [Option<f64>; 2],
    /// The first proven contact of the pair in that run, between two samples.
    pub contact: Option<Contact>,
    /// Words of the class of proof of the least distance: `exact`, or `direction` of an interval.
    pub proof: Option<String>,
    /// The middle of the witness points of the worst sample, world frame, metres.
    pub place: Option<[f64; 3]>,
    /// Word of its kind, as of an issue.
    pub kind: String,
    /// Word of its state, as of an issue.
    pub state: String,
    /// Decision about the pair.
    pub decision: Decision,
    /// Number of events of the pair.
    pub events: u64,
    /// Number of runs with an event of the pair.
    pub runs: u64,
    /// The 3D view; `None` beyond the issues in full, and where the geometry is not read.
    pub view: Option<View>,
    /// The distance over time in the run of the worst event; `None` where nothing moves.
    pub curve: Option<Curve>,
    /// The least distance of the pair over all runs; `None` of one run.
    pub histogram: Option<Histogram>,
}

impl Finding {
    /// Whether the distance is least between two frames.
    pub fn is_between(&self) -> bool {
        self.share.is_some()
    }
}

/// The surface of a body for a screen: triangles in the body's recentred frame, metres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DisplayMesh {
    /// Corners.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The place of a recentred frame, relative to the origin of a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Position, metres.
    pub position: [f64; 3],
    /// Unit quaternion w, x, y, z.
    pub q: [f64; 4],
}

/// Two bodies and their neighbours at the moment of the least distance.
#[derive(Debug, Clone)]
pub struct View {
    /// The world point that all points of the view are relative to, metres.
    pub origin: [f64; 3],
    /// The bodies: A, B, then the neighbours.
    pub parts: Vec<ViewPart>,
    /// Witness points on A and on B.
    pub witness: Option<[[f64; 3]; 2]>,
    /// Unit separating direction; moving B along it increases the distance.
    pub normal: Option<[f64; 3]>,
    /// Box of the overlap: two corners.
    pub overlap: Option<[[f64; 3]; 2]>,
    /// Radius around the origin that a picture shows, metres.
    pub reach: f64,
    /// The camera of the picture, and the first one of the view.
    pub camera: Camera,
    /// The poses around that moment, in order of frames; empty where nothing moves.
    pub track: Vec<TrackSample>,
}

/// The colour of a body in its own file, in sRGB, by its groups: that of RVM (`colour:#ff0000`), or
/// a material that is named by its colour, as those of converted IFC and STEP files are.
pub(crate) fn own_colour(groups: &[String]) -> Option<[u8; 3]> {
    let written = |group: &String| {
        let digits = group.strip_prefix("colour:#").or_else(|| group.strip_prefix("material:#"))?;
        let is_written = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_written)?;
        let [_, colour @ ..] = number.to_be_bytes();
        Some(colour)
    };
    groups.iter().find_map(written)
}

/// A body in a view.
#[derive(Debug, Clone)]
pub struct ViewPart {
    /// Index of the body in the scene.
    pub body: u32,
    /// Its name.
    pub name: String,
    /// Index into [`Report::meshes`].
    pub mesh: usize,
    /// Its place.
    pub placement: Placement,
    /// Whether it moves: then each [`TrackSample`] has a placement of it.
    pub moves: bool,
    /// The colour of the body in its own file, red, green and blue of sRGB: a neighbour is drawn in
    /// it.
    pub colour: Option<[u8; 3]>,
}

/// A perspective camera, relative to the origin of its view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position, metres.
    pub eye: [f64; 3],
    /// Unit vector forward.
    pub forward: [f64; 3],
    /// Unit vector up, at right angles to `forward`.
    pub up: [f64; 3],
}

impl Camera {
    /// Tangent of half the vertical field of view: 30 degrees in all.
    pub const TAN_HALF_VIEW: f64 = 0.267_949_192_431_122_7;
    /// The vertical field of view, degrees.
    pub const VIEW_DEGREES: f64 = 30.0;
}

/// The poses of the moving parts of a view in a sample.
#[derive(Debug, Clone)]
pub struct TrackSample {
    /// The sample.
    pub moment: Moment,
    /// Placements of the parts that move, in their order; `None`: absent.
    pub placements: Vec<Option<Placement>>,
}

/// The distance of a pair over the samples of a run.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// Points, in order of frames; frames without a row are left out: the pair was farther apart
    /// than `within_m`.
    pub points: Vec<CurvePoint>,
    /// Brackets between frames, in order.
    pub between: Vec<CurveBetween>,
    /// The clearance required, metres.
    pub required_m: f64,
    /// Distances above are not in the tables, metres.
    pub within_m: f64,
    /// First and last moment that the axis shows.
    pub span: Option<[Moment; 2]>,
    /// Samples of the run in the tables, of which `points` are the least in each stretch where
    /// there are too many to draw.
    pub samples: u64,
}

/// A sample of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The sample.
    pub moment: Moment,
    /// Signed distance, metres.
    pub distance_m: f64,
    /// Proven bracket, metres.
    pub bracket_m: [Option<f64>; 2],
}

/// The bracket of the least distance between two frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveBetween {
    /// Both frames.
    pub ends: [Moment; 2],
    /// Proven bracket, metres.
    pub bracket_m: [Option<f64>; 2],
}

/// The least distances of a pair over all runs.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    /// Edges of the bins, metres, ascending: one more than bins.
    pub edges_m: Vec<f64>,
    /// Number of runs in each bin.
    pub counts: Vec<u64>,
    /// Runs in which the pair stayed beyond `within`.
    pub beyond: u64,
    /// The clearance required, metres.
    pub required_m: f64,
    /// Runs that violate, and all runs.
    pub violated: [u64; 2],
    /// The share of runs that violate, with its 95 % interval (Wilson); `None`: runs are no draws.
    pub share: Option<[f64; 3]>,
}
