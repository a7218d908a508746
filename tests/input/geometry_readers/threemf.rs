//! 3MF: packages written here, valid and invalid, by the rules of the Core Specification and the
//! Production Extension.

use super::{assert_sound, mutated, six_volumes};
use clearsweep_geometry::{Inside, Pose};
use clearsweep_model::LengthUnit;
use clearsweep_scene::readers::{Fault, Mesh, read_mesh};
use clearsweep_scene::{Model, Motion, Scene, SceneOverrides};
use clearsweep_testing::random::Random;
use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const RELATIONSHIPS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="a" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail" Target="/t.png"/>
<Relationship Id="b" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model"/>
</Relationships>"#;

const CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";
const PRODUCTION: &str = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06";

/// The tetrahedron with its right angle at the origin, as a mesh.
const TETRAHEDRON: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1.5" y="0" z="0"/>
<vertex x="0" y="2e0" z="0"/><vertex x="0" y="0" z="+0.1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3" p1="0"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh>"#;

/// An archive of these parts.
fn package(parts: &[(&str, &str)], method: CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, text) in parts {
        archive.start_file(*name, options).expect("a part");
        archive.write_all(text.as_bytes()).expect("memory");
    }
    archive.finish().expect("an archive").into_inner()
}

/// A file of one model part.
fn file(model: &str) -> Vec<u8> {
    package(&[("_rels/.rels", RELATIONSHIPS), ("3D/3dmodel.model", model)], CompressionMethod::Deflated)
}

/// A model part with attributes of its root.
fn model(attributes: &str, resources: &str, build: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<!-- a -->\n<model xmlns=\"{CORE}\" xmlns:p=\"{PRODUCTION}\" {attributes}>\
         <metadata name=\"Title\">a &amp; b</metadata><resources>{resources}</resources><build>{build}</build></model>"
    )
}

fn object(id: u32, attributes: &str, content: &str) -> String {
    format!("<object id=\"{id}\" {attributes}>{content}</object>")
}

fn read(bytes: Vec<u8>) -> Result<Mesh, Fault> {
    read_mesh(Path::new("part.3mf"), bytes)
}

