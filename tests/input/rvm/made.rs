//! Files written here: classes, names, colours, faults, and what other programs add to a file.

use super::{body, good, load, names, notes, plant};
use clearsweep_scene::readers::rvm::{end_of_chunk, read_plant};
use clearsweep_testing::rvm::Transparency::{BeforeMatrix, BehindBox};
use clearsweep_testing::rvm::{Rvm, UPRIGHT, pierced, placed, text};
use std::fs;
use tempfile::TempDir;

fn scratch() -> TempDir {
    tempfile::tempdir().expect("scratch")
}

fn at(x: f32) -> [f32; 12] {
    placed(UPRIGHT, [x, 0.0, 0.0])
}

const CUBE: [f32; 3] = [100.0, 100.0, 100.0];

/// A pump with everything that a group may have, and a pipe below it.
fn everything() -> Vec<u8> {
    let mut file = Rvm::default();
    file.colour(7, [255, 0, 0]);
    file.begin_version(3, b"/PUMP", 7);
    file.prim(2, at(0.0), &CUBE).prim(9, at(1.0), &[80.0]).prim(6, at(2.0), &[50.0, 20.0]);
    file.facets(at(3.0), &pierced([100.0, 40.0, 20.0]));
    file.volume(b"OBST", (2, at(4.0), &CUBE), BeforeMatrix);
    file.volume(b"INSU", (8, at(5.0), &[50.0, 200.0]), BehindBox);
    file.begin_version(4, b"NOZZLE 1 of /PUMP", 9).prim(8, at(6.0), &[20.0, 40.0]).prim(10, at(6.0), &[5.0, 0.0]).end();
    file.end();
    file.begin(b"/ACCESS").volume(b"OBST", (2, at(8.0), &CUBE), BehindBox).end();
    file.colour(9, [0, 0, 255]);
    file.finished()
}

const ATTRIBUTES: &str = "\u{feff}CADC_Attributes_File v1.0 , start: NEW , end: END , name_end: := , sep: &end&\n\
    NEW Header Information\nSource:= here &end& Date:= today\nEND\n\
    NEW /*\nType:= WORL\n\
    NEW /PUMP\nType:= 'EQUI' &end& Discipline:= Mech\nObstruction:= 2\nLevelFrom:= 0\nLevelTo:= 6\nArea:= 12\nTag:= P-1\n\
    NEW NOZZLE 1 of /PUMP\nType:= NOZZ\nObst:= 1\nSpref:= /SPEC\nTag:= unset\nEND\nEND\n\
    NEW /ACCESS\nOBST:= 1\nType:= BOX\nEND\nEND\n";

#[test]
fn groups_are_bodies_by_class() {
    let folder = scratch();
    let scene = good(&folder, &everything(), "each = \"group\"");
    // The box, the sphere and the dish of the pump are one body, and its facets another.
    assert_eq!(names(&scene), ["PUMP", "PUMP/facets", "PUMP/obst", "PUMP/NOZZLE 1 of /PUMP", "ACCESS"]);
    assert_eq!(body(&scene, "PUMP").shape.pieces.len(), 3);
    assert_eq!(body(&scene, "PUMP").groups[..], ["class:prim", "colour:#ff0000", "material:7"]);
    assert_eq!(body(&scene, "PUMP/obst").groups[..], ["PUMP", "class:obst-hard", "colour:#ff0000", "material:7"]);
    assert_eq!(
        body(&scene, "PUMP/NOZZLE 1 of /PUMP").groups[..],
        ["PUMP", "class:prim", "colour:#0000ff", "material:9"]
    );
    let said = notes(&scene);
    assert!(
        said.contains("1 of insulation") && said.contains("lines are drawing aids and left out: 1, in `PUMP/NOZZLE")
    );
    let scene = good(&folder, &everything(), "each = \"group\"\nclasses = [\"insu\"]");
    assert_eq!(names(&scene), ["PUMP"]);
    assert_eq!(body(&scene, "PUMP").groups[..], ["class:insulation", "colour:#ff0000", "material:7"]);
    let scene = good(&folder, &everything(), "each = \"primitive\"\nclasses = \"obst\"");
    assert_eq!(names(&scene), ["PUMP/box-5", "ACCESS/box-1"]);
}

