//! `[[bodies]]`: a scene from tables equals the same scene written body by body, and wrong tables
//! have their messages.

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, RecordBatch, StringArray};
use clearsweep::Error;
use clearsweep_scene::{Motion, Scene, SceneOverrides};
use clearsweep_testing::random::Random;
use parquet::arrow::ArrowWriter;
use std::fs;
use std::path::Path;
use std::sync::Arc;

const HEAD: &str = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 200\n";

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
                    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

fn load(folder: &Path, text: &str) -> Result<Scene, Error> {
    let path = folder.join("scene.toml");
    let _ = fs::remove_file(&path);
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

fn good(folder: &Path, text: &str) -> Scene {
    load(folder, text).unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.remedy))
}

/// Columns of a Parquet table, by name.
type Columns<'a> = Vec<(&'a str, ArrayRef)>;

fn write_parquet(path: &Path, columns: Columns<'_>) {
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)));
    let batch = batch.expect("columns of equal length");
    let mut writer =
        ArrowWriter::try_new(fs::File::create(path).expect("a file"), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn floats(values: &[Option<f64>]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

/// The same five bodies as a CSV, with blanks, quotes, empty cells, an own column and a byte order
/// mark.
const CSV: &str = "\u{feff}guid,body, geometry,model,unit,scale,up,offset,group,static,x,y,z,qw,qx,qy,qz,shape\r\n\
    1a,wall,c.obj,,,,,,,,,,,,,,,\r\n\
    2b,\"pipe, long\",c.obj,hull,in,2.5,y,30,a; b;a,TRUE,1500,-2,1e3,0.5,0.5,0.5,0.5,\r\n\
    3c,duct,./c.obj,pieces,m,,z,0.5,solo,1,0,0,0,,,,,\r\n\
    4d,crate,c.obj,,,,,,,false,,,,,,,,\r\n\
    5e,ball,,,,,,,,,7,8,9,,,,,{ sphere = 12.5 }\r\n";

fn as_parquet(path: &Path) {
    let mut groups = ListBuilder::new(StringBuilder::new());
    groups.append_null();
    groups.values().append_value("a");
    groups.values().append_value("b");
    groups.append(true);
    groups.values().append_value("solo");
    groups.append(true);
    groups.append_null();
    groups.append_null();
    let columns: Columns<'_> = vec![
        ("qw", floats(&[None, Some(0.5), None, None, None])),
        ("guid", Arc::new(Int32Array::from(vec![1, 2, 3, 4, 5]))),
        ("body", texts(&[Some("wall"), Some("pipe, long"), Some("duct"), Some("crate"), Some("ball")])),
        ("shape", texts(&[None, None, None, None, Some("{ sphere = 12.5 }")])),
        ("geometry", texts(&[Some("c.obj"), Some("c.obj"), Some("./c.obj"), Some("c.obj"), None])),
        ("model", texts(&[None, Some("hull"), Some("pieces"), None, Some("")])),
        ("unit", texts(&[None, Some("in"), Some("m"), None, None])),
        ("scale", Arc::new(Float32Array::from(vec![None, Some(2.5), None, None, None]))),
        ("up", texts(&[None, Some("y"), Some("z"), None, None])),
        ("offset", floats(&[None, Some(30.0), Some(0.5), None, None])),
        ("group", Arc::new(groups.finish())),
        ("static", Arc::new(BooleanArray::from(vec![None, Some(true), Some(true), Some(false), None]))),
        ("x", Arc::new(Int32Array::from(vec![None, Some(1500), Some(0), None, Some(7)]))),
        ("y", floats(&[None, Some(-2.0), Some(0.0), None, Some(8.0)])),
        ("z", floats(&[None, Some(1000.0), Some(0.0), None, Some(9.0)])),
        ("qx", floats(&[None, Some(0.5), None, None, None])),
        ("qy", floats(&[None, Some(0.5), None, None, None])),
        ("qz", floats(&[None, Some(0.5), None, None, None])),
    ];
    write_parquet(path, columns);
}

/// The same bodies one by one, with the defaults of the sections below filled in.
const BODIES: &str = "[[body]]\nname = \"wall\"\ngeometry = \"c.obj\"\nstatic = true\noffset = 4\ngroup = [\"x\"]\n\
    [[body]]\nname = \"pipe, long\"\ngeometry = \"c.obj\"\nmodel = \"hull\"\nunit = \"in\"\nscale = 2.5\nup = \"y\"\noffset = 30\n\
    group = [\"a\", \"b\"]\nstatic = true\nposition = [1500, -2, 1000]\norientation = { qw = 0.5, qx = 0.5, qy = 0.5, qz = 0.5 }\n\
    [[body]]\nname = \"duct\"\ngeometry = \"c.obj\"\nmodel = \"pieces\"\nunit = \"m\"\noffset = 0.5\ngroup = \"solo\"\nstatic = true\n\
    [[body]]\nname = \"crate\"\ngeometry = \"c.obj\"\nstatic = false\noffset = 4\ngroup = \"x\"\n\
    [[body]]\nname = \"ball\"\nshape = { sphere = 12.5 }\nstatic = true\noffset = 4\ngroup = \"x\"\nposition = [7, 8, 9]\n";

#[test]
fn tables_equal_bodies_written_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    fs::write(folder.join("p.csv"), CSV).expect("a table");
    as_parquet(&folder.join("p.parquet"));
    let head = HEAD.replace("[query]", "trajectories = \"t.parquet\"\n[query]");
    let first = "[[body]]\nname = \"first\"\nshape = { box = [1, 2, 3] }\n";
    let rule = "[[ignore]]\na = \"group:x\"\nb = \"pipe, long\"\n";
    let expected = good(folder, &format!("{head}{first}{BODIES}{rule}"));
    assert_eq!(expected.bodies.len(), 6);
    for table in ["p.csv", "p.parquet"] {
        let section = format!("[[bodies]]\ntable = \"{table}\"\nstatic = true\noffset = 4\ngroup = \"x\"\n");
        // Tables come behind all bodies, wherever they stand.
        let scene = good(folder, &format!("{head}{section}{first}{rule}"));
        assert_eq!(scene.bodies, expected.bodies, "{table}");
        assert_eq!((&scene.dynamic, &scene.ignored), (&expected.dynamic, &expected.ignored));
        assert!(Arc::ptr_eq(&scene.bodies[1].shape, &scene.bodies[4].shape), "geometry is shared");
        let inputs: Vec<_> =
            scene.inputs.iter().map(|i| i.path.file_name().expect("a name").to_string_lossy()).collect();
        assert_eq!(inputs, ["scene.toml", table, "c.obj"]);
    }
}

