//! Files that are unusual only in how much there is of something: reading takes time in proportion to their size.
//!
//! No time is measured: with work that grows as the square of the size, these tests would run for hours.

use clearsweep::scene::readers::read_mesh;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn an_obj_line_goes_on_over_millions_of_others() {
    let mut text = String::from("v 1 2 \\\n");
    (0..3_000_000).for_each(|_| text.push_str("\\\n"));
    text += "3\nv 4 5 6\n";
    let mesh = read_mesh(Path::new("long.obj"), text.into_bytes()).expect("a mesh");
    assert_eq!(mesh.vertices, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

#[test]
fn a_gltf_file_has_a_buffer_for_each_of_its_meshes() {
    const COUNT: usize = 60_000;
    let (mut buffers, mut views, mut accessors) = (String::new(), String::new(), String::new());
    let (mut meshes, mut nodes) = (String::new(), String::new());
    for index in 0..COUNT {
        let comma = if index > 0 { "," } else { "" };
        // Three corners, the first of which has an x of its own: an integer of single precision, in base 64.
        let mut bytes = (index as f32).to_le_bytes().to_vec();
        bytes.resize(36, 0);
        let uri: String = bytes.chunks(3).map(base64_of).collect();
        let _ =
            write!(buffers, "{comma}{{\"byteLength\": 36, \"uri\": \"data:application/octet-stream;base64,{uri}\"}}");
        let _ = write!(views, "{comma}{{\"buffer\": {index}, \"byteLength\": 36}}");
        let _ = write!(
            accessors,
            "{comma}{{\"bufferView\": {index}, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}}"
        );
        let _ = write!(meshes, "{comma}{{\"primitives\": [{{\"attributes\": {{\"POSITION\": {index}}}}}]}}");
        let _ = write!(nodes, "{comma}{{\"mesh\": {index}}}");
    }
    let text = format!(
        "{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{nodes}], \"meshes\": [{meshes}], \
         \"accessors\": [{accessors}], \"bufferViews\": [{views}], \"buffers\": [{buffers}]}}"
    );
    let mesh = read_mesh(Path::new("many.gltf"), text.into_bytes()).expect("a mesh");
    assert_eq!((mesh.pieces, mesh.triangles.len()), (COUNT, COUNT));
    assert!((0..COUNT).all(|index| mesh.vertices[3 * index] == [index as f64, 0.0, 0.0]));
}

/// Three bytes in base 64 (RFC 4648).
fn base64_of(three: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let word = three.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte));
    (0..4).map(|k| char::from(letters[(word >> (18 - 6 * k) & 63) as usize])).collect()
}
