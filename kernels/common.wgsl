// Shared by all kernels: the records of `src/broad/kernel/records.rs`, the overlap test, and
// numbers of workgroups. The constants (LANES, SCAN_THREADS, SCAN_ITEMS, DIGITS, WIDTH_BITS) come
// before this text, from Rust.

struct LatticeBox {
    min: array<u32, 3>,
    max: array<u32, 3>,
}

// A range of samples of one part whose boxes are swept together. All worlds have the same number of
// slots.
struct World {
    part: u32,
    first: u32,
    samples: u32,
    unused: u32,
}

// An item (world * slots + slot), and a slot of the same world or `slots` + a fixed box.
struct ItemPair {
    item: u32,
    other: u32,
}

// A pair that overlaps in the samples of the two halves of the mask.
struct FoundPair {
    pair: ItemPair,
    samples: array<u32, 2>,
}

// An implicit tree: level 0 holds the leaves in order, each node of the next level bounds
// 2^WIDTH_BITS of them.
struct Tree {
    leaves: u32,
    top: u32,
    unused: vec2<u32>,
    starts: array<vec4<u32>, 3>,
}

// Axes are written out, here and elsewhere: an array that a variable indexes cannot stay in
// registers.
fn overlaps(a: LatticeBox, b: LatticeBox) -> bool {
    return a.min[0] <= b.max[0] && b.min[0] <= a.max[0]
        && a.min[1] <= b.max[1] && b.min[1] <= a.max[1]
        && a.min[2] <= b.max[2] && b.min[2] <= a.max[2];
}

fn is_empty(a: LatticeBox) -> bool {
    return a.min[0] > a.max[0] || a.min[1] > a.max[1] || a.min[2] > a.max[2];
}

// Workgroups are numbered along x, then along y: an axis holds a limited number of them.
fn group_number(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.x + id.y * groups.x;
}

// Whether none of the places from `start` to `end` (excluded) lies in a window.
fn misses_window(start: u32, end: u32, window_start: u32, window_size: u32) -> bool {
    return end <= window_start || (start >= window_start && start - window_start >= window_size);
}

fn saturating_add(a: u32, b: u32) -> u32 {
    let sum = a + b;
    return select(sum, 0xffffffffu, sum < a);
}
