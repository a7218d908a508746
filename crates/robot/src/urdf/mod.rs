//! URDF (<https://wiki.ros.org/urdf/XML>): links with collision geometry, and joints.
//!
//! Files of the versions 1.0 to 1.2 are read; 1.2 adds capsules and `quat_xyzw`. Visual geometry,
//! inertia, dynamics, calibration and transmissions do not matter for proximity, and are read past.

mod geometry;
mod joints;

use crate::model::{Link, Place, Robot};
use crate::notes::Notes;
use crate::tree;
use crate::xml::{Element, Source, check_unique};
use clearsweep_base::Result;
use std::collections::HashMap;
use std::path::Path;

/// Reads a URDF file from its `text`; `path` names it in messages.
///
/// Checks that the joints form one tree. Meshes are named only, see [`crate::resolve`].
///
/// # Errors
/// The first thing that is wrong, with its line: not XML, xacro that is not expanded, numbers that
/// are missing or not finite, sizes that are not positive, names that are unknown or used twice,
/// loops, several roots.
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
    tree::check(&links, &joints)?;
    tree::check_mimics(&joints)?;
    tree::fix_followers(&mut joints, root.file(), &mut reader.notes);
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
        let bare = root.all("link").zip(&links).filter(|(_, link)| link.collisions.is_empty());
        self.note_bare(bare.map(|(element, link)| (element, &*link.name)).collect());
        Ok(links)
    }

    fn link(&mut self, element: Element<'_>) -> Result<Link> {
        let (name, line) = (element.required("name")?.to_owned(), element.at());
        let collisions = element.all("collision").map(|child| self.collision(child)).collect::<Result<Vec<_>>>()?;
        self.note_others(element, OF_LINK);
        Ok(Link { name, line, place: Place::IDENTITY, collisions, free: None, is_between_joints: false })
    }

    /// Notes the links without collision geometry, those with visual geometry first.
    fn note_bare(&mut self, mut bare: Vec<(Element<'_>, &str)>) {
        /// Most names that the note lists.
        const LISTED: usize = 3;
        let is_seen = |(element, _): &(Element<'_>, &str)| element.all("visual").next().is_some();
        let seen = match (bare.iter().filter(|link| is_seen(link)).count(), bare.len()) {
            (0, _) => String::new(),
            (seen, all) if seen == all => ", only visual geometry".to_owned(),
            (seen, _) => format!(", {seen} of them only visual geometry"),
        };
        bare.sort_by_key(|link| !is_seen(link));
        let text = match bare[..] {
            [] => return,
            [(_, name)] => format!("link `{name}` has no collision geometry{seen}: it collides with nothing"),
            _ => {
                let names: Vec<String> = bare.iter().take(LISTED).map(|(_, name)| format!("`{name}`")).collect();
                let more = bare.len() - names.len();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let (count, names) = (bare.len(), names.join(", "));
                format!("{count} links have no collision geometry{seen}: they collide with nothing ({names}{more})")
            }
        };
        self.notes.add(bare[0].0.line(), text);
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
