//! Pairs that touch or overlap in nearly all frames: mostly parts of one assembly, which a rule
//! should ignore.

use super::super::warning::Warning;
use clearsweep_base::text::toml_text;
use clearsweep_model::{Candidate, FrameBlock, Motion, QueryOptions, Scene};
use clearsweep_narrow::{BodyPoses, NarrowPhase, PairCache, PairQuery, SolverStats, Workspace};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Most frames whose contacts are kept; then every second one is dropped, and of later ones too.
const MOST_FRAMES: usize = 32;
/// Fewest frames in which both bodies are there. One alone says nothing about all.
const FEWEST_FRAMES: u64 = 2;
/// A pair may be apart in one out of this many frames.
const NEARLY_ALL: u64 = 20;
/// Pairs that a warning names, and rules that it writes out.
const NAMED: usize = 5;

/// A pair that touches or overlaps in nearly all frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastingContact {
    /// Body A.
    pub a: u32,
    /// Body B.
    pub b: u32,
    /// Frames looked at in which the bodies touch or overlap.
    pub frames: u64,
    /// Frames looked at in which both have a pose.
    pub looked_at: u64,
}

/// Contacts and absent slots seen in one frame.
struct FrameContacts {
    pairs: Vec<(u32, u32)>,
    /// Slots without a pose.
    absent: Vec<u32>,
}

/// Looks at frames spread evenly over the input, and keeps which pairs are in contact.
pub(super) struct Contacts<'a> {
    scene: &'a Scene,
    narrow: Box<dyn NarrowPhase>,
    seen: Vec<FrameContacts>,
    /// Every `stride`-th sample is looked at.
    stride: u64,
    next: u64,
    samples: u64,
}

impl<'a> Contacts<'a> {
    pub(super) fn new(scene: &'a Scene, narrow: Box<dyn NarrowPhase>) -> Self {
        Self { scene, narrow, seen: Vec::new(), stride: 1, next: 0, samples: 0 }
    }

    /// Takes the next block, and the pairs whose boxes come near in it.
    pub(super) fn look(&mut self, block: &FrameBlock, candidates: &[Candidate]) {
        for sample in 0..block.samples.len() {
            if self.samples == self.next {
                self.seen.push(self.contacts(block, candidates, sample));
                if self.seen.len() == MOST_FRAMES {
                    let mut even = [true, false].into_iter().cycle();
                    self.seen.retain(|_| even.next() == Some(true));
                    self.stride *= 2;
                }
                self.next = self.seen.len() as u64 * self.stride;
            }
            self.samples += 1;
        }
    }

    /// The pairs that touch or overlap in a sample. Pairs at rest are left out: they have a single
    /// row.
    fn contacts(&self, block: &FrameBlock, candidates: &[Candidate], sample: usize) -> FrameContacts {
        let scene = self.scene;
        let options = QueryOptions { within: scene.query.touch, require: None, ..scene.query };
        let poses = |body: u32| match &scene.bodies[body as usize].motion {
            Motion::Static(pose) => BodyPoses::Fixed(pose),
            Motion::Dynamic { slot } => BodyPoses::Moving(block.slot(*slot as usize)),
        };
        let meets = |workspace: &mut Workspace, candidate: &&Candidate| {
            let [a, b] = [candidate.a, candidate.b].map(|body| &scene.bodies[body as usize].shape);
            let (poses_a, poses_b) = (poses(candidate.a), poses(candidate.b));
            if let (BodyPoses::Fixed(_), BodyPoses::Fixed(_)) = (poses_a, poses_b) {
                return false;
            }
            let [at_a, at_b] = [poses_a.at(sample).position, poses_b.at(sample).position];
            // Twice the reach of rounding and more: a pair that is not asked is far from contact.
            let slack = 1e-12 * (at_a.length() + at_b.length());
            if (at_a - at_b).length() > (a.reach() + b.reach() + options.touch) * (1.0 + 1e-9) + slack {
                return false;
            }
            let query = PairQuery { a, b, poses_a, poses_b, samples: 1 << sample };
            let mut rows = Vec::with_capacity(1);
            let (mut cache, mut stats) = (PairCache::default(), SolverStats::default());
            self.narrow.walk(&query, &options, &mut cache, workspace, &mut stats, &mut rows);
            rows.iter().any(|row| row.lower <= options.touch)
        };
        let here = candidates.par_iter().filter(|candidate| candidate.samples >> sample & 1 == 1);
        let pairs = here
            .map_init(Workspace::default, |workspace, candidate| {
                meets(workspace, &candidate).then_some((candidate.a, candidate.b))
            })
            .flatten()
            .collect();
        let absent = (0..).zip(&block.present).filter(|(_, present)| **present >> sample & 1 == 0);
        FrameContacts { pairs, absent: absent.map(|(slot, _)| slot).collect() }
    }

