use crate::rotation::{about, compose};
use crate::{CollisionShape, Joint, JointKind, Mimic, Place, Robot, read_mjcf};
use clearsweep_base::Error;
use std::path::Path;

fn read_with(text: &str, files: &[(&str, &str)]) -> Result<Robot, Error> {
    let mut include = |name: &str| {
        let found = files.iter().find(|(known, _)| *known == name);
        Ok(found.map(|(_, text)| (*text).to_owned()))
    };
    read_mjcf(Path::new("m.xml"), text, &mut include)
}

/// A model with radians, whose sections after line 1 are given.
fn read(sections: &str) -> Result<Robot, Error> {
    read_with(&format!("<mujoco model='m'><compiler angle='radian'/>\n{sections}\n</mujoco>"), &[])
}

/// A model with a world, which begins on line 2.
fn world(content: &str) -> Result<Robot, Error> {
    read(&format!("<worldbody>{content}</worldbody>"))
}

fn body(content: &str) -> Robot {
    world(&format!("<body name='b' pos='1 2 3'>{content}</body>")).unwrap_or_else(|error| panic!("{content}: {error}"))
}

#[track_caller]
fn assert_fault(result: Result<Robot, Error>, line: usize, part: &str) {
    let error = result.expect_err(part);
    assert_eq!(error.place, format!("m.xml:{line}"), "{error}");
    assert!(error.problem.contains(part) && !error.remedy.is_empty(), "{part}: {error}");
}

#[track_caller]
fn assert_noted(robot: &Robot, part: &str) {
    assert!(robot.notes.iter().any(|note| note.text.contains(part)), "{part} is not in {:?}", robot.notes);
}

fn assert_near<const N: usize>(a: [f64; N], b: [f64; N]) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} is not {b:?}");
}

/// Names of parent and child, and position of a joint.
fn ends<'r>(robot: &'r Robot, joint: &Joint) -> (&'r str, &'r str, [f64; 3]) {
    (&robot.links[joint.parent].name, &robot.links[joint.child].name, joint.place.position)
}

#[test]
fn a_size_of_fewer_numbers_keeps_the_others_of_its_class() {
    let model = |geom: &str| {
        let thin = "<default class='thin'><geom size='0.1'/></default>";
        let classes = format!("<default class='bar'><geom type='capsule' size='0.3 0.5'/>{thin}</default>");
        read(&format!("<default>{classes}</default><worldbody><body><geom {geom}/></body></worldbody>"))
    };
    let capsule = |radius, length| Some(CollisionShape::Capsule { radius, length });
    for (geom, shape) in [
        ("class='thin'", capsule(0.1, 1.0)),
        ("class='thin' size='0.2'", capsule(0.2, 1.0)),
        ("class='bar' size='0.2 2'", capsule(0.2, 4.0)),
        ("type='capsule' size='0.2'", None),
        ("class='thin' type='box'", None),
    ] {
        let found = model(geom).ok().map(|robot| robot.links[1].collisions[0].shape.clone());
        assert_eq!(found, shape, "{geom}");
    }
    assert_fault(model("type='capsule' size='0.2'"), 2, "`size` of `geom` has 1 numbers instead of 2");
}

#[test]
fn geoms_have_full_sizes() {
    let shape = |text: &str| body(&format!("<geom {text}/>")).links[1].collisions[0].clone();
    assert_eq!(shape("size='.5'").shape, CollisionShape::Sphere { radius: 0.5 });
    assert_eq!(shape("type='box' size='1 2 3'").shape, CollisionShape::Box { sides: [2.0, 4.0, 6.0] });
    let (radius, length) = (0.5, 2.0);
    assert_eq!(shape("type='cylinder' size='.5 1 9'").shape, CollisionShape::Cylinder { radius, length });
    assert_eq!(shape("type='capsule' size='.5 1'").shape, CollisionShape::Capsule { radius, length });
    let half_axes = [1.0, 2.0, 3.0];
    assert_eq!(shape("type='ellipsoid' size='1 2 3'").shape, CollisionShape::Ellipsoid { half_axes });
    let found = shape("type='capsule' size='.5' fromto='0 0 1 2 0 1' name='g'");
    assert_eq!(found.shape, CollisionShape::Capsule { radius, length });
    assert_eq!((found.place.position, found.name.as_deref()), ([1.0, 0.0, 1.0], Some("g")));
    let rooted = std::f64::consts::FRAC_1_SQRT_2;
    assert_near(found.place.orientation, [rooted, 0.0, -rooted, 0.0]);
}

