//! Files of others in `../shared/data`, and damaged copies of them.

use crate::{CollisionShape, Robot, read_mjcf, read_srdf, read_urdf, resolve};
use clearsweep_base::Result;
use std::io::Write;
use std::path::{Path, PathBuf};

const URDF: [&str; 7] = [
    "motionbench/panda/panda.urdf",
    "motionbench/panda/panda_spherized.urdf",
    "motionbench/ur5/ur5.urdf",
    "motionbench/ur5/ur5_spherized.urdf",
    "panda/panda_description/urdf/panda.urdf",
    "panda/panda_description/urdf/panda_collision.urdf",
    "laikago/laikago_description/urdf/laikago.urdf",
];

const SRDF: [&str; 3] =
    ["motionbench/panda/panda.srdf", "motionbench/ur5/ur5.srdf", "panda/panda_description/srdf/panda.srdf"];

/// Path and text of a file in `../shared/data`. `None` if the folder is missing, which stderr says.
#[allow(clippy::disallowed_methods, reason = "a test reads the environment and reports to people")]
pub(super) fn shared(name: &str) -> Option<(PathBuf, String)> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        assert!(std::env::var_os("CLEARSWEEP_REQUIRE_DATA").is_none(), "{} is missing, and required", data.display());
        let _ = writeln!(std::io::stderr(), "skipped: {} is missing", data.display());
        return None;
    }
    let path = data.join(name);
    let text = std::fs::read_to_string(&path).expect(name);
    Some((path, text))
}

/// Count of a text in a file without its comments.
pub(super) fn count(text: &str, part: &str) -> usize {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default().matches(part).count();
    first + parts.map(|rest| rest.split_once("-->").map_or(0, |(_, rest)| rest.matches(part).count())).sum::<usize>()
}

#[test]
fn urdf_files_have_the_counts_of_a_scan() {
    for name in URDF {
        let Some((path, text)) = shared(name) else { return };
        let robot = read_urdf(&path, &text).unwrap_or_else(|error| panic!("{error}; {}", error.remedy));
        let collisions = || robot.links.iter().flat_map(|link| &link.collisions);
        let found = (robot.links.len(), robot.joints.len(), collisions().count());
        let scanned = (count(&text, "<link name="), count(&text, "<joint name="), count(&text, "<collision"));
        assert_eq!(found, scanned, "{name}");
        let mimics = robot.joints.iter().filter(|joint| joint.mimic.is_some()).count();
        let of_fixed = robot.notes.iter().filter(|note| note.text.contains("its `mimic` is not read")).count();
        assert_eq!(mimics + of_fixed, count(&text, "<mimic"), "{name}");
        let spheres = collisions().filter(|c| matches!(c.shape, CollisionShape::Sphere { .. })).count();
        let parts = text.split("<collision").skip(1).map(|rest| rest.split("</collision>").next().unwrap_or_default());
        assert_eq!(spheres, parts.map(|part| count(part, "<sphere")).sum::<usize>(), "{name}");
        let lines: Vec<&str> = text.lines().collect();
        for link in &robot.links {
            assert!(lines[link.line.number - 1].contains(&format!("name=\"{}\"", link.name)), "{name}: {link:?}");
        }
    }
}

