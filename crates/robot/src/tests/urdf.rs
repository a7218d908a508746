use crate::rotation::about;
use crate::{CollisionShape, JointKind, Mimic, Robot, read_urdf};
use clearsweep_base::Error;
use std::path::Path;

fn read(body: &str) -> Result<Robot, Error> {
    read_urdf(Path::new("r.urdf"), &format!("<?xml version=\"1.0\"?>\n<robot name=\"r\">\n{body}\n</robot>"))
}

/// Two links, `a` on line 3 and `b` on line 4, and more.
fn two(more: &str) -> Result<Robot, Error> {
    read(&format!("<link name=\"a\"/>\n<link name=\"b\"/>\n{more}"))
}

/// A joint of a type from `a` to `b` on line 5, with more inside.
fn joint(kind: &str, inner: &str) -> Result<Robot, Error> {
    two(&format!("<joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/>{inner}</joint>"))
}

/// A link with a collision, whose content is given.
fn collision(inner: &str) -> Result<Robot, Error> {
    read(&format!("<link name=\"a\">\n<collision>\n{inner}</collision></link>"))
}

fn shape(inner: &str) -> Result<CollisionShape, Error> {
    collision(&format!("<geometry>{inner}</geometry>")).map(|robot| robot.links[0].collisions[0].shape.clone())
}

#[track_caller]
fn assert_fault<T: std::fmt::Debug>(result: Result<T, Error>, line: usize, part: &str) {
    let error = result.expect_err(part);
    assert_eq!(error.place, format!("r.urdf:{line}"), "{error}");
    assert!(error.problem.contains(part) && !error.remedy.is_empty(), "{part}: {error}");
}

fn texts(robot: &Robot) -> String {
    robot.notes.iter().map(|note| format!("{}: {}\n", note.line, note.text)).collect()
}

#[test]
fn shapes_are_read_with_their_sizes() {
    let sides = [1.0, 2.0, 0.5];
    assert_eq!(shape("<box size=\" 1 2\n.5 \"/>").expect("a box"), CollisionShape::Box { sides });
    assert_eq!(shape("<sphere radius='1e-2'/>").expect("a sphere"), CollisionShape::Sphere { radius: 0.01 });
    let (radius, length) = (0.1, 2.0);
    let text = |name| shape(&format!("<{name} length='2' radius='0.1'/>")).expect(name);
    assert_eq!(text("cylinder"), CollisionShape::Cylinder { radius, length });
    assert_eq!(text("capsule"), CollisionShape::Capsule { radius, length });
    let mesh = |scale| CollisionShape::Mesh { file: "package://p/a b.stl".into(), scale };
    assert_eq!(shape("<mesh filename='package://p/a b.stl'/>").expect("a mesh"), mesh([1.0; 3]));
    let scaled = shape("<mesh filename='package://p/a b.stl' scale='1 -1 0.001'/>").expect("a mesh");
    assert_eq!(scaled, mesh([1.0, -1.0, 0.001]));
}

#[test]
fn collisions_have_names_places_and_lines() {
    let text = "<link name='a'><visual/>\n<collision name='c'><origin rpy='0 0 3.141592653589793'/><geometry><sphere \
                radius='1'/></geometry></collision>\n<collision><origin xyz='1 2 3' quat_xyzw='0 0 0 2'/>\
                <geometry><sphere radius='1'/></geometry></collision></link>";
    let robot = read(text).expect("a robot");
    let [first, second] = &robot.links[0].collisions[..] else { panic!("{robot:?}") };
    assert_eq!(
        (first.name.as_deref(), first.line.number, second.name.as_deref(), second.line.number),
        (Some("c"), 4, None, 5)
    );
    assert!((first.place.orientation[3] - 1.0).abs() < 1e-15 && first.place.position == [0.0; 3]);
    assert_eq!((second.place.position, second.place.orientation), ([1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0]));
    assert!(robot.notes.is_empty(), "{:?}", robot.notes);
}