#[test]
fn meshes_are_assets_in_their_folder() {
    let model = |geom: &str| {
        read(&format!(
            "<compiler meshdir='../m/'/><asset><mesh file='a.stl'/><mesh name='n' file='/x/b.obj' scale='1 -1 .1'/>\
             </asset><worldbody><geom {geom}/></worldbody>"
        ))
    };
    let shape = |geom: &str| model(geom).expect(geom).links[0].collisions[0].shape.clone();
    assert_eq!(shape("type='mesh' mesh='a'"), CollisionShape::Mesh { file: "../m/a.stl".into(), scale: [1.0; 3] });
    assert_eq!(
        shape("type='mesh' mesh='n'"),
        CollisionShape::Mesh { file: "/x/b.obj".into(), scale: [1.0, -1.0, 0.1] }
    );
    assert_noted(&model("type='mesh' mesh='a'").expect("a model"), "convex hulls");
    assert_fault(model("type='mesh' mesh='A'"), 2, "the mesh `A` does not exist");
    assert_fault(model("type='box' mesh='a'"), 2, "fitted to a mesh");
    assert_fault(model("type='mesh'"), 2, "has no `mesh`");
    assert_fault(read("<asset><mesh name='a' vertex='0 0 0'/></asset>"), 2, "a mesh without `file`");
    assert_fault(read("<asset><mesh file='a' refpos='0 0 0'/></asset>"), 2, "`refpos`");
}

#[test]
fn orientations_have_five_forms() {
    let of = |text: &str| body(&format!("<geom size='1' {text}/>")).links[1].collisions[0].place.orientation;
    let rooted = std::f64::consts::FRAC_1_SQRT_2;
    let about_z = [rooted, 0.0, 0.0, rooted];
    assert_near(of("quat='1 0 0 1'"), about_z);
    assert_near(of("axisangle='0 0 3 1.5707963267948966'"), about_z);
    assert_near(of("xyaxes='0 2 0 -1 1 0'"), about_z);
    assert_near(of("zaxis='0 -1 0'"), [rooted, rooted, 0.0, 0.0]);
    assert_near(of("euler='0 0 1.5707963267948966'"), about_z);
    let euler = |sequence: &str| {
        let text = format!(
            "<compiler eulerseq='{sequence}' angle='degree'/><worldbody><geom size='1' euler='90 0 90'/></worldbody>"
        );
        read(&text).expect("a model").links[0].collisions[0].place.orientation
    };
    assert_near(euler("xyz"), [0.5, 0.5, -0.5, 0.5]);
    assert_near(euler("XYZ"), [0.5; 4]);
    assert_near(euler("zyx"), [0.5; 4]);
    assert_fault(world("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"), 2, "both `quat` and `euler`");
    assert_fault(world("<geom size='1' xyaxes='1 0 0 2 0 0'/>"), 2, "no direction");
}

#[test]
fn joints_of_a_body_become_a_chain() {
    let robot =
        body("<joint name='x' type='slide' axis='1 0 0'/><joint name='h' pos='0 1 0' axis='0 0 2' range='-1 2'/>");
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "b/x", "b/h", "b"]);
    let [slide, hinge, fixed] = &robot.joints[..] else { panic!("{:?}", robot.joints) };
    assert_eq!(ends(&robot, slide), ("world", "b/x", [1.0, 2.0, 3.0]));
    assert_eq!((slide.kind, slide.axis, slide.range), (JointKind::Prismatic, [1.0, 0.0, 0.0], None));
    assert_eq!(ends(&robot, hinge), ("b/x", "b/h", [0.0, 1.0, 0.0]));
    assert_eq!((hinge.kind, hinge.axis, hinge.range), (JointKind::Revolute, [0.0, 0.0, 1.0], Some([-1.0, 2.0])));
    assert_eq!((ends(&robot, fixed), fixed.kind), (("b/h", "b", [0.0, -1.0, 0.0]), JointKind::Fixed));
    let robot = body("<joint/>");
    assert_eq!((robot.joints[0].name.as_str(), robot.joints[0].kind), ("b/joint1", JointKind::Continuous));
    assert_eq!(ends(&robot, &robot.joints[0]), ("world", "b", [1.0, 2.0, 3.0]));
    assert_eq!(body("").joints[0].kind, JointKind::Fixed);
}

