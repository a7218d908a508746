//! The interval of lengths at which two convex pieces meet while B moves along a line.
//!
//! The signed distance `f(t)` is a convex function of the length `t` (docs/reference/numerics.md,
//! "Distance along a direction"). Both ends of the interval are approached from outside, by the
//! roots of supporting planes: Newton's steps, as in the ray cast of van den Bergen (2004). The
//! face of the Minkowski difference that the line pierces gives the first of them (Choi et al.,
//! section 6). Each root is itself a proof that the pieces do not meet before it.
//!
//! The proof that they do meet comes from the features (`pierced.rs`), or from the convexity of
//! `f`: between a length at which `f` is at most `g > 0` and one at which it is at most `-h < 0`,
//! the chord has a root beyond which they overlap.

use super::line::{COSINE, GapAtLength, PiecesOnLine, UNIT};
use super::pierced;
use crate::duality;
use crate::way_out::NoProof;
use clearsweep_geometry::Vec3;

/// Most of Newton's steps: if the line grazes the difference, each halves the rest.
const STEPS: usize = 96;

/// Most lengths at which an overlap is looked for; each is `LONGER` times the one before.
const PROBES: usize = 40;
const LONGER: f64 = 4.0;

/// The lengths at which two pieces meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MeetingInterval {
    /// They do not meet before the first, nor after the second, metres.
    pub(super) outer: [f64; 2],
    /// They overlap or touch between these, metres; (infinity, minus infinity) without a proof.
    pub(super) inner: [f64; 2],
}

impl MeetingInterval {
    /// By when the pieces are proven to meet, at a length of 0 or more, metres; infinite without a
    /// proof. Features that touch within rounding of the start may have met before it: then the
    /// pieces have to be proven to overlap after it.
    pub(super) fn meets_by(&self) -> f64 {
        let [begin, end] = self.inner;
        if self.outer[0] > 0.0 || (begin < end && end >= 0.0) { begin.max(0.0) } else { f64::INFINITY }
    }
}

/// The two pieces before the motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartOfLine {
    /// Proven apart.
    Apart,
    /// Neither.
    Contact,
    /// Proven to overlap.
    Overlap,
}

impl StartOfLine {
    /// How several pieces are placed together.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Overlap, _) | (_, Self::Overlap) => Self::Overlap,
            (Self::Contact, _) | (_, Self::Contact) => Self::Contact,
            (Self::Apart, Self::Apart) => Self::Apart,
        }
    }
}

/// One end of the interval, as seen from outside: `sense` 1 is the first end, -1 the last; lengths
/// are multiplied by it.
struct Approach {
    sense: f64,
    /// By how much the pieces grow beyond their radii, metres; negative: shrink.
    margin: f64,
    /// They do not meet from there on, metres.
    far: f64,
}

/// Bounds of one end of the interval.
struct LineEnd {
    /// They do not meet before, metres.
    outer: f64,
    /// They meet by then, metres; infinite without a proof.
    inner: f64,
}

/// How two pieces are placed before the motion; `margins`: as in [`meeting_interval`].
///
/// # Errors
/// Nothing is proven.
pub(super) fn start(pieces: &mut PiecesOnLine<'_>, margins: [f64; 2]) -> Result<StartOfLine, NoProof> {
    let now = pieces.gap_at(0.0).ok_or(NoProof)?;
    Ok(if now.lower - margins[0] > 0.0 {
        StartOfLine::Apart
    } else if now.upper - margins[1] < 0.0 {
        StartOfLine::Overlap
    } else {
        StartOfLine::Contact
    })
}

