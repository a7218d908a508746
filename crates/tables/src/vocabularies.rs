//! The texts that the codes of text columns stand for.

use clearsweep_model::Scene;
use clearsweep_records::Words;
use std::sync::Arc;

/// The texts of a job. Cloning shares them.
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

    /// The same with the texts of issues.
    pub(super) fn with_issues(&self, texts: Vec<Box<str>>) -> Self {
        Self { issues: texts.into(), ..self.clone() }
    }

    /// Returns the names of a scene.
    pub(super) fn of_scene(scene: &Scene) -> Self {
        let requirements = scene.requirements();
        let rules = (0..requirements.count()).map(|rule| requirements.name(rule));
        Self::new(scene.bodies.iter().map(|body| body.name.as_str()), rules)
    }

    /// Returns all texts, by code.
    pub(super) fn texts(&self, words: Words) -> impl Iterator<Item = &str> {
        let (names, fixed): (&[Box<str>], &[&str]) = match words {
            Words::Bodies => (&self.bodies, &[]),
            Words::Rules => (&self.rules, &[]),
            Words::Issues => (&self.issues, &[]),
            Words::Fixed(words) => (&[], words),
        };
        names.iter().map(|name| &**name).chain(fixed.iter().copied())
    }

    /// Returns the text that a code stands for.
    pub(super) fn text(&self, words: Words, code: i32) -> &str {
        let code = code as usize;
        match words {
            Words::Bodies => &self.bodies[code],
            Words::Rules => &self.rules[code],
            Words::Issues => &self.issues[code],
            Words::Fixed(words) => words[code],
        }
    }
}
