//! What was made of geometry files, as a tree: short for large files.

use super::text::{count, counted, visible};
use crate::scene::{BodyTree, TreeNode};
use serde_json::{Value, json};

/// Lines of a tree, about.
const LINES: usize = 24;
/// Nodes listed below one.
const SIBLINGS: usize = 6;
/// Names listed that had to be made unique.
const RENAMED: usize = 3;

/// The lines about a file.
pub(super) fn lines(tree: &BodyTree) -> Vec<String> {
    let bodies = tree.nodes.iter().filter(|node| node.is_body).count() as u64;
    let body = if bodies == 1 { "1 body".to_owned() } else { format!("{} bodies", count(bodies)) };
    let mut lines = vec![format!(
        "{}: {body}, one of each {}, of {}",
        tree.file.display(),
        tree.each,
        counted(tree.geometries as u64, "different shape")
    )];
    let deepest = tree.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let depth = (1..=deepest).rev().find(|&depth| branches(tree, depth).len() <= LINES);
    lines.extend(branches(tree, depth.unwrap_or(0)));
    if let Some(first) = tree.renamed.first() {
        let names: Vec<&str> = tree.renamed.iter().take(RENAMED).map(String::as_str).collect();
        let more = if tree.renamed.len() > RENAMED { ", ..." } else { "" };
        let made = if tree.renamed.len() == 1 { format!("`{first}`") } else { format!("{}{more}", names.join(", ")) };
        lines.push(format!("{} made unique: {made}", counted(tree.renamed.len() as u64, "name")));
    }
    for (number, what) in [(tree.left_out, "left out by `include` and `exclude`"), (tree.empty, "without a triangle")] {
        if number > 0 {
            lines.push(format!("{} {what}", counted(number, "part")));
        }
    }
    lines
}

/// The tree down to a depth.
fn branches(tree: &BodyTree, deepest: u32) -> Vec<String> {
    let mut lines = Vec::new();
    // Siblings seen on the way down, by depth.
    let mut seen: Vec<usize> = Vec::new();
    // The names from the root to the node before, by depth.
    let mut above: Vec<&str> = Vec::new();
    let mut hidden: Option<u32> = None;
    let mut at = 0;
    while let Some(node) = tree.nodes.get(at) {
        let depth = node.depth;
        seen.truncate(depth as usize + 1);
        seen.resize(depth as usize + 1, 0);
        if depth > deepest || hidden.is_some_and(|hidden| depth > hidden) {
            at += 1;
            continue;
        }
        hidden = None;
        seen[depth as usize] += 1;
        let indent = "  ".repeat(depth as usize);
        if seen[depth as usize] > SIBLINGS {
            let (nodes, bodies, next) = rest(&tree.nodes, at);
            // One more is as short as to say that there is one.
            if nodes > 1 {
                lines.push(format!("{indent}and {} more ({})", count(nodes), of_bodies(bodies)));
                at = next;
                continue;
            }
        }
        above.truncate(depth as usize);
        let label = above.last().and_then(|above| node.name.strip_prefix(above)?.strip_prefix('/'));
        above.push(&node.name);
        lines.push(format!("{indent}{}", line(node, label.unwrap_or(&node.name), depth == deepest)));
        if node.bodies == u64::from(node.is_body) {
            hidden = Some(depth); // what holds no body is of no interest
        }
        at += 1;
    }
    lines
}

/// From one node on: it and the siblings behind it, their bodies, and the node behind them all.
fn rest(nodes: &[TreeNode], from: usize) -> (u64, u64, usize) {
    let depth = nodes[from].depth;
    let end = nodes[from..].iter().position(|node| node.depth < depth).map_or(nodes.len(), |after| from + after);
    let siblings = nodes[from..end].iter().filter(|node| node.depth == depth);
    let (count, bodies) = siblings.fold((0, 0), |(count, bodies), node| (count + 1, bodies + node.bodies));
    (count, bodies, end)
}

fn of_bodies(bodies: u64) -> String {
    match bodies {
        0 => "no body".to_owned(),
        1 => "1 body".to_owned(),
        n => format!("{} bodies", count(n)),
    }
}

/// A node by its own name; `is_last`: what is below it is not listed.
fn line(node: &TreeNode, label: &str, is_last: bool) -> String {
    let below = node.bodies - u64::from(node.is_body);
    let mut facts = Vec::new();
    if !node.is_body {
        facts.push(if is_last || below == 0 { of_bodies(below) } else { String::new() });
    } else if below > 0 && is_last {
        facts.push(format!("and {} below", of_bodies(below)));
    }
    if node.moves {
        facts.push("moves".to_owned());
    }
    facts.retain(|fact| !fact.is_empty());
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let slash = if below > 0 { "/" } else { "" };
    format!("{}{slash}{facts}", visible(label))
}

/// The same for programs, with all nodes.
pub(super) fn as_json(tree: &BodyTree) -> Value {
    json!({
        "file": tree.file.display().to_string(),
        "each": tree.each,
        "bodies": tree.nodes.iter().filter(|node| node.is_body).count(),
        "shapes": tree.geometries,
        "renamed": tree.renamed,
        "left_out": tree.left_out,
        "without_triangles": tree.empty,
        "nodes": tree.nodes.iter().map(|node| json!({
            "name": node.name, "depth": node.depth, "is_body": node.is_body, "moves": node.moves, "bodies": node.bodies,
        })).collect::<Vec<_>>(),
    })
}
