//! Damaged files, and large ones.

use super::{good, light, sample};
use clearsweep_scene::readers::Fault;
use clearsweep_scene::readers::rvm::{count_parts, read_attributes};
use clearsweep_testing::random::Random;
use clearsweep_testing::rvm::Transparency::{BeforeMatrix, BehindBox};
use clearsweep_testing::rvm::{Rvm, UPRIGHT, pierced, placed};
use std::fs;
use std::time::Instant;

/// A small file with a primitive of each kind.
fn small() -> Vec<u8> {
    let mut file = Rvm::default();
    let at = |x: f32| placed(UPRIGHT, [x, 0.0, 0.0]);
    file.begin_version(3, b"/SITE", 2).begin_version(4, b"/ZONE", 3);
    file.prim(1, at(0.0), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).prim(2, at(1.0), &[1.0, 2.0, 3.0]);
    file.prim(3, at(2.0), &[1.0, 2.0, 3.0, 1.5]).prim(4, at(3.0), &[3.0, 2.0, 1.0]).prim(5, at(4.0), &[2.0, 1.0]);
    file.prim(6, at(5.0), &[2.0, 1.0]).prim(7, at(6.0), &[2.0, 1.0, 9.0, 1.0, 0.0, 0.1, 0.0, 0.1, 0.0]);
    file.end().begin(b"/REST").prim(8, at(7.0), &[2.0, 1.0]).prim(9, at(8.0), &[2.0]).prim(10, at(9.0), &[2.0, 1.0]);
    file.facets(at(10.0), &pierced([100.0, 40.0, 20.0])).colour(3, [1, 2, 3]);
    file.volume(b"OBST", (2, at(0.0), &[1.0, 2.0, 3.0]), BeforeMatrix);
    file.volume(b"INSU", (8, at(0.0), &[1.0, 2.0]), BehindBox);
    file.end().end().finished()
}

const ATTRIBUTES: &[u8] = b"CADC_Attributes_File v1.0 , start: NEW , end: END , name_end: := , sep: &end&\nNEW /SITE\n\
    Type:= SITE &end& Area:= 1\nNEW /ZONE\nType:= ZONE\nOBST:= 1\nEND\nNEW /REST\nLevel:= 0 6\nEND\nEND\n";

/// Words that break readers: counts, offsets and numbers at the edges of their ranges.
const EDGES: [u32; 10] =
    [0, 1, 11, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f80_0000, 0xff7f_ffff, 0x0000_0001, 0x1000_0000];

/// Cuts the file off, drops, repeats or swaps words, turns bits over, or writes an edge.
fn mutated(random: &mut Random, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1)) & !3;
        let end = (at + 4 * random.below(12)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes = [&bytes[..end], &bytes[at..]].concat(),
            3 => bytes[at..end].iter_mut().for_each(|byte| *byte ^= 1 << random.below(8)),
            _ if at + 4 <= bytes.len() => {
                bytes[at..at + 4].copy_from_slice(&EDGES[random.below(EDGES.len())].to_be_bytes());
            }
            _ => {}
        }
    }
    bytes
}

/// A number of bodies, or a fault with a remedy.
fn check(bytes: &[u8], attributes: Option<&[u8]>, by_primitive: bool) -> bool {
    match count_parts(bytes, attributes, by_primitive) {
        Ok((count, notes)) => {
            assert!(count > 0 && notes.iter().all(|note| !note.problem.is_empty() && !note.remedy.is_empty()));
            true
        }
        Err(Fault { problem, remedy, .. }) => {
            assert!(!problem.is_empty() && !remedy.is_empty());
            false
        }
    }
}

#[test]
fn ten_thousand_damaged_files_are_an_error_or_a_plant() {
    let mut random = Random(4711);
    let small = small();
    assert!(check(&small, Some(ATTRIBUTES), false) && check(&small, None, true));
    let (mut good, mut bad) = (0, 0);
    for round in 0..9800 {
        let bytes = mutated(&mut random, &small);
        let attributes = mutated(&mut random, ATTRIBUTES);
        let attributes = (round % 3 == 0).then_some(&attributes[..]);
        *(if check(&bytes, attributes, round % 2 == 0) { &mut good } else { &mut bad }) += 1;
    }
    assert!(good > 2000 && bad > 2000, "{good} good, {bad} bad");
    let Some([file, _]) = sample::files() else { return };
    let sample = fs::read(file).expect("read");
    for round in 0..200 {
        check(&mutated(&mut random, &sample), None, round % 2 == 0);
    }
}

