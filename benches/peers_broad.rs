//! Our broad phase on the boxes of the peers' harness (PXB1), beside parry's.
//!
//! `PX_WORK=DIR [PX_THREADS=2] cargo bench --bench peers_broad -- [METHOD,METHOD...] [CASE ...]`,
//! for instance `tree,grid b1_uni_100000`. The default is the method `auto` and all cases of the
//! folder. There are two regimes:
//! - `once`: one search for each frame that keeps nothing, like a peer that rebuilds its tree.
//! - `block`: blocks of 64 frames, as the program works. The time per frame is that of the block /
//!   64.
//!
//! The timed region is that of every native peer: from boxes in the layout of the searches to the
//! pairs. It includes the exact `f32` test where the integers do not decide, so that the pairs are
//! those of the peers. The layout is made before (`convert_ms_per_frame`). In `once` each pair is
//! counted and hashed in the timed region, as the peers do. In `block` the result is a list of
//! pairs with their masks, which are counted in the timed region and hashed after it. If the
//! harness has built parry's driver (`bin/broad_parry`), the two run in turn on one thread, their
//! pairs and hashes are compared, and ratios are printed.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

use clearsweep_broad::BroadScene;
use clearsweep_broad::boxes::{Boxes64, LatticeBox};
use clearsweep_broad::internals::SearchInput;
use clearsweep_scene::block::Sample;
use clearsweep_scene::{Candidate, FrameBlock, SAMPLES};
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;

#[path = "support/balls.rs"]
mod balls;

use balls::scene;

/// Boxes of all frames: `[(frame * n + body) * 6 + k]`, k = min x, y, z, max x, y, z.
struct Input {
    frames: usize,
    n: usize,
    values: Vec<f32>,
}

impl Input {
    fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let values = bytes[16..].chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
        Self { frames: word(4), n: word(8), values }
    }

    fn get(&self, frame: usize, body: usize) -> &[f32; 6] {
        self.values[(frame * self.n + body) * 6..].first_chunk().unwrap()
    }
}

/// A monotone map from `f32` to integers, the same for both ends of a box, so that no overlap is
/// lost. The width of a cell is a power of two, so that numbers of magnitude `exact` or more are
/// integral: only boxes with a smaller number can seem to overlap without overlapping.
struct Cells {
    low: f64,
    cells: f64,
    exact: f32,
}

impl Cells {
    fn of(input: &Input) -> Self {
        let (low, high) = input.values.iter().fold((f32::MAX, f32::MIN), |(l, h), &v| (l.min(v), h.max(v)));
        let low = f64::from(low).floor();
        let wide = (f64::from(high) - low).log2().ceil() as i32; // 2^wide in 2^32 cells without the two that are reserved
        let spacing = f64::from(wide - 31).exp2();
        Self { low, cells: 1.0 / spacing, exact: (spacing * f64::from(1 << 23)) as f32 }
    }

    fn lattice(&self, b: &[f32; 6]) -> LatticeBox {
        let cell = |v: f32| 1 + ((f64::from(v) - self.low) * self.cells) as u32;
        LatticeBox { min: [cell(b[0]), cell(b[1]), cell(b[2])], max: [cell(b[3]), cell(b[4]), cell(b[5])] }
    }

    /// Whether the integers alone do not decide if this box overlaps another one.
    fn is_unsure(&self, b: &[f32; 6]) -> bool {
        b.iter().any(|v| v.abs() < self.exact)
    }
}

/// The peers' order-independent hash of a pair.
fn mix(a: u32, b: u32) -> u64 {
    let (a, b) = (u64::from(a.min(b)), u64::from(a.max(b)));
    let mut x = a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.wrapping_add(0x7F4A_7C15_9E37_79B9);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// The pairs of a method over all frames, and its times.
#[derive(Default)]
struct Measured {
    /// Milliseconds per frame, without the first frame.
    times: Vec<f64>,
    first: f64,
    convert: f64,
    frames: usize,
    pairs: u64,
    hash: u64,
}

impl Measured {
    fn median(&mut self) -> f64 {
        self.times.sort_by(f64::total_cmp);
        self.times.get(self.times.len() / 2).copied().unwrap_or(self.first)
    }

    fn print(&mut self, variant: &str, case: &str, n: usize, threads: usize) -> f64 {
        let median = self.median();
        println!(
            "{{\"peer\":\"clearsweep\",\"version\":\"{}\",\"variant\":\"{variant}\",\"case\":\"{case}\",\"native\":true,\
             \"n\":{n},\"frames\":{},\"threads\":{threads},\"ms_per_frame_median\":{median:.4},\"min\":{:.4},\
             \"max\":{:.4},\"first_frame_ms\":{:.4},\"convert_ms_per_frame\":{:.4},\"pairs\":{},\"hash\":\"{:016x}\"}}",
            env!("CARGO_PKG_VERSION"),
            self.frames,
            self.times.first().unwrap_or(&self.first),
            self.times.last().unwrap_or(&self.first),
            self.first,
            self.convert,
            self.pairs,
            self.hash,
        );
        median
    }
}

fn overlap(a: &[f32; 6], b: &[f32; 6]) -> bool {
    a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5]
}