fn load(folder: &Path, bytes: &[u8], keys: &str) -> Result<Scene, clearsweep::Error> {
    fs::write(folder.join("part.3mf"), bytes).expect("a file");
    let path = folder.join("scene.toml");
    let text = format!("[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 1\n{keys}\ngeometry = \"part.3mf\"\n");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

#[test]
fn units_hold_for_vertices_and_for_translations() {
    let folder = tempfile::tempdir().expect("scratch");
    let micron = |length: f64| length / 1e6;
    let of = |word: &str| LengthUnit::parse(word).expect("a unit");
    let item = "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0.3 -20 1e2\"/>";
    for (word, metres) in [
        ("micron", Box::new(micron) as Box<dyn Fn(f64) -> f64>),
        ("millimeter", Box::new(move |length| of("mm").metres(length))),
        ("centimeter", Box::new(move |length| of("cm").metres(length))),
        ("inch", Box::new(move |length| of("in").metres(length))),
        ("foot", Box::new(move |length| of("ft").metres(length))),
        ("meter", Box::new(|length| length)),
        ("", Box::new(move |length| of("mm").metres(length))),
    ] {
        let unit = if word.is_empty() { String::new() } else { format!("unit=\"{word}\"") };
        let at = |item: &str| file(&model(&unit, &object(1, "", TETRAHEDRON), item));
        let mesh = read(at("<item objectid=\"1\"/>")).expect("a mesh");
        let expected = [[0.0; 3], [1.5, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.1]].map(|v| v.map(&metres));
        assert_eq!(mesh.vertices, expected, "{word}");
        assert_eq!((mesh.coordinate_step, mesh.pieces, mesh.is_sheet), (0.0, 1, false));
        let moved = read(at(item)).expect("a mesh");
        assert_eq!(moved.vertices[1], [1.5 + 0.3, -20.0, 100.0].map(&metres), "{word}");
        let scene = load(folder.path(), &at(item), "[[bodies]]\neach = \"node\"").expect("a scene");
        let Motion::Static(pose) = scene.bodies[0].motion else { panic!("static") };
        let Pose { position, q, .. } = pose;
        assert_eq!((position.to_array(), q), ([0.3, -20.0, 100.0].map(&metres), [1.0, 0.0, 0.0, 0.0]), "{word}");
        let size = scene.bodies[0].shape.size();
        assert!((size - metres(2.0)).abs() <= 1e-15 * size, "{word}: {size}");
    }
}

/// The product of two maps of row vectors, each four rows of three numbers.
fn product(first: &[[f64; 3]; 4], then: &[[f64; 3]; 4]) -> [[f64; 3]; 4] {
    std::array::from_fn(|row| {
        let base = if row == 3 { then[3] } else { [0.0; 3] };
        [0, 1, 2].map(|column| base[column] + (0..3).map(|k| first[row][k] * then[k][column]).sum::<f64>())
    })
}

#[test]
fn components_nest_and_share_their_geometry() {
    // A turn about z, a mirror, a stretch, and a shear; each with a translation.
    let maps: [[[f64; 3]; 4]; 4] = [
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0]],
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-4.0, 0.0, 1.0]],
        [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5], [0.0, 9.0, 0.0]],
        [[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, -7.0]],
    ];
    let text = |map: &[[f64; 3]; 4]| map.as_flattened().iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let folder = tempfile::tempdir().expect("scratch");
    let tetrahedron = [[0.0; 3], [1.5, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.1]];
    for (i, j, k) in (0..64).map(|n| (n % 4, n / 4 % 4, n / 16)) {
        let component =
            |id: u32, map: &[[f64; 3]; 4]| format!("<component objectid=\"{id}\" transform=\"{}\"/>", text(map));
        let list = |items: &str| format!("<components>{items}</components>");
        let materials = "<basematerials id=\"7\"><base name=\"steel\" displaycolor=\"#FF0000\"/></basematerials>";
        let resources = materials.to_owned()
            + &object(1, "name=\"part\" pid=\"7\" pindex=\"0\"", TETRAHEDRON)
            + &object(2, "name=\"pair\"", &list(&(component(1, &maps[i]) + &component(1, &maps[0]))))
            + &object(3, "", &list(&component(2, &maps[j])));
        let build =
            format!("<item objectid=\"3\" partnumber=\"N-1\" transform=\"{}\"/><item objectid=\"1\"/>", text(&maps[k]));
        let bytes = file(&model("unit=\"meter\"", &resources, &build));
        let mesh = read(bytes.clone()).expect("a mesh");
        let chain = |first: usize| product(&product(&maps[first], &maps[j]), &maps[k]);
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];
        for (piece, map) in [chain(i), chain(0), identity].iter().enumerate() {
            for (vertex, v) in tetrahedron.iter().enumerate() {
                let expected = [0, 1, 2].map(|c| map[3][c] + (0..3).map(|r| v[r] * map[r][c]).sum::<f64>());
                let found = mesh.vertices[4 * piece + vertex];
                assert!((0..3).all(|c| (found[c] - expected[c]).abs() < 1e-12), "{i} {j} {k}: {found:?} {expected:?}");
            }
        }
        assert!(six_volumes(&mesh) > 0.0, "the outside stays outside: {i} {j} {k}");
        assert_eq!((mesh.pieces, &mesh.names[..]), (3, &["part", "part", "part"].map(str::to_owned)[..]));
        let scene = load(folder.path(), &bytes, "[[bodies]]\neach = \"node\"").expect("a scene");
        assert_eq!(names(&scene), ["N-1/pair/part", "N-1/pair/part#2", "part"]);
        assert_eq!(scene.bodies[0].groups[..], ["N-1", "N-1/pair", "material:steel"]);
        for (body, map) in scene.bodies.iter().zip([chain(i), chain(0), identity]) {
            let Motion::Static(pose) = body.motion else { panic!("static") };
            let core = &body.shape.hull().core;
            let mut found: Vec<[f64; 3]> =
                (0..4).map(|v| (pose.apply(core.vertex(v)) + pose.rest).to_array()).collect();
            let mut expected: Vec<[f64; 3]> = tetrahedron
                .iter()
                .map(|v| [0, 1, 2].map(|c| map[3][c] + (0..3).map(|r| v[r] * map[r][c]).sum::<f64>()))
                .collect();
            for list in [&mut found, &mut expected] {
                list.iter_mut().flatten().for_each(|c| *c = (*c * 1e9).round() / 1e9 + 0.0);
                list.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
            }
            assert_eq!(found, expected, "{} {i} {j} {k}", body.name);
        }
        let shared = Arc::ptr_eq(&scene.bodies[0].shape, &scene.bodies[1].shape);
        assert!(shared || i != 0, "equal maps give one geometry");
        if [i, j, k] == [0; 3] {
            assert!(Arc::ptr_eq(&scene.bodies[0].shape, &scene.bodies[2].shape), "rigid motions give one geometry");
        }
    }
}

