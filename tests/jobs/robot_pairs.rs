//! Robots and joints: which pairs are checked, and what the program says of values that look wrong.

use super::program::expect;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with a scene, and a robot description beside it.
fn scene(query: &str, rest: &str, files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let text = format!("[scene]\nlength_unit = \"m\"\n{query}\n{rest}");
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("written");
    }
    dir
}

/// The warnings of a run, which are those of a check.
fn warnings(dir: &Path, code: i32) -> String {
    let (_, run) = expect(dir, "run scene.toml --out o --force", code);
    let (text, check) = expect(dir, "check scene.toml", 0);
    for line in run.lines().filter(|line| line.starts_with("warning:")) {
        assert!(text.contains(line) || check.contains(line), "`check` does not say: {line}");
    }
    run
}

/// A robot of a base and an arm of one metre along x, which turns about z.
fn urdf(kind: &str, limit: &str, arm: &str) -> String {
    let base = "<link name='base'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>";
    let place = "<origin xyz='0.55 0 0'/><geometry><box size='0.9 0.02 0.02'/></geometry>";
    let joint = format!("<parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>{limit}");
    let arm = format!("<link name='arm'><{arm}>{place}</{arm}></link>");
    format!("<robot name='r'>{base}{arm}<joint name='j' type='{kind}'>{joint}</joint></robot>")
}

const ROBOT: &str = "[[robot]]\nurdf = \"r.urdf\"\nname = \"r\"\n";
const POST: &str = "[[body]]\nname = \"post\"\nshape = { sphere = 0.01 }\nposition = [-0.9, 0, 0]\nstatic = true\n";
const LIMIT: &str = "<limit lower='-1' upper='1'/>";

#[test]
fn joints_that_move_no_body_are_one_clear_error() {
    for moved in ["[[sweep]]\njoints = [\"j\"]\n", "[posture]\nj = \"0rad\"\n"] {
        let rest = format!("{ROBOT}{POST}{moved}");
        let dir =
            scene("[query]\nwithin = 0.1\nrequire = 0.01", &rest, &[("r.urdf", &urdf("revolute", LIMIT, "visual"))]);
        for command in ["run scene.toml --out o", "check scene.toml"] {
            let (_, told) = expect(dir.path(), command, 1);
            assert!(told.contains("the joints move no body") && told.contains("collision geometry"), "{told}");
        }
        assert!(!dir.path().join("o").exists());
    }
}

#[test]
fn an_angle_that_was_wrapped_is_told_and_one_that_was_not_is_not() {
    let query = "joints = \"v.csv\"\n[query]\nwithin = 0.05\nrequire = 0.001";
    let rest = format!("{ROBOT}{POST}[motion]\nbetween = \"joint\"\n");
    let robot = urdf("continuous", "", "collision");
    let wrapped = scene(query, &rest, &[("r.urdf", &robot), ("v.csv", "frame,j\n0,3.0\n1,3.1\n2,-3.1\n3,-3.0\n")]);
    let told = warnings(wrapped.path(), 0);
    assert!(
        told.contains("the joint `r/j` turns by 355 degrees, from 3.1 to -3.1 rad, between the frames 1 and 2"),
        "{told}"
    );
    let tau = std::f64::consts::TAU;
    let values = format!("frame,j\n0,3.0\n1,3.1\n2,{}\n3,{}\n", tau - 3.1, tau - 3.0);
    let unwrapped = scene(query, &rest, &[("r.urdf", &robot), ("v.csv", &values)]);
    let told = warnings(unwrapped.path(), 3);
    assert!(!told.contains("turns by"), "{told}");
    // The short way, if it is asked for, is that of the values that go on.
    let short = rest.replace("\"joint\"\n", "\"joint\"\nwrap = \"shortest\"\n");
    let short = scene(
        query,
        &short,
        &[("r.urdf", &robot), ("v.csv", "frame,j\n0,3.0\n1,3.1\n2,-3.1\n3,-3.0\n4,97.5\n5,97.4\n")],
    );
    let told = warnings(short.path(), 3);
    assert!(!told.contains("turns by"), "{told}");
    let least = |dir: &TempDir| {
        let (text, _) = expect(dir.path(), "summary o --json", 0);
        let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(found["intervals"]["pairs_violated"], 1, "{text}");
        ["lower_m", "upper_m"].map(|end| found["intervals"]["least"][end].as_f64().expect("a length"))
    };
    for (short, long) in least(&short).into_iter().zip(least(&unwrapped)) {
        assert!((short - long).abs() < 1e-4, "{short} and {long}");
    }
    // Another run begins anew.
    let runs = "run,frame,j\n0,0,3.1\n0,1,3.1\n1,0,-3.1\n1,1,-3.1\n";
    let runs = scene(query, &rest, &[("r.urdf", &robot), ("v.csv", runs)]);
    assert!(!warnings(runs.path(), 0).contains("turns by"));
}

