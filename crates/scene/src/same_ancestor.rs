//! Bodies below one ancestor in the tree of a geometry file: parts of an assembly.

use super::body_spec::BodySpec;
use clearsweep_model::{BodyTree, SameAncestor, TreeNode};
use std::collections::BTreeMap;

/// Trees with the parent of each node.
pub(super) struct Families<'a> {
    trees: &'a [BodyTree],
    parents: Vec<Vec<Option<u32>>>,
}

impl<'a> Families<'a> {
    pub(super) fn new(trees: &'a [BodyTree]) -> Self {
        Self { trees, parents: trees.iter().map(parents).collect() }
    }

    /// The bodies below each ancestor that they have in common, ascending; the ancestors in the
    /// order of the files.
    pub(super) fn of(&self, same: SameAncestor, bodies: &[BodySpec]) -> Vec<Vec<u32>> {
        let mut families: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (body, index) in bodies.iter().zip(0..) {
            if let Some([tree, node]) = body.node
                && let Some(ancestor) = self.ancestor(same, tree as usize, node)
            {
                families.entry([tree, ancestor]).or_default().push(index);
            }
        }
        families.into_values().collect()
    }

    /// The node above each body, by an index among the nodes of all trees.
    pub(super) fn parents(&self, bodies: &[BodySpec]) -> Vec<Option<u32>> {
        let mut first = vec![0_u32; self.trees.len()];
        for tree in 1..self.trees.len() {
            first[tree] = first[tree - 1] + self.trees[tree - 1].nodes.len() as u32;
        }
        let parent = |[tree, node]: [u32; 2]| Some(first[tree as usize] + self.parents[tree as usize][node as usize]?);
        bodies.iter().map(|body| body.node.and_then(parent)).collect()
    }

    fn ancestor(&self, same: SameAncestor, tree: usize, node: u32) -> Option<u32> {
        let (nodes, parents) = (&self.trees[tree].nodes, &self.parents[tree]);
        let above = parents[node as usize];
        match same {
            SameAncestor::Parent => above,
            SameAncestor::Level(level) => {
                let up = std::iter::successors(Some(node), |&node| parents[node as usize]);
                up.into_iter().find(|&node| nodes[node as usize].depth + 1 == level)
            }
            SameAncestor::Component => above.filter(|&above| {
                let own = nodes[node as usize].name.strip_prefix(&nodes[above as usize].name);
                let number = own.and_then(|own| own.strip_prefix('/'));
                let is_number = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
                self.trees[tree].each == "component" && is_number && !nodes[above as usize].is_body
            }),
        }
    }
}

/// The parent of each node of a tree, whose nodes come depth first.
fn parents(tree: &BodyTree) -> Vec<Option<u32>> {
    let mut above: Vec<u32> = Vec::new();
    let parent = |(node, index): (&TreeNode, u32)| {
        above.truncate(node.depth as usize);
        let parent = above.last().copied();
        above.push(index);
        parent
    };
    tree.nodes.iter().zip(0..).map(parent).collect()
}
