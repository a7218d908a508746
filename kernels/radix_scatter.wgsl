// Radix sort, second half of a pass: keys and values go to where the sums of the counts before them
// say. Stable.

struct Params {
    items: u32,
    groups: u32,
    // Of the digit's lowest bit.
    shift: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<u32>;
// [digit * groups + group]: keys that come before the first of this digit and workgroup.
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_values: array<u32>;

// Each invocation writes its own before any is read.
var<workgroup> digits: array<u32, DIGITS>;

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
    let at = group * DIGITS + lane;
    var digit = DIGITS;
    if at < params.items {
        digit = keys[at] >> params.shift & (DIGITS - 1u);
    }
    digits[lane] = digit;
    workgroupBarrier();
    if at >= params.items {
        return;
    }
    var before = 0u;
    for (var other = 0u; other < lane; other += 1u) {
        before += select(0u, 1u, digits[other] == digit);
    }
    let place = starts[digit * params.groups + group] + before;
    sorted_keys[place] = keys[at];
    sorted_values[place] = values[at];
}
