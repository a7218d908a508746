use super::real_files::damaged;
use crate::{DaeMesh, DaePolygon, UpAxis, read_dae};
use clearsweep_base::Error;
use std::path::Path;

/// A file with a square of four points, whose primitives (line 4), nodes (line 6) and asset are
/// given.
fn file(asset: &str, primitives: &str, nodes: &str) -> String {
    format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>{asset}</asset>\n\
         <library_geometries><geometry id='g'><mesh><source id='s'><float_array id='f' count='12'>0 0 0 1 0 0 1 1 0 <!-- -->\
         0 1 0</float_array>\n<technique_common><accessor source='#f' count='4' stride='3'><param name='X'/><param name='Y'/>\
         <param name='Z'/></accessor></technique_common></source><vertices id='v'><input semantic='POSITION' source='#s'/>\
         </vertices>\n{primitives}</mesh></geometry></library_geometries>\n<library_visual_scenes><visual_scene id='w'>\n\
         {nodes}</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#w'/></scene></COLLADA>"
    )
}

const INPUTS: &str =
    "<input semantic='VERTEX' source='#v' offset='1'/><input semantic='NORMAL' source='#n' offset='0'/>";

fn triangles() -> String {
    format!("<triangles>{INPUTS}<p>9 0 9 1 9 2</p></triangles>")
}

fn read(asset: &str, primitives: &str, nodes: &str) -> Result<DaeMesh, Error> {
    read_dae(Path::new("m.dae"), &file(asset, primitives, nodes))
}

fn moved(nodes: &str) -> DaeMesh {
    read("<up_axis>Z_UP</up_axis>", &triangles(), nodes).unwrap_or_else(|error| panic!("{nodes}: {error}"))
}

const NODE: &str = "<node><instance_geometry url='#g'/></node>";

#[track_caller]
fn assert_fault(result: Result<DaeMesh, Error>, line: usize, part: &str) {
    let error = result.expect_err(part);
    assert_eq!(error.place, format!("m.dae:{line}"), "{error}");
    assert!(error.problem.contains(part) && !error.remedy.is_empty(), "{part}: {error}");
}