#[test]
fn the_pose_of_the_file_is_that_at_the_reference() {
    let robot = body("<joint type='slide' axis='0 0 1' ref='0.5'/>");
    assert_eq!(robot.joints[0].place.position, [1.0, 2.0, 2.5]);
    let robot = body("<joint axis='0 0 1' ref='1.5707963267948966'/>");
    let rooted = std::f64::consts::FRAC_1_SQRT_2;
    assert_near(robot.joints[0].place.orientation, [rooted, 0.0, 0.0, -rooted]);
}

/// A model with each convention that can go wrong: several joints with anchors, references, frames,
/// `fromto`.
const KINEMATICS: &str = "<mujoco>
 <compiler eulerseq='zyX'/>
 <default><geom type='capsule' size='0.1 0.2'/><default class='c'><joint axis='1 2 3'/><geom type='box' size='0.1 0.2 0.3'/></default></default>
 <worldbody>
  <body name='a' pos='1 2 3' euler='10 20 30' childclass='c'>
   <joint name='j1' pos='0.1 0.2 0.3'/>
   <joint name='j2' type='slide' axis='0 1 1' ref='0.2' pos='0.4 0 0'/>
   <joint name='j3' axis='0 0 1' ref='30' pos='0 0.5 0' range='-50 100'/>
   <geom name='g1' pos='0.3 0 0' axisangle='1 1 0 40'/>
   <frame pos='0.1 0.5 0' zaxis='1 1 -1'><geom name='g2' class='main' fromto='0 0 0 0.3 0.5 -0.2' size='0.05'/>
    <body name='b' pos='0 0 1' xyaxes='1 1 0 0 1 1'><joint name='j4' axis='0 1 0.5' pos='0 0 0'/><geom name='g3' type='box' size='0.05' fromto='0.1 0.2 0 0.3 0.5 -0.2'/>
      <body name='c' quat='1 2 3 4'><geom name='g4' type='ellipsoid' fromto='0.1 0 0 -0.3 0.5 -0.2' size='0.05'/></body></body>
   </frame>
  </body>
 </worldbody>
</mujoco>";

#[test]
fn poses_are_those_of_mujoco() {
    let robot = read_with(KINEMATICS, &[]).expect("a model");
    let mut places = vec![Place::IDENTITY; robot.links.len()];
    for joint in &robot.joints {
        let value = joint.name.strip_prefix('j').map_or(0.0, |n| 0.3 * n.parse::<f64>().expect("a number") + 0.05);
        let moved = match joint.kind {
            JointKind::Prismatic => Place { position: joint.axis.map(|x| value * x), ..Place::IDENTITY },
            _ => Place { position: [0.0; 3], orientation: about(joint.axis, value) },
        };
        places[joint.child] = compose(&places[joint.parent], &compose(&joint.place, &moved));
    }
    // Computed by MuJoCo 4.0.0 (`mj_kinematics`): a point of each geom in the world.
    let expected = [
        ("g1", [1.597260113206, 2.611549361851, 3.703870372497]),
        ("g2", [0.780544987954, 2.684170773198, 3.704660241419]),
        ("g3", [0.301115572829, 3.676008169966, 3.663860661027]),
        ("g4", [0.471035107024, 3.681366229338, 3.594294416408]),
    ];
    let geoms =
        robot.links.iter().zip(&places).flat_map(|(link, place)| link.collisions.iter().map(move |c| (c, place)));
    for ((name, point), (collision, place)) in expected.into_iter().zip(geoms) {
        assert_eq!(collision.name.as_deref(), Some(name));
        let inner = Place { position: [0.1, 0.2, 0.3], ..Place::IDENTITY };
        assert_near(compose(place, &compose(&collision.place, &inner)).position, point);
    }
}