#[test]
fn types_say_what_an_object_is() {
    let folder = tempfile::tempdir().expect("scratch");
    let resources = object(1, "type=\"model\" name=\"part\"", TETRAHEDRON)
        + &object(2, "type=\"surface\" name=\"scan\"", TETRAHEDRON)
        + &object(3, "type=\"support\" name=\"tree\"", TETRAHEDRON)
        + &object(4, "type=\"solidsupport\" name=\"raft\"", TETRAHEDRON)
        + &object(5, "type=\"other\" name=\"text\"", TETRAHEDRON)
        + &object(6, "type=\"support\" name=\"all\"", "<components><component objectid=\"1\"/></components>");
    let build = |ids: &[u32]| ids.iter().fold(String::new(), |text, id| text + &format!("<item objectid=\"{id}\"/>"));
    let all = file(&model("", &resources, &build(&[1, 2, 3, 4, 5, 6])));
    let scene = load(folder.path(), &all, "[[bodies]]\neach = \"node\"").expect("a scene");
    assert_eq!(names(&scene), ["part", "scan"]);
    let [part, scan] = [0, 1].map(|body| &scene.bodies[body].shape);
    assert_eq!((part.model, part.inside()), (Model::Hull, Inside::Solid));
    assert_eq!((scan.model, scan.inside()), (Model::Mesh, Inside::Surface));
    let notes: Vec<&str> = scene.notes.iter().map(|(_, note)| note.problem.as_str()).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("3 objects are supports") && notes[0].contains("`tree`, `raft`, `part`"), "{notes:?}");
    assert!(notes[1].contains("1 object is of the type `other`") && notes[1].contains("`text`"), "{notes:?}");
    // One body: supports are no part of it, and it is a sheet only if all of it is.
    let body = "[[body]]\nname = \"a\"\nstatic = true";
    let solid = load(folder.path(), &file(&model("", &resources, &build(&[1, 3]))), body).expect("a scene");
    assert_eq!((solid.bodies[0].shape.triangles, solid.bodies[0].shape.inside()), (4, Inside::Solid));
    let sheet = load(folder.path(), &file(&model("", &resources, &build(&[2, 2]))), body).expect("a scene");
    assert_eq!(sheet.bodies[0].shape.inside(), Inside::Surface);
    let hull = load(folder.path(), &file(&model("", &resources, &build(&[2]))), &format!("{body}\nmodel = \"hull\""));
    assert_eq!(hull.expect("a scene").bodies[0].shape.model, Model::Hull, "what the scene says holds");
    let mixed = load(folder.path(), &all, body).expect_err("two kinds");
    assert!(mixed.problem.contains("surfaces and solids") && mixed.remedy.contains("[[bodies]]"), "{mixed}");
    let none = load(folder.path(), &file(&model("", &resources, &build(&[3, 5]))), body).expect_err("supports");
    assert!(none.problem.contains("all are supports"), "{none}");
}

