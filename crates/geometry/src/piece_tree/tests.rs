//! Nodes contain their parts, and trees of any pieces are shallow and small.

use super::node::NODE_VERTICES;
use super::*;
use crate::Vec3;
use crate::hull::convex_hull;
use std::time::Instant;

fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn cuboid(at: Vec3<f64>, half: f64) -> Polyhedron {
    let corner = |i: usize, bit: usize| if i >> bit & 1 == 1 { half } else { -half };
    let points: Vec<_> = (0..8).map(|i| at + Vec3::new(corner(i, 0), corner(i, 1), corner(i, 2))).collect();
    convex_hull(&points).expect("a box")
}

/// Points near a sphere: all of them are vertices.
fn round(at: Vec3<f64>, count: usize, next: &mut impl FnMut() -> f64) -> Polyhedron {
    let points: Vec<_> = (0..count).map(|_| at + Vec3::new(next(), next(), next()).normalized().scale(0.2)).collect();
    convex_hull(&points).expect("a hull")
}

fn tree(pieces: &[Polyhedron], growth: f64) -> PieceTree {
    PieceTree::new(&pieces.iter().map(|piece| (piece, growth)).collect::<Vec<_>>())
}

/// The pieces of a node, and its depth below.
fn pieces_of(tree: &PieceTree, index: u32) -> (Vec<u32>, usize) {
    match tree.node(index).parts {
        PieceParts::Piece(piece) => (vec![piece], 1),
        PieceParts::Nodes(children) => {
            let [(mut all, one), (more, other)] = children.map(|child| pieces_of(tree, child));
            all.extend(more);
            (all, 1 + one.max(other))
        }
    }
}

/// Along many directions no inflated part reaches farther than the inflated hull of its node, nor
/// beyond the ball; returns the largest share by which a hull reaches farther than its parts.
fn check_nodes(tree: &PieceTree, pieces: &[Polyhedron], growth: f64, next: &mut impl FnMut() -> f64) -> f64 {
    let mut loosest = 0.0_f64;
    for node in 0..tree.nodes.len() as u32 {
        let (parts, _) = pieces_of(tree, node);
        let node = tree.node(node);
        let hull = node.hull(|piece| &pieces[piece as usize]).expect("every node has a hull");
        assert!(hull.count <= NODE_VERTICES, "{} vertices", hull.count);
        let corners = |p: &Polyhedron| (0..p.count as u32).map(|v| p.vertex(v)).collect::<Vec<_>>();
        let inside: Vec<_> = parts.iter().flat_map(|&piece| corners(&pieces[piece as usize])).collect();
        for corner in &inside {
            assert!((*corner - node.middle).length() + growth <= node.radius, "a corner is outside of the ball");
        }
        let hull = corners(hull);
        for _ in 0..40 {
            let d = Vec3::new(next(), next(), next()).normalized();
            let reach = |points: &[Vec3<f64>]| points.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            let (outer, inner) = (reach(&hull) + node.growth, reach(&inside) + growth);
            assert!(outer >= inner - 1e-15, "a part reaches {:e} farther", inner - outer);
            loosest = loosest.max((outer - inner) / node.radius);
        }
    }
    loosest
}

#[test]
fn nodes_contain_their_parts() {
    let mut next = random(3);
    let mut reduced = 0;
    for count in [1, 2, 3, 7, 40] {
        for vertices in [8, 50, 120] {
            for growth in [0.0, 0.1] {
                let pieces: Vec<_> = (0..count)
                    .map(|_| {
                        let at = Vec3::new(next(), next(), next());
                        if vertices == 8 { cuboid(at, 0.1) } else { round(at, vertices, &mut next) }
                    })
                    .collect();
                let tree = tree(&pieces, growth);
                assert_eq!(tree.nodes.len(), 2 * count - 1);
                let (mut all, _) = pieces_of(&tree, 0);
                all.sort_unstable();
                assert_eq!(all, (0..count as u32).collect::<Vec<_>>());
                let loosest = check_nodes(&tree, &pieces, growth, &mut next);
                assert!(loosest < 0.3, "{count} pieces of {vertices} vertices: {loosest}");
                reduced += tree.nodes.iter().filter(|node| node.growth > growth).count();
            }
        }
    }
    assert!(reduced > 50, "only {reduced} hulls of many vertices");
}

#[test]
fn degenerate_pieces_have_trees() {
    let mut next = random(4);
    let point = convex_hull(&[Vec3::new(0.5, 0.0, 0.0)]).expect("a point");
    let segment = convex_hull(&[Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0)]).expect("a segment");
    for pieces in [
        vec![point.clone()],
        vec![point.clone(); 300],
        vec![cuboid(Vec3::ZERO, 1.0); 300],
        vec![point, segment.clone(), segment],
        // A flat polygon of very many corners.
        vec![
            convex_hull(
                &(0..500).map(|k| f64::from(k) * 0.0125).map(|t| Vec3::new(t.cos(), t.sin(), 0.0)).collect::<Vec<_>>(),
            )
            .expect("a polygon"),
        ],
    ] {
        let tree = tree(&pieces, 0.0);
        check_nodes(&tree, &pieces, 0.0, &mut next);
        assert!(pieces_of(&tree, 0).1 <= 10);
    }
}

#[test]
fn a_row_of_many_pieces_is_shallow_and_small() {
    let pieces: Vec<_> = (0..10_000).map(|k| cuboid(Vec3::new(f64::from(k), 0.0, 0.0), 0.5)).collect();
    let start = Instant::now();
    let tree = tree(&pieces, 0.0);
    let time = start.elapsed();
    assert!(pieces_of(&tree, 0).1 <= 15, "halves of halves");
    let vertices: usize = tree.nodes.iter().filter_map(|node| node.hull.as_ref()).map(|hull| hull.count).sum();
    // Each hull of a row is a box, whatever its length.
    assert_eq!(vertices, 8 * (pieces.len() - 1));
    assert!(time.as_secs() < 30, "quadratic: {time:?}");
}