#[test]
fn ranges_follow_units_and_limits() {
    let range = |compiler: &str, joint: &str| {
        let text = format!("<compiler {compiler}/><worldbody><body><joint {joint}/></body></worldbody>");
        read(&text).expect("a model").joints[0].range
    };
    assert_eq!(range("angle='degree'", "range='-180 180'"), Some([-std::f64::consts::PI, std::f64::consts::PI]));
    assert_eq!(range("angle='degree'", "type='slide' range='-180 180'"), Some([-180.0, 180.0]));
    assert_eq!(range("autolimits='false'", "range='-1 1'"), None);
    assert_eq!(range("autolimits='false'", "range='-1 1' limited='true'"), Some([-1.0, 1.0]));
    assert_eq!(range("", "range='-1 1' limited='false'"), None);
    assert_fault(world("<body><joint limited='true'/></body>"), 2, "is limited, but has no `range`");
    assert_fault(world("<body><joint range='2 1'/></body>"), 2, "is empty: 2 to 1");
}

#[test]
fn classes_inherit_and_are_overridden() {
    let robot = read(
        "<default><geom type='box' size='1 1 1'/><default class='c'><geom contype='0'/><joint axis='1 0 0'/>\
         <default class='d'><geom size='2 2 2' conaffinity='0'/></default></default></default>\
         <worldbody><geom/><body childclass='c'><joint/><geom/><geom class='d'/><geom class='d' contype='1'/>\
         <body><geom class='main' size='3 3 3'/></body></body></worldbody>",
    )
    .expect("a model");
    let sides = robot.links.iter().flat_map(|link| &link.collisions).map(|c| match c.shape {
        CollisionShape::Box { sides } => sides[0],
        _ => 0.0,
    });
    assert_eq!(sides.collect::<Vec<_>>(), [2.0, 2.0, 4.0, 6.0], "one geom of `d` is only seen");
    assert_eq!(robot.joints[0].axis, [1.0, 0.0, 0.0]);
    assert_noted(&robot, "is only seen");
    assert_noted(&robot, "are not read as rules");
    assert_fault(world("<geom class='x' size='1'/>"), 2, "the class `x` of `geom` does not exist");
    assert_fault(read("<default><default class='c'/><default class='c'/></default>"), 2, "a second class `c`");
}

#[test]
fn frames_move_their_contents() {
    let robot = body(
        "<frame pos='0 0 1' euler='0 0 1.5707963267948966'><geom size='1' pos='1 0 0'/><body name='c' pos='1 0 0'/></frame>",
    );
    assert_near(robot.links[1].collisions[0].place.position, [0.0, 1.0, 1.0]);
    assert_near(robot.joints[1].place.position, [0.0, 1.0, 1.0]);
}

#[test]
fn free_bodies_are_roots() {
    let robot = world(
        "<body name='a'><freejoint/></body><body name='b' mocap='true'/><body name='c'><joint type='free'/></body>",
    );
    let robot = robot.expect("a model");
    assert_eq!((robot.links.len(), robot.joints.len()), (4, 0));
    let free: Vec<Option<&str>> = robot.links.iter().map(|link| link.free.as_deref()).collect();
    assert_eq!(free, [None, Some("a"), Some("b"), Some("c")]);
    let named = world("<body name='a'><freejoint name='f'/></body>").expect("a model");
    assert_eq!(named.links[1].free.as_deref(), Some("f"));
    assert_fault(world("<body><body name='a'><freejoint/></body></body>"), 2, "is within another body");
    assert_fault(world("<body name='a'><joint type='free'/><joint/></body>"), 2, "has further joints");
    assert_fault(world("<body><joint name='j' type='ball'/></body>"), 2, "joint `j` is `ball`");
}

