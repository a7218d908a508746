// Exclusive prefix sums, in place, of each block of SCAN_ITEMS values, and the sum of each block.
// Sums saturate.

struct Params {
    items: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

// Values of an invocation: the components of a vector.
const EACH: u32 = 4u;
const_assert EACH * SCAN_THREADS == SCAN_ITEMS;

// Each invocation writes its own before any is read.
var<workgroup> partial: array<u32, SCAN_THREADS>;

fn value_at(at: u32) -> u32 {
    if at < params.items {
        return values[at];
    }
    return 0u;
}

fn put(at: u32, value: u32) {
    if at < params.items {
        values[at] = value;
    }
}

@compute @workgroup_size(SCAN_THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group_number(id, groups);
    if block * SCAN_ITEMS >= params.items {
        return;
    }
    let first = block * SCAN_ITEMS + lane * EACH;
    let own = vec4(value_at(first), value_at(first + 1u), value_at(first + 2u), value_at(first + 3u));
    partial[lane] = saturating_add(saturating_add(own.x, own.y), saturating_add(own.z, own.w));
    workgroupBarrier();
    for (var step = 1u; step < SCAN_THREADS; step *= 2u) {
        var before = 0u;
        if lane >= step {
            before = partial[lane - step];
        }
        workgroupBarrier();
        partial[lane] = saturating_add(partial[lane], before);
        workgroupBarrier();
    }
    var before = 0u;
    if lane > 0u {
        before = partial[lane - 1u];
    }
    put(first, before);
    before = saturating_add(before, own.x);
    put(first + 1u, before);
    before = saturating_add(before, own.y);
    put(first + 2u, before);
    before = saturating_add(before, own.z);
    put(first + 3u, before);
    if lane == SCAN_THREADS - 1u {
        sums[block] = saturating_add(before, own.w);
    }
}