#[test]
fn a_sweep_over_a_range_of_one_value_is_told() {
    let rest = format!("{ROBOT}{POST}[[sweep]]\njoints = [\"j\"]\n");
    let robot = |limit: &str| urdf("revolute", limit, "collision");
    let still = scene("[query]\nwithin = 0.05", &rest, &[("r.urdf", &robot("<limit lower='0' upper='0'/>"))]);
    let told = warnings(still.path(), 0);
    assert!(told.contains("the joint `r/j` is swept over a range of one value: it does not move"), "{told}");
    let moving = scene("[query]\nwithin = 0.05", &rest, &[("r.urdf", &robot(LIMIT))]);
    assert!(!warnings(moving.path(), 0).contains("range of one value"));
}

#[test]
fn a_continuous_joint_of_a_robot_is_swept_by_a_whole_turn() {
    let sweep = format!("{ROBOT}{POST}[[sweep]]\njoints = [\"j\"]\n");
    let all = format!("{ROBOT}{POST}[[sweep]]\n");
    for rest in [sweep, all] {
        let dir =
            scene("[query]\nwithin = 0.1\nrequire = 0", &rest, &[("r.urdf", &urdf("continuous", "", "collision"))]);
        // The post stands opposite of the arm.
        expect(dir.path(), "run scene.toml --out o", 3);
        let (text, _) = expect(dir.path(), "export o --csv --table samples --to -", 0);
        let values: Vec<f64> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse().ok()).collect();
        let pi = std::f64::consts::PI;
        assert_eq!((values[0], values[values.len() - 1]), (-pi, pi));
    }
}

#[test]
fn limits_beyond_all_values_are_none_and_told() {
    let robot = urdf("revolute", "<limit lower='-1e16' upper='1e16'/>", "collision");
    let rest = format!("{ROBOT}{POST}[posture]\nj = \"170deg\"\n");
    let dir = scene("[query]\nwithin = 0.1\nrequire = 0", &rest, &[("r.urdf", &robot)]);
    let told = warnings(dir.path(), 0);
    assert!(told.contains("-10000000000000000 to 10000000000000000 rad, are beyond all values"), "{told}");
    let rest = format!("{ROBOT}{POST}[[sweep]]\njoints = [\"j\"]\n");
    let dir = scene("[query]\nwithin = 0.1", &rest, &[("r.urdf", &robot)]);
    let (_, told) = expect(dir.path(), "check scene.toml", 1);
    assert!(told.contains("has no range"), "{told}");
}