#[test]
fn meshes_of_files_with_relative_packages_are_found() {
    for name in &URDF[..4] {
        let Some((path, text)) = shared(name) else { return };
        let robot = read_urdf(&path, &text).expect(name);
        for collision in robot.links.iter().flat_map(|link| &link.collisions) {
            if let CollisionShape::Mesh { file, .. } = &collision.shape {
                let found = resolve(file, &path, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(found.is_file(), "{name}: {}", found.display());
            }
        }
    }
}

#[test]
fn srdf_files_have_the_counts_of_a_scan() {
    for name in SRDF {
        let Some((path, text)) = shared(name) else { return };
        let srdf = read_srdf(&path, &text).unwrap_or_else(|error| panic!("{error}; {}", error.remedy));
        assert_eq!(srdf.disabled.len(), count(&text, "<disable_collisions"), "{name}");
    }
}

/// Reads a model of the Fetch robot, with one file replaced by `(name, text)`.
fn fetch(main: &str, replaced: Option<(&str, &str)>) -> Option<Result<Robot>> {
    let file = |name: &str| match replaced {
        Some((own, text)) if own == name => Some((PathBuf::from(name), text.to_owned())),
        _ => shared(&format!("fetch_links/mjcf/{name}")),
    };
    let (path, text) = file(main)?;
    let known = ["robot.xml", "shared.xml"];
    let read = |name: &str| if known.contains(&name) { file(name).map(|(_, text)| text) } else { None };
    Some(read_mjcf(&path, &text, &mut |name| Ok(read(name))))
}

#[test]
fn mjcf_files_have_the_counts_of_a_scan() {
    for main in ["reach.xml", "push.xml", "slide.xml", "pick_and_place.xml"] {
        let Some(robot) = fetch(main, None) else { return };
        let robot = robot.unwrap_or_else(|error| panic!("{error}; {}", error.remedy));
        let texts = [main, "robot.xml"].map(|name| shared(&format!("fetch_links/mjcf/{name}")).expect(name).1);
        let counted = |part: &str| texts.iter().map(|text| count(text, part)).sum::<usize>();
        // The base has three joints, hence two links more; four geoms are only seen, and the floor
        // is a plane.
        assert_eq!(robot.links.len(), 1 + counted("<body ") + 2, "{main}");
        let geoms = robot.links.iter().map(|link| link.collisions.len()).sum::<usize>();
        assert_eq!(geoms, counted("<geom ") - 4 - counted("type=\"plane\""), "{main}");
        let moving = robot.joints.iter().filter(|joint| joint.axis != [1.0, 0.0, 0.0] || joint.range.is_some()).count();
        assert!(moving >= 10, "{main}: {moving}");
        // Bodies without a joint are fixed; that of the motion capture and the object move freely.
        let free = 1 + counted("type=\"free\"");
        assert_eq!(robot.joints.len(), robot.links.len() - 1 - free, "{main}");
        assert_eq!(robot.excluded.len(), 3, "{main}");
    }
}

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Damaged copies of a text: cut short, or with bytes changed, doubled or dropped.
pub(super) fn damaged(text: &str, copies: usize) -> impl Iterator<Item = String> {
    let mut random = Random(text.len() as u64);
    (0..copies).map(move |copy| {
        let mut bytes = text.as_bytes().to_vec();
        if copy % 4 == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len().max(1)).min(bytes.len());
            let values = b"<>/=\"'-0123456789e. &;#xnaif\0\xff";
            match random.below(3) {
                0 if at < bytes.len() => bytes[at] = values[random.below(values.len())],
                1 => bytes.insert(at, values[random.below(values.len())]),
                _ if at < bytes.len() => {
                    let end = (at + 1 + random.below(40)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {}
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[test]
fn damaged_files_never_panic() {
    for name in URDF.iter().chain(&SRDF) {
        let Some((path, text)) = shared(name) else { return };
        for copy in damaged(&text, 400) {
            for error in [read_urdf(&path, &copy).err(), read_srdf(&path, &copy).err()].into_iter().flatten() {
                assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{name}: {error}");
            }
        }
    }
}

#[test]
fn damaged_models_never_panic() {
    for name in ["pick_and_place.xml", "robot.xml", "shared.xml"] {
        let Some((_, text)) = shared(&format!("fetch_links/mjcf/{name}")) else { return };
        for copy in damaged(&text, 300) {
            if let Some(Err(error)) = fetch("pick_and_place.xml", Some((name, &copy))) {
                assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{name}: {error}");
            }
        }
    }
}
