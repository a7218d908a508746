//! The first contact within an interval.

use super::search::{IntervalPart, IntervalSearch, PartOf};

/// Shares of the interval to which the first contact is found.
const RESOLUTION: f64 = 1.0 / (1_u64 << 20) as f64;

/// Distances computed for it, at most.
const WORK_LIMIT: u32 = 400;

/// The first contact of bodies that are proven to be in contact at some time: proven clear before the first share, proven in
/// contact at the second.
pub(super) fn first_contact(search: &mut IntervalSearch<'_, '_>) -> [f64; 2] {
    if search.has_surfaces() {
        return search.first_contact_of_surfaces();
    }
    let touch = search.options.touch;
    let mut parts: Vec<IntervalPart> = search.open.drain().collect();
    let begun = search.computed;
    loop {
        let touching = search.leaves.iter().flat_map(|leaf| &leaf.nodes).chain(&search.ends);
        let touching = touching.filter(|node| node.upper <= touch);
        let contact = touching.map(|node| node.share).fold(1.0, f64::min);
        let may_touch = |part: &IntervalPart| part.lower <= touch && part.start < contact;
        let first = (0..parts.len()).filter(|&i| may_touch(&parts[i])).min_by(|&i, &j| {
            let key = |i: usize| (parts[i].start, parts[i].end - parts[i].start);
            let (one, other) = (key(i), key(j));
            one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)).then(parts[i].of.cmp(&parts[j].of))
        });
        let Some(first) = first else {
            search.open.extend(parts);
            return [contact, contact];
        };
        let part = parts[first];
        let is_leaf = matches!(part.of, PartOf::Leaf { .. });
        let is_fine = contact - part.start <= RESOLUTION || (is_leaf && part.end - part.start <= RESOLUTION);
        if is_fine || search.computed - begun >= WORK_LIMIT {
            search.open.extend(parts);
            return [part.start, contact];
        }
        parts.swap_remove(first);
        search.divide(&part);
        parts.extend(search.open.drain());
    }
}