#[test]
fn attributes_beside_the_file_give_classes_levels_and_groups() {
    let folder = scratch();
    fs::write(folder.path().join("plant.att"), ATTRIBUTES).expect("written");
    let scene = good(&folder, &everything(), "each = \"group\"");
    // The attribute makes the volume of access a soft one, which is no body unless it is asked for.
    assert_eq!(names(&scene), ["PUMP", "PUMP/facets", "PUMP/obst", "PUMP/NOZZLE 1 of /PUMP"]);
    let pump = ["area:12", "class:EQUI", "class:obst-hard", "class:prim", "colour:#ff0000", "discipline:Mech"];
    let of_pump = ["in:EQUI", "level:0-6", "material:7", "tag:P-1"];
    assert_eq!(body(&scene, "PUMP").groups[..], [&pump[..], &of_pump].concat());
    let nozzle = ["PUMP", "area:12", "class:NOZZ", "class:obst-soft", "class:prim", "colour:#0000ff"];
    let of_nozzle = ["discipline:Mech", "in:EQUI", "in:NOZZ", "material:9", "spref:/SPEC", "tag:P-1"];
    let nozzle = [&nozzle[..], &of_nozzle].concat();
    assert_eq!(body(&scene, "PUMP/NOZZLE 1 of /PUMP").groups[..], nozzle);
    assert!(scene.inputs.iter().any(|input| input.path.ends_with("plant.att")), "{:?}", scene.inputs);
    let scene = good(&folder, &everything(), "each = \"group\"\nclasses = [\"obst-soft\"]");
    assert_eq!(names(&scene), ["ACCESS"]);
    // A file of its own name, with a group that has no item.
    let other = ATTRIBUTES.replace("NEW /ACCESS", "NEW /OTHER");
    fs::write(folder.path().join("other.txt"), other).expect("written");
    let scene = good(&folder, &everything(), "each = \"group\"\nattributes = \"other.txt\"");
    assert_eq!(scene.bodies.len(), 5);
    assert!(notes(&scene).contains("groups without an item in the attribute file: 1 of 3"), "{}", notes(&scene));
    // A text beside the plant that is something else.
    fs::remove_file(folder.path().join("plant.att")).expect("removed");
    fs::write(folder.path().join("plant.txt"), "Notes on the plant, which are no attributes").expect("written");
    let scene = good(&folder, &everything(), "each = \"group\"");
    assert!(notes(&scene).contains("plant.txt is no attribute file, and is not read"), "{}", notes(&scene));
}

#[test]
fn selectors_and_rules_know_classes_of_plants() {
    let folder = scratch();
    fs::write(folder.path().join("plant.att"), ATTRIBUTES).expect("written");
    let rules = "each = \"group\"\n[[ignore]]\na = \"class:EQUI\"\nb = \"group:in:NOZZ\"\nreason = \"r\"\n\
        [[rule]]\nname = \"n\"\na = \"level:0-6\"\nb = \"class:obst-*\"\nrequire = \"1mm\"";
    let scene = good(&folder, &everything(), rules);
    assert_eq!(scene.bodies.len(), 4);
}