/// A thigh, a shank below the knee, and a foot that is welded to the shank: bent far, the foot
/// meets the thigh.
#[test]
fn what_is_welded_to_a_neighbour_is_checked() {
    let link = |name: &str, place: &str, size: &str| {
        format!(
            "<link name='{name}'><collision><origin xyz='{place}'/><geometry><box size='{size}'/></geometry></collision></link>"
        )
    };
    let joint = |kind: &str, [parent, child]: [&str; 2], place: &str| {
        let ends =
            format!("<parent link='{parent}'/><child link='{child}'/><origin xyz='{place}'/><axis xyz='0 1 0'/>");
        format!("<joint name='{child}-joint' type='{kind}'>{ends}<limit lower='0' upper='3'/></joint>")
    };
    let robot = [
        link("thigh", "0 0 0.2", "0.08 0.08 0.4"),
        link("shank", "0 0 -0.2", "0.06 0.06 0.4"),
        link("foot", "0.1 0 0", "0.25 0.08 0.04"),
        joint("revolute", ["thigh", "shank"], "0 0 0"),
        joint("fixed", ["shank", "foot"], "0 0 -0.4"),
    ];
    let robot = format!("<robot name='r'>{}</robot>", robot.concat());
    let srdf = |rules: &str| format!("<robot name='r'>{rules}</robot>");
    let [disabled, enabled] =
        ["disable", "enable"].map(|word| format!("<{word}_collisions link1='foot' link2='thigh'/>"));
    let knee = "<enable_collisions link1='shank' link2='thigh'/>";
    for (rules, code, pairs) in [("", 3, 1), (&*enabled, 3, 1), (&*disabled, 2, 0), (knee, 3, 2)] {
        let rest = format!("{ROBOT}srdf = \"r.srdf\"\n[[sweep]]\n");
        let dir = scene("[query]\nwithin = 0.1\nrequire = 0", &rest, &[("r.urdf", &robot), ("r.srdf", &srdf(rules))]);
        expect(dir.path(), "run scene.toml --out o", code);
        let (text, _) = expect(dir.path(), "check scene.toml --json", 0);
        let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let [possible, ignored] = ["pairs_possible", "pairs_ignored"].map(|key| found[key].as_u64().expect("a count"));
        assert_eq!(possible - ignored, pairs, "{rules}: {text}");
    }
}

#[test]
fn nothing_is_said_of_quaternions_and_single_precision_where_there_are_none() {
    let bodies = "[[body]]\nname = \"arm\"\nshape = { box = [0.9, 0.1, 0.1] }\nposition = [0.5, 0, 0]\n";
    let joint =
        "[[joint]]\nname = \"h\"\ntype = \"continuous\"\nchild = \"arm\"\norigin = [0, 0, 0]\naxis = [0, 0, 1]\n";
    for (steps, require) in [(1, "0.1"), (2, "0.1"), (3, "0"), (40, "0")] {
        let query = format!("[query]\nwithin = 2\nrequire = {require}");
        let rest = format!("{bodies}{POST}{joint}[[sweep]]\njoints = [\"h\"]\nsteps = {steps}\n");
        let dir = scene(&query, &rest, &[]);
        let (text, told) = expect(dir.path(), "check scene.toml", 0);
        let told = text + &told;
        assert!(!told.contains("quaternion") && !told.contains("qw") && !told.contains("precision"), "{steps}: {told}");
        // Whole turns are one step of the sweep: the way is told, since nothing else says that it
        // is taken.
        assert_eq!(told.contains("turns by 360 degrees"), steps == 1, "{steps}: {told}");
    }
}

#[test]
fn an_srdf_of_another_robot_is_told_and_its_rules_hold() {
    let srdf = "<robot name='other'><disable_collisions link1='base' link2='arm' reason='Never'/>\
        <disable_collisions link1='base' link2='gripper' reason='Never'/></robot>";
    let rest =
        "[[robot]]\nurdf = \"r.urdf\"\nsrdf = \"r.srdf\"\nname = \"r\"\nadjacent = false\n[posture]\nj = \"0rad\"\n";
    let dir =
        scene("[query]\nwithin = 0.5", rest, &[("r.urdf", &urdf("revolute", LIMIT, "collision")), ("r.srdf", srdf)]);
    let told = warnings(dir.path(), 0);
    assert!(told.contains("the SRDF file is of the robot `other`, the URDF file of `r`"), "{told}");
    assert!(told.contains("the robot has no link `gripper`"), "{told}");
    let (text, _) = expect(dir.path(), "summary o", 0);
    assert!(text.contains("1 possible, 1 of them ignored"), "{text}");
}

