//! Tree of the bodies made from geometry files: short for large files.

use super::text::{count, counted, visible};
use clearsweep_model::{BodyTree, TreeNode};
use serde_json::{Value, json};

/// Lines of a tree, about.
const LINES: usize = 24;
/// Nodes listed below one: as many as the deepest listing of that many lines has room for.
const SIBLINGS: [usize; 3] = [6, 3, 2];
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
    // Deeper than it has lines a listing hardly goes.
    let cuts = (0..=deepest.min(LINES as u32)).rev().flat_map(|depth| SIBLINGS.map(|siblings| (depth, siblings)));
    let listing = cuts.map(|(depth, siblings)| branches(tree, depth, siblings)).find(|lines| lines.len() <= LINES);
    lines.extend(listing.unwrap_or_default()); // the last one always fits
    let without = tree.nodes.iter().filter(|node| node.bodies == 0).count() as u64;
    if let Some(first) = tree.renamed.first() {
        let names: Vec<&str> = tree.renamed.iter().take(RENAMED).map(String::as_str).collect();
        let more = if tree.renamed.len() > RENAMED { ", ..." } else { "" };
        let made = if tree.renamed.len() == 1 { format!("`{first}`") } else { format!("{}{more}", names.join(", ")) };
        lines.push(format!("{} made unique: {made}", counted(tree.renamed.len() as u64, "name")));
    }
    for (number, noun, what) in [
        (tree.left_out, "part", "left out by `include` and `exclude`"),
        (tree.empty, "part", "without a triangle"),
        (without.saturating_sub(tree.left_out), "node", "without a body"),
    ] {
        if number > 0 {
            lines.push(format!("{} {what}", counted(number, noun)));
        }
    }
    lines
}

/// The nodes with bodies down to a depth, and so many below each.
fn branches(tree: &BodyTree, deepest: u32, siblings: usize) -> Vec<String> {
    let mut lines = Vec::new();
    // Siblings seen on the way down, by depth.
    let mut seen: Vec<usize> = Vec::new();
    // The names from the root to the node before, by depth.
    let mut above: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(node) = tree.nodes.get(at) {
        let depth = node.depth;
        seen.truncate(depth as usize + 1);
        seen.resize(depth as usize + 1, 0);
        if depth > deepest || node.bodies == 0 {
            at += 1;
            continue;
        }
        seen[depth as usize] += 1;
        let indent = "  ".repeat(depth as usize);
        if seen[depth as usize] > siblings {
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
        at += 1;
    }
    lines
}

/// From one node on: it and the siblings behind it, their bodies, and the node behind them all.
fn rest(nodes: &[TreeNode], from: usize) -> (u64, u64, usize) {
    let depth = nodes[from].depth;
    let end = nodes[from..].iter().position(|node| node.depth < depth).map_or(nodes.len(), |after| from + after);
    let siblings = nodes[from..end].iter().filter(|node| node.depth == depth && node.bodies > 0);
    let (count, bodies) = siblings.fold((0, 0), |(count, bodies), node| (count + 1, bodies + node.bodies));
    (count, bodies, end)
}

fn of_bodies(bodies: u64) -> String {
    match bodies {
        1 => "1 body".to_owned(),
        n => format!("{} bodies", count(n)),
    }
}

/// A node by its own name; `is_last`: what is below it is not listed.
fn line(node: &TreeNode, label: &str, is_last: bool) -> String {
    let below = node.bodies - u64::from(node.is_body);
    let mut facts = Vec::new();
    if !node.is_body {
        facts.extend(is_last.then(|| of_bodies(below)));
    } else if below > 0 && is_last {
        facts.push(format!("and {} below", of_bodies(below)));
    }
    if node.moves {
        facts.push("moves".to_owned());
    }
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let slash = if below > 0 { "/" } else { "" };
    format!("{}{slash}{facts}", visible(label))
}

/// Returns the tree for programs, with all nodes.
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
