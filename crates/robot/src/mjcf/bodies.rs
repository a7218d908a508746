//! The tree of `worldbody`, `body` and `frame`.

use super::MjcfReader;
use crate::model::{Link, Place};
use crate::rotation::compose;
use crate::xml::Element;
use clearsweep_base::Result;

/// A body that waits to be read.
struct Waiting<'d> {
    element: Element<'d>,
    /// The link that it is attached to.
    parent: usize,
    /// Frame around the body in the frame of that link.
    frame: Place,
    /// Class of defaults that holds around it.
    class: usize,
}

/// The contents of a body, each with its frame in the frame of the body, and the class that holds
/// around it.
#[derive(Default)]
pub(super) struct Contents<'d> {
    pub(super) joints: Vec<(Element<'d>, Place, usize)>,
    geoms: Vec<(Element<'d>, Place, usize)>,
    bodies: Vec<(Element<'d>, Place, usize)>,
}

/// Elements that do not matter for proximity.
const IGNORED: [&str; 6] = ["inertial", "site", "camera", "light", "plugin", "user"];

impl<'d> MjcfReader<'d, '_> {
    /// Reads the world and all bodies; no recursion, since a file may nest bodies without bound.
    pub(super) fn world(&mut self, worlds: &[Element<'d>]) -> Result<()> {
        let line = worlds.first().unwrap_or(&self.files.main).at();
        self.links.push(Link {
            name: "world".to_owned(),
            line: line.clone(),
            place: Place::IDENTITY,
            collisions: Vec::new(),
            free: None,
            is_between_joints: false,
        });
        self.link_lines.insert("world".to_owned(), line);
        let mut stack = Vec::new();
        for &world in worlds.iter().rev() {
            let contents = self.contents(world, 0)?;
            if let Some((joint, ..)) = contents.joints.first() {
                return Err(joint.fault("the world has a joint", "put the joint into a body"));
            }
            self.fill(0, contents, &mut stack)?;
        }
        while let Some(waiting) = stack.pop() {
            self.body(&waiting, &mut stack)?;
        }
        Ok(())
    }

    fn body(&mut self, waiting: &Waiting<'d>, stack: &mut Vec<Waiting<'d>>) -> Result<()> {
        const KNOWN: [&str; 11] =
            ["name", "childclass", "mocap", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "gravcomp", "user"];
        let element = waiting.element;
        self.check_attributes(element, &KNOWN)?;
        let class = self.defaults.class(element, "childclass")?.unwrap_or(waiting.class);
        let own = self.compiler.place(&self.defaults.attributes(element, class)?)?;
        let place = compose(&waiting.frame, &own);
        let contents = self.contents(element, class)?;
        let name = match element.attribute("name").map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("body_{}", self.links.len()),
        };
        let link = self.attach(element, &name, waiting.parent, place, &contents.joints)?;
        self.fill(link, contents, stack)
    }

    /// Gives a link its geoms, and puts its bodies on the stack.
    fn fill(&mut self, link: usize, contents: Contents<'d>, stack: &mut Vec<Waiting<'d>>) -> Result<()> {
        for (element, frame, class) in contents.geoms {
            let collision = self.geom(element, &frame, class)?;
            self.links[link].collisions.extend(collision);
        }
        let bodies = contents.bodies.into_iter().rev();
        stack.extend(bodies.map(|(element, frame, class)| Waiting { element, parent: link, frame, class }));
        Ok(())
    }

    /// The contents of a body in the order of the file, those of its frames among them.
    fn contents(&mut self, body: Element<'d>, class: usize) -> Result<Contents<'d>> {
        let mut contents = Contents::default();
        let children = |element| self.files.children(element).into_iter().rev();
        let mut stack: Vec<_> = children(body).map(|child| (child, Place::IDENTITY, class)).collect();
        let mut ignored = Vec::new();
        while let Some((element, frame, class)) = stack.pop() {
            match element.name() {
                "joint" | "freejoint" => contents.joints.push((element, frame, class)),
                "geom" => contents.geoms.push((element, frame, class)),
                "body" => contents.bodies.push((element, frame, class)),
                "frame" => {
                    let class = self.defaults.class(element, "childclass")?.unwrap_or(class);
                    let own = self.compiler.place(&self.defaults.attributes(element, class)?)?;
                    let frame = compose(&frame, &own);
                    stack.extend(children(element).map(|child| (child, frame, class)));
                }
                maker @ ("replicate" | "composite" | "flexcomp" | "attach") => {
                    let problem = format!("`{maker}` is not read: it makes further bodies");
                    let remedy = "load the model in MuJoCo and save it (`mj_saveLastXML`): the result has all bodies";
                    return Err(element.fault(problem, remedy));
                }
                name if IGNORED.contains(&name) => {}
                _ => ignored.push(element),
            }
        }
        for element in ignored {
            self.note(element, &format!("`{}` in `{}` is not read", element.name(), body.name()));
        }
        Ok(contents)
    }

    /// Refuses misspelt attributes, and notes unknown ones.
    pub(super) fn check_attributes(&mut self, element: Element<'d>, known: &[&str]) -> Result<()> {
        if let Some(name) = element.unknown_attribute(known)? {
            self.note(element, &format!("the attribute `{name}` of `{}` is not read", element.name()));
        }
        Ok(())
    }
}
