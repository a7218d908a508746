//! Data that the device keeps for a whole job: the fixed boxes with their tree, and the rules that
//! ignore pairs.

use super::super::broad_scene::BroadScene;
use super::failure::DeviceFailure;
use super::machine::KernelMachine;
use super::records::{DeviceBox, Tree};
use super::tree_build::TreeBuild;
use clearsweep_model::Scene;

/// The buffers of a job.
#[derive(Debug)]
pub(super) struct JobBuffers<B> {
    /// See [`BroadScene::serial`].
    pub(super) serial: u64,
    pub(super) slots: u32,
    /// Number of fixed boxes.
    pub(super) fixed: u32,
    pub(super) fixed_boxes: B,
    pub(super) fixed_tree: TreeBuild<B>,
    pub(super) tree: Tree,
    pub(super) rules: B,
    /// Classes of bodies for the rules, 0 where the device does not know them.
    pub(super) classes: u32,
}

impl<B> JobBuffers<B> {
    /// Uploads what a job needs, and begins to build the tree of its fixed boxes.
    ///
    /// # Errors
    /// The device failed, or has too little memory.
    pub(super) fn new(
        machine: &mut impl KernelMachine<Buffer = B>,
        job: &BroadScene,
        scene: &Scene,
    ) -> Result<Self, DeviceFailure> {
        let boxes: Vec<DeviceBox> =
            job.fixed_boxes().map(|(_, own)| DeviceBox { min: own.min, max: own.max }).collect();
        let fixed = boxes.len() as u32;
        let bytes: &[u8] = bytemuck::cast_slice(&boxes);
        let fixed_boxes = machine.buffer(bytes.len() as u64)?;
        machine.write(&fixed_boxes, 0, bytes);
        let fixed_tree = TreeBuild::new(machine, fixed)?;
        let extent = boxes.iter().fold(DeviceBox::EMPTY, |all, own| DeviceBox {
            min: std::array::from_fn(|k| all.min[k].min(own.min[k])),
            max: std::array::from_fn(|k| all.max[k].max(own.max[k])),
        });
        machine.write(&fixed_tree.extent, 0, bytemuck::bytes_of(&extent));
        let tree = fixed_tree.run(machine, &fixed_boxes, fixed);
        let words = rules(job, scene);
        let fits = 4 * words.len() as u64 <= machine.most_bytes();
        let words = if fits { words } else { vec![0] };
        let rules = machine.buffer(4 * words.len() as u64)?;
        machine.write(&rules, 0, bytemuck::cast_slice(&words));
        let classes = if fits && !scene.ignored.class.is_empty() { scene.ignored.classes as u32 } else { 0 };
        let slots = job.slots() as u32;
        Ok(Self { serial: job.serial, slots, fixed, fixed_boxes, fixed_tree, tree, rules, classes })
    }

    /// Whether a pair is still to be held against the rules.
    pub(super) fn leaves_rules(&self, scene: &Scene) -> bool {
        self.classes == 0 && !scene.ignored.class.is_empty()
    }
}

/// Returns the words of the rules: where the matrix begins, the class of each slot and each fixed
/// box, and the matrix.
fn rules(job: &BroadScene, scene: &Scene) -> Vec<u32> {
    if scene.ignored.class.is_empty() {
        return vec![0];
    }
    let class = |body: u32| scene.ignored.class[body as usize];
    let fixed = job.fixed_boxes().map(|(body, _)| body);
    let mut words: Vec<u32> = std::iter::once(0).chain(scene.dynamic.iter().copied().chain(fixed).map(class)).collect();
    words[0] = words.len() as u32;
    words.extend(scene.ignored.matrix.iter().flat_map(|&bits| [bits as u32, (bits >> 32) as u32]));
    words
}
