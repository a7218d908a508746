//! The first contact within an interval.
//!
//! Each part that may reach contact is proven clear until some time. The part of which that time is
//! earliest is looked at next: conservative advancement proves it clear for longer and names a time
//! at which the distance is computed. If the advancement is slow, the time is the middle of the
//! rest, so that the number of distances is at most a few times that of bisection.

use super::advancement::{Advanced, Advancement, later};
use super::relative_motion::GapBound;
use super::search::{IntervalPart, IntervalSearch, PartOf};
use crate::branch_and_bound::{BestFirst, Part};
use std::cmp::Ordering;

/// Shares of the interval to which the first contact is found.
const RESOLUTION: f64 = 1.0 / (1_u64 << 20) as f64;

/// Share of the interval below which an undecided part of a leaf is left as it is.
const FINEST: f64 = 1.0 / (1_u64 << 32) as f64;

/// Distances computed for it, at most.
const WORK_LIMIT: u32 = 400;

/// Advancements in a row that do not halve the rest, before the middle is asked.
const PATIENCE: u32 = 2;

/// A part that may reach contact.
#[derive(Clone, Copy)]
struct OpenPart {
    part: IntervalPart,
    /// Proven clear from the start of the part to here.
    clear: f64,
    /// The rest when it was last halved, as a share of the interval; and the advancements since.
    left: f64,
    slow: u32,
}

impl Part for OpenPart {
    /// The part that is clear for the least time comes first, then the one that ends last.
    fn order(&self, other: &Self) -> Ordering {
        let by_end = self.part.end.total_cmp(&other.part.end);
        other.clear.total_cmp(&self.clear).then(by_end).then(other.part.of.cmp(&self.part.of))
    }
}

/// The first contact of bodies that are proven to be in contact at some time: proven clear before
/// the first share, proven in contact at the second.
pub(super) fn first_contact(search: &mut IntervalSearch<'_, '_>) -> [f64; 2] {
    if search.has_surfaces() {
        return search.first_contact_of_surfaces();
    }
    let begun = search.computed;
    let mut open = BestFirst::default();
    take_parts(search, &mut open, 0.0, f64::INFINITY, 0);
    loop {
        let contact = earliest_contact(search);
        let Some(first) = open.next_unless(|part| part.clear >= contact) else { return [contact, contact] };
        let OpenPart { part, clear, left, slow } = first;
        if contact - clear <= RESOLUTION || search.computed - begun >= WORK_LIMIT {
            return [clear, contact];
        }
        let PartOf::Leaf { leaf, from, to } = part.of else {
            search.divide(&part);
            take_parts(search, &mut open, clear, f64::INFINITY, 0);
            continue;
        };
        let limit = contact.min(part.end);
        let is_finest = part.end - clear <= FINEST;
        let slow = if limit - clear <= 0.5 * left { 0 } else { slow + 1 };
        let halves = slow > PATIENCE && !is_finest;
        let left = if slow == 0 || halves { limit - clear } else { left };
        let slow = if halves { 0 } else { slow };
        let advanced = if halves { None } else { advanced(search, [leaf, from, to], [clear, limit]) };
        if is_finest && advanced.as_ref().is_none_or(|advanced| advanced.clear.share < limit) {
            return [clear, contact];
        }
        if let Some((part, clear)) = divide(search, &part, [clear, limit], advanced) {
            open.push(OpenPart { part, clear, left, slow });
        }
        take_parts(search, &mut open, clear, left, slow);
    }
}

/// The earliest time at which a distance proves contact.
fn earliest_contact(search: &IntervalSearch<'_, '_>) -> f64 {
    let nodes = search.leaves.iter().flat_map(|leaf| &leaf.nodes).chain(&search.ends);
    nodes.filter(|node| node.upper <= search.options.touch).map(|node| node.share).fold(1.0, f64::min)
}

/// Takes the parts of a search that may reach contact; `clear`: all bodies are clear before.
fn take_parts(search: &mut IntervalSearch<'_, '_>, open: &mut BestFirst<OpenPart>, clear: f64, left: f64, slow: u32) {
    let touch = search.options.touch;
    let (leaves, speed) = (&search.leaves, search.motion.speed);
    let by_speed = !search.bodies.is_convex_leaf();
    for part in search.open.drain().filter(|part| part.lower <= touch) {
        let length = part.end - part.start;
        let mut by = part.bound.where_below(touch)[0] * length;
        if let PartOf::Leaf { leaf, from, .. } = part.of
            && by_speed
        {
            // No two points come nearer than by the speed.
            let above = leaves[leaf as usize].nodes[from as usize].lower - touch;
            let until = above / speed * (1.0 - 1e-9);
            by = if until > by { until.min(length) } else { by };
        }
        let clear = later(part.start, by).max(clear);
        open.push(OpenPart { part, clear, left, slow });
    }
}

/// How far a part of a leaf, known to be clear until `clear`, is clear along a direction.
fn advanced(search: &IntervalSearch<'_, '_>, [leaf, from, to]: [u32; 3], [clear, limit]: [f64; 2]) -> Option<Advanced> {
    let of = &search.leaves[leaf as usize];
    let ends = [&of.nodes[from as usize], &of.nodes[to as usize]];
    let (path, touch) = (&search.path, search.options.touch);
    let motion = &path.relative_over(&search.motion, [ends[0].share, ends[1].share]);
    let advancement = Advancement { hulls: of.hulls, path, motion, ends, touch, resolution: RESOLUTION };
    if search.bodies.is_convex_leaf() { advancement.run(clear, limit) } else { None }
}

/// Divides a part of a leaf where an advancement says so, or in the middle of what is left. The
/// part that ends in contact or was not divided, and until when it is clear; the others are those
/// of the search.
fn divide(
    search: &mut IntervalSearch<'_, '_>,
    part: &IntervalPart,
    [clear, limit]: [f64; 2],
    advanced: Option<Advanced>,
) -> Option<(IntervalPart, f64)> {
    let PartOf::Leaf { leaf, from, to } = part.of else { return None };
    let (mut from, mut start, mut until, mut next) = (from, part.start, clear, None);
    if let Some(advanced) = advanced {
        (until, next) = (advanced.clear.share, advanced.next);
        if until >= limit {
            return None;
        }
        if until > start {
            (from, start) = (search.add_node(leaf, advanced.clear), until);
        }
        if next.is_none() && until > clear {
            let of = PartOf::Leaf { leaf, from, to };
            return Some((IntervalPart { start, bound: GapBound::NONE, of, ..*part }, until));
        }
    }
    let next = search.evaluate(leaf, next.unwrap_or(0.5 * (until + limit)));
    let node = &search.leaves[leaf as usize].nodes[next as usize];
    if search.bodies.is_convex_leaf() && node.upper <= search.options.touch {
        let of = PartOf::Leaf { leaf, from, to: next };
        return Some((IntervalPart { start, end: node.share, bound: GapBound::NONE, of, ..*part }, until));
    }
    search.push(leaf, [from, next], part.lower, true);
    search.push(leaf, [next, to], part.lower, true);
    None
}
