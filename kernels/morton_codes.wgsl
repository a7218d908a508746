// The Morton code of the centre of each item within the extent of all, and the item itself; 30
// bits. Empty items come last.

struct Params {
    items: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sweeps: array<LatticeBox>;
@group(0) @binding(2) var<storage, read> extent: array<u32, 6>;
@group(0) @binding(3) var<storage, read_write> codes: array<u32>;
@group(0) @binding(4) var<storage, read_write> order: array<u32>;

// Two zeros after each of ten bits.
fn spread(value: u32) -> u32 {
    var v = value;
    v = (v | v << 16u) & 0x030000ffu;
    v = (v | v << 8u) & 0x0300f00fu;
    v = (v | v << 4u) & 0x030c30c3u;
    return (v | v << 2u) & 0x09249249u;
}

fn centre(low: u32, high: u32) -> u32 {
    return low + (high - low) / 2u;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = group_number(id, groups) * LANES + lane;
    if item >= params.items {
        return;
    }
    let own = sweeps[item];
    var code = 0xffffffffu;
    if !is_empty(own) {
        let widest = max(max(extent[3] - extent[0], extent[4] - extent[1]), extent[5] - extent[2]);
        let bits = 32u - countLeadingZeros(widest);
        let shift = max(bits, 10u) - 10u;
        let x = spread((centre(own.min[0], own.max[0]) - extent[0]) >> shift);
        let y = spread((centre(own.min[1], own.max[1]) - extent[1]) >> shift);
        let z = spread((centre(own.min[2], own.max[2]) - extent[2]) >> shift);
        code = x | y << 1u | z << 2u;
    }
    codes[item] = code;
    order[item] = item;
}
