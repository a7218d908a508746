// The pairs of a single world by its tree: each leaf meets those after it. `count`, then `fill`
// where the sums of the counts before say; pairs outside of the window are left to another pass.

struct Params {
    tree: Tree,
    // Leaves that are asked.
    first: u32,
    count: u32,
    window_start: u32,
    window_size: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> nodes: array<LatticeBox>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> pairs: array<ItemPair>;

@compute @workgroup_size(LANES)
fn count(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group_number(id, groups) * LANES + lane;
    if at >= params.count {
        return;
    }
    let own = nodes[params.first + at];
    var found = 0u;
    var leaf = next_overlapping(own, climb(params.first + at + 1u, 0u));
    while leaf < params.tree.leaves {
        found += 1u;
        leaf = next_overlapping(own, climb(leaf + 1u, 0u));
    }
    counts[at] = found;
}

@compute @workgroup_size(LANES)
fn fill(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group_number(id, groups) * LANES + lane;
    if at >= params.count {
        return;
    }
    let start = counts[at];
    let end = counts[at + 1u];
    if misses_window(start, end, params.window_start, params.window_size) {
        return;
    }
    let own = nodes[params.first + at];
    var leaf = next_overlapping(own, climb(params.first + at + 1u, 0u));
    for (var place = start; place < end; place += 1u) {
        // Below the start of the window the difference wraps around, beyond its size.
        if place - params.window_start < params.window_size {
            pairs[place - params.window_start] = ItemPair(order[params.first + at], order[leaf]);
        }
        leaf = next_overlapping(own, climb(leaf + 1u, 0u));
    }
}
