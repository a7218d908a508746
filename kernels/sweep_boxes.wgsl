// The bounds of each item over the samples of its world. A workgroup holds as many items as fit,
// with `lanes` invocations for each: one for each sample.

struct Params {
    slots: u32,
    items: u32,
    // Samples of a part: each item has `stride` values in each of six columns.
    stride: u32,
    // 1: `extent` becomes the bounds of all items, 0: it stays as it is.
    measures: u32,
    // Invocations of an item: a power of two up to LANES, no fewer than samples of any world.
    lanes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<u32>;
@group(0) @binding(2) var<storage, read> worlds: array<World>;
@group(0) @binding(3) var<storage, read_write> sweeps: array<LatticeBox>;
// min x, y, z, max x, y, z.
@group(0) @binding(4) var<storage, read_write> extent: array<atomic<u32>, 6>;

// [column * LANES + sample]: the least of the first three columns, the most of the others. Each invocation writes its own
// before any is read.
var<workgroup> ends: array<u32, 6 * LANES>;

// Nearly all items lie within the bounds so far: a look is cheaper than a write that all of them
// wait for.
fn widen(axis: u32, low: u32, high: u32) {
    if low < atomicLoad(&extent[axis]) {
        atomicMin(&extent[axis], low);
    }
    if high > atomicLoad(&extent[axis + 3u]) {
        atomicMax(&extent[axis + 3u], high);
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let items_per_group = LANES / params.lanes;
    let first = group_number(id, groups) * items_per_group;
    if first >= params.items {
        return;
    }
    let item = first + lane / params.lanes;
    let sample = lane % params.lanes;
    var samples = 0u;
    var own = 0u;
    if item < params.items {
        let world = worlds[item / params.slots];
        samples = world.samples;
        own = (world.part * params.slots + item % params.slots) * 6u * params.stride + world.first + sample;
    }
    for (var column = 0u; column < 6u; column += 1u) {
        var end = select(0u, 0xffffffffu, column < 3u);
        if sample < samples {
            end = boxes[own + column * params.stride];
        }
        ends[column * LANES + lane] = end;
    }
    workgroupBarrier();
    for (var half = params.lanes / 2u; half > 0u; half /= 2u) {
        if sample < half {
            for (var at = lane; at < 6u * LANES; at += LANES) {
                let low = min(ends[at], ends[at + half]);
                let high = max(ends[at], ends[at + half]);
                ends[at] = select(high, low, at < 3u * LANES);
            }
        }
        workgroupBarrier();
    }
    if sample != 0u || item >= params.items {
        return;
    }
    let swept = LatticeBox(
        array<u32, 3>(ends[lane], ends[LANES + lane], ends[2u * LANES + lane]),
        array<u32, 3>(ends[3u * LANES + lane], ends[4u * LANES + lane], ends[5u * LANES + lane]),
    );
    sweeps[item] = swept;
    if params.measures == 1u && !is_empty(swept) {
        widen(0u, swept.min[0], swept.max[0]);
        widen(1u, swept.min[1], swept.max[1]);
        widen(2u, swept.min[2], swept.max[2]);
    }
}
