//! The sections `contact` and `equality`.

use super::MjcfReader;
use super::compiler::flag;
use crate::model::{LinkPair, Mimic};
use crate::xml::Element;
use clearsweep_base::Result;
use clearsweep_base::error::nearest;
use std::collections::HashMap;

impl<'d> MjcfReader<'d, '_> {
    /// The pairs of bodies that a `contact` excludes.
    pub(super) fn excluded(&mut self, contact: Element<'d>) -> Result<Vec<LinkPair>> {
        let mut pairs = Vec::new();
        for element in self.files.children(contact) {
            if element.name() != "exclude" {
                self.note(element, &format!("`{}` in `contact` is not read", element.name()));
                continue;
            }
            let (a, b) = (self.body_of(element, ["body1", "body2"])?, self.body_of(element, ["body2", "body1"])?);
            let reason = element.attribute("name").map(str::to_owned);
            pairs.push(LinkPair { a, b, reason, line: element.line() });
        }
        Ok(pairs)
    }

    /// The body on one side of an exclusion.
    fn body_of(&self, element: Element<'d>, [side, other]: [&str; 2]) -> Result<String> {
        let name = element.required(side)?;
        if self.link_lines.contains_key(name) {
            return Ok(name.to_owned());
        }
        let other = element.attribute(other);
        let names = self.links.iter().map(|link| link.name.as_str()).filter(|&name| Some(name) != other);
        let near = nearest(name, names);
        let remedy = near.map_or("correct the name".to_owned(), |near| format!("did you mean `{near}`?"));
        Err(element.fault(format!("`{}` refers to the body `{name}`, which does not exist", element.name()), remedy))
    }

    /// Reads linear couplings of joints; all other constraints are noted.
    pub(super) fn couplings(&mut self, equality: Element<'d>) -> Result<()> {
        let numbered = self.joints.iter().enumerate().map(|(number, joint)| (joint.name.clone(), number));
        let numbers: HashMap<String, usize> = numbered.collect();
        for element in self.files.children(equality) {
            if element.name() != "joint" {
                let text = "is not read: poses must satisfy it";
                self.note(element, &format!("`{}` in `equality` {text}", element.name()));
                continue;
            }
            if flag(element, "active")? == Some(false) {
                self.note(element, "a coupling of joints that is not active is not read");
                continue;
            }
            self.coupling(element, &numbers)?;
        }
        Ok(())
    }

    /// `q1 - ref1 = a0 + a1 (q2 - ref2) + a2 (q2 - ref2)^2 + ...` (MuJoCo, XML reference,
    /// `equality/joint`).
    fn coupling(&mut self, element: Element<'d>, numbers: &HashMap<String, usize>) -> Result<()> {
        let own = self.joint_of(element, ["joint1", "joint2"], numbers)?;
        let name = self.joints[own].name.clone();
        let mut terms = element.list("polycoef", 1..=5)?.unwrap_or(vec![0.0, 1.0]);
        terms.resize(5, 0.0);
        if element.attribute("joint2").is_none() {
            self.note(element, &format!("joint `{name}` is held at a value, which is not read: give it as that"));
            return Ok(());
        }
        let joint = self.joint_of(element, ["joint2", "joint1"], numbers)?;
        if terms[2..] != [0.0; 3] {
            self.note(element, &format!("the coupling of joint `{name}` is not linear, and not read"));
            return Ok(());
        }
        let (ratio, reference) = (terms[1], self.references[own]);
        let offset = reference + terms[0] - ratio * self.references[joint];
        if self.joints[own].mimic.replace(Mimic { joint, ratio, offset }).is_some() {
            let problem = format!("joint `{name}` is coupled twice");
            return Err(element.fault(problem, "delete one of the couplings"));
        }
        Ok(())
    }

    /// The joint on one side of a coupling.
    fn joint_of(
        &self,
        element: Element<'d>,
        [side, other]: [&str; 2],
        numbers: &HashMap<String, usize>,
    ) -> Result<usize> {
        let name = element.required(side)?;
        let unknown = || {
            let other = element.attribute(other);
            let names = self.joints.iter().map(|joint| joint.name.as_str()).filter(|&name| Some(name) != other);
            let near = nearest(name, names);
            let remedy = near.map_or("correct the name".to_owned(), |near| format!("did you mean `{near}`?"));
            element.fault(format!("`equality` refers to the joint `{name}`, which does not exist"), remedy)
        };
        numbers.get(name).copied().ok_or_else(unknown)
    }
}
