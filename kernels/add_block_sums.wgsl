// Adds to the prefix sums of each block what the blocks before it come to.

struct Params {
    items: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;

@compute @workgroup_size(SCAN_THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group_number(id, groups) * SCAN_THREADS + lane;
    if at < params.items {
        values[at] = saturating_add(values[at], sums[at / SCAN_ITEMS]);
    }
}
