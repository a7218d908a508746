// Exclusive prefix sums, in place, of each block of SCAN_ITEMS values, and the sum of each block. Sums saturate.

struct Params {
    items: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

const EACH: u32 = SCAN_ITEMS / SCAN_THREADS;

var<workgroup> partial: array<u32, SCAN_THREADS>;

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
    var own = array<u32, EACH>();
    var sum = 0u;
    for (var k = 0u; k < EACH; k += 1u) {
        if first + k < params.items {
            own[k] = values[first + k];
        }
        sum = saturating_add(sum, own[k]);
    }
    partial[lane] = sum;
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
    var running = 0u;
    if lane > 0u {
        running = partial[lane - 1u];
    }
    for (var k = 0u; k < EACH; k += 1u) {
        if first + k < params.items {
            values[first + k] = running;
        }
        running = saturating_add(running, own[k]);
    }
    if lane == SCAN_THREADS - 1u {
        sums[block] = running;
    }
}
