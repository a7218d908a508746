//! The scene that is taken, its nodes, and what of the file lies outside of it.

use super::limits::fault;
use super::schema::{GltfNode, GltfRoot};
use crate::readers::mesh::Fault;
use crate::readers::notes::listed;
use crate::readers::scene_choice::SceneChoice;
use clearsweep_model::GeometryNote;
use std::collections::HashSet;

/// A node of the scene that is taken.
pub(super) struct SceneNode {
    pub(super) index: usize,
    /// The place of the node above it in the list; always before it.
    pub(super) parent: Option<u32>,
    /// KHR_node_visibility hides it, or a node above it.
    pub(super) hidden: bool,
}

/// The nodes of a scene, depth first. A node has one parent, so none is visited twice.
pub(super) fn walk(root: &GltfRoot, choice: Option<&SceneChoice>) -> Result<Vec<SceneNode>, Fault> {
    let mut seen = vec![false; root.nodes.len()];
    let roots = roots(root, choice)?;
    let mut list: Vec<SceneNode> = Vec::new();
    let mut open: Vec<(usize, Option<u32>, bool)> = roots.into_iter().rev().map(|root| (root, None, false)).collect();
    while let Some((index, parent, above)) = open.pop() {
        let Some(node) = root.nodes.get(index) else {
            return Err(fault(format!("node {index} is named, but there are {}", root.nodes.len())));
        };
        if std::mem::replace(&mut seen[index], true) {
            return Err(fault(format!("node {index} has two parents, or is its own ancestor")));
        }
        let hidden = above || node.extensions.visibility.as_ref().is_some_and(|visibility| !visibility.visible);
        let at = list.len() as u32; // each node once
        list.push(SceneNode { index, parent, hidden });
        open.extend(node.children.iter().rev().map(|&child| (child, Some(at), hidden)));
    }
    Ok(list)
}

/// The number of the scene: the one chosen, else the one to show, else the first. `None`: the file
/// has no scenes.
fn number(root: &GltfRoot, choice: Option<&SceneChoice>) -> Result<Option<usize>, Fault> {
    let count = root.scenes.len();
    let chosen = match choice {
        None => root.scene,
        Some(&SceneChoice::Index(index)) => Some(index),
        Some(SceneChoice::Name(name)) => {
            let named = |&index: &usize| root.scenes[index].name.as_deref() == Some(name);
            let found: Vec<usize> = (0..count).filter(named).collect();
            match found[..] {
                [only] => Some(only),
                [] => return Err(unknown_scene(root, format!("no scene of the file is called `{name}`"))),
                _ => {
                    return Err(unknown_scene(root, format!("{} scenes of the file are called `{name}`", found.len())));
                }
            }
        }
    };
    match chosen {
        None => Ok((count > 0).then_some(0)),
        Some(index) if index < count => Ok(Some(index)),
        Some(index) if choice.is_some() => {
            Err(unknown_scene(root, format!("scene {index} is chosen, but there are {count}")))
        }
        Some(index) => Err(fault(format!("scene {index} is to be shown, but there are {count}"))),
    }
}

fn unknown_scene(root: &GltfRoot, problem: String) -> Fault {
    let names: Vec<String> = (0..root.scenes.len()).map(|index| scene_words(root, index)).collect();
    match names.len() {
        0 => Fault::new(problem, "remove `scene`: the file has none, and all its nodes are taken"),
        _ => Fault::new(problem, format!("its scenes are: {}", names.join(", "))),
    }
}

fn scene_words(root: &GltfRoot, index: usize) -> String {
    match &root.scenes[index].name {
        Some(name) => format!("{index} (`{name}`)"),
        None => index.to_string(),
    }
}

/// The roots of the scene; without scenes, the nodes that are no other's children.
fn roots(root: &GltfRoot, choice: Option<&SceneChoice>) -> Result<Vec<usize>, Fault> {
    if let Some(number) = number(root, choice)? {
        return Ok(root.scenes[number].nodes.clone());
    }
    let mut is_child = vec![false; root.nodes.len()];
    for &child in root.nodes.iter().flat_map(|node| &node.children) {
        if let Some(flag) = is_child.get_mut(child) {
            *flag = true;
        }
    }
    Ok((0..is_child.len()).filter(|&node| !is_child[node]).collect())
}

/// Returns a note on the nodes outside of the scene that is taken.
pub(super) fn left_out(
    root: &GltfRoot,
    choice: Option<&SceneChoice>,
    taken: &[SceneNode],
) -> Result<Option<GeometryNote>, Fault> {
    let mut is_taken = vec![false; root.nodes.len()];
    taken.iter().for_each(|node| is_taken[node.index] = true);
    // A level of lower detail is no part of any scene (MSFT_lod).
    let coarser: HashSet<usize> =
        root.nodes.iter().filter_map(|node| node.extensions.lod.as_ref()).flat_map(|lod| lod.ids.clone()).collect();
    let left = |&index: &usize| !is_taken[index] && root.nodes[index].mesh.is_some() && !coarser.contains(&index);
    let left: Vec<String> = (0..root.nodes.len()).filter(left).map(|index| name(root, index)).collect();
    let is_guess = choice.is_none() && root.scene.is_none() && root.scenes.len() > 1;
    let Some(number) = number(root, choice)?.filter(|_| is_guess || (choice.is_none() && !left.is_empty())) else {
        return Ok(None);
    };
    let scene = match root.scenes.len() {
        1 => "its scene".to_owned(),
        count => format!("scene {} of its {count} scenes", scene_words(root, number)),
    };
    let guess = if is_guess { " (the first one, as the file names no default)" } else { "" };
    let outside = match left.len() {
        0 => String::new(),
        1 => format!("; 1 node with a mesh is no part of it: {}", listed(left.iter().map(String::as_str))),
        count => format!("; {count} nodes with meshes are no part of it: {}", listed(left.iter().map(String::as_str))),
    };
    Ok(Some(GeometryNote {
        kind: "scene",
        problem: format!("{scene} is taken{guess}{outside}"),
        remedy: "choose one by `scene = \"NAME\"` or its number from 0, or add these nodes to the scene",
    }))
}

/// Returns the name of a node in messages.
pub(super) fn name(root: &GltfRoot, index: usize) -> String {
    let named =
        |name: &Option<String>| name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let node: &GltfNode = &root.nodes[index];
    let of_mesh = || named(&root.meshes.get(node.mesh?)?.name);
    named(&node.name).or_else(of_mesh).unwrap_or_else(|| format!("node-{index}"))
}

/// The nodes with meshes that are no bodies, as the file hides them.
pub(super) fn hidden(root: &GltfRoot, nodes: &[usize]) -> Option<GeometryNote> {
    let names: Vec<String> = nodes.iter().map(|&node| name(root, node)).collect();
    (!names.is_empty()).then(|| GeometryNote {
        kind: "hidden",
        problem: format!(
            "{} hidden by the file, and no part of any body: {}",
            if names.len() == 1 {
                "1 node with a mesh is".to_owned()
            } else {
                format!("{} nodes with meshes are", names.len())
            },
            listed(names.iter().map(String::as_str))
        ),
        remedy: "if they are to be checked, show them (KHR_node_visibility), or give them a scale other than 0",
    })
}