#[test]
fn several_tables_follow_each_other_and_rows_win_over_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    fs::write(folder.join("a.csv"), "name,geometry\na,\nb,c.obj\n").expect("a table");
    fs::write(folder.join("b.CSV"), "body\nc\n\nd\n").expect("a table");
    let text = format!(
        "{HEAD}[[bodies]]\ntable = \"b.CSV\"\nstatic = true\nshape = {{ sphere = 1 }}\nposition = [1000, 0, 0]\n\
         [[bodies]]\ntable = \"a.csv\"\nstatic = true\nshape = {{ sphere = 2 }}\n"
    );
    let scene = good(folder, &text);
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["c", "d", "a", "b"]);
    assert_eq!(scene.bodies[2].shape.pieces[0].radius, 0.002);
    assert_eq!((scene.bodies[2].shape.vertices, scene.bodies[3].shape.vertices), (1, 8));
    assert!(matches!(scene.bodies[1].motion, Motion::Static(pose) if pose.position.x == 1.0));
}

#[test]
fn a_large_table_loads() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("c.obj"), CUBE).expect("a file");
    let mut csv = String::from("body,geometry,x,y,z\n");
    (0..20_000).for_each(|i| csv += &format!("b{i},c.obj,{i}.5,0,-1\n"));
    fs::write(folder.path().join("p.csv"), csv).expect("a table");
    let scene = good(folder.path(), &format!("{HEAD}[[bodies]]\ntable = \"p.csv\"\nstatic = true\n"));
    assert_eq!((scene.bodies.len(), scene.inputs.len()), (20_000, 3));
    assert!(matches!(scene.bodies[19_999].motion, Motion::Static(pose) if pose.position.x == 19.9995));
}