#[test]
fn bodies_that_nothing_moves_stand_where_the_file_puts_them() {
    let robot = world(
        "<frame pos='0 0 1' euler='0 0 1.5707963267948966'><body name='a' pos='2 0 0'><freejoint/><body name='c' pos='1 0 0'/></body></frame>\
         <body name='b' mocap='true' pos='3 4 5'/><body name='d' pos='6 0 0'/>",
    );
    let robot = robot.expect("a model");
    let place = |name: &str| robot.links.iter().find(|link| link.name == name).expect("a link").place;
    assert_near(place("a").position, [0.0, 2.0, 1.0]);
    assert_near(place("a").orientation, about([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2));
    assert_near(place("b").position, [3.0, 4.0, 5.0]);
    // Joints place all others.
    for name in ["world", "c", "d"] {
        assert_eq!(place(name), Place::IDENTITY, "{name}");
    }
    assert_near(
        robot.joints.iter().find(|joint| joint.name == "c/fixed").expect("a joint").place.position,
        [1.0, 0.0, 0.0],
    );
}

#[test]
fn contacts_and_couplings_are_read() {
    let bodies = "<worldbody><body name='a'><joint name='i' ref='1'/><body name='b'><joint name='j' ref='2'/></body></body></worldbody>";
    let with = |sections: &str| read(&format!("{bodies}\n{sections}"));
    let robot = with("<contact><exclude name='n' body1='a' body2='world'/><pair/></contact>").expect("a model");
    let pair = &robot.excluded[0];
    assert_eq!((pair.a.as_str(), pair.b.as_str(), pair.reason.as_deref(), pair.line), ("a", "world", Some("n"), 3));
    assert_noted(&robot, "`pair` in `contact` is not read");
    let robot = with("<equality><joint joint1='j' joint2='i' polycoef='0.5 -2'/><weld/></equality>").expect("a model");
    assert_eq!(robot.joints[1].mimic, Some(Mimic { joint: 0, ratio: -2.0, offset: 4.5 }));
    assert_noted(&robot, "`weld` in `equality` is not read");
    assert_noted(&with("<equality><joint joint1='i'/></equality>").expect("a model"), "held at a value");
    let bent = "<equality><joint joint1='i' joint2='j' polycoef='0 1 2'/></equality>";
    assert_noted(&with(bent).expect("a model"), "not linear");
    let idle = "<equality><joint joint1='i' joint2='j' active='false'/></equality>";
    assert_noted(&with(idle).expect("a model"), "not active");
    assert_fault(with("<contact><exclude body1='a' body2='c'/></contact>"), 3, "the body `c`");
    assert_fault(with("<equality><joint joint1='i' joint2='k'/></equality>"), 3, "the joint `k`");
    let twice = "<joint joint1='i' joint2='j'/>";
    assert_fault(with(&format!("<equality>{twice}{twice}</equality>")), 3, "coupled twice");
    let circle = "<joint joint1='i' joint2='j'/><joint joint1='j' joint2='i'/>";
    assert_fault(with(&format!("<equality>{circle}</equality>")), 2, "in a circle");
}

#[test]
fn included_files_stand_in_their_place() {
    let main = "<mujoco><worldbody>\n<include file='p/a.xml'/><body name='z'/></worldbody></mujoco>";
    let inner = ("p/a.xml", "<mujocoinclude>\n<body name='a'><include file='b.xml'/></body></mujocoinclude>");
    let robot = read_with(main, &[inner, ("b.xml", "<x><geom size='1'/><geom contype='0' conaffinity='0'/></x>")]);
    let robot = robot.expect("a model");
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        (names, robot.links[1].line.to_string(), robot.links[1].collisions.len()),
        (vec!["world", "a", "z"], "p/a.xml:2".to_owned(), 1)
    );
    assert_noted(&robot, "(b.xml)");
    let error = read_with(main, &[inner, ("b.xml", "<x>\n<geom size='x'/></x>")]).expect_err("a fault");
    assert_eq!(error.place, "b.xml:2");
    let error = read_with(main, &[inner, ("b.xml", "<x><include file='p/a.xml'/></x>")]).expect_err("a circle");
    assert!(error.problem.contains("`p/a.xml` is included twice"), "{error}");
    let error = read_with(main, &[]).expect_err("missing");
    assert_eq!((&*error.place, &*error.problem), ("m.xml:2", "the included file `p/a.xml` does not exist"));
}

