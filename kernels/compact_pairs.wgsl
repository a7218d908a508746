// The pairs of a window that overlap in some sample, one after the other: `places` are the sums of
// `kept` before each.

struct Params {
    items: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pairs: array<ItemPair>;
@group(0) @binding(2) var<storage, read> masks: array<array<u32, 2>>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<FoundPair>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = group_number(id, groups) * LANES + lane;
    if at < params.items && places[at + 1u] != places[at] {
        found[places[at]] = FoundPair(pairs[at], masks[at]);
    }
}
