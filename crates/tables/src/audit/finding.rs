//! The findings of an audit.

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A contact proven between two neighbouring frames that both show the bodies apart.
    Tunnel,
    /// A stretch of frames in which the overlap is proven to be deeper than is allowed.
    Overlap,
}

impl FindingKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Tunnel, Self::Overlap];

    /// The word of CSV and JSON.
    pub fn name(self) -> &'static str {
        ["tunnel", "overlap"][self as usize]
    }
}

/// A finding of an audit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuditFinding {
    /// Kind.
    pub kind: FindingKind,
    /// Run.
    pub run: i64,
    /// Indices of the bodies in the scene, in its order.
    pub bodies: [u32; 2],
    /// First and last frame: both ends of the interval, or of the stretch.
    pub frames: [i64; 2],
    /// Their times, seconds.
    pub times_s: [Option<f64>; 2],
    /// Frame and time of the deepest overlap; `None`: a tunnel.
    pub deepest: Option<(i64, Option<f64>)>,
    /// Proven bracket of the largest depth, metres, 0 or more; the upper end is `None` if it is not
    /// proven.
    pub depth_m: (f64, Option<f64>),
    /// First contact as shares of the interval; `None`: an overlap.
    pub contact: Option<[f64; 2]>,
}

/// Numbers of findings of one kind, and the worst of them.
#[derive(Debug, Clone, PartialEq)]
pub struct KindSummary {
    /// Findings.
    pub count: u64,
    /// Pairs of bodies that have one, over all runs.
    pub pairs: u64,
    /// Intervals with an accepted contact, or samples with an accepted overlap: no findings.
    pub accepted: u64,
    /// The worst findings, worst first.
    pub worst: Vec<AuditFinding>,
}
