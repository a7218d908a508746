//! The joints between two bodies: those that count for the pair.

use crate::joint::Step;
use clearsweep_geometry::Pose;

/// The ways from the link that carries two bodies (or from the world) to each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct PairChain {
    /// The joints that move, from that link on.
    pub(crate) ways: [Vec<Step>; 2],
    /// The recentred frames of both bodies, in those behind the last joints, or in that of the
    /// link.
    pub(crate) ends: [Pose; 2],
    /// Lengths of all ways together, but for what slides, and of the bodies, metres.
    pub(crate) length: f64,
}

impl PairChain {
    pub(crate) fn new([(way_a, end_a), (way_b, end_b)]: [(Vec<Step>, Pose); 2], reaches: [f64; 2]) -> Self {
        let ways = [way_a, way_b];
        let ends = [end_a, end_b];
        // A way that begins in the world counts from its first joint: positions have their low
        // parts.
        let origin = ways.iter().find_map(|way| way.first()).map_or(ends[0].position, |step| step.place.position);
        let of_steps = ways.iter().map(|way| {
            way.iter().zip(0..).map(|(step, at)| match at {
                0 => (step.place.position - origin).length(),
                _ => step.place.position.length(),
            })
        });
        let of_ends = ways.iter().zip(&ends).map(|(way, end)| match way.is_empty() {
            true => (end.position - origin).length(),
            false => end.position.length(),
        });
        let length = of_steps.flatten().chain(of_ends).sum::<f64>() + reaches[0] + reaches[1];
        Self { ways, ends, length }
    }
}
