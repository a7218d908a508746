// Radix sort, first half of a pass: how often each digit occurs among the keys of each workgroup
// (one key an invocation).

struct Params {
    items: u32,
    groups: u32,
    // Of the digit's lowest bit.
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
// [digit * groups + group]
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

// Each invocation clears one before any counts.
var<workgroup> occurs: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(DIGITS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = group_number(id, groups);
    if group >= params.groups {
        return;
    }
    atomicStore(&occurs[lane], 0u);
    workgroupBarrier();
    let at = group * DIGITS + lane;
    if at < params.items {
        atomicAdd(&occurs[keys[at] >> params.shift & (DIGITS - 1u)], 1u);
    }
    workgroupBarrier();
    counts[lane * params.groups + group] = atomicLoad(&occurs[lane]);
}