#[test]
fn joints_have_kinds_axes_and_ranges() {
    let of = |kind: &str, inner: &str| joint(kind, inner).expect(kind).joints[0].clone();
    let found = of("revolute", "<axis xyz='0 3 4'/><limit lower='-1' upper='2' effort='1' velocity='1'/>");
    assert_eq!((found.kind, found.axis, found.range), (JointKind::Revolute, [0.0, 0.6, 0.8], Some([-1.0, 2.0])));
    assert_eq!((found.parent, found.child, found.line.number, found.name.as_str()), (0, 1, 5, "j"));
    let found = of("continuous", "<limit effort='1' velocity='1'/><origin xyz='1 0 0'/>");
    assert_eq!((found.kind, found.axis, found.range), (JointKind::Continuous, [1.0, 0.0, 0.0], None));
    assert_eq!(found.place.position, [1.0, 0.0, 0.0]);
    let found = of("prismatic", "<limit upper='2'/>");
    assert_eq!((found.kind, found.range), (JointKind::Prismatic, Some([0.0, 2.0])));
    // Exporters write an axis of length 0 to fixed joints.
    assert_eq!(of("fixed", "<axis xyz='0 0 0'/>").kind, JointKind::Fixed);
}

#[test]
fn mimics_name_later_joints() {
    let text = "<link name='c'/><joint name='i' type='continuous'><parent link='a'/><child link='b'/>\
                <mimic joint='j' multiplier='-2' offset='0.5'/></joint>\
                <joint name='j' type='continuous'><parent link='a'/><child link='c'/></joint>";
    let robot = two(text).expect("a robot");
    let mimic = Mimic { joint: 1, ratio: -2.0, offset: 0.5 };
    assert_eq!((robot.joints[0].mimic, robot.joints[1].mimic), (Some(mimic), None));
}

#[test]
fn parts_that_are_not_read_are_noted() {
    let noted = |result: Result<Robot, Error>, part: &str| {
        let text = texts(&result.expect(part));
        assert!(text.contains(part), "{part} is not in:\n{text}");
    };
    noted(read("<link name='a'/>"), "3: link `a` has no collision geometry: it collides with nothing");
    noted(read("<link name='a'><visual/></link>"), "3: link `a` has no collision geometry, only visual geometry");
    noted(joint("revolute", ""), "5: joint `j` has no `limit`");
    noted(joint("revolute", "<limit upper='1'/>"), "lacks `lower` or `upper`, which is 0 then");
    noted(joint("continuous", "<safety_controller/>"), "`safety_controller` is not read");
    noted(joint("fixed", "<drive/>"), "`drive` in `joint` is not read");
    noted(joint("fixed", "<mimic joint='j'/>"), "joint `j` is fixed: its `mimic` is not read");
    noted(read("<link name='a'/><gazebo/>\n<gazebo/>"), "3: `gazebo` in `robot` is not read");
    noted(read("<link name='a'/><gazebo/>\n<gazebo/>"), "(2 times; this is the first)");
    noted(collision("<geometry><mesh filename='m' lod='2'/></geometry>"), "the attribute `lod` of `mesh` is not read");
    noted(collision("<hull/><geometry><mesh filename='m'/></geometry>"), "`hull` in `collision` is not read");
}

#[test]
fn links_without_collision_geometry_are_one_note() {
    let links = |names: &[&str], inner: &str| -> String {
        names.iter().map(|name| format!("<link name='{name}'>{inner}</link>\n")).collect()
    };
    let welds: String = ["b", "c", "d", "e"]
        .map(|child| format!("<joint name='{child}' type='fixed'><parent link='a'/><child link='{child}'/></joint>"))
        .concat();
    for (seen, part) in [
        ("", "3: 5 links have no collision geometry: they collide with nothing (`a`, `b`, `c` and 2 more)"),
        ("<visual/>", "3: 5 links have no collision geometry, only visual geometry: they collide with nothing ("),
    ] {
        let robot = read(&(links(&["a", "b", "c", "d", "e"], seen) + &welds)).expect("a robot");
        assert!(robot.notes.len() == 1 && texts(&robot).starts_with(part), "{:?}", robot.notes);
    }
    let some = links(&["a", "b", "c"], "") + &links(&["d", "e"], "<visual/>") + &welds;
    let part =
        "6: 5 links have no collision geometry, 2 of them only visual geometry: they collide with nothing (`d`, ";
    assert!(texts(&read(&some).expect("a robot")).starts_with(part));
}

