//! Joints: which of them carries which body, where, and how their values move.
//!
//! A *frame* is what a joint may carry: a body, a node of a geometry file that may move, or a link
//! of a robot. What is below a node goes with it, unless a joint of its own carries it.

pub(crate) mod found;
mod frames;
mod place;
mod robot_files;
mod robot_shapes;
mod robots;
mod spec;
mod wide;

use crate::body_spec::BodySpec;
use crate::digest::InputReader;
use crate::each::MadeOfFiles;
use crate::ignore::IgnoreSpec;
use crate::keys::{Keys, SceneSource};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{LengthUnit, RobotLink, SceneRobot};
use robots::{RobotFacts, Robots};
use spec::{JointSpec, PostureSpec, SweepSpec};

/// `[[joint]]`, `[[sweep]]` and the joints of robots, lowered but for the frames that they name.
#[derive(Debug, Default)]
pub(super) struct JointSpecs {
    joints: Vec<JointSpec>,
    sweeps: Vec<SweepSpec>,
    posture: Vec<PostureSpec>,
    robots: Robots,
    /// Indices in the scene of the bodies of robots.
    link_bodies: Vec<u32>,
}

impl JointSpecs {
    /// Lowers the sections of a scene file; `inputs` reads the descriptions of robots.
    ///
    /// # Errors
    /// A key that does not fit.
    pub(super) fn of(
        source: &SceneSource<'_>,
        top: &Keys<'_>,
        unit: LengthUnit,
        inputs: &mut InputReader,
    ) -> Result<Self> {
        let mut robots = robots::robots(source, top, unit, inputs)?;
        let mut joints = std::mem::take(&mut robots.joints);
        joints.extend(spec::joints(source, top, unit)?);
        let sweeps = spec::sweeps(source, top, unit)?;
        let posture = spec::posture(top, unit)?;
        if let Some(stray) = posture.first().filter(|_| joints.is_empty()) {
            let remedy = "add a `[[joint]]` for each joint, or remove `[posture]`";
            return Err(Error::input(
                source.place(stray.at),
                "[posture] gives values of joints, and the scene has none",
                remedy,
            ));
        }
        if let Some(sweep) = sweeps.first().filter(|_| joints.is_empty()) {
            let remedy = "add a `[[joint]]` for each joint, or remove the sweep";
            return Err(Error::input(source.place(sweep.at), "[[sweep]] moves joints, and the scene has none", remedy));
        }
        Ok(Self { joints, sweeps, posture, robots, link_bodies: Vec::new() })
    }

    /// Hands the bodies of robots to `take`, which says their indices, and adds their rules and
    /// notes.
    ///
    /// # Errors
    /// The error of `take`.
    pub(super) fn add_robots(
        &mut self,
        made: &mut MadeOfFiles,
        mut take: impl FnMut(BodySpec) -> Result<u32>,
    ) -> Result<()> {
        made.notes.append(&mut self.robots.notes);
        for body in &self.robots.bodies {
            self.link_bodies.push(take(body.spec.clone())?);
        }
        Ok(())
    }

    /// The robots with the bodies of their links.
    pub(super) fn robots(&self) -> Vec<SceneRobot> {
        let mut bodies: Vec<Vec<u32>> = vec![Vec::new(); self.robots.links.len()];
        for (body, &index) in self.robots.bodies.iter().zip(&self.link_bodies) {
            bodies[body.link].push(index);
        }
        let robot = |facts: &RobotFacts| {
            let (first, names) = &facts.links;
            let link = |(name, bodies): (&String, &Vec<u32>)| RobotLink { name: name.clone(), bodies: bodies.clone() };
            SceneRobot {
                name: facts.name.clone(),
                own_name: facts.own_name.clone(),
                links: names.iter().zip(&bodies[*first..]).map(link).collect(),
                joined: facts.joined.clone(),
            }
        };
        self.robots.facts.iter().map(robot).collect()
    }

    /// The rules that leave out pairs of links.
    pub(super) fn take_ignores(&mut self) -> Vec<IgnoreSpec> {
        std::mem::take(&mut self.robots.ignores)
    }

    /// The error of a robot without collision geometry, if nothing else of the scene is a body.
    pub(super) fn bare_robot(&mut self) -> Option<Error> {
        self.robots.bare.take()
    }

    /// Whether there is none, and no robot.
    pub(super) fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.robots.links.is_empty()
    }

    /// The names of all that joints carry: nodes of these names move.
    pub(super) fn children(&self) -> impl Iterator<Item = &str> {
        self.joints.iter().map(|joint| &*joint.child.0)
    }
}

/// Names of nodes that joints carry, told to those who lower geometry files.
pub(super) fn tell(specs: &JointSpecs, made: &mut MadeOfFiles) {
    made.carried = specs.children().map(str::to_owned).collect();
}