/// Positions and quaternions whose numbers are long, tiny, huge, zero of either sign, or with units
/// of their own.
const POSES: [[&str; 7]; 6] = [
    ["0.1", "-0.0", "1e-300", "1.0", "0.0", "0.0", "0.0"],
    ["123456789.12345679", "5e-324", "0.30000000000000004", "0.5", "-0.5", "0.5", "-0.5"],
    ["1e20", "-1e20", "0.0", "0.7071067811865476", "0.7071067811865476", "-0.0", "0.0"],
    ["7.0", "8.0", "9.0", "1.0009", "0.0", "0.0", "0.0"],
    ["0.001", "2.5", "1000000000000000.2", "0.0", "0.0", "0.0", "-1.0"],
    ["50mm", "1 m", "-2", "0.9999999999999999", "1e-9", "0.0", "0.0"],
];

#[test]
fn rows_alike_but_for_name_and_pose_equal_bodies_written_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    let (mut csv, mut bodies) = (String::from("body,geometry,group,x,y,z,qw,qx,qy,qz\n"), String::new());
    for row in 0..600 {
        // Stretches of rows that are alike, of several lengths; some of them have no pose of their
        // own.
        let (geometry, group) = (["c.obj", ""][row / 7 % 2], ["", "g", "g;h"][row / 50 % 3]);
        let pose = if row % 90 < 80 { POSES[row * row % POSES.len()] } else { [""; 7] };
        csv += &format!("b{row},{geometry},{group},{}\n", pose.join(","));
        let shape = if geometry.is_empty() { "shape = { sphere = 3 }" } else { "geometry = \"c.obj\"" };
        bodies += &format!("[[body]]\nname = \"b{row}\"\nstatic = true\n{shape}\n");
        if !group.is_empty() {
            bodies += &format!("group = {:?}\n", group.split(';').collect::<Vec<_>>());
        }
        let [x, y, z] = [0, 1, 2].map(|k| match pose[k].ends_with('m') {
            true => format!("{:?}", pose[k]),
            false => pose[k].to_owned(),
        });
        let [.., qw, qx, qy, qz] = pose;
        bodies += &match x.is_empty() {
            false => {
                format!("position = [{x}, {y}, {z}]\norientation = {{ qw = {qw}, qx = {qx}, qy = {qy}, qz = {qz} }}\n")
            }
            true => "position = [4, 5, 6]\n".to_owned(),
        };
    }
    fs::write(folder.join("p.csv"), csv).expect("a table");
    let section = "[[bodies]]\ntable = \"p.csv\"\nstatic = true\nshape = { sphere = 3 }\nposition = [4, 5, 6]\n";
    let (scene, expected) = (good(folder, &format!("{HEAD}{section}")), good(folder, &format!("{HEAD}{bodies}")));
    // Zeros of both signs are told apart.
    assert_eq!(format!("{:?}", scene.bodies), format!("{:?}", expected.bodies));
}