#[test]
fn a_mimic_of_a_joint_that_does_not_exist_is_noted() {
    let robot = joint("continuous", "<mimic joint='nobody'/>").expect("a robot");
    let text = "5: joint `j` mimics `nobody`, which does not exist: it has a value of its own\n";
    assert!(robot.joints[0].mimic.is_none() && texts(&robot).contains(text), "{:?}", robot.notes);
    // No joint follows itself.
    let led = "<link name='c'/><joint name='wrist' type='continuous'><parent link='b'/><child link='c'/>\
               <mimic joint='wirst'/></joint>";
    let lead = "<joint name='first' type='continuous'><parent link='a'/><child link='b'/></joint>";
    let told = texts(&two(&format!("{led}{lead}")).expect("a robot"));
    assert!(told.contains("it has a value of its own") && !told.contains("`wrist`?"), "{told}");
}

#[test]
fn files_of_another_kind_are_refused() {
    let fault = |text: &str, line, part| assert_fault(read_urdf(Path::new("r.urdf"), text), line, part);
    fault("<robot name='r'>\n<link name='a'>\n</robot>", 3, "not XML (expected 'link' tag, not 'robot')");
    fault("<robot name='r'>\n<link name='a'/>\n", 3, "ends before its root element is closed");
    fault("<robot name='r'>\n<link name='a' name='b'/></robot>", 2, "attribute 'name'");
    fault("\n<sdf/>", 2, "`sdf`, not `robot`");
    fault("<robot/>", 1, "`robot` has no `name`");
    fault("<robot name=' '/>", 1, "`robot` has an empty `name`");
    fault("<robot name='r'>\n<xacro:include filename='a'/></robot>", 2, "xacro is not expanded");
    fault(
        "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:x/></robot>",
        2,
        "xacro is not expanded",
    );
    fault("<robot name='r'>\n<link name='${prefix}a'/></robot>", 2, "xacro is not expanded");
    fault("<robot name='r'><gazebo:x/></robot>", 1, "the prefix `gazebo:` is not declared");
    fault("<robot name='r'/>", 1, "no `link`");
    for (text, part) in [
        ("", "no XML element"),
        ("<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>", "document type definition"),
    ] {
        let error = read_urdf(Path::new("r.urdf"), text).expect_err(part);
        assert!(error.place == "r.urdf" && error.problem.contains(part), "{error}");
    }
}

#[test]
fn names_are_unique_and_known() {
    assert_fault(read("<link name='a'/>\n<link name='a'/>"), 4, "link `a` stands on line 3 already");
    let pair = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>";
    assert_fault(two(&format!("{pair}\n{pair}")), 6, "joint `j` stands on line 5 already");
    assert_fault(two("<joint name='j' type='fixed'>\n<parent link='A'/><child link='b'/></joint>"), 6, "the link `A`");
    assert_fault(two("<joint name='j' type='fixed'><parent link='a'/></joint>"), 5, "`joint` has no `child`");
    assert_fault(two("<joint name='j' type='fixed'><parent link='a'/><child/></joint>"), 5, "`child` has no `link`");
    assert_fault(read("<link/>"), 3, "`link` has no `name`");
    let near = two("<joint name='j' type='fixed'><parent link='A'/><child link='b'/></joint>").expect_err("unknown");
    assert_eq!(near.remedy, "did you mean `a`?");
}

