//! The pairs of links that are not checked, in the cases of MuJoCo, MoveIt and Drake.

use crate::{Robot, read_mjcf, read_urdf};
use std::collections::BTreeSet;
use std::path::Path;

/// Names of neighbours, each pair in order.
fn neighbours(robot: &Robot) -> BTreeSet<[String; 2]> {
    let pairs = robot.neighbours().expect("few");
    let names = pairs.iter().map(|pair| pair.links.map(|link| robot.links[link].name.clone()));
    let names: BTreeSet<[String; 2]> = names.map(|[a, b]| if a < b { [a, b] } else { [b, a] }).collect();
    assert_eq!(names.len(), pairs.len(), "each pair once");
    names
}

fn expected(pairs: &[[&str; 2]]) -> BTreeSet<[String; 2]> {
    pairs.iter().map(|pair| pair.map(str::to_owned)).collect()
}

#[track_caller]
fn assert_mjcf(world: &str, pairs: &[[&str; 2]]) {
    let text = format!("<mujoco><worldbody>{}</worldbody></mujoco>", world.replace("BALL", "<geom size='1'/>"));
    let mut none = |_: &str| unreachable!("nothing is included");
    let robot = read_mjcf(Path::new("m.xml"), &text, &mut none).expect("a model");
    assert_eq!(neighbours(&robot), expected(pairs), "{world}");
}

/// Links: names of those with geometry, then those without; joints: name of the kind, parent,
/// child.
#[track_caller]
fn assert_urdf(links: [&[&str]; 2], joints: &[[&str; 3]], pairs: &[[&str; 2]]) {
    let ball = "<collision><geometry><sphere radius='1'/></geometry></collision>";
    let link = |name: &&str, inner: &str| format!("<link name='{name}'>{inner}</link>");
    let mut text: String = links[0].iter().map(|name| link(name, ball)).collect();
    text.extend(links[1].iter().map(|name| link(name, "")));
    for (number, [kind, parent, child]) in joints.iter().enumerate() {
        let (ends, limit) =
            (format!("<parent link='{parent}'/><child link='{child}'/>"), "<limit lower='-1' upper='1'/>");
        text += &format!("<joint name='j{number}' type='{kind}'>{ends}{limit}</joint>");
    }
    let robot = read_urdf(Path::new("r.urdf"), &format!("<robot name='r'>{text}</robot>")).expect("a robot");
    assert_eq!(neighbours(&robot), expected(pairs), "{joints:?}");
}

#[test]
fn bodies_that_hang_from_the_world_are_checked_against_it() {
    assert_mjcf("BALL<body name='a'><joint/>BALL</body><body name='b'>BALL</body>", &[]);
    // Welded to the world is the world.
    assert_mjcf("BALL<body name='base'>BALL<body name='a'><joint/>BALL</body></body>", &[]);
    assert_mjcf("<body name='a'><joint/>BALL<body name='b'><joint/>BALL</body></body>", &[["a", "b"]]);
    assert_mjcf("<body name='a'><freejoint/>BALL<body name='b'><joint/>BALL</body></body>", &[["a", "b"]]);
}

#[test]
fn parent_and_child_are_neighbours_whatever_their_joints_are() {
    let hinge = |b: &str| format!("<body name='a'><joint/>BALL<body name='b'>{b}BALL</body></body>");
    for joints in ["<joint/>", "<joint pos='1 0 0'/>", "<joint/><joint/>", "<joint/><joint pos='0 1 0'/><joint/>", ""] {
        assert_mjcf(&hinge(joints), &[["a", "b"]]);
    }
    // A body without geometry is a body: MuJoCo checks what it lies between.
    assert_mjcf(
        "<body name='a'><joint/>BALL<body name='m'><joint/><body name='b'><joint/>BALL</body></body></body>",
        &[],
    );
    // Welded bodies are one.
    assert_mjcf(
        "<body name='a'><joint/>BALL<body name='m'>BALL<body name='b'><joint/>BALL</body></body></body>",
        &[["a", "b"], ["a", "m"], ["b", "m"]],
    );
}

#[test]
fn links_without_geometry_are_passed_in_urdf() {
    let (turn, weld) = ("revolute", "fixed");
    assert_urdf([&["a", "b"], &[]], &[[turn, "a", "b"]], &[["a", "b"]]);
    assert_urdf([&["a", "b"], &["f"]], &[[turn, "a", "f"], [weld, "f", "b"]], &[["a", "b"]]);
    assert_urdf([&["a", "b"], &["f"]], &[[weld, "a", "f"], [turn, "f", "b"]], &[["a", "b"]]);
    assert_urdf([&["a", "b"], &["f", "g"]], &[[turn, "a", "f"], [turn, "f", "g"], [turn, "g", "b"]], &[["a", "b"]]);
    // Siblings are no neighbours, unless they are welded.
    assert_urdf([&["a", "b", "c"], &[]], &[[turn, "a", "b"], [turn, "a", "c"]], &[["a", "b"], ["a", "c"]]);
    let all = [["a", "b"], ["a", "c"], ["b", "c"]];
    assert_urdf([&["a", "b", "c"], &[]], &[[weld, "a", "b"], [weld, "a", "c"]], &all);
    // Two joints with geometry between.
    assert_urdf([&["a", "b", "c"], &[]], &[[turn, "b", "c"], [turn, "a", "b"]], &[["a", "b"], ["b", "c"]]);
    // A knee: what is welded to the shank is no neighbour of the thigh.
    assert_urdf([&["a", "b", "c"], &[]], &[[turn, "a", "b"], [weld, "b", "c"]], &[["a", "b"], ["b", "c"]]);
    assert_urdf([&["a", "b", "c"], &[]], &[[weld, "a", "b"], [turn, "b", "c"]], &[["a", "b"], ["b", "c"]]);
    // Nothing holds the ends of a planar or floating joint together.
    for wide in ["planar", "floating"] {
        assert_urdf([&["a", "b", "c"], &[]], &[[wide, "a", "b"], [turn, "b", "c"]], &[["b", "c"]]);
        assert_urdf([&["a", "b"], &["f"]], &[[turn, "a", "f"], [wide, "f", "b"]], &[]);
    }
    // Nothing with geometry above.
    assert_urdf([&["b"], &["a"]], &[[turn, "a", "b"]], &[]);
}

#[test]
fn any_number_of_bodies_stands_in_the_world() {
    let world =
        "<body>BALL</body>".repeat(3000) + "<body name='a'><joint/>BALL<body name='b'><joint/>BALL</body></body>";
    assert_mjcf(&world, &[["a", "b"]]);
}

#[test]
fn more_than_a_million_pairs_are_not_listed() {
    let links: String = (0..2000)
        .map(|k| format!("<link name='l{k}'><collision><geometry><sphere radius='1'/></geometry></collision></link>"))
        .collect();
    let joints: String = (1..2000)
        .map(|k| format!("<joint name='j{k}' type='fixed'><parent link='l0'/><child link='l{k}'/></joint>"))
        .collect();
    let robot = read_urdf(Path::new("r.urdf"), &format!("<robot name='r'>{links}{joints}</robot>")).expect("a robot");
    assert_eq!(robot.neighbours(), None);
}
