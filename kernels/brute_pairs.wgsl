// The pairs of small worlds, all against all. A workgroup holds several whole worlds, if they have
// at most half as many slots as it has invocations, and else a stretch of the slots of one. `count`
// and `fill` as in `tree_pairs`.

struct Params {
    slots: u32,
    worlds: u32,
    // Worlds of a workgroup, 1 where a world takes several.
    worlds_per_group: u32,
    // Workgroups of a world; 1 if a workgroup holds several worlds.
    groups_per_world: u32,
    window_start: u32,
    window_size: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> sweeps: array<LatticeBox>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> pairs: array<ItemPair>;

// The boxes that all invocations of the workgroup compare with next. None is read that was not
// written since the last barrier: places beyond the slots of a world, or beyond the worlds, are
// neither.
var<workgroup> tile: array<LatticeBox, LANES>;

struct Place {
    world: u32,
    slot: u32,
    // Where the slots of the world begin in the tile, if it holds whole worlds.
    row: u32,
    is_used: bool,
}

fn place_of(group: u32, lane: u32) -> Place {
    if params.worlds_per_group > 1u {
        let row = lane / params.slots;
        let world = group * params.worlds_per_group + row;
        let is_used = row < params.worlds_per_group && world < params.worlds;
        return Place(world, lane % params.slots, row * params.slots, is_used);
    }
    let slot = group % params.groups_per_world * LANES + lane;
    let world = group / params.groups_per_world;
    return Place(world, slot, 0u, world < params.worlds && slot < params.slots);
}

// Compares an invocation's slot with those after it; `place`: where its pairs go, in the window.
// Returns how many there are.
fn search(group: u32, lane: u32, fills: bool, start: u32) -> u32 {
    let at = place_of(group, lane);
    let item = at.world * params.slots + at.slot;
    var own: LatticeBox;
    if at.is_used {
        own = sweeps[item];
    }
    var found = 0u;
    let is_whole = params.worlds_per_group > 1u;
    let first = select(group % params.groups_per_world * LANES, 0u, is_whole);
    let end = select(params.slots, LANES, is_whole);
    for (var base = first; base < end; base += LANES) {
        workgroupBarrier();
        if is_whole {
            tile[lane] = own;
        } else if base + lane < params.slots && at.world < params.worlds {
            tile[lane] = sweeps[at.world * params.slots + base + lane];
        }
        workgroupBarrier();
        let last = select(0u, min(params.slots, base + LANES), at.is_used);
        for (var other = max(at.slot + 1u, base); other < last; other += 1u) {
            if overlaps(own, tile[at.row + (other - base)]) {
                if fills && start + found < params.window_size {
                    pairs[start + found] = ItemPair(item, other);
                }
                found += 1u;
            }
        }
    }
    return found;
}

@compute @workgroup_size(LANES)
fn count(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = group_number(id, groups);
    let found = search(group, lane, false, 0u);
    let at = place_of(group, lane);
    if at.is_used {
        counts[at.world * params.slots + at.slot] = found;
    }
}

@compute @workgroup_size(LANES)
fn fill(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = group_number(id, groups);
    let at = place_of(group, lane);
    var start = 0u;
    if at.is_used {
        start = counts[at.world * params.slots + at.slot] - params.window_start;
    }
    search(group, lane, true, start);
}