/// A wrong table: the section's keys, the file's name and bytes, what the message says.
type Row = (&'static str, &'static str, &'static [u8], &'static [&'static str]);

const WRONG: &[Row] = &[
    ("", "p.csv", b"", &["p.csv", "no column `body`"]),
    ("", "p.csv", b"geometry\nc.obj\n", &["p.csv", "no column `body`", "its columns: geometry"]),
    ("", "p.csv", b"body,name\na,b\n", &["columns `body` and `name` both", "keep one"]),
    ("", "p.csv", b"body,geometri\na,c.obj\n", &["unknown column `geometri`", "did you mean `geometry`"]),
    ("", "p.csv", b"body,Offset\na,1\n", &["unknown column `Offset`", "did you mean `offset`"]),
    ("", "p.csv", b"body,groups\na,1\n", &["did you mean `group`"]),
    ("", "p.csv", b"body,geometry\na\n", &["p.csv:2", "not valid CSV"]),
    ("", "p.csv", b"body,geometry\na,\xff\n", &["p.csv:2", "not UTF-8"]),
    ("", "p.csv", b"body,geometry\n,c.obj\n", &["p.csv:2", "column `body` is empty"]),
    ("", "p.csv", b"body,geometry\na,c.obj\na,c.obj\n", &["p.csv:3", "`a` was used before, in", "p.csv:2"]),
    ("", "p.csv", b"body,geometry\ngood,c.obj\n", &["p.csv:2", "`good` was used before, on line 5"]),
    ("", "p.csv", b"body\na\n", &["p.csv:2", "body `a` has neither"]),
    ("", "p.csv", b"body,geometry,scale\na,c.obj,big\n", &["p.csv:2", "column `scale` holds `big`", "a number"]),
    ("", "p.csv", b"body,geometry,scale\na,c.obj,0\n", &["p.csv:2", "column `scale` of body `a`", "above 0"]),
    ("", "p.csv", b"body,geometry,offset\na,c.obj,-1\n", &["p.csv:2", "`offset`", "negative"]),
    ("", "p.csv", b"body,geometry,offset\na,c.obj,nan\n", &["p.csv:2", "`offset`", "NaN"]),
    ("", "p.csv", b"body,geometry,static\na,c.obj,maybe\n", &["column `static` holds `maybe`", "true or false"]),
    ("", "p.csv", b"body,geometry,x,y,z\na,c.obj,1,,3\n", &["column `y` is empty", "x, y, z", "all of them"]),
    ("", "p.csv", b"body,geometry,qw\na,c.obj,1\n", &["column `qx` is empty", "qw, qx, qy, qz"]),
    ("static = true\n", "p.csv", b"body,geometry,qw,qx,qy,qz\na,c.obj,0.9,0,0,0\n", &["p.csv:2", "norm 0.9"]),
    ("", "p.csv", b"body,geometry,x,y,z\na,c.obj,1,2,3\n", &["p.csv:2", "dynamic body", "`position`", "static = true"]),
    // Behind a row that is alike and right.
    (
        "static = true\n",
        "p.csv",
        b"body,geometry,qw,qx,qy,qz\na,c.obj,1,0,0,0\nb,c.obj,0.9,0,0,0\n",
        &["p.csv:3", "column `orientation` of body `b`", "norm 0.9"],
    ),
    (
        "static = true\n",
        "p.csv",
        b"body,geometry,x,y,z\na,c.obj,1,2,3\nb,c.obj,1,2,inf\n",
        &["p.csv:3", "body `b`", "inf"],
    ),
    ("static = true\n", "p.csv", b"body,geometry,x,y,z\na,c.obj,1,2,3\nb,c.obj,1,2,1e300\n", &["p.csv:3", "body `b`"]),
    (
        "static = true\n",
        "p.csv",
        b"body,geometry,x,y,z\na,c.obj,1,2,3\n,c.obj,1,2,3\n",
        &["p.csv:3", "column `body` is empty"],
    ),
    ("", "p.csv", b"body,geometry,x,y,z\na,c.obj,,,\nb,c.obj,1,2,3\n", &["p.csv:3", "dynamic body", "`position`"]),
    ("static = true\n", "p.csv", b"body,shape\na,ball\n", &["column `shape` holds `ball`", "not valid TOML"]),
    ("static = true\n", "p.csv", b"body,shape\na,{ sphere = 0 }\n", &["p.csv:2", "`sphere`", "positive"]),
    (
        "static = true\n",
        "p.csv",
        b"body,geometry,shape\na,c.obj,{ sphere = 1 }\n",
        &["p.csv:2", "both a `geometry` and a `shape`"],
    ),
    ("", "p.csv", b"body,geometry\na,c.obj\n", &["p.csv:2", "`a` is dynamic, but the scene names no trajectories"]),
    (
        "static = true\n",
        "p.csv",
        b"body,geometry\na,gone.obj\n",
        &["gone.obj", "body `a`", "p.csv:2", "cannot be read"],
    ),
    ("static = true\n", "p.csv", b"body,geometry\na,bad.obj\n", &["bad.obj:1", "`geometry` of body `a`", "p.csv:2"]),
    ("static = true\n", "p.csv", b"body,geometry,model\na,c.obj,hul\n", &["p.csv:2", "`model`", "did you mean `hull`"]),
    (
        "model = \"hul\"\n",
        "p.csv",
        b"body,geometry\na,c.obj\n",
        &["scene.toml:11, key `model` of [[bodies]] number 1", "`hull`"],
    ),
    ("", "p.tsv", b"body\n", &["p.tsv", "no known type of table", ".csv"]),
    ("", "p.xlsx", b"PK\x03\x04", &["p.xlsx", "workbook", ".csv file"]),
    ("", "p.csv", b"body,shape\na,{ sphere = 1 },9\n", &["p.csv:2", "not valid CSV", "3 cells below 2 names"]),
    ("", "p.csv", b"body,group\na,\xfc\n", &["p.csv:2", "not UTF-8", "as UTF-8 text"]),
    ("", "p.parquet", b"body\n", &["p.parquet", "not a Parquet file"]),
    ("", "p.parquet", b"", &["p.parquet", "not a Parquet file"]),
    ("", "p.parquet", b"PAR1\0\0\0\0PAR1", &["p.parquet", "damaged"]),
    ("nme = 1\n", "p.csv", b"body\n", &["scene.toml:11", "`nme` in [[bodies]] number 1", "known here: table"]),
    ("name = \"x\"\n", "p.csv", b"body\n", &["scene.toml:11", "`name`"]),
];

const GOOD: &str = "[[body]]\nname = \"good\"\nstatic = true\nshape = { sphere = 1.0 }\n";

fn message(error: &Error) -> String {
    assert!(!error.place.is_empty() && !error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}");
    format!("{} | {} | {}", error.place, error.problem, error.remedy)
}

#[test]
fn every_wrong_table_has_its_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    fs::write(folder.join("bad.obj"), "v 1 2\n").expect("a file");
    for (keys, name, bytes, parts) in WRONG {
        fs::write(folder.join(name), bytes).expect("a table");
        let scene = format!("{HEAD}{GOOD}[[bodies]]\ntable = \"{name}\"\n{keys}");
        let text = message(&load(folder, &scene).expect_err(&String::from_utf8_lossy(bytes)));
        for part in *parts {
            assert!(text.contains(part), "`{part}` is not in: {text}");
        }
        if name.ends_with(".csv") {
            // Lines are those of an editor, however they end.
            let crlf: Vec<u8> =
                bytes.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
            fs::write(folder.join(name), crlf).expect("a table");
            let again = message(&load(folder, &scene).expect_err(&String::from_utf8_lossy(bytes)));
            assert_eq!(again, text, "with CRLF");
        }
    }
    let none = message(&load(folder, &format!("{HEAD}{GOOD}[[bodies]]\nstatic = true\n")).expect_err("no table"));
    assert!(none.contains("`table` is missing in [[bodies]] number 1"), "{none}");
    let gone = message(&load(folder, &format!("{HEAD}[[bodies]]\ntable = \"gone.csv\"\n")).expect_err("no file"));
    assert!(gone.contains("scene.toml:6, key `table`") && gone.contains("gone.csv cannot be read"), "{gone}");
    let one = message(&load(folder, &format!("{HEAD}[bodies]\ntable = \"p.csv\"\n")).expect_err("one bracket"));
    assert!(one.contains("array of tables") && one.contains("[[bodies]]"), "{one}");
    fs::write(folder.join("p.csv"), "body\n").expect("a table");
    let empty = message(&load(folder, &format!("{HEAD}[[bodies]]\ntable = \"p.csv\"\n")).expect_err("no rows"));
    assert!(empty.contains("no bodies"), "{empty}");
}

#[test]
fn columns_may_have_names_and_units_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    fs::write(folder.join("p.csv"), CSV).expect("a table");
    as_parquet(&folder.join("p.parquet"));
    let head = HEAD.replace("[query]", "trajectories = \"t.parquet\"\n[query]");
    let expected = good(folder, &format!("{head}[[bodies]]\ntable = \"p.csv\"\nstatic = true\n"));
    // The same rows under other names. `x` says something else here, and so does `name`; lengths
    // are in metres and inches.
    let renamed = "name,body,file,model,unit,scale,up,x,group,static,pos_x,y,pos_z,qw,qx,qy,qz,shape\n\
        wall,1,c.obj,,,,,,,,,,,,,,,\n\
        \"pipe, long\",2,c.obj,hull,in,2.5,y,30mm,a; b;a,TRUE,1.5,-2,1000 mm,0.5,0.5,0.5,0.5,\n\
        duct,3,./c.obj,pieces,m,,z,0.0005,solo,1,0,0,0,,,,,\n\
        crate,4,c.obj,,,,,,,false,,,,,,,,\n\
        ball,5,,,,,,,,,0.007,8,0.009,,,,,{ sphere = 12.5 }\n";
    fs::write(folder.join("renamed.csv"), renamed).expect("a table");
    let columns = "columns = { body = \"name\", geometry = \"file\", offset = { name = \"x\", unit = \"m\" }, \
        x = { name = \"pos_x\", unit = \"m\" }, z = { name = \"pos_z\", unit = \"m\" } }\n";
    let section = format!("[[bodies]]\ntable = \"renamed.csv\"\nstatic = true\n{columns}");
    let scene = good(folder, &format!("{head}{section}"));
    assert_eq!(scene.bodies, expected.bodies);
    // Single precision is coarse in the unit of its column.
    let single = |unit: &str, key: &str| {
        let ones: ArrayRef = Arc::new(Float32Array::from(vec![Some(1.5_f32)]));
        let zeros = || floats(&[Some(0.0)]);
        let columns = vec![("part", texts(&[Some("ball")])), ("px", ones), ("y", zeros()), ("z", zeros())];
        write_parquet(&folder.join("single.parquet"), columns);
        let columns = format!("columns = {{ {key} = \"part\", x = {{ name = \"px\", unit = \"{unit}\" }} }}\n");
        let section = "[[bodies]]\ntable = \"single.parquet\"\nstatic = true\nshape = { sphere = 1 }\n";
        load(folder, &format!("{HEAD}{section}{columns}"))
    };
    let step = |unit: &str| single(unit, "body").expect("a scene").bodies[0].pose_steps.position_m;
    assert!(step("mm") > 0.0 && (step("km") / step("mm") - 1e6).abs() < 1e-3, "{} {}", step("mm"), step("km"));
    assert!(single("mm", "name").expect_err("no key").problem.contains("unknown key `name`"));
    // A table of overrides takes them, too.
    fs::write(folder.join("o.csv"), "part,grown\nduct,0.5\n").expect("a table");
    let object = CUBE.replacen("v ", "o duct\nv ", 1);
    fs::write(folder.join("duct.obj"), object).expect("a file");
    let each = "[[bodies]]\ngeometry = \"duct.obj\"\neach = \"object\"\n";
    let columns = "[bodies.columns]\nbody = \"part\"\noffset = { name = \"grown\", unit = \"in\" }\n";
    let grown = good(folder, &format!("{HEAD}{each}table = \"o.csv\"\n{columns}"));
    let plain = good(folder, &format!("{HEAD}{each}offset = \"0.5in\"\n"));
    assert_eq!(grown.bodies, plain.bodies);
    for (keys, parts) in [
        ("columns = { body = \"nam\" }", ["has no column `nam`, the `body` of `columns`", "name a column"]),
        ("columns = { bdy = \"name\" }", ["scene.toml:7", "unknown key `bdy`"]),
        ("columns = { body = \"name\", up = \"name\" }", ["key `up`", "is `name`, and so is `body`"]),
        ("columns = { body = { name = \"name\", unit = \"m\" } }", ["key `body`", "holds no lengths"]),
        ("columns = { x = { name = \"x\", unit = \"yd\" } }", ["key `x`", "`yd` is no length unit"]),
        ("columns = 5", ["key `columns`", "table"]),
    ] {
        let text =
            message(&load(folder, &format!("{HEAD}[[bodies]]\ntable = \"renamed.csv\"\n{keys}\n")).expect_err(keys));
        assert!(parts.iter().all(|part| text.contains(part)), "{keys}: {text}");
    }
    let none = message(&load(folder, &format!("{HEAD}{each}{columns}")).expect_err("no table"));
    assert!(none.contains("columns of a `table`, and the section has none"), "{none}");
}