/// One search for each frame; `None` if the method is not a pair search.
fn once(input: &Input, cells: &Cells, method: &str) -> Option<Measured> {
    let mut m = Measured { frames: input.frames, ..Measured::default() };
    for frame in 0..input.frames {
        let begun = Instant::now();
        let boxes = SearchInput::new((0..input.n).map(|i| cells.lattice(input.get(frame, i))), std::iter::empty());
        m.convert += begun.elapsed().as_secs_f64() * 1e3 / input.frames as f64;
        let unsure: Vec<bool> = (0..input.n).map(|i| cells.is_unsure(input.get(frame, i))).collect();
        let begun = Instant::now();
        let found = boxes.pairs(method)?;
        let count = |part: &[Candidate]| {
            let (mut pairs, mut hash) = (0_u64, 0_u64);
            for c in part {
                let (a, b) = (c.a as usize, c.b as usize);
                if !(unsure[a] | unsure[b]) || overlap(input.get(frame, a), input.get(frame, b)) {
                    pairs += 1;
                    hash = hash.wrapping_add(mix(c.a, c.b));
                }
            }
            (pairs, hash)
        };
        let both = |x: (u64, u64), y: (u64, u64)| (x.0 + y.0, x.1.wrapping_add(y.1));
        let size = found.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let (pairs, hash) = found.par_chunks(size).map(count).reduce(|| (0, 0), both);
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        if frame == 0 {
            m.first = ms
        } else {
            m.times.push(ms)
        }
        m.pairs += pairs;
        m.hash = m.hash.wrapping_mul(31).wrapping_add(hash);
    }
    Some(m)
}

/// The boxes of a body in a block as `f32`.
type Lanes32 = [[f32; SAMPLES]; 6];

struct Layout {
    boxes: Vec<Boxes64>,
    exact: Vec<Lanes32>,
    /// Whether the integers alone do not decide, by body.
    unsure: Vec<bool>,
}

fn lay_out(input: &Input, cells: &Cells, first: usize, samples: usize) -> Layout {
    let mut boxes = vec![Boxes64::EMPTY; input.n];
    let mut exact = vec![[[0.0; SAMPLES]; 6]; input.n];
    let mut unsure = vec![false; input.n];
    for s in 0..samples {
        for body in 0..input.n {
            let b = input.get(first + s, body);
            let cell = cells.lattice(b);
            unsure[body] |= cells.is_unsure(b);
            for k in 0..3 {
                boxes[body].columns[k][s] = cell.min[k];
                boxes[body].columns[k + 3][s] = cell.max[k];
            }
            (0..6).for_each(|k| exact[body][k][s] = b[k]);
        }
    }
    Layout { boxes, exact, unsure }
}

/// The mask of the samples in which two boxes overlap.
fn lanes(a: &Lanes32, b: &Lanes32) -> u64 {
    let mut hit = [1_u8; SAMPLES];
    for k in 0..3 {
        for s in 0..SAMPLES {
            hit[s] &= u8::from(a[k][s] <= b[k + 3][s]) & u8::from(b[k][s] <= a[k + 3][s]);
        }
    }
    let (words, _) = hit.as_chunks::<8>();
    words.iter().enumerate().fold(0, |bits, (i, word)| {
        bits | (u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i)
    })
}

/// Applies the exact test where the integers do not decide.
fn exact_masks(layout: &Layout, candidates: &mut [Candidate]) {
    for c in candidates {
        let (a, b) = (c.a as usize, c.b as usize);
        if layout.unsure[a] | layout.unsure[b] {
            c.samples &= lanes(&layout.exact[a], &layout.exact[b]);
        }
    }
}