#[test]
fn other_parts_are_read_where_the_production_extension_names_them() {
    let folder = tempfile::tempdir().expect("scratch");
    let part = model("", &(object(1, "name=\"pin\"", TETRAHEDRON) + &object(2, "", TETRAHEDRON)), "");
    let components = "<components><component p:path=\"/3D/Objects/o.model\" objectid=\"1\" p:UUID=\"x\"/></components>";
    let build = "<item objectid=\"3\"/><item objectid=\"2\" p:path=\"/3d/objects/O.model\"/>";
    let root = |attributes: &str| model(attributes, &object(3, "name=\"top\"", components), build);
    let with = |root: &str, part: &str| {
        let parts = [("_rels/.rels", RELATIONSHIPS), ("3D/3dmodel.model", root), ("3D/Objects/o.model", part)];
        package(&parts, CompressionMethod::Deflated)
    };
    let bytes = with(&root("requiredextensions=\"p\""), &part);
    let scene = load(folder.path(), &bytes, "[[bodies]]\neach = \"node\"").expect("a scene");
    assert_eq!(names(&scene), ["top/pin", "object-2"]);
    assert_eq!(read(bytes).expect("a mesh").pieces, 2);
    for (root, part, words) in [
        (root(""), model("unit=\"inch\"", &object(1, "", TETRAHEDRON), ""), "another unit"),
        (root(""), model("", &object(1, "", &components.replace("Objects/o", "x")), ""), "names another part"),
        (root(""), model("", &object(9, "", TETRAHEDRON), ""), "object 1 is named"),
        (root("").replace("Objects", "Parts"), part.clone(), "no part `3D/Parts/o.model`"),
    ] {
        let fault = read(with(&root, &part)).expect_err(words);
        assert!(fault.problem.contains(words), "{words}: {fault:?}");
    }
}

#[test]
fn every_invalid_file_is_refused_by_its_reason() {
    let whole = |attributes: &str| model(attributes, &object(1, "", TETRAHEDRON), "<item objectid=\"1\"/>");
    let good = whole("");
    read(file(&good)).expect("the file to be spoilt is good");
    let after = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let beams = "xmlns:b=\"http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02\" requiredextensions=\"b\"";
    for (text, words) in [
        (whole(beams), "requires the extension `b` (http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02)"),
        (whole("requiredextensions=\"q\""), "requires the extension `q` (not declared)"),
        (whole("unit=\"furlong\""), "`furlong` is no unit"),
        (after("<?xml version=\"1.0\"?>", "<?xml version=\"1.0\"?><!DOCTYPE model [<!ENTITY a \"b\">]>"), "<!DOCTYPE"),
        (
            after("core/2015/02", "core/2099/01"),
            "the root element is `model` of http://schemas.microsoft.com/3dmanufacturing/core/2099/01",
        ),
        (after("objectid=\"1\"", "objectid=\"2\""), "item names object 2, which is not defined before it"),
        (after("<item objectid=\"1\"/>", ""), "places no object"),
        (after("objectid=\"1\"", "objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0\""), "not 12 numbers"),
        (after("objectid=\"1\"", "objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 0 0 0 0\""), "not 12 numbers of a map"),
        (after("objectid=\"1\"", "objectid=\"1\" objectid=\"1\""), "the attribute `objectid` twice"),
        (after("x=\"1.5\"", "x=\"nan\""), "the x of vertex 1 is `nan`"),
        (after("x=\"1.5\"", "x=\"1e999\""), "the x of vertex 1 is `1e999`"),
        (after("z=\"+0.1\"", ""), "the z of vertex 3 is no value"),
        (after("v2=\"2\"", "v2=\"4\""), "triangle 0 names vertex 4, but there are 4"),
        (after("v2=\"2\"", "v2=\"-1\""), "triangle 0 lacks"),
        (after("id=\"1\"", "id=\"0\""), "not a number above 0"),
        (after("id=\"1\" ", "id=\"1\" type=\"thing\" "), "the type `thing`"),
        (good.replace(TETRAHEDRON, ""), "neither a `mesh` nor `components`"),
        (good.replace(TETRAHEDRON, &format!("{TETRAHEDRON}<components/>")), "more than one"),
        (good.replace("</object>", &format!("</object>{}", object(1, "", TETRAHEDRON))), "two resources have the id 1"),
        (good.replace(TETRAHEDRON, "<components><component objectid=\"1\"/></components>"), "not defined before it"),
        (good.replace("</model>", ""), "ends before"),
        (good.replace("</build>", "</buildt>"), "is not XML"),
        (good.replace(TETRAHEDRON, "<mesh><vertices/><triangles/></mesh>"), "no vertices"),
    ] {
        let Fault { problem, remedy, .. } = read(file(&text)).expect_err(words);
        assert!(problem.contains(words) && !remedy.is_empty(), "`{words}` is not in: {problem}");
    }
    let packed = |parts: &[(&str, &str)]| package(parts, CompressionMethod::Stored);
    for (bytes, words) in [
        (packed(&[("3D/3dmodel.model", &good)]), "no part `_rels/.rels`"),
        (packed(&[("_rels/.rels", "<Relationships/>"), ("3D/3dmodel.model", &good)]), "names no 3D model"),
        (packed(&[("_rels/.rels", RELATIONSHIPS)]), "no part `3D/3dmodel.model`"),
        (b"solid a\n".to_vec(), "cannot be read as a ZIP archive"),
        (b"glTF".to_vec(), "is a binary glTF file"),
    ] {
        let fault = read(bytes).expect_err(words);
        assert!(fault.problem.contains(words), "`{words}`: {fault:?}");
    }
}