/// The range begins below the table: the carriage comes up to it from there.
#[test]
fn a_body_that_hangs_from_the_world_is_checked_against_it() {
    let table = "<geom type='box' size='1 1 0.1' pos='0 0 -0.1'/>";
    let carriage = "<body name='carriage' pos='0 0 1'><joint name='z' type='slide' axis='0 0 1' range='-2 0'/>\
        <geom type='box' size='0.1 0.1 0.1'/></body>";
    let model = format!("<mujoco model='r'><worldbody>{table}{carriage}</worldbody></mujoco>");
    let rest = "[[robot]]\nmjcf = \"r.xml\"\nname = \"r\"\n[[sweep]]\njoints = [\"z\"]\n";
    let dir = scene("[query]\nwithin = 0.5\nrequire = 0.01", rest, &[("r.xml", &model)]);
    let (text, _) = expect(dir.path(), "run scene.toml --out o", 3);
    assert!(text.contains("first contact: r/world and r/carriage") && text.contains("r/z from -1.3"), "{text}");
}

/// A COLLADA file that is y up, as it is, mirrored, and scaled unevenly: the same is told of all.
#[test]
fn notes_of_a_mesh_are_told_however_it_is_scaled() {
    let positions = "0 0 0 1 0 0 0 1 0 0 0 1";
    let dae = format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\
        <asset><unit meter='1'/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>\
        <source id='p'><float_array id='a' count='12'>{positions}</float_array><technique_common>\
        <accessor source='#a' count='4' stride='3'><param name='X' type='float'/><param name='Y' type='float'/>\
        <param name='Z' type='float'/></accessor></technique_common></source>\
        <vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\
        <triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>\
        </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node>\
        <instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>\
        <scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    );
    for scale in ["1 1 1", "2 2 2", "1 -1 1", "1 2 3"] {
        let mesh = format!("<collision><geometry><mesh filename='m.dae' scale='{scale}'/></geometry></collision>");
        let joint = "<joint name='j' type='fixed'><parent link='base'/><child link='more'/></joint>";
        let robot =
            format!("<robot name='r'><link name='base'>{mesh}</link><link name='more'>{mesh}</link>{joint}</robot>");
        let dir = scene("[query]\nwithin = 1\nstatic_pairs = true", ROBOT, &[("r.urdf", &robot), ("m.dae", &dae)]);
        let told = warnings(dir.path(), 0);
        assert_eq!(told.matches("`up_axis` is not Z_UP").count(), 1, "{scale}: {told}");
    }
}

/// A follower whose whole turns are none of its leader, and a word for what no joint moves.
#[test]
fn joints_that_cannot_wrap_are_refused() {
    let links = ["a", "b", "c"].map(|name| {
        format!("<link name='{name}'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>")
    });
    let joint = |name: &str, child: &str, more: &str| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='a'/><child link='{child}'/><origin xyz='1 0 0'/>\
             <axis xyz='0 0 1'/>{more}</joint>"
        )
    };
    for (ratio, code) in [("2", 0), ("-1", 0), ("0.5", 1)] {
        let follower = joint("k", "c", &format!("<mimic joint='j' multiplier='{ratio}'/>"));
        let robot = format!("<robot name='r'>{}{}{follower}</robot>", links.concat(), joint("j", "b", ""));
        let rest = format!("{ROBOT}[motion]\nbetween = \"joint\"\nwrap = \"shortest\"\n");
        let query = "joints = \"v.csv\"\n[query]\nwithin = 0.05";
        let dir = scene(query, &rest, &[("r.urdf", &robot), ("v.csv", "frame,j\n0,3.0\n1,-3.0\n")]);
        let (_, told) = expect(dir.path(), "run scene.toml --out o", code);
        assert_eq!(told.contains("that `r/k` follows is no whole turn of its own"), code == 1, "{ratio}: {told}");
    }
    let rest = format!("{POST}[motion]\nbetween = \"linear\"\nwrap = \"shortest\"\n");
    let (_, told) = expect(scene("[query]\nwithin = 0.05", &rest, &[]).path(), "check scene.toml", 1);
    assert!(told.contains("only joints wrap"), "{told}");
}