/// Turns bytes over, drops, repeats and swaps lines, cuts them off, and puts marks of the format where
/// they do not belong.
fn mutated_lines(random: &mut Random, original: &[u8]) -> Vec<u8> {
    const MARKS: [&[u8]; 10] =
        [b"NEW ", b"END\n", b":=", b"&end&", b"'", b"\0", b"\xff\xfe", b"\r\n", b"NEW\n", b", sep: :=\n"];
    let mut lines: Vec<Vec<u8>> = original.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(lines.len().max(1));
        let Some(line) = lines.get_mut(at) else { break };
        let place = random.below(line.len() + 1);
        match random.below(7) {
            0 => drop(lines.remove(at)),
            1 => {
                let copy = line.clone();
                lines.insert(at, copy);
            }
            2 => {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }
            3 => line.truncate(place),
            4 => drop(line.splice(place..place, MARKS[random.below(MARKS.len())].iter().copied())),
            5 => line.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            _ => lines.truncate(at),
        }
    }
    lines.concat()
}

#[test]
fn ten_thousand_damaged_attribute_files_are_an_error_or_attributes() {
    let mut random = Random(4713);
    let small = small();
    let (mut good, mut bad) = (0, 0);
    for round in 0..10_000 {
        let attributes = mutated_lines(&mut random, ATTRIBUTES);
        match read_attributes(&attributes) {
            Ok(found) => {
                good += 1;
                assert!(found.remarks.iter().all(|remark| !remark.is_empty()));
                if round % 20 == 0 {
                    assert!(check(&small, Some(&attributes), false), "the plant itself is sound");
                }
            }
            Err(Fault { problem, remedy, .. }) => {
                bad += 1;
                assert!(!problem.is_empty() && !remedy.is_empty());
            }
        }
    }
    assert!(good > 2000 && bad > 1000, "{good} good, {bad} bad");
}

/// Damaged files as scenes: the shapes are built, too.
#[test]
fn damaged_files_of_scenes_are_an_error_or_a_scene() {
    let mut random = Random(4712);
    let (folder, small) = (tempfile::tempdir().expect("scratch"), small());
    let mut loaded = 0;
    for _ in 0..400 {
        match super::plant(&folder, &mutated(&mut random, &small), "each = \"primitive\"") {
            Ok(scene) => {
                loaded += 1;
                assert!(scene.bodies.iter().all(|body| body.shape.radius.is_finite()));
            }
            Err(error) => assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error}"),
        }
    }
    assert!(loaded > 50, "{loaded}");
}

/// Groups within each other without end, and counts without bytes behind them.
#[test]
fn short_files_take_no_memory() {
    let mut file = Rvm::default();
    for _ in 0..5000 {
        file.begin(b"/D");
    }
    let fault = count_parts(&file.finished(), None, false).expect_err("too deep");
    assert!(fault.problem.contains("4097th group within each other"), "{fault:?}");
    let attributes = [ATTRIBUTES, b"NEW /D\n".repeat(5000).as_slice()].concat();
    let fault = count_parts(&small(), Some(&attributes), false).expect_err("too deep");
    assert!(fault.problem.contains("4097th item within each other"), "{fault:?}");
}

/// A million primitives are read and become bodies, by group and each alone: seconds and memory are
/// printed. Run it by its name, in release.
#[test]
#[ignore = "takes a minute and gigabytes"]
#[expect(clippy::print_stderr, reason = "the numbers are what it is run for")]
fn a_million_primitives_are_bodies() {
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default().to_owned()
    };
    let bytes = light::plant(250_000, 300.0);
    let begin = Instant::now();
    let (count, _) = count_parts(&bytes, None, false).expect("sound");
    eprintln!("{} MiB, {count} groups: read in {:?}, {}", bytes.len() >> 20, begin.elapsed(), peak());
    assert_eq!(count, 250_000);
    let folder = tempfile::tempdir().expect("scratch");
    for (each, count) in [("group", 250_000), ("primitive", 1_000_000)] {
        let begin = Instant::now();
        let scene = good(&folder, &bytes, &format!("each = \"{each}\""));
        eprintln!("{} bodies: built in {:?}, {}", scene.bodies.len(), begin.elapsed(), peak());
        assert_eq!(scene.bodies.len(), count);
    }
}
