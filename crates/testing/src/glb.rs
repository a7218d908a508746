//! Binary glTF files written for tests: nodes as JSON, meshes as positions and triangles.

/// A mesh: its name, its positions and triangles, and the index of its material.
pub struct GlbMesh {
    pub name: &'static str,
    pub positions: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub material: Option<usize>,
}

/// The twelve triangles of a box whose corner `i` lies at +x where bit 0 of `i` is set, at +y by
/// bit 1, at +z by bit 2.
pub const BOX: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// A box of some side lengths about the origin.
pub fn cuboid(name: &'static str, sides: [f32; 3], material: Option<usize>) -> GlbMesh {
    let corner =
        |i: usize| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { sides[axis] / 2.0 } else { -sides[axis] / 2.0 });
    GlbMesh { name, positions: (0..8).map(corner).collect(), triangles: BOX.to_vec(), material }
}

/// The bytes of a file. `nodes`: the JSON of each; `roots`: those of the scene; `materials`: their
/// names.
pub fn glb(nodes: &[String], roots: &[usize], meshes: &[GlbMesh], materials: &[&str]) -> Vec<u8> {
    let (mut binary, mut views, mut accessors, mut written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut add = |bytes: Vec<u8>, kind: u32, count: usize, shape: &str| {
        views.push(format!(r#"{{"buffer": 0, "byteOffset": {}, "byteLength": {}}}"#, binary.len(), bytes.len()));
        binary.extend(bytes);
        let view = views.len() - 1;
        accessors
            .push(format!(r#"{{"bufferView": {view}, "componentType": {kind}, "count": {count}, "type": "{shape}"}}"#));
        view
    };
    for GlbMesh { name, positions, triangles, material } in meshes {
        let bytes = positions.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
        let positions = add(bytes, 5126, positions.len(), "VEC3");
        let bytes = triangles.as_flattened().iter().flat_map(|i| i.to_le_bytes()).collect();
        let indices = add(bytes, 5125, 3 * triangles.len(), "SCALAR");
        let material = material.map(|material| format!(r#", "material": {material}"#)).unwrap_or_default();
        written.push(format!(
            r#"{{"name": "{name}", "primitives": [{{"attributes": {{"POSITION": {positions}}}, "indices": {indices}{material}}}]}}"#
        ));
    }
    let materials: Vec<String> = materials.iter().map(|name| format!(r#"{{"name": "{name}"}}"#)).collect();
    let mut json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": {roots:?}}}], "nodes": [{}], "meshes": [{}],
        "materials": [{}], "accessors": [{}], "bufferViews": [{}], "buffers": [{{"byteLength": {}}}]}}"#,
        nodes.join(", "),
        written.join(", "),
        materials.join(", "),
        accessors.join(", "),
        views.join(", "),
        binary.len()
    )
    .into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = 28 + json.len() + binary.len();
    let word = |value: usize| (value as u32).to_le_bytes();
    [b"glTF", &word(2)[..], &word(length), &word(json.len()), b"JSON", &json, &word(binary.len()), b"BIN\0", &binary]
        .concat()
}