/// A model part without its resources or its build, objects before they are defined, ids of other
/// resources, and a package of two models.
#[test]
fn references_of_the_core_specification_are_held() {
    let item = "<item objectid=\"1\"/>";
    let component = |id: u32| format!("<components><component objectid=\"{id}\"/></components>");
    let materials =
        |id: u32| format!("<basematerials id=\"{id}\"><base name=\"a\" displaycolor=\"#FF0000\"/></basematerials>");
    let tetrahedron = object(1, "", TETRAHEDRON);
    let whole = model("", &tetrahedron, item);
    for (text, words) in [
        (
            model("", &(object(1, "", &component(2)) + &object(2, "", TETRAHEDRON)), item),
            "component names object 2, which is not defined before it",
        ),
        (
            model("", &(object(1, "", &component(2)) + &object(2, "", &component(1))), item),
            "component names object 2, which is not defined before it",
        ),
        (model("", &(materials(1) + &tetrahedron), item), "two resources have the id 1"),
        (model("", &(tetrahedron.clone() + &materials(1)), item), "two resources have the id 1"),
        (model("", &(materials(7) + &materials(7) + &tetrahedron), item), "two resources have the id 7"),
        (
            model("", &(materials(7) + &tetrahedron), "<item objectid=\"7\"/>"),
            "item names object 7, which is not defined",
        ),
        (model("", &(object(1, "", &component(7)) + &materials(7)), item), "component names object 7"),
        (
            model("", &object(1 << 31, "", TETRAHEDRON), item),
            "the `id` of an `object` is `2147483648`, not a number above 0",
        ),
        (model("", &tetrahedron, "<item/>"), "the `objectid` of an `item` is no value"),
        (model("", &tetrahedron, "<item objectid=\"one\"/>"), "the `objectid` of an `item` is `one`"),
        (whole.replace(&format!("<build>{item}</build>"), ""), "places no object"),
        (
            whole.replace(&format!("<resources>{tetrahedron}</resources>"), ""),
            "item names object 1, which is not defined",
        ),
        (whole.replace("x=\"1.5\"", "x=\"1,5\""), "the x of vertex 1 is `1,5`"),
        (whole.replace("x=\"1.5\"", "x=\"0x1\""), "the x of vertex 1 is `0x1`"),
        (whole.replace("v3=\"1\"", ""), "triangle 0 lacks the number of a vertex"),
        (whole.replace("v3=\"1\"", "v3=\"1.0\""), "triangle 0 lacks the number of a vertex"),
        (whole.replace(item, "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 inf\"/>"), "not 12 numbers"),
        (whole.replace(item, "<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 0 1\"/>"), "not 12 numbers"),
    ] {
        let Fault { problem, remedy, .. } = read(file(&text)).expect_err(words);
        assert!(problem.contains(words) && !remedy.is_empty(), "`{words}` is not in: {problem}");
    }
    // What is allowed: the largest id, materials of other ids, spaces around numbers and between them.
    let spaced = "<item objectid=\"2147483647\" transform=\" 1 0 0\n0 1 0 \t0 0 1  .5 -1E1 +2 \"/>";
    let largest = object((1 << 31) - 1, "pid=\"7\" pindex=\"0\"", TETRAHEDRON);
    let mesh = read(file(&model("unit=\"meter\"", &(materials(7) + &largest), spaced))).expect("a mesh");
    assert_eq!(mesh.vertices[1], [2.0, -10.0, 2.0]);
    // A package has one model, though two relationships may name it.
    let start = RELATIONSHIPS.lines().find(|line| line.contains("2013/01/3dmodel")).expect("a line");
    let two = |second: &str| {
        RELATIONSHIPS.replace(start, &format!("{start}\n{}", start.replace("/3D/3dmodel.model", second)))
    };
    let with =
        |rels: &str| package(&[("_rels/.rels", rels), ("3D/3dmodel.model", &whole)], CompressionMethod::Deflated);
    read(with(&two("/3D/3dmodel.model"))).expect("one model");
    let fault = read(with(&two("/3D/other.model"))).expect_err("two models");
    assert!(fault.problem.contains("several 3D models"), "{fault:?}");
}