#[test]
fn joints_form_a_tree() {
    let joint = |name: &str, parent: &str, child: &str| {
        format!("<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>\n")
    };
    let parents = joint("i", "a", "b") + &joint("j", "c", "b");
    assert_fault(two(&format!("{parents}<link name='c'/>")), 6, "link `b` has two parents: joints `i` and `j`");
    assert_fault(two(&(joint("i", "a", "b") + &joint("j", "b", "a"))), 6, "joint `j` closes a loop");
    let apart = joint("i", "a", "b") + &joint("j", "b", "a") + "<link name='c'/>";
    assert_fault(two(&apart), 6, "closes a loop");
    assert_fault(two(&joint("i", "a", "a")), 5, "connects a link to itself");
    assert_fault(two("<link name='c'/>"), 4, "3 links have no parent, among them `a` and `b`");
    let mimic = |name: &str, child: &str, leads: &str| {
        let mimic = format!("<mimic joint='{leads}'/></joint>");
        joint(name, "a", child).replace("</joint>", &mimic)
    };
    assert_fault(two(&mimic("i", "b", "i")), 5, "joint `i` mimics itself");
    let circle = mimic("i", "b", "j") + &mimic("j", "c", "i") + "<link name='c'/>";
    assert_fault(two(&circle), 5, "joint `i` mimics `j`, which follows it in a circle");
}

#[test]
fn numbers_are_finite_and_counted() {
    let origin = |text: &str| collision(&format!("<origin {text}/><geometry><sphere radius='1'/></geometry>"));
    assert_fault(origin("xyz='1 2'"), 5, "`xyz` of `origin` has 2 numbers instead of 3 (`1 2`)");
    assert_fault(origin("xyz='1 2 3 4'"), 5, "has more than 3 numbers");
    assert_fault(origin("rpy='0 nan 0'"), 5, "`rpy` of `origin` is not finite (`nan`)");
    assert_fault(origin("rpy='0 1e999 0'"), 5, "is not finite");
    assert_fault(origin("xyz='0,0,0'"), 5, "is not a number (`0,0,0`)");
    assert_fault(origin("xzy='0 0 0'"), 5, "`origin` has no attribute `xzy`");
    assert_fault(origin("rpy='0 0 0' quat_xyzw='0 0 0 1'"), 5, "both `rpy` and `quat_xyzw`");
    assert_fault(origin("quat_xyzw='0 0 0 0'"), 5, "has length 0");
    assert_fault(origin("/><origin"), 5, "a second `origin`");
    assert_fault(joint("revolute", "<limit lower='inf' upper='1'/>"), 5, "not finite");
    assert_fault(joint("revolute", "<limit lower='2' upper='1'/>"), 5, "`lower` is 2, `upper` is 1");
    assert_fault(joint("revolute", "<axis xyz='0 0 0'/>"), 5, "the axis of joint `j` has length 0");
    assert_fault(joint("revolute", "<axis/>"), 5, "`axis` has no `xyz`");
    assert_fault(
        joint("continuous", "<mimic joint='j' multiplier='x'/>"),
        5,
        "`multiplier` of `mimic` is not a number",
    );
    assert_fault(joint("continuous", "<mimic joint='j' offset='nan'/>"), 5, "`offset` of `mimic` is not finite");
}

#[test]
fn joints_of_several_values_are_read_and_follow_none() {
    let robot = joint("floating", "<axis xyz='0 1 0'/>").expect("a robot");
    assert_eq!((robot.joints[0].kind, robot.joints[0].range), (JointKind::Floating, None));
    let robot = joint("planar", "<axis xyz='0 0 2'/><limit lower='0' upper='1'/>").expect("a robot");
    assert_eq!((robot.joints[0].kind, robot.joints[0].axis), (JointKind::Planar, [0.0, 0.0, 1.0]));
    assert!(texts(&robot).contains("`limit` of joint `j` is not read"), "{:?}", robot.notes);
    let robot = joint("planar", "").expect("a robot");
    assert!(texts(&robot).contains("joint `j` is planar across 1 0 0"), "{:?}", robot.notes);
    for kind in ["planar", "floating"] {
        assert_fault(joint(kind, "<mimic joint='j'/>"), 5, "`j` has several values");
    }
    assert_fault(joint("ball", ""), 5, "unknown type `ball`");
    assert_eq!(joint("Revolut", "").expect_err("a type").remedy, "did you mean `revolute`?");
}

