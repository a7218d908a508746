use crate::{Srdf, read_srdf, read_urdf};
use clearsweep_base::Error;
use std::path::Path;

fn read(body: &str) -> Result<Srdf, Error> {
    read_srdf(Path::new("r.srdf"), &format!("<robot name='r'>\n{body}\n</robot>"))
}

#[test]
fn pairs_have_reasons_and_lines() {
    let srdf = read(
        "<group name='g'/><disable_collisions link1='a' link2=' b ' reason='Never'/>\n<enable_collisions \
                     link1='b' link2='c'/>\n<disable_default_collisions link='c'/>\n<link_sphere_approximation/>",
    )
    .expect("rules");
    let pair = &srdf.disabled[0];
    assert_eq!((pair.a.as_str(), pair.b.as_str(), pair.reason.as_deref(), pair.line), ("a", "b", Some("Never"), 2));
    assert_eq!((srdf.enabled[0].a.as_str(), srdf.enabled[0].line, &srdf.enabled[0].reason), ("b", 3, &None));
    assert_eq!(srdf.disabled_links, [("c".to_owned(), 4)]);
    assert_eq!((srdf.robot.as_str(), srdf.notes.len(), srdf.notes[0].line), ("r", 1, 5));
}

#[test]
fn disabled_pairs_win_over_enabled_ones_and_those_over_defaults() {
    let links: String = ["a", "b", "c", "d"].map(|name| format!("<link name='{name}'/>")).concat();
    let joints: String = [("a", "b"), ("b", "c"), ("c", "d")]
        .map(|(a, b)| format!("<joint name='{b}' type='fixed'><parent link='{a}'/><child link='{b}'/></joint>"))
        .concat();
    let robot = read_urdf(Path::new("r.urdf"), &format!("<robot name='r'>{links}{joints}</robot>")).expect("a robot");
    let rules = "<disable_collisions link1='d' link2='c'/><enable_collisions link1='c' link2='d'/>\
                 <enable_collisions link1='a' link2='d'/><disable_default_collisions link='d'/>\
                 <disable_collisions link1='a' link2='a'/>\n<disable_collisions link1='a' link2='bb'/>";
    let (pairs, notes) = read(rules).expect("rules").disabled_pairs(&robot);
    assert_eq!(pairs, [[1, 3], [2, 3]]);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].line == 3 && notes[0].text.contains("no link `bb`"), "{notes:?}");
    let other = read_srdf(Path::new("r.srdf"), "<robot name='s'/>").expect("rules");
    assert!(other.disabled_pairs(&robot).1[0].text.contains("of the robot `s`"));
}

#[test]
fn rules_without_links_are_refused() {
    for (body, line, part) in [
        ("<disable_collisions link1='a'/>", 2, "no `link2`"),
        ("<enable_collisions link2='a'/>", 2, "no `link1`"),
        ("\n<disable_default_collisions/>", 3, "no `link`"),
        ("<link name='a'/>", 1, "the file is URDF"),
        ("<group name='$(arg x)'/>", 2, "xacro is not expanded"),
    ] {
        let error = read(body).expect_err(part);
        assert!(error.place == format!("r.srdf:{line}") && error.problem.contains(part), "{error}");
    }
    let error = read_srdf(Path::new("r.srdf"), "<semantics/>").expect_err("a root");
    assert!(error.problem.contains("`semantics`, not `robot`"), "{error}");
}
