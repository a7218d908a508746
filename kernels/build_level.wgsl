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

fn bounds_of(a: LatticeBox, b: LatticeBox) -> LatticeBox {
    let low = array<u32, 3>(min(a.min[0], b.min[0]), min(a.min[1], b.min[1]), min(a.min[2], b.min[2]));
    let high = array<u32, 3>(max(a.max[0], b.max[0]), max(a.max[1], b.max[1]), max(a.max[2], b.max[2]));
    return LatticeBox(low, high);
}

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
        bounds = bounds_of(bounds, nodes[params.child_start + child]);
    }
    nodes[params.start + node] = bounds;
}
