//! From the names in the rows to the slots of a block.

use super::rest_turns::RestTurns;
use clearsweep_base::error::{nearest, similar};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::pose::Recentring;
use clearsweep_model::{Motion, NodeLink, Scene};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Code of a name that is no slot: of an integer that is the name or the id of several bodies.
pub(super) const AMBIGUOUS: u32 = u32::MAX - 4;
/// Code of a name that is no slot. It stands for several nodes that may be moved, a static body,
/// nothing in the scene, or a null.
pub(super) const SEVERAL: u32 = u32::MAX - 3;
/// See [`SEVERAL`].
pub(super) const STATIC: u32 = u32::MAX - 2;
/// See [`SEVERAL`].
pub(super) const UNKNOWN: u32 = u32::MAX - 1;
/// See [`SEVERAL`].
pub(super) const NULL: u32 = u32::MAX;

/// The bodies of a scene as far as reading needs them.
pub(super) struct BodyIndex {
    /// Names of all bodies, in scene order; behind these, of nodes that may be moved and are no
    /// bodies.
    names: Vec<String>,
    /// Slot or [`STATIC`] of each body.
    of_body: Vec<u32>,
    /// Names of what stands still and is no body.
    still: Vec<String>,
    /// The body in each slot; behind these, the places among `names` of nodes that may be moved and
    /// are no bodies.
    inputs: Vec<u32>,
    /// Number of slots.
    slots: usize,
    /// Slot, [`SEVERAL`] or [`STATIC`]. Only looked up, never iterated; made when the first name is
    /// looked up.
    codes: OnceLock<HashMap<String, u32>>,
    /// The integers that stand for bodies, with the places of these.
    ids: Vec<(i128, u32)>,
    /// The codes of names and ids that are integers in decimal, likewise.
    numbers: OnceLock<HashMap<i128, u32>>,
    /// The slots whose frame is recentred, and where it lies in the body's own.
    pub(super) recentred: Vec<(u32, Recentring)>,
    /// The inputs that are carried where they have no row, each after what carries it.
    pub(super) links: Vec<NodeLink>,
    /// The orientations that those of rows count from, if they count from the file.
    pub(super) rest_turns: Option<RestTurns>,
}

impl BodyIndex {
    pub(super) fn new(scene: &Scene) -> Self {
        let code = |motion: Motion| match motion {
            Motion::Dynamic { slot } => slot,
            Motion::Static(_) => STATIC,
        };
        let recentred = |(slot, &body): (usize, &u32)| {
            let to = scene.bodies[body as usize].shape.recentring();
            (to.center != Vec3::ZERO).then_some((slot as u32, to))
        };
        let slots = scene.dynamic.len();
        let frames = &scene.hierarchy.frames;
        let inputs = slots + frames.len();
        let behind = scene.bodies.len() as u32..(scene.bodies.len() + frames.len()) as u32;
        Self {
            names: scene.bodies.iter().map(|body| &body.name).chain(frames).cloned().collect(),
            of_body: scene.bodies.iter().map(|body| code(body.motion)).collect(),
            still: scene.hierarchy.still.clone(),
            inputs: scene.dynamic.iter().copied().chain(behind).collect(),
            slots,
            codes: OnceLock::new(),
            ids: scene.bodies.iter().zip(0..).filter_map(|(body, index)| Some((body.id?, index))).collect(),
            numbers: OnceLock::new(),
            recentred: scene.dynamic.iter().enumerate().filter_map(recentred).collect(),
            links: scene.hierarchy.links.clone(),
            rest_turns: scene.hierarchy.row_turns(inputs).map(RestTurns::new),
        }
    }

    fn codes(&self) -> HashMap<String, u32> {
        let (bodies, frames) = self.names.split_at(self.of_body.len());
        let mut codes: HashMap<String, u32> = self.still.iter().map(|name| (name.clone(), STATIC)).collect();
        for (name, input) in frames.iter().zip(self.slots as u32..) {
            // Files may have nodes of the same name, such as `world`: a row does not say which of
            // them it moves.
            codes
                .entry(name.clone())
                .and_modify(|code| *code = if *code == STATIC { input } else { SEVERAL })
                .or_insert(input);
        }
        // A name of a body counts before that of a node that is none.
        codes.extend(bodies.iter().cloned().zip(self.of_body.iter().copied()));
        // The body that a text of digits stands for already.
        let mut named: HashMap<String, u32> = HashMap::new();
        for &(id, body) in &self.ids {
            let (text, code) = (id.to_string(), self.of_body[body as usize]);
            let is_own = |named: &HashMap<String, u32>| match named.get(&text) {
                Some(&other) => other == body,
                None => self.names[body as usize] == text,
            };
            if codes.contains_key(&text) && !is_own(&named) {
                codes.insert(text, AMBIGUOUS);
                continue;
            }
            codes.insert(text.clone(), code);
            named.insert(text, body);
        }
        codes
    }

    /// The code of an integer: of the name that it is in decimal, or of the body that has it as its
    /// id.
    pub(super) fn code_of_number(&self, number: i128) -> u32 {
        let numbers = self.numbers.get_or_init(|| {
            let codes = self.codes.get_or_init(|| self.codes());
            let number = |text: &String| text.parse::<i128>().ok().filter(|number| number.to_string() == *text);
            codes.iter().filter_map(|(text, &code)| Some((number(text)?, code))).collect()
        });
        numbers.get(&number).copied().unwrap_or(UNKNOWN)
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

    /// The input of a name, else [`SEVERAL`], [`STATIC`] or [`UNKNOWN`].
    pub(super) fn code(&self, name: &str) -> u32 {
        self.codes.get_or_init(|| self.codes()).get(name).copied().unwrap_or(UNKNOWN)
    }

    /// The names most like an unknown one among those that rows may have, as [`nearest`] joins
    /// them.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        nearest(name, self.movable()).or_else(|| similar(name, self.movable()))
    }

    /// The names that rows may have.
    fn movable(&self) -> impl Iterator<Item = &str> {
        (0..self.inputs.len() as u32).map(|input| self.name(input)).filter(|name| self.code(name) < AMBIGUOUS)
    }

    /// Some of the names, for messages.
    pub(super) fn examples(&self) -> String {
        let shown: Vec<String> = self.movable().take(EXAMPLES).map(|name| format!("`{name}`")).collect();
        shown.join(", ")
    }
}

/// Names that a message lists.
const EXAMPLES: usize = 3;

/// Maps a stream of names to slots: in every frame the bodies mostly come in the same order, so the
/// name that followed last time is compared first, and hashed only if it is another one now.
pub(super) struct Follower {
    /// For each slot: the slot that came after it last time.
    next: Vec<u32>,
    last: u32,
}

impl Follower {
    /// For so many slots, and as many inputs with those that are no bodies.
    pub(super) fn new(slots: usize, inputs: usize) -> Self {
        // At first a body is expected everywhere: only its name is its own.
        let (slots, inputs) = (slots.max(1) as u32, inputs as u32);
        Self { next: (0..inputs).map(|input| (input + 1) % slots).collect(), last: inputs.saturating_sub(1) }
    }

    /// The slot of `name`, else [`SEVERAL`], [`STATIC`] or [`UNKNOWN`].
    pub(super) fn code(&mut self, body_index: &BodyIndex, name: &str) -> u32 {
        let Some(next) = self.next.get_mut(self.last as usize) else { return body_index.code(name) };
        if body_index.name(*next) != name {
            let code = body_index.code(name);
            if code >= AMBIGUOUS {
                return code;
            }
            *next = code;
        }
        self.last = *next;
        self.last
    }
}