/// The sphere stands in the way of the arm, at 45 degrees: not at the origin, where nothing comes.
#[test]
fn a_free_body_stands_in_the_way_where_the_file_puts_it() {
    let arm = "<body name='arm'><joint name='j' axis='0 0 1' range='0 1.5'/><geom type='box' size='0.45 0.01 0.01' pos='0.55 0 0'/></body>";
    for free in ["<freejoint/>", "<joint type='free'/>", ""] {
        let mocap = if free.is_empty() { "mocap='true'" } else { "" };
        let part = format!("<body name='part' pos='0.5 0.5 0' {mocap}>{free}<geom size='0.05'/></body>");
        let model = format!("<mujoco model='r'><compiler angle='radian'/><worldbody>{arm}{part}</worldbody></mujoco>");
        let rest = "[[robot]]\nmjcf = \"r.xml\"\nname = \"r\"\n[[sweep]]\njoints = [\"j\"]\n";
        let dir = scene("[query]\nwithin = 0.1\nrequire = 0.01", rest, &[("r.xml", &model)]);
        let (text, told) = expect(dir.path(), "run scene.toml --out o", 3);
        assert!(text.contains("first contact: r/arm and r/part"), "{text}");
        assert!(told.contains("body `part` moves freely: it stays where the file puts it"), "{told}");
    }
}

#[test]
fn limits_of_a_joint_that_follows_hold_in_sweeps_postures_and_tables() {
    let links = ["a", "b", "c"].map(|name| {
        format!("<link name='{name}'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>")
    });
    let joint = |name: &str, child: &str, [lower, upper]: [f64; 2], more: &str| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='a'/><child link='{child}'/><origin xyz='1 0 0'/>\
             <axis xyz='0 0 1'/><limit lower='{lower}' upper='{upper}'/>{more}</joint>"
        )
    };
    let robot = |limits: [f64; 2]| {
        let follower = joint("k", "c", limits, "<mimic joint='j' multiplier='-2' offset='0.5'/>");
        let leader = joint("j", "b", [-1.0, 1.0], "");
        format!("<robot name='r'>{}{leader}{follower}</robot>", links.concat())
    };
    let swept = |limits: [f64; 2]| {
        let rest = format!("{ROBOT}[[sweep]]\njoints = [\"j\"]\n");
        let dir = scene("[query]\nwithin = 0.05", &rest, &[("r.urdf", &robot(limits))]);
        let told = warnings(dir.path(), 0);
        let (text, _) = expect(dir.path(), "export o --csv --table samples --to -", 0);
        let mut lines = text.lines();
        let column = lines.next().expect("names").split(',').position(|name| name == "r/j").expect("a column");
        let values = lines.map(|line| line.split(',').nth(column).expect("a cell").parse().expect("a number"));
        let ends = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v: f64| [a.min(v), b.max(v)]);
        (told, ends)
    };
    let (told, ends) = swept([-0.5, 1.0]);
    assert!(told.contains("the limits of the joint `r/k`, which follows `r/j`, leave the latter -14.3"), "{told}");
    assert_eq!(ends, [-0.25, 0.5]);
    let (told, ends) = swept([-1.5, 2.5]);
    assert!(!told.contains("leave the latter"), "{told}");
    assert_eq!(ends, [-1.0, 1.0]);
    for (given, file) in [("[posture]\nj = \"0.7rad\"\n", ""), ("", "joints = \"v.csv\"\n")] {
        let query = format!("{file}[query]\nwithin = 0.05");
        let files = [("r.urdf", &*robot([-0.5, 1.0])), ("v.csv", "frame,j\n0,0.1\n1,0.7\n")];
        let dir = scene(&query, &format!("{ROBOT}{given}"), &files);
        let (_, told) = expect(dir.path(), "run scene.toml --out o", 1);
        assert!(told.contains("outside of the") && told.contains("range"), "{told}");
    }
    let rest = format!("{ROBOT}[[sweep]]\njoints = [\"j\"]\n");
    let dir = scene("[query]\nwithin = 0.05", &rest, &[("r.urdf", &robot([7.0, 8.0]))]);
    let (_, told) = expect(dir.path(), "check scene.toml", 1);
    assert!(told.contains("no value of `r/j` leaves `r/k`, which follows it, in its range"), "{told}");
}

