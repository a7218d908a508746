// Walking an implicit tree (`params.tree` over `nodes`) in the order of its leaves. The index of
// the next leaf and a level say everything, so there is no stack that could overflow.

struct TreeCursor {
    leaf: u32,
    level: u32,
}

// The highest node whose first leaf is this one.
fn climb(leaf: u32, lowest: u32) -> TreeCursor {
    var level = lowest;
    while level < params.tree.top && (leaf & ((1u << (WIDTH_BITS * (level + 1u))) - 1u)) == 0u {
        level += 1u;
    }
    return TreeCursor(leaf, level);
}

// The next leaf that overlaps a box, or the number of leaves. The cursor is where to look; it is
// left at the leaf.
fn next_overlapping(own: LatticeBox, begin: TreeCursor) -> u32 {
    var at = begin;
    while at.leaf < params.tree.leaves {
        let node = at.leaf >> (WIDTH_BITS * at.level);
        let start = params.tree.starts[at.level / 4u][at.level % 4u];
        if !overlaps(own, nodes[start + node]) {
            at = climb((node + 1u) << (WIDTH_BITS * at.level), at.level);
        } else if at.level > 0u {
            at.level -= 1u;
        } else {
            return at.leaf;
        }
    }
    return params.tree.leaves;
}
