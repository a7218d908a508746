//! The links and joints between a body and its parent.

use super::MjcfReader;
use super::compiler::flag;
use crate::model::{Joint, JointKind, Link, Place};
use crate::rotation::{self, compose};
use crate::xml::{Element, check_unique};
use clearsweep_base::Result;

/// A joint of a body with its frame around it and its class.
type Placed<'d> = (Element<'d>, Place, usize);

impl<'d> MjcfReader<'d, '_> {
    /// Adds the link of a body, and the joints and links between it and its parent.
    ///
    /// Joints of a body act in their order, each about its own anchor. Between two joints is a link
    /// without geometry, whose origin is the anchor of the first of them.
    pub(super) fn attach(
        &mut self,
        body: Element<'d>,
        name: &str,
        parent: usize,
        place: Place,
        joints: &[Placed<'d>],
    ) -> Result<usize> {
        if self.moves_freely(body, name, parent, joints)? {
            let link = self.add_link(body, name)?;
            self.links[link].place = place;
            let own = joints.first().and_then(|(element, ..)| element.attribute("name")).map(str::trim);
            self.links[link].free = Some(own.filter(|own| !own.is_empty()).unwrap_or(name).to_owned());
            return Ok(link);
        }
        let (mut above, mut place) = (parent, place);
        for (index, &(element, frame, class)) in joints.iter().enumerate() {
            let anchored = self.add_joint(element, &frame, class, name, index, (above, place))?;
            let is_last = index + 1 == joints.len() && anchored == [0.0; 3];
            let label =
                if is_last { name.to_owned() } else { format!("{name}/{}", self.joints[self.joints.len() - 1].name) };
            above = self.add_link(body, &label)?;
            if is_last {
                return Ok(above);
            }
            self.links[above].is_between_joints = true;
            place = Place { position: anchored.map(|x| -x), ..Place::IDENTITY };
        }
        let child = self.add_link(body, name)?;
        let (line, axis) = (body.at(), [1.0, 0.0, 0.0]);
        let name = format!("{name}/fixed");
        check_unique(&mut self.joint_lines, body, "joint", &name)?;
        let kind = JointKind::Fixed;
        self.joints.push(Joint { name, line, kind, parent: above, child, place, axis, range: None, mimic: None });
        self.references.push(0.0);
        Ok(child)
    }

    /// True for a body with a free joint, or one that the user moves; the body is then a root,
    /// placed by the file.
    fn moves_freely(&self, body: Element<'d>, name: &str, parent: usize, joints: &[Placed<'d>]) -> Result<bool> {
        let is_free = |&(element, _, class): &Placed<'d>| -> Result<bool> {
            Ok(element.name() == "freejoint" || self.defaults.attributes(element, class)?.text("type") == Some("free"))
        };
        let is_free = joints.iter().map(is_free).collect::<Result<Vec<_>>>()?.contains(&true);
        let is_mocap = flag(body, "mocap")? == Some(true);
        if !is_free && !is_mocap {
            return Ok(false);
        }
        if parent != 0 {
            let problem = format!("body `{name}` moves freely, but is within another body");
            return Err(body.fault(problem, "move the body into `worldbody`"));
        }
        if joints.len() > usize::from(is_free) {
            let problem = format!("body `{name}` moves freely and has further joints");
            return Err(body.fault(problem, "delete one of the joints"));
        }
        Ok(true)
    }

    fn add_link(&mut self, body: Element<'d>, name: &str) -> Result<usize> {
        check_unique(&mut self.link_lines, body, "body", name)?;
        self.links.push(Link {
            name: name.to_owned(),
            line: body.at(),
            place: Place::IDENTITY,
            collisions: Vec::new(),
            free: None,
            is_between_joints: false,
        });
        Ok(self.links.len() - 1)
    }

    /// Adds a joint whose child is the next link; returns its anchor in the frame of the body.
    fn add_joint(
        &mut self,
        element: Element<'d>,
        frame: &Place,
        class: usize,
        body: &str,
        index: usize,
        (parent, place): (usize, Place),
    ) -> Result<[f64; 3]> {
        let name = match element.attribute("name").map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("{body}/joint{}", index + 1),
        };
        check_unique(&mut self.joint_lines, element, "joint", &name)?;
        let attributes = self.defaults.attributes(element, class)?;
        let is_hinge = match attributes.text("type").unwrap_or("hinge") {
            "hinge" => true,
            "slide" => false,
            other => {
                let problem = format!("joint `{name}` is `{other}`: a joint has one value");
                return Err(element.fault(problem, "write a ball joint as three joints of the type `hinge`"));
            }
        };
        let axis = rotation::unit(attributes.numbers("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let zero = || element.fault(format!("the axis of joint `{name}` has length 0"), "give one such as `0 0 1`");
        let axis = rotation::rotate(frame.orientation, axis.ok_or_else(zero)?);
        let at = attributes.numbers("pos")?.unwrap_or_default();
        let anchor = compose(frame, &Place { position: at, ..Place::IDENTITY }).position;
        let unit = if is_hinge { self.compiler.radians(1.0) } else { 1.0 };
        let reference = unit * attributes.number("ref")?.unwrap_or(0.0);
        // The pose in the file is that at the reference, so value 0 is the pose turned back.
        let back = match is_hinge {
            true => Place { position: [0.0; 3], orientation: rotation::about(axis, -reference) },
            false => Place { position: axis.map(|x| -reference * x), ..Place::IDENTITY },
        };
        let anchored = compose(&place, &Place { position: anchor, ..Place::IDENTITY });
        let place = if reference == 0.0 { anchored } else { compose(&anchored, &back) };
        let range = self.range(element, class, &name, unit)?;
        let kind = match (is_hinge, range) {
            (false, _) => JointKind::Prismatic,
            (true, None) => JointKind::Continuous,
            (true, Some(_)) => JointKind::Revolute,
        };
        let (line, child) = (element.at(), self.links.len());
        self.joints.push(Joint { name, line, kind, parent, child, place, axis, range, mimic: None });
        self.references.push(reference);
        Ok(anchor)
    }

    fn range(&mut self, element: Element<'d>, class: usize, name: &str, unit: f64) -> Result<Option<[f64; 2]>> {
        let attributes = self.defaults.attributes(element, class)?;
        let (range, holder) = (attributes.numbers::<2>("range")?, attributes.holder("limited"));
        let is_limited = holder.map_or(Ok(None), |holder| flag(holder, "limited"))?;
        let Some([lower, upper]) = range.map(|range| range.map(|value| unit * value)) else {
            if is_limited == Some(true) {
                return Err(element.fault(format!("joint `{name}` is limited, but has no `range`"), "add `range`"));
            }
            return Ok(None);
        };
        match is_limited {
            Some(true) => {}
            None if self.compiler.has_autolimits => {}
            Some(false) => return Ok(None),
            None => {
                let text =
                    format!("joint `{name}` has a `range`, but neither `limited` nor `autolimits`: no limit is read");
                self.note(element, &text);
                return Ok(None);
            }
        }
        if lower > upper {
            let problem = format!("the range of joint `{name}` is empty: {lower} to {upper}");
            return Err(element.fault(problem, "exchange the two, or correct one"));
        }
        Ok(Some([lower, upper]))
    }
}
