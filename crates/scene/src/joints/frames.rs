//! The frames of a scene: what joints may carry.

use super::robots::{LinkBody, LinkFrame};
use super::spec::JointSpec;
use crate::body_spec::BodySpec;
use crate::each::MadeOfFiles;
use crate::keys::SceneSource;
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_geometry::Pose;
use std::collections::{HashMap, HashSet};

/// A frame that a joint may carry.
pub(super) struct Frame {
    pub(super) name: String,
    /// In the world at rest, metres.
    pub(super) rest: Pose,
    /// The frame that takes it along unless a joint carries it.
    pub(super) above: Option<usize>,
    /// Pose in that frame, if it is known better than from both poses at rest.
    pub(super) in_above: Option<Pose>,
    /// Whether it stands in the world.
    pub(super) stands: bool,
}

/// All frames of a scene.
pub(super) struct Frames {
    pub(super) all: Vec<Frame>,
    by_name: HashMap<String, usize>,
    /// The frame of each body.
    pub(super) of_body: Vec<usize>,
}

impl Frames {
    /// `links`: of robots, with their bodies and the indices of these; `carried`: names of all that
    /// joints carry.
    pub(super) fn new(
        bodies: &[BodySpec],
        made: &MadeOfFiles,
        (links, of_links, link_bodies): (&[LinkFrame], &[LinkBody], &[u32]),
        carried: &HashSet<&str>,
    ) -> Self {
        let mut frames = Self { all: Vec::new(), by_name: HashMap::new(), of_body: vec![usize::MAX; bodies.len()] };
        for node in &made.moving {
            let index = frames.all.len();
            if let Some(body) = node.body {
                frames.of_body[body as usize] = index;
            }
            // Carriers come before what they carry, in the same order.
            frames.add(Frame {
                name: node.name.clone(),
                rest: node.place,
                above: node.carrier,
                in_above: None,
                stands: false,
            });
        }
        let first = frames.all.len();
        for link in links {
            let stands = link.is_root && !carried.contains(&*link.name);
            frames.add(Frame { name: link.name.clone(), rest: link.rest, above: None, in_above: None, stands });
        }
        for (body, &index) in of_links.iter().zip(link_bodies) {
            frames.of_body[index as usize] = frames.all.len();
            let rest = body.spec.rest.as_ref().map_or(Pose::IDENTITY, |rest| rest.pose);
            let (above, in_above) = (Some(first + body.link), Some(body.place));
            frames.add(Frame { name: body.spec.name.clone(), rest, above, in_above, stands: false });
        }
        for (index, body) in bodies.iter().enumerate() {
            if frames.of_body[index] != usize::MAX {
                continue;
            }
            frames.of_body[index] = frames.all.len();
            let rest = body.pose.or(body.rest.as_ref().map(|rest| rest.pose)).unwrap_or(Pose::IDENTITY);
            frames.add(Frame {
                name: body.name.clone(),
                rest,
                above: None,
                in_above: None,
                stands: body.pose.is_some(),
            });
        }
        for (name, place) in &made.still {
            frames.add(Frame { name: name.clone(), rest: *place, above: None, in_above: None, stands: true });
        }
        frames
    }

    fn add(&mut self, frame: Frame) {
        self.by_name.entry(frame.name.clone()).or_insert(self.all.len());
        self.all.push(frame);
    }

    /// Adds the frame between two joints of a chain that stands for one joint; returns its index.
    pub(super) fn add_between(&mut self, rest: Pose) -> usize {
        self.all.push(Frame { name: String::new(), rest, above: None, in_above: None, stands: false });
        self.all.len() - 1
    }

    /// The parent of a joint.
    pub(super) fn parent(&self, source: &SceneSource<'_>, spec: &JointSpec) -> Result<Option<usize>> {
        let fits = |name: &str, _: &Frame| name != spec.child.0;
        spec.parent.as_ref().map(|parent| self.find(source, parent, ("parent", spec.written_name()), fits)).transpose()
    }

    /// The child of a joint.
    pub(super) fn child(&self, source: &SceneSource<'_>, spec: &JointSpec) -> Result<usize> {
        let parent = spec.parent.as_ref().map(|(name, _)| name.as_str());
        let fits = |name: &str, frame: &Frame| Some(name) != parent && !frame.stands;
        self.find(source, &spec.child, ("child", spec.written_name()), fits)
    }

    /// The frame of a name; `fits`: frames that may be meant if there is none.
    fn find(
        &self,
        source: &SceneSource<'_>,
        (name, at): &(String, usize),
        (key, joint): (&str, &str),
        fits: impl Fn(&str, &Frame) -> bool,
    ) -> Result<usize> {
        if let Some(&found) = self.by_name.get(name) {
            return Ok(found);
        }
        let place = format!("{}, key `{key}` of [[joint]] `{joint}`", source.place(*at));
        let named = self.all.iter().filter(|frame| !frame.name.is_empty());
        let fitting = named.filter(|frame| fits(&frame.name, frame)).map(|frame| &*frame.name);
        let remedy = match nearest(name, fitting) {
            Some(near) => format!("did you mean `{near}`? `clearsweep check` lists bodies and nodes"),
            None => "name a body, a node of a geometry file, or a link NAME/LINK of a robot".to_owned(),
        };
        Err(Error::input(place, format!("`{name}` is no body and no node"), remedy))
    }
}