    /// The pairs in contact in nearly all frames that were looked at, by (a, b).
    pub(super) fn lasting(&self) -> Vec<LastingContact> {
        let mut frames: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        for pair in self.seen.iter().flat_map(|seen| &seen.pairs) {
            *frames.entry(*pair).or_default() += 1;
        }
        let is_absent = |body: u32, seen: &FrameContacts| match self.scene.bodies[body as usize].motion {
            Motion::Static(_) => false,
            Motion::Dynamic { slot } => seen.absent.binary_search(&slot).is_ok(),
        };
        let lasting = |((a, b), frames): ((u32, u32), u64)| {
            let there = |seen: &&FrameContacts| !is_absent(a, seen) && !is_absent(b, seen);
            let looked_at = self.seen.iter().filter(there).count() as u64;
            let lasts = looked_at >= FEWEST_FRAMES && looked_at - frames <= looked_at / NEARLY_ALL;
            lasts.then_some(LastingContact { a, b, frames, looked_at })
        };
        let mut found: Vec<LastingContact> = frames.into_iter().filter_map(lasting).collect();
        found.sort_unstable_by_key(|contact| (contact.a, contact.b));
        found
    }
}

/// The pairs that none of these bodies (ascending) is in.
pub(super) fn not_among(contacts: &[LastingContact], bodies: &[u32]) -> Vec<LastingContact> {
    let is_in = |body: u32| bodies.binary_search(&body).is_ok();
    contacts.iter().filter(|contact| !is_in(contact.a) && !is_in(contact.b)).copied().collect()
}

/// The `[[ignore]]` tables that cover the pairs.
pub(super) fn ignore_rules(scene: &Scene, contacts: &[LastingContact]) -> String {
    let quoted = |body: u32| toml_text(&scene.bodies[body as usize].name);
    let rule = |contact: &LastingContact| {
        let (a, b) = (quoted(contact.a), quoted(contact.b));
        format!("[[ignore]]\na = {a}\nb = {b}\nreason = \"in contact in nearly all frames\"\n")
    };
    contacts.iter().map(rule).collect()
}

/// A warning that names the pairs and the rules that would fit.
pub(super) fn warning(scene: &Scene, contacts: &[LastingContact]) -> Option<Warning> {
    let first = &contacts[..contacts.len().min(NAMED)];
    if first.is_empty() {
        return None;
    }
    let name = |body: u32| &scene.bodies[body as usize].name;
    let pair = |contact: &LastingContact| {
        let LastingContact { a, b, frames, looked_at } = *contact;
        format!("`{}` and `{}` ({frames} of {looked_at} frames looked at)", name(a), name(b))
    };
    let pairs: Vec<String> = first.iter().map(pair).collect();
    let (more, all) = match contacts.len() - first.len() {
        0 => (String::new(), ""),
        more => (format!(", and {more} more pairs"), " (`ignore_rules` of --json has those of all pairs)"),
    };
    let mut bodies: Vec<u32> = contacts.iter().flat_map(|contact| [contact.a, contact.b]).collect();
    bodies.sort_unstable();
    bodies.dedup();
    Some(Warning::new(
        "contact",
        bodies,
        format!("touch or overlap in nearly all frames: {}{more}", pairs.join(", ")),
        format!("if that is by design, add to the scene{all}:\n\n{}", ignore_rules(scene, first).trim_end()),
    ))
}