/// The interval of lengths from 0 on at which two pieces meet; `Ok(None)`: they never do.
/// `margins`: what is added to the growth for the outer ends and for the inner ones, metres.
///
/// # Errors
/// Nothing is proven: numbers are not finite.
pub(super) fn meeting_interval(
    pieces: &mut PiecesOnLine<'_>,
    start: StartOfLine,
    margins: [f64; 2],
) -> Result<Option<MeetingInterval>, NoProof> {
    let mut first = LineEnd { outer: 0.0, inner: if start == StartOfLine::Overlap { -1.0 } else { f64::INFINITY } };
    if start != StartOfLine::Overlap {
        let Some(front) = end(pieces, 1.0, 0.0, margins)? else { return Ok(None) };
        first = front;
    }
    let from = -(far(pieces, pieces.line.along, margins[0]));
    let last = match end(pieces, -1.0, from, margins)? {
        Some(last) => last,
        // From behind nothing is met: what was met from the front is contact within rounding.
        None => LineEnd { outer: -first.outer, inner: f64::INFINITY },
    };
    let outer = [first.outer, (-last.outer).max(first.outer)];
    let until = if pieces.are_convex() { -last.inner } else { first.inner };
    let inner = if first.inner < until { [first.inner, until] } else { [f64::INFINITY, f64::NEG_INFINITY] };
    // Contact at a length is proven even if no interval is.
    let inner = if first.inner.is_finite() && inner[0].is_infinite() { [first.inner; 2] } else { inner };
    Ok(Some(MeetingInterval { outer, inner }))
}

/// The first length from 0 on at which two pieces meet that are not proven to overlap: not before
/// the first, and by the second, metres (infinite without a proof); `Ok(None)`: they never do.
/// `margins`: as in [`meeting_interval`].
///
/// # Errors
/// Nothing is proven: numbers are not finite.
pub(super) fn first_meeting(
    pieces: &mut PiecesOnLine<'_>,
    start: StartOfLine,
    margins: [f64; 2],
) -> Result<Option<[f64; 2]>, NoProof> {
    if start == StartOfLine::Apart {
        match end(pieces, 1.0, 0.0, margins)? {
            Some(front) if front.outer > 0.0 => return Ok(Some([front.outer, front.inner])),
            Some(_) => {}
            None => return Ok(None),
        }
    }
    let interval = meeting_interval(pieces, start, margins)?;
    Ok(interval.map(|interval| [interval.outer[0], interval.meets_by()]))
}

/// Length from which on the supporting planes across a unit direction part the pieces, metres.
fn far(pieces: &PiecesOnLine<'_>, along: Vec3<f64>, margin: f64) -> f64 {
    let overlap = margin - pieces.support_gap(along);
    overlap + UNIT * 2.0 * COSINE * overlap.abs() + 2.0 * pieces.bound_at(overlap)
}

/// One end, approached from `from` (times `sense`); `None`: they never meet.
fn end(pieces: &mut PiecesOnLine<'_>, sense: f64, from: f64, margins: [f64; 2]) -> Result<Option<LineEnd>, NoProof> {
    let along = pieces.line.along.scale(sense);
    let approach = Approach { sense, margin: margins[0], far: far(pieces, along, margins[0]) };
    let Some((outer, gap)) = approach.outer(pieces, from)? else { return Ok(None) };
    let inner = if margins[1] == f64::NEG_INFINITY {
        f64::INFINITY
    } else if margins[0] == margins[1] {
        approach.inner(pieces, outer, &gap)?
    } else {
        // Smaller bodies, from the length at which the larger ones meet.
        let smaller = Approach { margin: margins[1], ..approach };
        match smaller.outer(pieces, outer)? {
            Some((at, gap)) => smaller.inner(pieces, at, &gap)?,
            None => f64::INFINITY,
        }
    };
    Ok(Some(LineEnd { outer, inner }))
}

impl Approach {
    /// The signed distance at a length times the sense, with the margin.
    fn gap_at(&self, pieces: &mut PiecesOnLine<'_>, at: f64) -> Result<GapAtLength, NoProof> {
        let gap = pieces.gap_at(self.sense * at).ok_or(NoProof)?;
        // The differences round.
        let slack = if self.margin == 0.0 { 0.0 } else { UNIT * 4.0 * (pieces.pair.size + at.abs()) };
        Ok(GapAtLength { lower: gap.lower - self.margin - slack, upper: gap.upper - self.margin + slack, ..gap })
    }