/// Chains of joints that follow each other, and robots of many links, end in seconds.
#[test]
fn long_chains_are_read_in_linear_time() {
    let count = 4000;
    let link = |k: usize| format!("<link name='l{k}'/>");
    let joint = |k: usize| {
        let mimic = if k > 0 { format!("<mimic joint='j{}' multiplier='1'/>", k - 1) } else { String::new() };
        format!(
            "<joint name='j{k}' type='continuous'><parent link='root'/><child link='l{k}'/><axis xyz='0 0 1'/>{mimic}</joint>"
        )
    };
    let body = "<link name='root'/><link name='arm'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>\
        <joint name='j' type='continuous'><parent link='root'/><child link='arm'/><axis xyz='0 0 1'/></joint>";
    let parts: String = (0..count).map(|k| link(k) + &joint(k)).collect();
    let robot = format!("<robot name='r'>{body}{parts}</robot>");
    let rest = format!("{ROBOT}{POST}[posture]\nj = \"0rad\"\n");
    let dir = scene("[query]\nwithin = 0.05", &rest, &[("r.urdf", &robot)]);
    expect(dir.path(), "run scene.toml --out o", 0);
}

#[test]
fn pairs_that_are_not_checked_are_told_by_reason() {
    let links: String = (0..7)
        .map(|k| {
            format!("<link name='l{k}'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>")
        })
        .collect();
    let joints: String = (0..6)
        .map(|k| {
            let kind = if k == 2 { "fixed" } else { "continuous" };
            format!(
                "<joint name='j{k}' type='{kind}'><parent link='l{k}'/><child link='l{}'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>",
                k + 1
            )
        })
        .collect();
    let robot = format!("<robot name='r'>{links}{joints}</robot>");
    let rest = format!("{ROBOT}[posture]\nj0 = \"0rad\"\n");
    let dir = scene("[query]\nwithin = 0.05", &rest, &[("r.urdf", &robot)]);
    let (text, _) = expect(dir.path(), "check scene.toml --json", 0);
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    // l2 and l3 are one part, but l1 is joined to l2 alone, and l4 to l3.
    assert_eq!(found["pairs_ignored_by_reason"]["neighbours at a joint"], 5, "{text}");
    assert_eq!(found["pairs_ignored_by_reason"]["welded by fixed joints"], 1, "{text}");
    let (text, _) = expect(dir.path(), "check scene.toml", 0);
    assert!(text.contains("neighbours at a joint: 5 pairs (") && text.contains("; ...)"), "{text}");
    expect(dir.path(), "run scene.toml --out o", 0);
    expect(dir.path(), "report o --html page.html", 0);
    let page = fs::read_to_string(dir.path().join("page.html")).expect("a page");
    assert!(page.contains("neighbours at a joint: 5 pairs by 5 rules"), "the page does not say it");
}

#[test]
fn names_and_lengths_that_no_scene_may_have_are_refused() {
    let long = "l".repeat(1 << 17);
    let (sphere, limits) = ("<sphere radius='0.1'/>", "<limit lower='-1' upper='1'/>");
    let robot = |name: &str, shape: &str, xyz: &str| {
        format!(
            "<robot name='r'><link name='base'/>\n<link name='{name}'><collision><geometry>{shape}</geometry></collision></link>\n\
             <joint name='j' type='revolute'><parent link='base'/><child link='{name}'/><origin xyz='{xyz}'/><axis xyz='0 0 1'/>{limits}\
             </joint></robot>"
        )
    };
    for (line, part, robot) in [
        (2, "the name has 131074 bytes", robot(&long, sphere, "0 0 0")),
        (2, "a length is 1e19 m", robot("arm", "<sphere radius='1e19'/>", "0 0 0")),
        (2, "a length is 2e300 m", robot("arm", "<box size='1 2e300 1'/>", "0 0 0")),
        (3, "a length is 1e200 m", robot("arm", sphere, "0 -1e200 0")),
    ] {
        let rest = format!("{ROBOT}[[sweep]]\njoints = [\"j\"]\n");
        let dir = scene("[query]\nwithin = 0.1", &rest, &[("r.urdf", &robot)]);
        let (_, told) = expect(dir.path(), "check scene.toml", 1);
        assert!(told.contains(part) && told.contains(&format!("r.urdf:{line}")), "{part}: {told}");
        assert!(told.len() < 2000, "{}", told.len());
    }
}

