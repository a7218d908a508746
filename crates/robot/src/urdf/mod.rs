//! URDF (<https://wiki.ros.org/urdf/XML>): links with collision geometry, and joints.
//!
//! Files of the versions 1.0 to 1.2 are read; 1.2 adds capsules and `quat_xyzw`. Visual geometry, inertia, dynamics,
//! calibration and transmissions do not matter for proximity, and are read past.

mod geometry;
mod joints;

use crate::model::{Link, Place, Robot};
use crate::notes::Notes;
use crate::tree;
use crate::xml::{Element, Source, check_unique};
use clearsweep_base::error::nearest;
use clearsweep_base::{Error, Result};
use std::collections::HashMap;
use std::path::Path;

/// Reads a URDF file, of which `text` is the content; `path` names it in messages.
///
/// Checks that the joints form one tree. Meshes are named only, see [`crate::resolve`].
///
/// # Errors
/// The first thing that is wrong, with its line: not XML, xacro that is not expanded, numbers that are missing or not
/// finite, sizes that are not positive, names that are unknown or used twice, loops, several roots, joints of the types
/// `floating` and `planar`.
pub fn read_urdf(path: &Path, text: &str) -> Result<Robot> {
    let source = Source::new(path, text);
    let document = source.parse("URDF")?;
    source.check_expanded(&document)?;
    let root = source.root(&document);
    if root.name() != "robot" {
        let problem = format!("the root element is `{}`, not `robot`", root.name());
        return Err(root.fault(problem, remedy_of_root(root.name())));
    }
    let mut reader = UrdfReader { notes: Notes::default() };
    let name = root.required("name")?.to_owned();
    if let Some(version) = root.attribute("version").filter(|version| !["1.0", "1.1", "1.2"].contains(version)) {
        reader.notes.add(root.line(), format!("URDF of version {version} is read as version 1.2"));
    }
    let links = reader.links(root)?;
    let mut joints = reader.joints(root, &links)?;
    reader.note_others(root, OF_ROBOT);
    tree::check(&source, &links, &joints)?;
    tree::check_mimics(&source, &joints)?;
    tree::fix_followers(&mut joints, &mut reader.notes);
    Ok(Robot { name, links, joints, world: None, excluded: Vec::new(), notes: reader.notes.finish() })
}

/// Children of `robot` that are read, or that do not matter for proximity.
const OF_ROBOT: &[&str] = &["link", "joint", "material", "transmission"];

/// Children of `link` that are read, or that do not matter for proximity: `contact` holds friction.
const OF_LINK: &[&str] = &["collision", "visual", "inertial", "contact", "material"];

fn remedy_of_root(name: &str) -> &'static str {
    match name {
        "sdf" | "gazebo" | "world" => "SDF is not read: give the URDF file that it was made of",
        "mujoco" => "it is MJCF: name it by `mjcf` instead of `urdf`",
        "COLLADA" => "this is a mesh: give the URDF file that names it",
        _ => "give a URDF file: its root element is `<robot name=\"...\">`",
    }
}

struct UrdfReader {
    notes: Notes,
}

impl UrdfReader {
    fn links(&mut self, root: Element<'_>) -> Result<Vec<Link>> {
        let mut links = Vec::new();
        let mut lines = HashMap::new();
        for element in root.all("link") {
            let link = self.link(element)?;
            check_unique(&mut lines, element, "link", &link.name)?;
            links.push(link);
        }
        if links.is_empty() {
            return Err(root.fault("the robot has no `link`", "check that the file is complete"));
        }
        Ok(links)
    }

    fn link(&mut self, element: Element<'_>) -> Result<Link> {
        let (name, line) = (element.required("name")?.to_owned(), element.line());
        let collisions = element.all("collision").map(|child| self.collision(child)).collect::<Result<Vec<_>>>()?;
        if collisions.is_empty() {
            let seen = if element.all("visual").next().is_some() { ", only visual geometry" } else { "" };
            self.notes.add(line, format!("link `{name}` has no collision geometry{seen}: it collides with nothing"));
        }
        self.note_others(element, OF_LINK);
        Ok(Link { name, line, place: Place::IDENTITY, collisions, is_between_joints: false })
    }

    /// Notes the children of an element that are not among `known`.
    fn note_others(&mut self, element: Element<'_>, known: &[&str]) {
        for child in element.children().filter(|child| !known.contains(&child.name())) {
            let consequence = match child.name() {
                "gazebo" => ": settings of a simulator, perhaps of contacts",
                "self_collision_checking" => ": collisions of a robot with itself follow the scene's rules",
                _ => "",
            };
            let text = format!("`{}` in `{}` is not read{consequence}", child.name(), element.name());
            self.notes.add(child.line(), text);
        }
    }

    /// Refuses misspelt attributes, and notes unknown ones.
    fn check_attributes(&mut self, element: Element<'_>, known: &[&str]) -> Result<()> {
        if let Some(name) = element.unknown_attribute(known)? {
            self.notes.add(element.line(), format!("the attribute `{name}` of `{}` is not read", element.name()));
        }
        Ok(())
    }
}

/// The index of a name that an element refers to.
fn index_of(numbers: &HashMap<&str, usize>, element: Element<'_>, kind: &str, name: &str) -> Result<usize> {
    let unknown = || -> Error {
        let near = nearest(name, sorted(numbers).into_iter());
        let remedy = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add `<{kind} name=\"{name}\">`, or correct the name"),
        };
        element.fault(format!("`{}` refers to the {kind} `{name}`, which does not exist", element.name()), remedy)
    };
    numbers.get(name).copied().ok_or_else(unknown)
}

/// The names in an order that no hash decides.
fn sorted<'n>(numbers: &HashMap<&'n str, usize>) -> Vec<&'n str> {
    let mut names: Vec<&str> = numbers.keys().copied().collect();
    names.sort_unstable();
    names
}
