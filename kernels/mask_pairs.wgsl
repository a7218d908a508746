// In which samples the boxes of each pair of a window overlap. A workgroup holds as many pairs at a
// time as fit, with `lanes` invocations for each: one for each sample. The mask of a pair that
// rules ignore is zero.

struct Params {
    slots: u32,
    stride: u32,
    // Where the sum of all counts lies.
    total_at: u32,
    window_start: u32,
    window_size: u32,
    // Classes of bodies for the rules; 0: there are none.
    classes: u32,
    // Invocations of a pair: a power of two up to LANES, no fewer than samples of any world.
    lanes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<u32>;
@group(0) @binding(2) var<storage, read> worlds: array<World>;
@group(0) @binding(3) var<storage, read> fixed_boxes: array<LatticeBox>;
@group(0) @binding(4) var<storage, read> counts: array<u32>;
@group(0) @binding(5) var<storage, read> pairs: array<ItemPair>;
// The class of each slot, then of each fixed box; then, from the next word on, bit
// `c * classes + d`: ignored.
@group(0) @binding(6) var<storage, read> rules: array<u32>;
@group(0) @binding(7) var<storage, read_write> masks: array<array<u32, 2>>;
@group(0) @binding(8) var<storage, read_write> kept: array<u32>;

// The two halves of the mask of each pair. Every invocation clears two words before any is read.
var<workgroup> bits: array<atomic<u32>, 2 * LANES>;

fn box_at(part: u32, slot: u32, sample: u32) -> LatticeBox {
    let step = params.stride;
    let low = (part * params.slots + slot) * 6u * step + sample;
    let high = low + 3u * step;
    return LatticeBox(
        array<u32, 3>(boxes[low], boxes[low + step], boxes[low + 2u * step]),
        array<u32, 3>(boxes[high], boxes[high + step], boxes[high + 2u * step]),
    );
}

fn is_ignored(a: u32, b: u32) -> bool {
    if params.classes == 0u {
        return false;
    }
    let bit = rules[1u + a] * params.classes + rules[1u + b];
    return (rules[rules[0] + bit / 32u] >> (bit % 32u) & 1u) == 1u;
}

// Adds a sample of its world to the mask of a pair, which begins at `half`, if the pair overlaps
// there.
fn add_sample(pair: ItemPair, half: u32, index: u32) {
    let world = worlds[pair.item / params.slots];
    let slot = pair.item % params.slots;
    if index >= world.samples || is_ignored(slot, pair.other) {
        return;
    }
    let sample = world.first + index;
    var other: LatticeBox;
    if pair.other < params.slots {
        other = box_at(world.part, pair.other, sample);
    } else {
        other = fixed_boxes[pair.other - params.slots];
    }
    if overlaps(box_at(world.part, slot, sample), other) {
        atomicOr(&bits[half + sample / 32u], 1u << (sample % 32u));
    }
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let total = counts[params.total_at];
    let left = select(0u, total - params.window_start, total > params.window_start);
    let end = min(left, params.window_size);
    let pairs_per_group = LANES / params.lanes;
    let row = lane / params.lanes;
    let step = groups.x * groups.y * pairs_per_group;
    for (var base = group_number(id, groups) * pairs_per_group; base < end; base += step) {
        let at = base + row;
        atomicStore(&bits[lane], 0u);
        atomicStore(&bits[LANES + lane], 0u);
        workgroupBarrier();
        if at < end {
            add_sample(pairs[at], 2u * row, lane % params.lanes);
        }
        workgroupBarrier();
        if at < end && lane % params.lanes == 0u {
            let mask = array<u32, 2>(atomicLoad(&bits[2u * row]), atomicLoad(&bits[2u * row + 1u]));
            masks[at] = mask;
            kept[at] = select(0u, 1u, (mask[0] | mask[1]) != 0u);
        }
        workgroupBarrier();
    }
}
