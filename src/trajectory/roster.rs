//! From the names in the rows to the slots of a block.

use crate::error::nearest;
use crate::geometry::Vec3;
use crate::scene::{CarriageLink, Motion, Scene};
use std::collections::HashMap;

/// What a name stands for where it is no slot: a static body, nothing in the scene, or a null.
pub(super) const STATIC: u32 = u32::MAX - 2;
/// See [`STATIC`].
pub(super) const UNKNOWN: u32 = u32::MAX - 1;
/// See [`STATIC`].
pub(super) const NULL: u32 = u32::MAX;

/// Names below this similarity are not worth a suggestion.
const SIMILAR: f64 = 0.7;

/// The bodies of a scene as far as reading needs them.
pub(super) struct Roster {
    /// Names of all bodies, in scene order.
    names: Vec<String>,
    /// The body in each slot; behind these, the places among `names` of nodes that may be moved and are no bodies.
    inputs: Vec<u32>,
    /// Number of slots.
    slots: usize,
    /// Slot or [`STATIC`]. Only looked up, never iterated.
    codes: HashMap<String, u32>,
    /// The slots whose frame is recentred, with the recentred origin in the body's own frame, metres.
    pub(super) centers: Vec<(u32, Vec3<f64>)>,
    /// The inputs that are carried where they have no row, each after what carries it.
    pub(super) links: Vec<CarriageLink>,
}

impl Roster {
    pub(super) fn new(scene: &Scene) -> Self {
        let code = |motion: Motion| match motion {
            Motion::Dynamic { slot } => slot,
            Motion::Static(_) => STATIC,
        };
        let center = |(slot, &body): (usize, &u32)| {
            let center = scene.bodies[body as usize].shape.center;
            (center != Vec3::ZERO).then_some((slot as u32, center))
        };
        let slots = scene.dynamic.len();
        let frames = &scene.carriage.frames;
        let bodies = scene.bodies.iter().map(|body| (body.name.clone(), code(body.motion)));
        let moving = frames.iter().cloned().zip(slots as u32..);
        let still = scene.carriage.still.iter().map(|name| (name.clone(), STATIC));
        let behind = scene.bodies.len() as u32..(scene.bodies.len() + frames.len()) as u32;
        Self {
            names: scene.bodies.iter().map(|body| &body.name).chain(frames).cloned().collect(),
            inputs: scene.dynamic.iter().copied().chain(behind).collect(),
            slots,
            // A name of a body counts before that of a node that is none.
            codes: still.chain(moving).chain(bodies).collect(),
            centers: scene.dynamic.iter().enumerate().filter_map(center).collect(),
            links: scene.carriage.links.clone(),
        }
    }

    /// Number of slots of a block: the dynamic bodies.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }

    /// Number of inputs, which rows may move: the slots, and behind them nodes that are no bodies.
    pub(super) fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Whether something may carry an input.
    pub(super) fn is_carried(&self, input: u32) -> bool {
        self.links.iter().any(|link| link.input == input)
    }

    /// Name of an input.
    pub(super) fn name(&self, input: u32) -> &str {
        &self.names[self.inputs[input as usize] as usize]
    }

    /// The input of a name, else [`STATIC`] or [`UNKNOWN`].
    pub(super) fn code(&self, name: &str) -> u32 {
        self.codes.get(name).copied().unwrap_or(UNKNOWN)
    }

    /// The body whose name is most like an unknown one, if any is; the first of equals.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names.iter().map(String::as_str)).or_else(|| self.similar(name))
    }

    /// As [`Self::nearest`], by the letters that both have rather than by those to change.
    fn similar(&self, name: &str) -> Option<&str> {
        let mut best: Option<(&str, f64)> = None;
        for known in &self.names {
            let similarity = strsim::jaro_winkler(name, known);
            if similarity >= SIMILAR && best.is_none_or(|(_, most)| similarity > most) {
                best = Some((known, similarity));
            }
        }
        best.map(|(known, _)| known)
    }
}

/// Maps a stream of names to slots: in every frame the bodies mostly come in the same order, so the name that followed
/// last time is compared first, and hashed only if it is another one now.
pub(super) struct Follower {
    /// For each slot: the slot that came after it last time.
    next: Vec<u32>,
    last: u32,
}

impl Follower {
    pub(super) fn new(slots: usize) -> Self {
        let slots = slots as u32; // of all inputs
        Self { next: (0..slots).map(|slot| (slot + 1) % slots.max(1)).collect(), last: slots.saturating_sub(1) }
    }

    /// The slot of `name`, else [`STATIC`] or [`UNKNOWN`].
    pub(super) fn code(&mut self, roster: &Roster, name: &str) -> u32 {
        let Some(next) = self.next.get_mut(self.last as usize) else { return roster.code(name) };
        if roster.name(*next) != name {
            let code = roster.code(name);
            if code >= STATIC {
                return code;
            }
            *next = code;
        }
        self.last = *next;
        self.last
    }
}
