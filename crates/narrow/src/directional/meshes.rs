//! Bodies of which one is a triangle mesh: triangles are convex pieces, and the insides of solids
//! count.
//!
//! *Apart*, triangles are taken in the order in which they may first meet, until one pair is proven
//! to meet before all that are left. *Overlapping*, a sweep of both trees finds the length at which
//! nothing meets and no part lies inside the other, and the search of the nearest triangles proves
//! it. From below, pairs of triangles that cross hold the bodies together up to the ends of their
//! intervals. If none is known to, the depth does: no translation shorter than a proven depth parts
//! the bodies, so they overlap that much farther along the line.

use super::convex::{MeetingInterval, StartOfLine, meeting_interval, start};
use super::line::{LineMemory, LineOfMotion, PiecesOnLine};
use super::of_lengths;
use super::pieces::FirstMeeting;
use crate::bodies::Bodies;
use crate::deviation::Deviation;
use crate::mesh::{self, MeshesOnLine};
use crate::solve_outcome::SolveOutcome;
use crate::solver_stats::SolverStats;
use crate::workspace::Workspace;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::{RelativePose, Vec3};
use clearsweep_model::DirectionalDistance;
use clearsweep_model::Method;
use clearsweep_model::{Piece, QueryOptions, Shape};

/// Steps by which bodies are followed while they overlap, at most.
const STEPS: usize = 256;

/// Most triangles whose intervals are computed in a step.
const MOST_INTERVALS: usize = 64;

/// Steps shorter than this end the pursuit, in sizes of the pair.
const SHORT: f64 = 1e-13;

/// Two bodies on a line.
struct BodiesOnLine<'a> {
    line: &'a LineOfMotion,
    bodies: [&'a Shape; 2],
    deviation: Deviation,
    options: QueryOptions,
    memory: LineMemory,
    /// One body lies inside of the other, which is open, by its winding number.
    by_winding: bool,
}

/// The distance of two bodies on a line.
pub(super) fn distance(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    options: &QueryOptions,
    work: &mut Workspace,
) -> DirectionalDistance {
    let mut pair = BodiesOnLine::new(line, bodies, options);
    let Some((begins, upper)) = pair.start(work) else { return DirectionalDistance::UNPROVEN };
    let deviation = pair.deviation;
    let by_winding = pair.by_winding;
    let by = |interval: &MeetingInterval| interval.inner[0].max(0.0);
    let first = if begins == StartOfLine::Overlap { [0.0; 2] } else { pair.first_meeting(by, work) };
    if begins == StartOfLine::Apart {
        return of_lengths(begins, first, [0.0; 2], deviation.by);
    }
    let meshes = pair.on_line();
    let end = (meshes.way_out(&mut work.meshes) + SHORT * pair.size()).next_up();
    if by_winding {
        return DirectionalDistance::undecided(first[1].max(end));
    }
    let proven = if begins == StartOfLine::Overlap { pair.overlap_until(-upper, end, work) } else { 0.0 };
    of_lengths(begins, first, [proven.min(end), end], deviation.by)
}

/// How two bodies begin; `None` without a proof.
pub(super) fn begin(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    options: &QueryOptions,
    work: &mut Workspace,
) -> Option<FirstMeeting> {
    let mut pair = BodiesOnLine::new(line, bodies, options);
    let (start, _) = pair.start(work)?;
    let is_vague = pair.by_winding || pair.deviation.by > 0.0;
    // Inside of an open mesh is not known to be an overlap.
    let start = if pair.by_winding { StartOfLine::Contact } else { start };
    let first = [0.0, if start == StartOfLine::Overlap { 0.0 } else { f64::INFINITY }];
    Some(FirstMeeting { start, first, is_deep: false, is_vague })
}

/// How two bodies begin, and when they meet first; `None` without a proof.
pub(super) fn first_meeting(
    line: &LineOfMotion,
    bodies: [&Shape; 2],
    options: &QueryOptions,
    work: &mut Workspace,
) -> Option<FirstMeeting> {
    let begins = begin(line, bodies, options, work)?;
    if begins.start == StartOfLine::Overlap {
        return Some(begins);
    }
    let mut first = BodiesOnLine::new(line, bodies, options).first_meeting(MeetingInterval::meets_by, work);
    if begins.start != StartOfLine::Apart {
        first[0] = 0.0;
    }
    Some(FirstMeeting { first, ..begins })
}

