//! The strings that the integer codes of string columns stand for.

use super::events::EventKind;
use clearsweep_model::{
    ContactKind, DirectionalRelation, EventState, FeatureKind, IntervalMethod, IntervalStatus, Method, Scene, Severity,
    Status,
};
use std::sync::Arc;

/// The set of strings of a string column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Names of the bodies, by body index.
    Bodies,
    /// Names of the rules, the default last.
    Rules,
    /// `Severity::NAMES`.
    Severity,
    /// `EventKind::NAMES`.
    EventKind,
    /// `EventState::NAMES`.
    EventState,
    /// The words of issues, which are known at the end.
    Issues,
    /// `Status::NAMES`.
    Status,
    /// `FeatureKind::NAMES`.
    Feature,
    /// `Method::NAMES`.
    Method,
    /// `DirectionalRelation::NAMES`.
    Directional,
    /// `IntervalStatus::NAMES`.
    IntervalStatus,
    /// `IntervalMethod::NAMES`.
    IntervalMethod,
    /// `ContactKind::NAMES`.
    ContactKind,
}

/// The strings of all vocabularies. Cloning shares them.
#[derive(Debug, Clone)]
pub(super) struct Vocabularies {
    bodies: Arc<[Box<str>]>,
    rules: Arc<[Box<str>]>,
    issues: Arc<[Box<str>]>,
}

impl Vocabularies {
    /// Takes the names of the bodies, by body index, and of the rules.
    pub(super) fn new<'a>(bodies: impl Iterator<Item = &'a str>, rules: impl Iterator<Item = &'a str>) -> Self {
        let [bodies, rules] = [bodies.map(Box::from).collect(), rules.map(Box::from).collect()];
        Self { bodies, rules, issues: Arc::default() }
    }

    /// The same with the words of issues.
    pub(super) fn with_issues(&self, words: Vec<Box<str>>) -> Self {
        Self { issues: words.into(), ..self.clone() }
    }

    /// The words of a scene.
    pub(super) fn of_scene(scene: &Scene) -> Self {
        let requirements = scene.requirements();
        let rules = (0..requirements.count()).map(|rule| requirements.name(rule));
        Self::new(scene.bodies.iter().map(|body| body.name.as_str()), rules)
    }

    /// All strings of a vocabulary, by code.
    pub(super) fn words(&self, vocabulary: Vocabulary) -> impl Iterator<Item = &str> {
        let count = match vocabulary {
            Vocabulary::Bodies => self.bodies.len(),
            Vocabulary::Rules => self.rules.len(),
            Vocabulary::Issues => self.issues.len(),
            Vocabulary::Severity => Severity::NAMES.len(),
            Vocabulary::EventKind => EventKind::NAMES.len(),
            Vocabulary::EventState => EventState::NAMES.len(),
            Vocabulary::Status => Status::NAMES.len(),
            Vocabulary::Feature => FeatureKind::NAMES.len(),
            Vocabulary::Method => Method::NAMES.len(),
            Vocabulary::Directional => DirectionalRelation::NAMES.len(),
            Vocabulary::IntervalStatus => IntervalStatus::NAMES.len(),
            Vocabulary::IntervalMethod => IntervalMethod::NAMES.len(),
            Vocabulary::ContactKind => ContactKind::NAMES.len(),
        };
        (0..count).map(move |code| self.string(vocabulary, code as i32))
    }

    /// The string that a code stands for.
    pub(super) fn string(&self, vocabulary: Vocabulary, code: i32) -> &str {
        let code = code as usize;
        match vocabulary {
            Vocabulary::Bodies => &self.bodies[code],
            Vocabulary::Rules => &self.rules[code],
            Vocabulary::Severity => Severity::NAMES[code],
            Vocabulary::EventKind => EventKind::NAMES[code],
            Vocabulary::EventState => EventState::NAMES[code],
            Vocabulary::Issues => &self.issues[code],
            Vocabulary::Status => Status::NAMES[code],
            Vocabulary::Feature => FeatureKind::NAMES[code],
            Vocabulary::Method => Method::NAMES[code],
            Vocabulary::Directional => DirectionalRelation::NAMES[code],
            Vocabulary::IntervalStatus => IntervalStatus::NAMES[code],
            Vocabulary::IntervalMethod => IntervalMethod::NAMES[code],
            Vocabulary::ContactKind => ContactKind::NAMES[code],
        }
    }
}