#[test]
fn what_other_programs_add_is_told_and_passed_over() {
    let mut file = Rvm { bytes: Vec::new() };
    let fields = [b"test".as_slice(), b"", b"today", b"me", b"UTF-8", b"one more"].map(text).concat();
    file.chunk(b"HEAD", &[vec![0, 0, 0, 2], fields].concat());
    file.chunk(b"MODL", &[0, 0, 0, 1]);
    file.end();
    file.chunk(b"XTRA", &[1, 2, 3, 4, 5, 6, 7, 8]);
    // Latin-1: an e with an acute accent, which is no UTF-8.
    file.begin(b"/CAF\xe9").prim(2, at(0.0), &CUBE).end();
    file.prim(2, at(9.0), &CUBE);
    file.begin(b"/OPEN").prim(2, at(5.0), &[100.0, 100.0, 100.0, 4.0]);
    let mut bytes = file.finished();
    bytes.extend(b"more");
    let folder = scratch();
    let scene = good(&folder, &bytes, "each = \"group\"");
    // A primitive outside of all groups belongs to a body of the file's name.
    assert_eq!(names(&scene), ["CAF\u{e9}", "plant", "OPEN"]);
    let said = notes(&scene);
    for part in [
        "`HEAD` has 12 bytes more than its fields",
        "chunks of unknown kinds are passed over: 1 `XTRA`",
        "chunks `CNTE` that end no group: 1",
        "chunks have more bytes than their fields: 1 `PRIM`",
        "groups that are open at the end: 1",
        "bytes behind `END:` are not read",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// Adds a primitive that is no body.
type Fault<'t> = &'t dyn for<'f> Fn(&'f mut Rvm) -> &'f mut Rvm;

#[test]
fn primitives_that_cannot_be_taken_are_counted_and_named() {
    let mut infinite = at(0.0);
    infinite[4] = f32::INFINITY;
    let flat = placed([0.001, 0.0, 0.0, 0.001, 0.0, 0.0, 0.0, 0.0, 0.001], [0.0; 3]);
    let crossing = vec![vec![vec![[0.0, 0.0, 0.0], [9.0, 9.0, 0.0], [9.0, 0.0, 0.0], [0.0, 5.0, 0.0]]]];
    let faulty: [(&str, Fault<'_>); 13] = [
        ("its matrix has a number that is not finite", &|file| file.prim(2, infinite, &CUBE)),
        ("its matrix is singular", &|file| file.prim(2, flat, &CUBE)),
        ("all its sizes are 0 mm", &|file| file.prim(2, at(0.0), &[0.0; 3])),
        ("one of its sizes is -1 mm", &|file| file.prim(2, at(0.0), &[1.0, -1.0, 1.0])),
        ("its radius is 0 mm", &|file| file.prim(8, at(0.0), &[0.0, 5.0])),
        ("a size is NaN", &|file| file.prim(8, at(0.0), &[f32::NAN, 5.0])),
        ("its tube passes its axis", &|file| file.prim(4, at(0.0), &[5.0, 6.0, 1.0])),
        ("its angle is 7 radians", &|file| file.prim(4, at(0.0), &[6.0, 5.0, 7.0])),
        ("the planes of both ends meet", &|file| {
            file.prim(7, at(0.0), &[50.0, 50.0, 10.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        }),
        ("it reaches too far", &|file| file.prim(2, at(0.0), &[1e25, 1.0, 1.0])),
        ("its kind 12 is not known", &|file| file.prim(12, at(0.0), &CUBE)),
        ("its polygon 0 (from 0) crosses or overlaps itself", &|file| file.facets(at(0.0), &crossing)),
        ("the place of its matrix among its numbers is not clear", &|file| {
            file.volume(b"OBST", (2, infinite, &CUBE), BeforeMatrix)
        }),
    ];
    let folder = scratch();
    for (reason, add) in faulty {
        let mut file = Rvm::default();
        file.begin(b"/BAD");
        add(&mut file);
        let sound = file.end().begin(b"/GOOD").prim(2, at(1.0), &CUBE).end().finished();
        let scene = good(&folder, &sound, "each = \"group\"");
        assert_eq!(names(&scene), ["GOOD"]);
        let said = notes(&scene);
        assert!(
            said.contains("primitives that cannot be taken: 1, `BAD/") && said.contains(reason),
            "{reason}: {said}"
        );
        // Without another one there is no body at all.
        let mut file = Rvm::default();
        file.begin(b"/BAD");
        add(&mut file);
        let error = plant(&folder, &file.end().finished(), "each = \"group\"").expect_err("no body");
        assert!(
            error.problem.contains("no primitive of the file is left") && error.problem.contains(reason),
            "{error}"
        );
    }
}

#[test]
fn keys_that_do_not_fit_have_their_message() {
    let folder = scratch();
    fs::write(folder.path().join("plant.rvm"), everything()).expect("written");
    fs::write(folder.path().join("bad.att"), "no attributes").expect("written");
    let mut whole = Rvm::default();
    whole.begin(b"/A").prim(8, at(0.0), &[50.0, 100.0]).end();
    fs::write(folder.path().join("whole.rvm"), whole.finished()).expect("written");
    fs::write(folder.path().join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("written");
    let section = |keys: &str| format!("[[bodies]]\ngeometry = \"plant.rvm\"\n{keys}\n");
    let cases = [
        (section("each = \"node\""), "`.rvm` files have no parts of the kind \"node\"", "write `each = \"group\"`"),
        (section("each = \"group\"\nup = \"y\""), "says its own unit and axes", "remove `up`"),
        (section("each = \"group\"\nclasses = \"hard\""), "`hard` is no class", "prim, obst, obst-hard"),
        (
            section("each = \"group\"\nattributes = \"no.att\""),
            "no.att: the file cannot be read",
            "relative to the scene",
        ),
        (
            section("each = \"group\"\nattributes = \"bad.att\""),
            "bad.att: it is no attribute file",
            "exported with the RVM",
        ),
        (
            "[[body]]\nname = \"a\"\ngeometry = \"plant.rvm\"\nstatic = true\n".to_owned(),
            "1 of its primitives are facets",
            "`each = \"group\"`",
        ),
        (
            "[[body]]\nname = \"a\"\ngeometry = \"whole.rvm\"\nstatic = true\nscale = 2\n".to_owned(),
            "says its own unit and axes",
            "`scale`",
        ),
        (
            "[[bodies]]\ngeometry = \"a.obj\"\neach = \"object\"\nclasses = \"prim\"\n".to_owned(),
            "belongs to an .rvm",
            "remove",
        ),
        (
            "[[bodies]]\ngeometry = \"a.obj\"\neach = \"group\"\n".to_owned(),
            "no parts of the kind \"group\"",
            "objects",
        ),
    ];
    for (text, problem, remedy) in cases {
        let error = load(folder.path(), &text).expect_err(&text);
        assert!(error.problem.contains(problem) && error.remedy.contains(remedy), "{error}: {}", error.remedy);
    }
    // Bytes that are another file.
    let error = plant(&folder, b"glTF and more bytes than the head of a chunk", "each = \"group\"").expect_err("glTF");
    assert!(error.problem.contains("a binary glTF file"), "{error}");
    let error = plant(&folder, b"HEAD", "each = \"group\"").expect_err("short");
    assert!(error.problem.contains("too short"), "{error}");
}

#[test]
fn offsets_beyond_4_gib_wrap() {
    let low = 1_u64 << 32;
    assert_eq!(end_of_chunk(0, 100), 100);
    assert_eq!(end_of_chunk(low - 50, 30), low + 30);
    assert_eq!(end_of_chunk(low + 10, 90), low + 90);
    assert_eq!(end_of_chunk(3 * low - 8, 0), 3 * low);
    assert_eq!(end_of_chunk(3 * low + 8, 8), 4 * low + 8, "no chunk is empty");
}

#[test]
fn the_palette_and_groups_of_every_version_are_read() {
    let found = read_plant(&everything()).expect("sound");
    assert_eq!(found.palette.into_iter().collect::<Vec<_>>(), [(7, [255, 0, 0]), (9, [0, 0, 255])]);
    let materials: Vec<u32> = found.groups.iter().map(|group| group.material).collect();
    assert_eq!(materials, [7, 9, 1]);
    assert!(found.remarks.is_empty(), "{:?}", found.remarks);
}

#[test]
fn polygons_with_holes_are_closed_solids_and_mirrored_ones_too() {
    let mirrored = [0.001, 0.0, 0.0, 0.0, -0.001, 0.0, 0.0, 0.0, 0.001];
    let mut polygons = pierced([100.0, 40.0, 20.0]);
    // Corners that repeat the one before, at the end too.
    let contour = &mut polygons[0][0];
    contour.insert(1, contour[0]);
    contour.push(contour[0]);
    let mut file = Rvm::default();
    file.begin(b"/A").facets(placed(UPRIGHT, [0.0; 3]), &polygons).end();
    file.begin(b"/B").facets(placed(mirrored, [1.0, 0.0, 0.0]), &polygons).end();
    let folder = scratch();
    let scene = good(&folder, &file.finished(), "each = \"group\"");
    for body in &scene.bodies {
        let (mesh, condition) = (body.shape.mesh.as_ref().expect("a mesh"), body.shape.condition.expect("known"));
        assert!(condition.is_solid() && condition.turned_triangles == 0, "{condition:?}");
        let corner = |v: u32| mesh.vertices()[v as usize];
        let six = mesh.triangles().iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum::<f64>();
        let truth = (0.1 * 0.1 - 0.04 * 0.04) * 0.02;
        assert!((six / 6.0 - truth).abs() < 1e-6 * truth, "{} instead of {truth}", six / 6.0);
    }
}
