// The bounds of each item over the samples of its world; a workgroup for each item, an invocation for each sample.

struct Params {
    slots: u32,
    items: u32,
    // Samples of a part, for which each item has so many values in each of six columns.
    stride: u32,
    // 1: `extent` becomes the bounds of all items, 0: it stays as it is.
    measures: u32,
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
    let item = group_number(id, groups);
    if item >= params.items {
        return;
    }
    let world = worlds[item / params.slots];
    let own = (world.part * params.slots + item % params.slots) * 6u * params.stride;
    for (var column = 0u; column < 6u; column += 1u) {
        var low = 0xffffffffu;
        var high = 0u;
        if lane < world.samples {
            low = boxes[own + column * params.stride + world.first + lane];
            high = low;
        }
        least[column * LANES + lane] = low;
        most[column * LANES + lane] = high;
    }
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            for (var at = lane; at < 6u * LANES; at += LANES) {
                least[at] = min(least[at], least[at + half]);
                most[at] = max(most[at], most[at + half]);
            }
        }
        workgroupBarrier();
    }
    if lane != 0u {
        return;
    }
    var swept: SweptBox;
    for (var k = 0u; k < 3u; k += 1u) {
        swept.around.min[k] = least[k * LANES];
        swept.around.max[k] = most[(k + 3u) * LANES];
        swept.within.min[k] = most[k * LANES];
        swept.within.max[k] = least[(k + 3u) * LANES];
    }
    sweeps[item] = swept;
    if params.measures == 1u && !is_empty(swept.around) {
        for (var k = 0u; k < 3u; k += 1u) {
            atomicMin(&extent[k], swept.around.min[k]);
            atomicMax(&extent[k + 3u], swept.around.max[k]);
        }
    }
}