/// Meshes that the Core Specification forbids are read as far as they say what a body is, and what
/// is wrong with them is counted.
#[test]
fn meshes_against_the_core_specification_are_counted() {
    let folder = tempfile::tempdir().expect("scratch");
    let keys = "[[body]]\nname = \"a\"\nstatic = true\nmodel = \"mesh\"";
    let condition = |mesh: &str| {
        let bytes = file(&model("", &object(1, "", mesh), "<item objectid=\"1\"/>"));
        let scene = load(folder.path(), &bytes, keys).unwrap_or_else(|error| panic!("{error}"));
        scene.bodies[0].shape.condition.expect("of a mesh")
    };
    let triangle = |a: u32, b: u32, c: u32| format!("<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
    let good = condition(TETRAHEDRON);
    assert!(
        good.is_solid() && good.degenerate_triangles + good.turned_triangles + good.boundary_edges == 0,
        "{good:?}"
    );
    let plus = |more: &str| TETRAHEDRON.replace("</triangles>", &format!("{more}</triangles>"));
    // Two corners are one vertex; two vertices are at one position.
    for more in [triangle(0, 0, 1), triangle(2, 2, 2)] {
        let found = condition(&plus(&more));
        assert!(found.is_solid() && found.degenerate_triangles == 1, "{more}: {found:?}");
    }
    // An edge that two triangles use in one direction.
    let turned = condition(&TETRAHEDRON.replace(&triangle(0, 1, 3), &triangle(1, 0, 3)));
    assert!(turned.is_solid() && turned.turned_triangles == 1, "{turned:?}");
    // A mirror turns every triangle, and their order with it.
    let mirrored = "<item objectid=\"1\" transform=\"-1 0 0 0 1 0 0 0 1 0 0 0\"/>";
    let scene = load(folder.path(), &file(&model("", &object(1, "", TETRAHEDRON), mirrored)), keys).expect("a scene");
    assert_eq!(scene.bodies[0].shape.condition.expect("of a mesh").turned_triangles, 0, "a mirror turns none");
    // A triangle twice, and an edge of three triangles.
    let twice = condition(&plus(&triangle(0, 2, 1)));
    assert!(twice.is_solid() && twice.duplicate_triangles == 1, "{twice:?}");
    let fin = plus(&triangle(0, 1, 4)).replace("</vertices>", "<vertex x=\"0.5\" y=\"-1\" z=\"-1\"/></vertices>");
    let fin = condition(&fin);
    assert!(!fin.is_solid() && fin.nonmanifold_edges == 1 && fin.boundary_edges == 2, "{fin:?}");
    // A hole: an edge of one triangle.
    let open = condition(&TETRAHEDRON.replace(&triangle(0, 1, 3), ""));
    assert!(!open.is_solid() && open.boundary_edges == 3, "{open:?}");
    // A vertex that no triangle uses is no part of the body.
    let unused = condition(&TETRAHEDRON.replace("</vertices>", "<vertex x=\"9\" y=\"9\" z=\"9\"/></vertices>"));
    assert!(unused.is_solid() && unused.unused_vertices == 1, "{unused:?}");
}

#[test]
fn unknown_extensions_that_are_not_required_are_named() {
    let folder = tempfile::tempdir().expect("scratch");
    let mesh = TETRAHEDRON.replace("</mesh>", "<v:beams><v:beam v1=\"0\"/></v:beams><p:x/></mesh>");
    let bytes = file(&model("xmlns:v=\"http://vendor.example/v\"", &object(1, "", &mesh), "<item objectid=\"1\"/>"));
    let scene = load(folder.path(), &bytes, "[[bodies]]\neach = \"node\"").expect("a scene");
    let [(_, note)] = &scene.notes[..] else { panic!("{:?}", scene.notes) };
    assert!(note.kind == "extension" && note.problem.contains("`http://vendor.example/v`"), "{note:?}");
}

#[test]
fn small_files_that_say_much_are_refused() {
    // Each object places the one before it twice: 2^60 parts.
    let mut resources = object(1, "", TETRAHEDRON);
    for id in 2..62 {
        let both = format!("<component objectid=\"{}\"/>", id - 1).repeat(2);
        resources += &object(id, "", &format!("<components>{both}</components>"));
    }
    let doubling = file(&model("", &resources, "<item objectid=\"61\"/>"));
    assert!(read(doubling.clone()).expect_err("too many").problem.contains("items and components"));
    let folder = tempfile::tempdir().expect("scratch");
    let fault = load(folder.path(), &doubling, "[[bodies]]\neach = \"node\"").expect_err("too many");
    assert!(fault.problem.contains("paths of its nodes") || fault.problem.contains("items and components"), "{fault}");
    // A hundred megabytes of blanks.
    let blank = " ".repeat(100 << 20);
    let bomb = file(&model("", &(object(1, "", TETRAHEDRON) + &blank), "<item objectid=\"1\"/>"));
    assert!(bomb.len() < 200_000);
    assert!(read(bomb).expect_err("a bomb").problem.contains("unpacks to more bytes"));
    // A deep nest of elements that are not read.
    let deep = |depth: usize| {
        let nest = format!("{}{}", "<x>".repeat(depth), "</x>".repeat(depth));
        read(file(&model("", &(nest + &object(1, "", TETRAHEDRON)), "<item objectid=\"1\"/>")))
    };
    deep(60_000).expect("skipped");
    assert!(deep(300_000).expect_err("too deep").problem.contains("deeper"));
}

#[test]
fn damaged_files_are_read_or_refused_and_never_panic() {
    let resources = object(1, "name=\"a\" partnumber=\"b\"", TETRAHEDRON)
        + &object(2, "", "<components><component objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 1 2 3\"/></components>");
    let text = model("unit=\"inch\"", &resources, "<item objectid=\"2\"/><item objectid=\"1\"/>");
    let mut random = Random(3);
    let (mut good, mut bad) = (0, 0);
    let mut take = |bytes: Vec<u8>| match read(bytes) {
        Ok(mesh) => {
            assert_sound(&mesh);
            good += 1;
        }
        Err(Fault { problem, remedy, .. }) => {
            assert!(!problem.is_empty() && !remedy.is_empty());
            bad += 1;
        }
    };
    for _ in 0..3000 {
        let damaged = mutated(&mut random, text.as_bytes());
        take(file(&String::from_utf8_lossy(&damaged)));
    }
    let bytes = file(&text);
    for _ in 0..3000 {
        take(mutated(&mut random, &bytes));
    }
    (0..bytes.len()).for_each(|end| take(bytes[..end].to_vec()));
    assert!(good > 200 && bad > 2000, "the cases are not representative: {good} good, {bad} bad");
}

#[test]
fn numbers_are_those_nearest_to_their_decimals() {
    let mut random = Random(9);
    let mut vertices = String::new();
    let mut expected = Vec::new();
    for _ in 0..500 {
        let numbers = [0; 3].map(|_| f64::from_bits(random.bits()));
        let numbers = numbers.map(|c| if c.is_finite() && c.abs() < 1e300 { c } else { 0.1 });
        writeln!(vertices, "<vertex x=\"{:?}\" y=\" {:e} \" z=\"{:?}\"/>", numbers[0], numbers[1], numbers[2])
            .expect("text");
        expected.push(numbers);
    }
    let mesh = format!(
        "<mesh><vertices>{vertices}</vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh>"
    );
    let read = read(file(&model("unit=\"meter\"", &object(1, "", &mesh), "<item objectid=\"1\"/>"))).expect("a mesh");
    assert_eq!(read.vertices, expected);
}