/// Blocks of 64 frames in three rounds, since methods learn from block to block. `None` if the
/// method takes only poses.
fn blocks(input: &Input, cells: &Cells, method: &str) -> Option<Measured> {
    let scene = scene(input.n);
    let job = BroadScene::new(&scene, None, 0.0);
    let mut method = clearsweep_broad::by_name(method).ok()?;
    let mut m = Measured { frames: input.frames, ..Measured::default() };
    for round in 0..3 {
        for first in (0..input.frames).step_by(SAMPLES) {
            let samples = (input.frames - first).min(SAMPLES);
            let begun = Instant::now();
            let mut layout = lay_out(input, cells, first, samples);
            m.convert += begun.elapsed().as_secs_f64() * 1e3 / (3 * input.frames) as f64;
            let mut block = FrameBlock::new(1 + (first / SAMPLES) as u64, 0);
            block.present = vec![u64::MAX >> (64 - samples); input.n];
            block.samples.extend((0..samples).map(|s| Sample { run: 0, frame: s as i64, time_s: None }));
            let begun = Instant::now();
            let mut found = method.candidates_of_boxes(&job, &scene, &block, &mut layout.boxes)?;
            let size = found.len().div_ceil(4 * rayon::current_num_threads()).max(1);
            found.par_chunks_mut(size).for_each(|part| exact_masks(&layout, part));
            let pairs: u64 = found.iter().map(|c| u64::from(c.samples.count_ones())).sum();
            let ms = begun.elapsed().as_secs_f64() * 1e3 / samples as f64;
            if round == 0 && first == 0 {
                m.first = ms
            } else {
                m.times.push(ms)
            }
            if round < 2 {
                continue;
            }
            m.pairs += pairs;
            for s in 0..samples {
                let here = found.iter().filter(|c| c.samples >> s & 1 == 1);
                let hash = here.fold(0, |h: u64, c| h.wrapping_add(mix(c.a, c.b)));
                m.hash = m.hash.wrapping_mul(31).wrapping_add(hash);
            }
        }
    }
    Some(m)
}

/// A field of a line of JSON.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = &line[line.find(&format!("\"{name}\":"))? + name.len() + 3..];
    Some(rest.split([',', '}']).next()?.trim_matches('"'))
}

/// Runs parry's driver and returns its milliseconds per frame. Prints its line, and a message if
/// its pairs or its hash differ from ours.
fn parry(work: &Path, variant: &str, case: &str, ours: (u64, u64)) -> Option<f64> {
    let program = work.join("bin/broad_parry");
    let out = std::process::Command::new(program).args([variant, case]).current_dir(work).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let line = text.lines().next()?;
    println!("{line}");
    let same = field(line, "pairs")? == ours.0.to_string() && field(line, "hash")? == format!("{:016x}", ours.1);
    if !same {
        eprintln!("{case}: {variant} found other pairs (or stopped before the last frame)");
    }
    field(line, "ms_per_frame_median")?.parse().ok()
}

fn measure(work: &Path, case: &str, methods: &[&str], threads: usize) {
    let input = Input::read(&work.join("in").join(format!("{case}.pxb")));
    let cells = Cells::of(&input);
    let mut truth = None;
    let mut ours: Vec<(String, f64)> = Vec::new();
    for &method in methods {
        let regimes = [("once", once(&input, &cells, method)), ("block", blocks(&input, &cells, method))];
        for (regime, measured) in regimes {
            let Some(mut m) = measured else { continue };
            let variant = format!("{regime}:{method}");
            ours.push((variant.clone(), m.print(&variant, case, input.n, threads)));
            let truth = *truth.get_or_insert((m.pairs, m.hash));
            assert_eq!((m.pairs, m.hash), truth, "{case}: {variant} found other pairs");
        }
    }
    let Some(truth) = truth else { return };
    let of = |variants: &[&str]| {
        let times = variants.iter().filter_map(|variant| parry(work, variant, case, truth));
        times.min_by(f64::total_cmp)
    };
    let (rebuild, refit) = (of(&["f32-rebuild-binned", "f32-rebuild-ploc"]), of(&["f32-refit"]));
    for (variant, ms) in ours {
        let peer = if variant.starts_with("once") { rebuild } else { refit };
        let Some(peer) = peer else { continue };
        println!(
            "{{\"case\":\"{case}\",\"variant\":\"{variant}\",\"threads\":{threads},\"parry_over_ours\":{:.2}}}",
            peer / ms
        );
    }
}

fn main() {
    let Some(work) = std::env::var_os("PX_WORK") else {
        eprintln!("skipped: PX_WORK does not name a folder of the peers' harness");
        return;
    };
    let work = Path::new(&work);
    let mut here: Vec<String> = std::fs::read_dir(work.join("in"))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.strip_suffix(".pxb").map(str::to_owned))
        .collect();
    here.sort();
    if here.is_empty() {
        eprintln!("skipped: there is no in/*.pxb under PX_WORK; `peers inputs` writes them");
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_case = |a: &&String| here.contains(*a);
    let methods = arguments.iter().find(|a| !is_case(a)).map_or("auto", String::as_str);
    let methods: Vec<&str> = methods.split(',').collect();
    let asked: Vec<&String> = arguments.iter().filter(is_case).collect();
    let cases = if asked.is_empty() { here.iter().collect() } else { asked };
    let threads = std::env::var("PX_THREADS").map_or(1, |t| t.parse().unwrap());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| cases.iter().for_each(|case| measure(work, case, &methods, threads)));
}