#[test]
fn parquet_types_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    let bodies = || texts(&[Some("a"), Some("b")]);
    let files = || texts(&[Some("c.obj"), Some("c.obj")]);
    let numbers = || floats(&[Some(1.0), Some(f64::INFINITY)]);
    let dates: ArrayRef = Arc::new(arrow_array::Date32Array::from(vec![1, 2]));
    let cases: [(Columns<'_>, &[&str]); 5] = [
        (vec![("body", numbers())], &["row 0 (from 0)", "column `body` holds the number 1", "a text"]),
        (
            vec![("body", bodies()), ("geometry", files()), ("scale", numbers())],
            &["row 1", "`scale` of body `b`", "finite"],
        ),
        (
            vec![("body", bodies()), ("geometry", files()), ("static", numbers())],
            &["row 0", "`static`", "true or false"],
        ),
        (vec![("body", bodies()), ("group", numbers())], &["row 0", "`group`", "list of texts"]),
        (vec![("body", bodies()), ("scale", dates)], &["column `scale` has the type Date32", "numbers"]),
    ];
    for (columns, parts) in cases {
        write_parquet(&folder.join("p.parquet"), columns);
        let text = format!("{HEAD}[[bodies]]\ntable = \"p.parquet\"\n");
        let text = message(&load(folder, &text).expect_err("a wrong type"));
        assert!(parts.iter().all(|part| text.contains(part)) && text.contains("p.parquet"), "{text}");
    }
}