    /// Up to where the plane with this unit normal (from A to B, A's frame) keeps the pieces apart
    /// that are apart up to `at`, rounding included; `None`: it does not.
    fn root(&self, pieces: &PiecesOnLine<'_>, normal: Vec3<f64>, at: f64) -> Option<f64> {
        let gap = pieces.support_gap(normal) - self.margin;
        let gap = gap - pieces.bound_at(0.0) - UNIT * 4.0 * gap.abs();
        let nearing = -self.sense * normal.dot(pieces.line.along);
        let (most, least) = (nearing + COSINE * UNIT, nearing - COSINE * UNIT);
        if gap > 0.0 {
            return Some(if most > 0.0 { (gap / most) * (1.0 - 4.0 * UNIT) } else { f64::INFINITY });
        }
        if least > 0.0 {
            return Some((gap / least) * (1.0 + 4.0 * UNIT));
        }
        // They move apart along the normal: what is apart at a length stays so.
        let there = gap - most * at * (1.0 - 4.0 * UNIT);
        (most < 0.0 && there > pieces.bound_at(at)).then_some(f64::INFINITY)
    }

    /// The length up to which they do not meet, and the signed distance there; `None`: never.
    fn outer(&self, pieces: &mut PiecesOnLine<'_>, from: f64) -> Result<Option<(f64, GapAtLength)>, NoProof> {
        let mut at = from;
        let pierced = duality::pierced_face(&pieces.pair, pieces.line.along.scale(-self.sense), None);
        if let Some(root) = pierced.face.and_then(|face| self.root(pieces, face.normal.normalized(), at)) {
            at = at.max(root.min(self.far));
        }
        let mut gap = self.gap_at(pieces, at)?;
        for _ in 0..STEPS {
            let Some(root) = self.root(pieces, gap.normal, at) else { break };
            if root >= self.far {
                return Ok(None);
            }
            if root <= at + 4.0 * UNIT * at.abs() || root.is_nan() {
                break;
            }
            at = root;
            gap = self.gap_at(pieces, at)?;
        }
        Ok(Some((at, gap)))
    }

    /// By when they are proven to meet; `gap` is that at `outer`. Infinite without a proof.
    fn inner(&self, pieces: &mut PiecesOnLine<'_>, outer: f64, gap: &GapAtLength) -> Result<f64, NoProof> {
        if gap.upper <= 0.0 {
            return Ok(outer);
        }
        if pieces.growth() + self.margin == 0.0
            && !pieces.are_round()
            && let Some([first, last]) = pierced::lengths(&pieces.pair, pieces.line.along, &gap.features)
        {
            return Ok(if self.sense > 0.0 { last } else { -first });
        }
        self.by_chord(pieces, outer, gap)
    }

    /// The least root of the chords from `outer` to lengths at which they overlap.
    fn by_chord(&self, pieces: &mut PiecesOnLine<'_>, outer: f64, gap: &GapAtLength) -> Result<f64, NoProof> {
        let nearing = -self.sense * gap.normal.dot(pieces.line.along);
        let mut step = 16.0 * pieces.bound_at(outer) / nearing.clamp(1e-6, 1.0);
        let mut least = f64::INFINITY;
        for _ in 0..PROBES {
            let at = outer + step;
            if at >= self.far {
                break;
            }
            let there = self.gap_at(pieces, at)?;
            if there.upper < 0.0 {
                // The signed distance of a sector of a torus is no convex function.
                let share = if pieces.are_convex() { gap.upper / (gap.upper - there.upper) } else { 1.0 };
                let root = outer + (at - outer) * share;
                least = least.min(root + 8.0 * UNIT * (outer.abs() + at.abs()));
                if there.upper < -64.0 * gap.upper {
                    break;
                }
            } else if there.lower > 0.0 && self.sense * there.normal.dot(pieces.line.along) > 0.0 {
                break;
            }
            step *= LONGER;
        }
        Ok(least)
    }
}
