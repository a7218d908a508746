// One level of a tree: each node bounds up to 2^WIDTH_BITS nodes of the level below.

struct Params {
    // Of the level below, and of this one: index of the first node, number of nodes.
    child_start: u32,
    children: u32,
    start: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> nodes: array<LatticeBox>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let node = group_number(id, groups) * LANES + lane;
    if node >= params.count {
        return;
    }
    let first = node << WIDTH_BITS;
    let end = min(first + (1u << WIDTH_BITS), params.children);
    var bounds = nodes[params.child_start + first];
    for (var child = first + 1u; child < end; child += 1u) {
        let other = nodes[params.child_start + child];
        for (var k = 0u; k < 3u; k += 1u) {
            bounds.min[k] = min(bounds.min[k], other.min[k]);
            bounds.max[k] = max(bounds.max[k], other.max[k]);
        }
    }
    nodes[params.start + node] = bounds;
}