impl<'a> BodiesOnLine<'a> {
    fn new(line: &'a LineOfMotion, bodies: [&'a Shape; 2], options: &QueryOptions) -> Self {
        let deviation = Deviation::of(bodies[0], bodies[1]);
        // Bodies farther apart than the deviation are apart.
        let options = QueryOptions { within: deviation.cutoff(0.0), touch: 0.0, ..*options };
        Self { line, bodies, deviation, options, memory: LineMemory::default(), by_winding: false }
    }

    /// The relation before the motion, and the upper signed distance, metres.
    fn start(&mut self, work: &mut Workspace) -> Option<(StartOfLine, f64)> {
        let [lower, upper] = self.bracket_at(0.0, work)?;
        let begins = if lower > 0.0 {
            StartOfLine::Apart
        } else if upper < 0.0 {
            StartOfLine::Overlap
        } else {
            StartOfLine::Contact
        };
        Some((begins, upper))
    }

    fn on_line(&self) -> MeshesOnLine<'a> {
        let LineOfMotion { pose_a, pose_b, relative, along, .. } = *self.line;
        MeshesOnLine::new(self.bodies, [pose_a, pose_b], relative, along, self.deviation.by)
    }

    fn size(&self) -> f64 {
        self.bodies[0].radius + self.bodies[1].radius + self.line.relative.t.length()
    }

    /// The bracket of the signed distance at a length, metres; `None` without a proof.
    fn bracket_at(&mut self, length: f64, work: &mut Workspace) -> Option<[f64; 2]> {
        let [a, b] = self.bodies;
        let (pose_a, pose_b) = (self.line.pose_a, self.line.moved(length));
        let bodies = Bodies { a, b, pose_a, pose_b, relative: RelativePose::between(&pose_a, &pose_b) };
        let still = || [0.0; 2];
        let (remembered, stats) = (&mut None, &mut SolverStats::default());
        match mesh::query(&bodies, &self.options, None, &mut |_| None, remembered, &mut work.meshes, stats, still) {
            SolveOutcome::Answered((stored, pair)) => {
                let inflated = |by| pair.lower_end_inflated(by, &mut work.meshes);
                let row = self.deviation.row(stored, &self.options, inflated);
                self.by_winding = row.method == Method::Winding;
                (!row.lower.is_nan()).then_some([row.lower, row.upper])
            }
            SolveOutcome::Beyond { gap, .. } => Some(self.deviation.bracket([gap, f64::INFINITY])),
            SolveOutcome::Undecided => None,
        }
    }

    /// The interval of two triangles, and what holds before the motion.
    fn interval(&mut self, triangles: [u32; 2]) -> Option<MeetingInterval> {
        let [a, b] = [0, 1].map(|k: usize| piece(self.bodies[k], triangles[k]));
        let (a, b) = (a?, b?);
        let mut pieces = PiecesOnLine::new(self.line, &a, &b, &mut self.memory);
        // Triangles that cross prove nothing of surfaces near to them.
        let margins = self.deviation.margins(false);
        let begins = start(&mut pieces, margins).ok()?;
        meeting_interval(&mut pieces, begins, margins).ok()?
    }

    /// Before the first length nothing meets; by the second two triangles do, infinite without a
    /// proof: metres. `by`: when two triangles are proven to meet, from their interval.
    fn first_meeting(&mut self, by: fn(&MeetingInterval) -> f64, work: &mut Workspace) -> [f64; 2] {
        let mut first = [f64::INFINITY; 2];
        self.on_line().meetings(0.0, &mut work.meshes, |triangles, at| {
            let interval = self.interval(triangles);
            // Without an interval they may meet from where they are not apart.
            first[0] = first[0].min(interval.map_or(at, |interval| interval.outer[0].max(at)));
            first[1] = interval.map_or(first[1], |interval| first[1].min(by(&interval)));
            first[1]
        });
        first
    }

    /// Up to where the bodies are proven to overlap without a break; `depth`: by how much they do
    /// before the motion, `end`: they are apart there, metres.
    fn overlap_until(&mut self, depth: f64, end: f64, work: &mut Workspace) -> f64 {
        let mut length = depth;
        for _ in 0..STEPS {
            let next = match self.held_until(length, work) {
                Some(next) => next,
                None => match self.bracket_at(length, work) {
                    Some([_, upper]) if upper < 0.0 => length - upper,
                    _ => break,
                },
            };
            // B is off its place by less than this.
            let next = next - SHORT * 1e-1 * self.size();
            if next <= length + SHORT * self.size() || next >= end {
                length = length.max(next.min(end));
                break;
            }
            length = next;
        }
        length
    }

    /// The end of an interval that holds a length, of triangles that meet there.
    fn held_until(&mut self, length: f64, work: &mut Workspace) -> Option<f64> {
        let (mut most, mut solved) = (None, 0);
        self.on_line().meetings(length, &mut work.meshes, |triangles, at| {
            if at > length || solved == MOST_INTERVALS {
                return f64::NEG_INFINITY;
            }
            solved += 1;
            let interval =
                self.interval(triangles).filter(|interval| interval.inner[0] <= length && interval.inner[1] > length);
            most = interval.map(|interval| interval.inner[1]);
            if most.is_some() { f64::NEG_INFINITY } else { length }
        });
        most
    }
}

/// A triangle as a piece, with the growth of its body.
fn piece(body: &Shape, triangle: u32) -> Option<Piece> {
    let mesh: &TriangleMesh = body.surface();
    let corners: [Vec3<f64>; 3] = mesh.corners(triangle);
    let radius = body.surface_growth();
    let core = convex_hull(&corners).ok()?.recentred(body.center, radius);
    Some(Piece { core, radius })
}
