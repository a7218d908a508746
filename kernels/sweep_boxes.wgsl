// The bounds of each item over the samples of its world. A workgroup holds as many items as fit, with `lanes` invocations for
// each: one for each sample.

struct Params {
    slots: u32,
    items: u32,
    // Samples of a part, for which each item has so many values in each of six columns.
    stride: u32,
    // 1: `extent` becomes the bounds of all items, 0: it stays as it is.
    measures: u32,
    // Invocations of an item: a power of two up to LANES, no fewer than samples of any world.
    lanes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<u32>;
@group(0) @binding(2) var<storage, read> worlds: array<World>;
@group(0) @binding(3) var<storage, read_write> sweeps: array<SweptBox>;
// min x, y, z, max x, y, z.
@group(0) @binding(4) var<storage, read_write> extent: array<atomic<u32>, 6>;

// [column * LANES + sample]
var<workgroup> least: array<u32, 6 * LANES>;
var<workgroup> most: array<u32, 6 * LANES>;

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
        var low = 0xffffffffu;
        var high = 0u;
        if sample < samples {
            low = boxes[own + column * params.stride];
            high = low;
        }
        least[column * LANES + lane] = low;
        most[column * LANES + lane] = high;
    }
    workgroupBarrier();
    for (var half = params.lanes / 2u; half > 0u; half /= 2u) {
        if sample < half {
            for (var at = lane; at < 6u * LANES; at += LANES) {
                least[at] = min(least[at], least[at + half]);
                most[at] = max(most[at], most[at + half]);
            }
        }
        workgroupBarrier();
    }
    if sample != 0u || item >= params.items {
        return;
    }
    var swept: SweptBox;
    for (var k = 0u; k < 3u; k += 1u) {
        swept.around.min[k] = least[k * LANES + lane];
        swept.around.max[k] = most[(k + 3u) * LANES + lane];
        swept.within.min[k] = most[k * LANES + lane];
        swept.within.max[k] = least[(k + 3u) * LANES + lane];
    }
    sweeps[item] = swept;
    if params.measures == 1u && !is_empty(swept.around) {
        // Nearly all items lie within the bounds so far: a look is cheaper than a write that all of them wait for.
        for (var k = 0u; k < 3u; k += 1u) {
            if swept.around.min[k] < atomicLoad(&extent[k]) {
                atomicMin(&extent[k], swept.around.min[k]);
            }
            if swept.around.max[k] > atomicLoad(&extent[k + 3u]) {
                atomicMax(&extent[k + 3u], swept.around.max[k]);
            }
        }
    }
}