#[test]
fn included_files_are_sought_beside_the_main_file_and_the_includer() {
    let main = "<mujoco><worldbody><include file='p/a.xml'/></worldbody></mujoco>";
    let body = |name: &str| format!("<x><body name='{name}'/></x>");
    let (near, far) = (body("near"), body("far"));
    let inner = ("p/a.xml", "<x><include file='b.xml'/></x>");
    let name = |files: &[(&str, &str)]| read_with(main, files).expect("a model").links[1].name.clone();
    assert_eq!(name(&[inner, ("p/b.xml", &near)]), "near");
    assert_eq!(name(&[inner, ("p/b.xml", &near), ("b.xml", &far)]), "far");
    assert_eq!(read_with(main, &[inner]).expect_err("missing").place, "p/a.xml:1");
    let circle = read_with(main, &[("p/a.xml", "<x><include file='a.xml'/></x>")]).expect_err("a circle");
    assert!(circle.problem.contains("`p/a.xml` is included twice"), "{circle}");
}

#[test]
fn faults_that_are_found_late_name_the_included_file() {
    let main = "<mujoco><worldbody>\n<include file='a.xml'/>\n<body name='z'/></worldbody></mujoco>";
    let twice = read_with(main, &[("a.xml", "<x>\n\n<body name='z'/></x>")]).expect_err("a name");
    assert_eq!((&*twice.place, &*twice.problem), ("m.xml:3", "body `z` stands in a.xml:3 already"));
    let inner = "<x>\n<body name='b'>\n<joint name='j'/><geom type='mesh' mesh='c'/></body></x>";
    let main = "<mujoco><asset><mesh file='c.stl'/></asset><worldbody><include file='a.xml'/></worldbody>\n\n\n\n\
                <equality><joint joint1='j' joint2='j'/></equality></mujoco>";
    assert_eq!(read_with(main, &[("a.xml", inner)]).expect_err("a circle").place, "a.xml:3");
    let robot = read_with(&main.replace("equality", "x"), &[("a.xml", inner)]).expect("a model");
    assert_eq!(robot.links[1].collisions[0].line.to_string(), "a.xml:3");
}

#[test]
fn faults_name_their_line() {
    assert_fault(world("<body name='a'/>\n<body name='a'/>"), 3, "body `a` stands on line 2 already");
    assert_fault(world("<body name='world'/>"), 2, "`world`");
    assert_fault(world("<geom type='box' size='1 2'/>"), 2, "`size`");
    assert_fault(world("<geom size='0'/>"), 2, "not positive (`0`)");
    assert_fault(world("<geom/>"), 2, "no `size`");
    assert_fault(world("<geom type='cube' size='1'/>"), 2, "`cube` is not known");
    assert_fault(world("<geom size='1' typ='box'/>"), 2, "no attribute `typ`");
    assert_fault(world("<joint/>"), 2, "the world has a joint");
    assert_fault(world("<body><joint axis='0 0 0'/></body>"), 2, "has length 0");
    assert_fault(world("<replicate count='3'/>"), 2, "makes further bodies");
    assert_fault(read("<compiler coordinate='global'/>"), 2, "not local");
    assert_fault(read("<compiler angle='grad'/>"), 2, "`grad`");
    assert_fault(read_with("<robot/>", &[]), 1, "`robot`, not `mujoco`");
    assert_noted(&world("<geom type='plane' size='1 1 1'/>").expect("a model"), "`plane` is not read");
    assert_noted(&world("<geom size='1' margin='.1'/>").expect("a model"), "`margin`");
    assert_noted(&world("<thing/>").expect("a model"), "`thing` in `worldbody` is not read");
}

#[test]
fn deep_models_take_bounded_time_and_stack() {
    let deep = format!("{}{}", "<body>".repeat(100_000), "</body>".repeat(100_000));
    assert_eq!(world(&deep).expect("a model").links.len(), 100_001);
    let deep = format!("<default>{}{}</default>", "<default class='c'>".repeat(1000), "</default>".repeat(1000));
    read(&deep).expect_err("classes of one name");
}
