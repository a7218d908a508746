//! Poses of the links of real robots against those of Pinocchio, which yourdfpy confirmed
//! (benches/forward_kinematics.py).

use clearsweep_geometry::Pose;
use clearsweep_scene::SceneOverrides;
use clearsweep_testing::data;
use std::collections::HashMap;
use std::fs;

/// A description without its geometry: only where links are is of interest.
fn without_geometry(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("<collision") {
        kept.push_str(&rest[..at]);
        let end = rest[at..].find("</collision>").expect("it ends") + "</collision>".len();
        rest = &rest[at + end..];
    }
    kept + rest
}

#[test]
fn links_of_real_robots_are_where_other_libraries_have_them() {
    let scratch = tempfile::tempdir().expect("scratch");
    let mut rows: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
    for line in include_str!("forward_kinematics.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        rows.entry(cells[0]).or_default().push(cells);
    }
    let number = |text: &str| text.parse::<f64>().expect("a number");
    for (robot, folder) in
        [("panda", "motionbench/panda"), ("ur5", "motionbench/ur5"), ("laikago", "laikago/laikago_description/urdf")]
    {
        let Some(folder) = data::data(folder) else { return };
        let text = fs::read_to_string(folder.join(format!("{robot}.urdf"))).expect("read");
        let copy = scratch.path().join(format!("{robot}.urdf"));
        fs::write(&copy, without_geometry(&text)).expect("written");
        let body = "[[body]]\nname = \"floor\"\nstatic = true\nshape = { box = [1, 1, 1] }\n";
        let scene = format!(
            "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{body}[[robot]]\nurdf = {copy:?}\nname = \"r\"\nlimits = false\n"
        );
        let scene = clearsweep_scene::scene_of_text(&scene, &SceneOverrides::default()).expect("a scene");
        let tree = &scene.joints.as_ref().expect("joints").tree;
        let (mut links, mut compared, mut worst, mut reach) = (Vec::new(), 0, 0.0_f64, 0.0_f64);
        for case in 0..5 {
            let of_case: HashMap<String, &Vec<&str>> = rows[robot]
                .iter()
                .filter(|row| row[1] == case.to_string())
                .map(|row| (format!("r/{}", row[2]), row))
                .collect();
            let value =
                |name: &str| of_case.get(name).filter(|row| !row[3].is_empty()).map_or(0.0, |row| number(row[3]));
            let values: Vec<f64> = tree.columns().map(|joint| value(&joint.name)).collect();
            tree.links(&values, &mut links);
            for (joint, pose) in tree.joints().iter().zip(&links) {
                let row = of_case[&joint.name];
                let at = |k: usize| number(row[k]);
                let expected = Pose::new([at(4), at(5), at(6)], [at(7), at(8), at(9), at(10)]);
                let arm = clearsweep_geometry::Vec3::new(0.1, -0.2, 0.3);
                worst = worst.max((pose.apply(arm) - expected.apply(arm)).length());
                reach = reach.max(expected.position.length());
                compared += 1;
            }
        }
        assert!(compared == rows[robot].len() && compared >= 5 * 12, "{robot}: {compared} of {}", rows[robot].len());
        assert!(worst <= 1e-12 * reach, "{robot}: off by {worst} of {reach} m");
    }
}
