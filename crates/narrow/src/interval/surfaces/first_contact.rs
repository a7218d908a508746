//! The first contact of bodies of which one is a triangle mesh.

use super::node_pairs::{SurfaceAim, SurfaceParts};
use crate::branch_and_bound::BestFirst;
use crate::interval::search::IntervalSearch;

/// Shares of the interval to which the first contact is found.
const RESOLUTION: f64 = 1.0 / (1_u64 << 20) as f64;

/// Pairs of volumes looked at for it, at most.
const MOST_PAIRS: u32 = 1 << 16;

impl IntervalSearch<'_, '_> {
    /// The first contact of bodies that are apart at the start and proven to be in contact at some
    /// time: proven clear before the first share, proven in contact at the second. A contact is
    /// found by halving, and what comes before it is proven clear from the start on.
    pub(in crate::interval) fn first_contact_of_surfaces(&mut self) -> [f64; 2] {
        let touch = self.options.touch;
        let known = self.leaves.iter().flat_map(|leaf| &leaf.nodes).chain(&self.ends);
        let contact = known.filter(|node| node.upper <= touch).map(|node| node.share).fold(1.0, f64::min);
        let Some(mut surfaces) = self.surfaces.take().or_else(|| self.new_surfaces()) else { return [0.0, contact] };
        let contact = contact.min(surfaces.contact);
        let mut contact = self.halved(&mut surfaces, contact);
        let aim = SurfaceAim { needed: touch.next_up(), beyond: touch };
        let most = surfaces.looked_at.saturating_add(MOST_PAIRS);
        let pairs = surfaces.pairs([0.0, contact], aim, &mut self.work.meshes, &mut self.work.facing);
        let begun = pairs.unwrap_or_else(|| surfaces.whole([0.0, contact], &[], aim).into_iter().collect());
        let (mut number, mut open) = (begun.len(), BestFirst::default());
        begun.into_iter().enumerate().for_each(|(number, part)| open.push(part.numbered(number)));
        let mut clear = contact;
        while let Some(part) = open.next_unless(|part| part.span[0] >= contact) {
            let [start, end] = part.span;
            let is_fine = contact - start <= RESOLUTION || (part.is_leaf() && end - start <= RESOLUTION);
            if is_fine || surfaces.looked_at >= most {
                clear = start;
                break;
            }
            if surfaces.may_touch(&part, touch) && part.near < contact && self.is_touching(&mut surfaces, part.near) {
                contact = self.halved(&mut surfaces, part.near);
            }
            for part in surfaces.divided(&part, contact, aim) {
                number += 1;
                open.push(part.numbered(number));
            }
        }
        self.surfaces = Some(surfaces);
        [clear.min(contact), contact]
    }

    /// A time of contact before which there is none shortly before, from a time of contact.
    fn halved(&mut self, surfaces: &mut SurfaceParts<'_>, contact: f64) -> f64 {
        let [mut apart, mut contact] = [0.0, contact];
        while contact - apart > 0.5 * RESOLUTION {
            let middle = 0.5 * (apart + contact);
            if self.is_touching(surfaces, middle) { contact = middle } else { apart = middle }
        }
        contact
    }
}