#[test]
fn units_and_axes_are_those_of_the_asset() {
    let mesh = read("<unit meter='0.01'/><up_axis>Z_UP</up_axis>", &triangles(), NODE).expect("a mesh");
    assert_eq!(mesh.vertices, [[0.0; 3], [0.01, 0.0, 0.0], [0.01, 0.01, 0.0], [0.0, 0.01, 0.0]]);
    assert_eq!((mesh.triangles, mesh.up_axis, mesh.notes), (vec![[0, 1, 2]], UpAxis::Z, vec![]));
    let mesh = read("", &triangles(), NODE).expect("a mesh");
    assert_eq!((mesh.up_axis, mesh.notes.len()), (UpAxis::Y, 1));
    assert_eq!(UpAxis::Y.to_z_up([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    assert_eq!(UpAxis::X.to_z_up([1.0, 0.0, 0.0]), [0.0, 0.0, 1.0]);
    assert_fault(read("<up_axis>UP</up_axis>", &triangles(), NODE), 1, "unknown `up_axis` (`UP`)");
    assert_fault(read("<unit meter='0'/>", &triangles(), NODE), 1, "`meter` of `unit` is not positive");
}

#[test]
fn nodes_move_their_instances() {
    let first = |nodes: &str| moved(nodes).vertices[1].map(|x| (x * 1e9).round() / 1e9);
    let inner = "<instance_geometry url='#g'/></node>";
    assert_eq!(first(&format!("<node><translate>1 2 3</translate><rotate>0 0 1 90</rotate>{inner}")), [1.0, 3.0, 3.0]);
    assert_eq!(first(&format!("<node><rotate>0 0 1 90</rotate><translate>1 2 3</translate>{inner}")), [-2.0, 2.0, 3.0]);
    assert_eq!(
        first(&format!("<node><scale>2 1 1</scale><node><translate>1 0 0</translate>{inner}</node>")),
        [4.0, 0.0, 0.0]
    );
    assert_eq!(
        first(&format!("<node><matrix>0 0 0 5 1 0 0 6 0 1 1 7 0 0 0 1</matrix>{inner}").replace("0 0 0 5", "0 0 1 5")),
        [5.0, 7.0, 7.0]
    );
    assert_eq!(moved(&format!("<node><scale>-1 1 1</scale>{inner}")).triangles, [[0, 2, 1]], "mirrored");
    let twice = moved(&format!("<node id='n'>{inner}<node><instance_node url='#n'/></node>"));
    assert_eq!(twice.triangles, [[0, 1, 2], [4, 5, 6]]);
}

#[test]
fn polygons_are_fans_that_the_caller_checks() {
    let list = format!("<polylist>{INPUTS}<vcount>3 4</vcount><p>0 0 0 1 0 2 0 0 0 1 0 2 0 3</p></polylist>");
    let polygon = DaePolygon { first: 1, count: 2, line: 4 };
    let mesh = read("", &list, NODE).expect("a mesh");
    assert_eq!((mesh.triangles, mesh.polygons), (vec![[0, 1, 2], [0, 1, 2], [0, 2, 3]], vec![polygon]));
    let each = format!("<lines/><polygons>{INPUTS}<p>0 0 0 1 0 2 0 3</p></polygons>");
    let mesh = read("", &each, "<node><scale>1 1 -1</scale><instance_geometry url='#g'/></node>").expect("a mesh");
    assert_eq!(mesh.triangles, [[0, 3, 2], [0, 2, 1]], "the fan of the reversed polygon");
    assert!(mesh.notes.iter().any(|note| note.text.contains("`lines` are not read")), "{:?}", mesh.notes);
}

#[test]
fn faults_name_their_line() {
    let primitive = |text: &str| read("", text, NODE);
    assert_fault(primitive(&triangles().replace("9 2", "9 4")), 4, "vertex 4, but there are 4");
    assert_fault(primitive(&triangles().replace("9 2", "9")), 4, "5 numbers, 2 for each corner");
    assert_fault(primitive(&triangles().replace("9 2", "")), 4, "ends within a polygon");
    assert_fault(primitive(&triangles().replace("9 2", "9 -2")), 4, "no index (`-2`)");
    assert_fault(primitive("<triangles><p>0 1 2</p></triangles>"), 4, "no input VERTEX");
    assert_fault(primitive("<tristrips/>"), 4, "`tristrips` are not read");
    assert_fault(primitive(&format!("<polygons>{INPUTS}<ph/></polygons>")), 4, "holes");
    assert_fault(primitive("<lines/>"), 5, "no triangles");
    let node = |text: &str| read("", &triangles(), text);
    assert_fault(node("<node><instance_controller url='#c'/></node>"), 6, "skins and morphs");
    assert_fault(node("<node><instance_geometry url='#h'/></node>"), 6, "`#h`, which is no `geometry`");
    assert_fault(node("<node><scale>1 1 0</scale><instance_geometry url='#g'/></node>"), 6, "the determinant 0");
    assert_fault(node("<node><scale>1 1</scale></node>"), 6, "`scale` has 2 numbers instead of 3");
    assert_fault(node("<node><skew>1</skew></node>"), 6, "`skew` is not read");
    assert_fault(node("<node id='n'><instance_node url='#n'/></node>"), 6, "256 levels");
    let text = file("", &triangles(), NODE);
    let changed = |from: &str, to: &str| read_dae(Path::new("m.dae"), &text.replace(from, to));
    assert_fault(changed("count='4'", "count='5'"), 3, "5 points need more than the 12 numbers");
    assert_fault(changed("1 1 0 ", "1 nan 0 "), 2, "is not finite (`nan`)");
    assert_fault(changed("name='X'", "name='S'"), 3, "not X, Y and Z");
    assert_fault(changed("id='f'", "id='s'"), 2, "a second element with the id `s`");
    let unused = "<extra id='x'/><extra id='x'/></COLLADA>";
    changed("</COLLADA>", unused).expect("nothing refers to an id that stands twice");
    assert_fault(changed("COLLADA", "X"), 1, "`X`, not `COLLADA`");
}

#[test]
fn instances_of_instances_stay_bounded() {
    let nodes: String = (0..40)
        .map(|n| format!("<node id='n{n}'><instance_node url='#n{}'/><instance_node url='#n{}'/></node>", n + 1, n + 1))
        .collect();
    assert_fault(read("", &triangles(), &format!("{nodes}<node id='n40'/>")), 6, "1000000 nodes");
}

#[test]
fn damaged_files_never_panic() {
    for copy in damaged(&file("<unit meter='0.01'/>", &triangles(), NODE), 3000) {
        if let Err(error) = read_dae(Path::new("m.dae"), &copy) {
            assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error}");
        }
    }
}
