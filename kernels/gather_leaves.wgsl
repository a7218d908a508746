// The leaves of a tree: what bounds each item over its samples, in sorted order.

struct Params {
    items: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sweeps: array<LatticeBox>;
@group(0) @binding(2) var<storage, read> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> nodes: array<LatticeBox>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let leaf = group_number(id, groups) * LANES + lane;
    if leaf < params.items {
        nodes[leaf] = sweeps[order[leaf]];
    }
}