#[test]
fn no_bytes_make_the_loader_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("c.obj"), CUBE).expect("a file");
    as_parquet(&folder.join("p.parquet"));
    let head = HEAD.replace("[query]", "trajectories = \"t.parquet\"\n[query]");
    let (mut good, mut bad) = (0, 0);
    let mut random = Random(4);
    for (name, original) in
        [("p.csv", CSV.as_bytes().to_vec()), ("p.parquet", fs::read(folder.join("p.parquet")).expect("bytes"))]
    {
        let text = format!("{head}[[bodies]]\ntable = \"{name}\"\nstatic = true\n");
        for _ in 0..2000 {
            let mut bytes = original.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len().max(1)).min(bytes.len());
                let end = (at + random.below(8)).min(bytes.len());
                match random.below(6) {
                    0 => bytes.truncate(at),
                    1 => drop(bytes.drain(at..end)),
                    2 => bytes = [&bytes[..end], &bytes[at..]].concat(),
                    3 => bytes[at..end].iter_mut().for_each(|b| *b ^= 1 << random.below(8)),
                    4 => bytes[at..end].iter_mut().for_each(|b| *b = b"0129.-en,;\"\n{}=[]"[random.below(17)]),
                    _ => bytes[at..end].iter_mut().for_each(|b| *b = [0, 0xff, 0x7f, 0x80][random.below(4)]),
                }
            }
            let _ = fs::remove_file(folder.join(name)); // overwriting may flush, which takes milliseconds
            fs::write(folder.join(name), bytes).expect("a table");
            match load(folder, &text) {
                Ok(_) => good += 1,
                Err(error) => {
                    message(&error);
                    bad += 1;
                }
            }
        }
    }
    assert!(good > 200 && bad > 1500, "the cases are not representative: {good} good, {bad} bad");
}