#[test]
fn shapes_are_positive_and_complete() {
    assert_fault(shape("<box size='1 0 1'/>"), 5, "`size` of `box` is not positive (`0`)");
    assert_fault(shape("<sphere radius='-1'/>"), 5, "`radius` of `sphere` is not positive (`-1`)");
    assert_fault(shape("<cylinder radius='1'/>"), 5, "`cylinder` has no `length`");
    assert_fault(shape("<cylinder radius='1' lenght='1'/>"), 5, "no attribute `lenght`");
    assert_fault(shape("<mesh/>"), 5, "`mesh` has no `filename`");
    assert_fault(shape("<mesh filename='m' scale='1 1 0'/>"), 5, "has a factor of 0 (`1 1 0`)");
    assert_fault(shape("<plane/>"), 5, "the shape `plane` is not known");
    assert_fault(shape(""), 5, "`geometry` has no shape");
    assert_fault(shape("<sphere radius='1'/><sphere radius='1'/>"), 5, "a second shape");
    assert_fault(collision(""), 4, "`collision` has no `geometry`");
}

#[test]
fn hostile_texts_take_bounded_time() {
    let deep = format!("<robot name='r'>{}{}</robot>", "<a>".repeat(200_000), "</a>".repeat(200_000));
    assert_fault(read_urdf(Path::new("r.urdf"), &deep), 1, "no `link`");
    let wide: String = (0..6000).map(|i| format!(" a{i}='1'")).collect();
    assert_fault(read(&format!("<link{wide}/>")), 3, "more than 5000 attributes");
    let spaces: String = (0..2000).map(|i| format!("<a xmlns:a{i}='{i}'>")).collect();
    assert!(read(&spaces).expect_err("spaces").problem.contains("declarations of namespaces"));
    let chain: String = (0..20_000).map(|i| format!("<link name='l{i}'/>")).collect();
    let joints: String = (1..20_000)
        .map(|i| format!("<joint name='j{i}' type='fixed'><parent link='l{}'/><child link='l{i}'/></joint>", i - 1))
        .collect();
    assert_eq!(read(&(chain + &joints)).expect("a chain").joints.len(), 19_999);
}

/// Followers of fixed joints, direct, through others, and beside one that moves.
#[test]
fn what_follows_a_fixed_joint_stays_at_its_offset() {
    let links: String = ["a", "b", "c", "d", "e", "f"].map(|name| format!("<link name='{name}'/>")).concat();
    let joint = |name: &str, kind: &str, [parent, child]: [&str; 2], rest: &str| {
        let limit = if kind == "continuous" || kind == "fixed" { "" } else { "<limit lower='-9' upper='9'/>" };
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 1 0'/>\
             <axis xyz='0 0 1'/>{limit}{rest}</joint>"
        )
    };
    let text = [
        joint("second", "prismatic", ["c", "d"], "<mimic joint='first' multiplier='2' offset='0.5'/>"),
        joint("first", "continuous", ["b", "c"], "<mimic joint='still' multiplier='7' offset='0.25'/>"),
        joint("still", "fixed", ["a", "b"], ""),
        joint("free", "revolute", ["a", "e"], ""),
        joint("led", "revolute", ["a", "f"], "<mimic joint='free' multiplier='3'/>"),
    ]
    .concat();
    let robot = read_urdf(Path::new("r.urdf"), &format!("<robot name='r'>{links}{text}</robot>")).expect("a robot");
    let of = |name: &str| robot.joints.iter().find(|joint| joint.name == name).expect("a joint");
    for (name, position, orientation) in
        [("second", [0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]), ("first", [0.0, 1.0, 0.0], about([0.0, 0.0, 1.0], 0.25))]
    {
        let joint = of(name);
        assert_eq!((joint.kind, joint.mimic), (JointKind::Fixed, None), "{name}");
        assert_eq!(joint.place.position, position, "{name}");
        let off = (0..4).map(|k| (joint.place.orientation[k] - orientation[k]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-15, "{name}: {off}");
        assert!(robot.notes.iter().any(|note| note.text.starts_with(&format!("joint `{name}` follows `"))), "{name}");
    }
    assert_eq!(of("led").mimic, Some(Mimic { joint: 3, ratio: 3.0, offset: 0.0 }));
    assert_eq!(of("free").kind, JointKind::Revolute);
}
