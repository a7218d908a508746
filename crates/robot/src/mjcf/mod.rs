//! MJCF (<https://mujoco.readthedocs.io/en/stable/XMLreference.html>): bodies with geoms, and
//! joints.
//!
//! The world is the first link. A body is a link, whose frame is the body's. A body with several
//! joints, or with a joint away from its origin, has links without geometry above it.

mod bodies;
mod compiler;
mod constraints;
mod defaults;
mod files;
mod geoms;
mod joints;

use crate::model::{Joint, Line, Link, Robot};
use crate::notes::Notes;
use crate::tree;
use crate::xml::{Element, Source};
use clearsweep_base::Result;
use compiler::Compiler;
use defaults::Defaults;
use files::{Files, Include};
use std::collections::HashMap;
use std::path::Path;

/// Reads an MJCF model from the `text` of its main file; `path` names it in messages.
///
/// `include` returns the text of an included file, `None` if there is no such file; its argument is
/// a path relative to the folder of the main file. A file is sought there, then in the folder of
/// the file that names it, as MuJoCo does. Meshes are named only, relative to the main file's
/// folder. [`Robot::excluded`] holds the pairs of `contact/exclude`.
///
/// A joint's value is MuJoCo's `qpos`: at `ref` the child has the pose in the file. A coupling of
/// two joints (`equality/joint`) is a mimic if it is linear.
///
/// # Errors
/// The first thing that is wrong or that cannot be read as a tree of links, with its line, for
/// example ball joints, `replicate`, `composite`, `flexcomp` and `attach`, which make further
/// bodies. Errors of `include` are passed on.
pub fn read_mjcf(path: &Path, text: &str, include: &mut Include<'_>) -> Result<Robot> {
    let included = files::read_included(path, text, include)?;
    let others = included.iter().map(|file| Source::new(&file.path, &file.text));
    let sources: Vec<Source<'_>> = std::iter::once(Source::new(path, text)).chain(others).collect();
    let documents = sources.iter().map(|source| source.parse("MJCF")).collect::<Result<Vec<_>>>()?;
    let files = Files::new(&sources, &documents, &included);
    if files.main.name() != "mujoco" {
        let problem = format!("the root element is `{}`, not `mujoco`", files.main.name());
        let remedy = match files.main.name() {
            "robot" => "it is URDF: name it by `urdf` instead of `mjcf`",
            _ => "give the main file of an MJCF model",
        };
        return Err(files.main.fault(problem, remedy));
    }
    let sections = files.children(files.main);
    let of = |name: &'static str| sections.iter().copied().filter(move |section| section.name() == name);
    let defaults = Defaults::read(&files, of("default"))?;
    let mut reader = MjcfReader {
        compiler: Compiler::read(of("compiler"))?,
        defaults: &defaults,
        meshes: HashMap::new(),
        files: &files,
        links: Vec::new(),
        joints: Vec::new(),
        link_lines: HashMap::new(),
        joint_lines: HashMap::new(),
        references: Vec::new(),
        notes: Notes::default(),
    };
    of("asset").try_for_each(|asset| reader.assets(asset))?;
    reader.world(&of("worldbody").collect::<Vec<_>>())?;
    let mut excluded = Vec::new();
    for contact in of("contact") {
        excluded.extend(reader.excluded(contact)?);
    }
    of("equality").try_for_each(|equality| reader.couplings(equality))?;
    if let Some(section) = of("deformable").next() {
        reader.note(section, "`deformable` is not read: flexible bodies and skins have no part in the model");
    }
    tree::check_mimics(&reader.joints)?;
    tree::fix_followers(&mut reader.joints, files.main.file(), &mut reader.notes);
    let name = files.main.attribute("model").unwrap_or("MuJoCo Model").to_owned();
    let (links, joints, world) = (reader.links, reader.joints, Some(0));
    Ok(Robot { name, links, joints, world, excluded, notes: reader.notes.finish() })
}

struct MjcfReader<'d, 'm> {
    compiler: Compiler<'d>,
    defaults: &'m Defaults<'d>,
    /// Mesh assets by name.
    meshes: HashMap<String, geoms::MeshAsset>,
    files: &'m Files<'d>,
    links: Vec<Link>,
    joints: Vec<Joint>,
    /// Lines of the names so far.
    link_lines: HashMap<String, Line>,
    joint_lines: HashMap<String, Line>,
    /// Value of each joint at which the child has the pose in the file.
    references: Vec<f64>,
    notes: Notes,
}

impl<'d> MjcfReader<'d, '_> {
    fn note(&mut self, element: Element<'d>, text: &str) {
        self.notes.add_at(&element.at(), self.files.main.file(), text);
    }
}