#[test]
fn a_robot_without_collision_geometry_is_named_with_the_ways_to_check_it() {
    let robot = "<robot name='r'><link name='a'><visual/></link><link name='b'/>\
                 <joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint>\
                 </robot>";
    let dir = scene("[query]\nwithin = 0.1", ROBOT, &[("r.urdf", robot)]);
    let (_, told) = expect(dir.path(), "check scene.toml", 1);
    for part in ["scene.toml:5", "the robot `r` has no collision geometry", "r.urdf", "`parent = \"r/b\"`"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // As the message says: a body that a link carries.
    let body = "[[body]]\nname = \"box\"\nshape = { sphere = 0.1 }\n[[joint]]\nname = \"weld\"\ntype = \"fixed\"\n\
                child = \"box\"\nparent = \"r/b\"\n[[sweep]]\n";
    let dir = scene("[query]\nwithin = 0.1\nrequire = 0", &format!("{ROBOT}{POST}{body}"), &[("r.urdf", robot)]);
    let told = warnings(dir.path(), 0);
    assert!(told.contains("2 links have no collision geometry, 1 of them only visual geometry"), "{told}");
}

#[test]
fn files_that_a_description_names_are_told_at_its_line() {
    let robot = |mesh: &str| {
        format!(
            "<robot name='r'>\n<link name='a'><collision><geometry>\n<mesh filename='{mesh}'/></geometry></collision></link></robot>"
        )
    };
    let rest = format!("{ROBOT}packages = [\"clone\"]\n");
    let mesh = robot("package://arm/a.stl");
    let dir = scene("[query]\nwithin = 0.1", &rest, &[("r.urdf", &mesh)]);
    let package = dir.path().join("clone");
    fs::create_dir(&package).expect("a folder");
    let told = || expect(dir.path(), "check scene.toml", 1).1;
    assert!(told().contains("the package of `package://arm/a.stl` was not found"), "{}", told());
    fs::write(package.join("package.xml"), "<package><name>arm</name></package>").expect("written");
    assert!(told().contains("is missing in the package `arm`") && told().contains("r.urdf:2"), "{}", told());
    fs::write(package.join("a.stl"), "solid a\nendsolid\n").expect("written");
    assert!(told().contains("a.stl") && told().contains("no triangles"), "{}", told());

    let main = "<mujoco>\n<include file='sub/a.xml'/></mujoco>";
    let rest = ROBOT.replace("urdf = \"r.urdf\"", "mjcf = \"m.xml\"");
    let dir = scene("[query]\nwithin = 0.1", &rest, &[("m.xml", main)]);
    let told = || expect(dir.path(), "check scene.toml", 1).1;
    assert!(told().contains("m.xml:2: the included file `sub/a.xml` does not exist"), "{}", told());
    assert!(!told().contains("scene file"), "{}", told());
    fs::create_dir(dir.path().join("sub")).expect("a folder");
    fs::write(dir.path().join("sub/a.xml"), "<mujoco><include file='b.xml'/></mujoco>").expect("written");
    let inner =
        "<mujoco><asset><mesh file='c.stl'/></asset>\n<worldbody><geom type='mesh' mesh='c'/></worldbody></mujoco>";
    fs::write(dir.path().join("sub/b.xml"), inner).expect("written");
    assert!(told().contains("b.xml:2: `c.stl` does not exist"), "{}", told());
}
