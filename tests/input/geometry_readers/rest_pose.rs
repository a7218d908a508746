//! glTF files whose vertices are moved by morph targets and skins, against the sums and products of
//! the specification, written anew here.

use super::gltf::{Matrix, Writer, product};
use super::*;

const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// A position under a matrix.
fn moved(m: &Matrix, p: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2] + m[i][3])
}

/// A translation of many decimals and a scale, as text and as a matrix.
fn transformation(random: &mut Random) -> (String, Matrix) {
    let mut m = IDENTITY;
    let place = [0; 3].map(|_| 1000.0 + 0.001 * random.below(1_000_000) as f64 + 1e-9 * random.below(1000) as f64);
    let scale = [0; 3].map(|_| 0.1 + 0.1 * random.below(30) as f64);
    for i in 0..3 {
        m[i][i] = scale[i];
        m[i][3] = place[i];
    }
    (format!("\"translation\": {place:?}, \"scale\": {scale:?}"), m)
}

/// Contents of a file, counted so that every kind is there.
#[derive(Default, Debug)]
struct Kinds {
    morphed: usize,
    sparse: usize,
    quantised: usize,
    node_weights: usize,
    skinned: usize,
    two_sets: usize,
    without_inverse: usize,
    both: usize,
}

/// A list of deltas, as floats, as normalised bytes, or sparse; and what they are.
fn deltas(writer: &mut Writer, random: &mut Random, count: usize, kinds: &mut Kinds) -> (usize, Vec<[f64; 3]>) {
    let values: Vec<[f32; 3]> = (0..count).map(|_| [0; 3].map(|_| single(random))).collect();
    let exact = |values: &[[f32; 3]]| values.iter().map(|v| v.map(f64::from)).collect();
    match random.below(3) {
        0 => (writer.positions(random, &values), exact(&values)),
        1 => {
            kinds.quantised += 1;
            let bytes: Vec<[i8; 3]> = (0..count).map(|_| [0; 3].map(|_| random.below(255) as i8)).collect();
            let stored: Vec<u8> = bytes.iter().flat_map(|v| [v[0], v[1], v[2], 0].map(|c| c as u8)).collect();
            let view = writer.view(&stored, 4);
            let text = format!(
                "{{\"bufferView\": {view}, \"componentType\": 5120, \"normalized\": true, \"count\": {count}, \"type\": \"VEC3\"}}"
            );
            (writer.accessor(text), bytes.iter().map(|v| v.map(|c| (f64::from(c) / 127.0).max(-1.0))).collect())
        }
        _ => {
            kinds.sparse += 1;
            let chosen: Vec<usize> = (0..count).filter(|_| random.below(2) == 0).collect();
            let at = writer.view(&chosen.iter().map(|&i| i as u8).collect::<Vec<_>>(), 0);
            let given: Vec<u8> = chosen.iter().flat_map(|&i| values[i]).flat_map(|c| c.to_le_bytes()).collect();
            let given = writer.view(&given, 0);
            let text = format!(
                "{{\"componentType\": 5126, \"count\": {count}, \"type\": \"VEC3\", \"sparse\": {{\"count\": {},
                  \"indices\": {{\"bufferView\": {at}, \"componentType\": 5121}}, \"values\": {{\"bufferView\": {given}}}}}}}",
                chosen.len()
            );
            let mut all = vec![[0.0; 3]; count];
            chosen.iter().for_each(|&i| all[i] = values[i].map(f64::from));
            (writer.accessor(text), all)
        }
    }
}

/// Joints and weights of each vertex, as integers or floats, and what they are.
fn influences(
    writer: &mut Writer,
    random: &mut Random,
    count: usize,
    joints: usize,
    share: f64,
) -> (String, Vec<[(usize, f64); 4]>) {
    let (mut numbers, mut weights, mut known) = (Vec::new(), Vec::new(), Vec::new());
    let kind = if share == 1.0 { random.below(3) } else { 2 };
    let wide = random.below(2) == 0;
    for _ in 0..count {
        let chosen = [0; 4].map(|_| random.below(joints));
        // Sixteenths, and of integers what is left, so that the sum is exact.
        let cuts = {
            let mut cuts = [0; 3].map(|_| random.below(17));
            cuts.sort_unstable();
            cuts
        };
        let parts = [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 16 - cuts[2]];
        numbers.extend(chosen.iter().flat_map(|&j| (j as u16).to_le_bytes()[..if wide { 2 } else { 1 }].to_vec()));
        let exact: [f64; 4] = match kind {
            0 | 1 => {
                let most = if kind == 0 { 255_u32 } else { 65535 };
                let mut left = most;
                let integers = [0, 1, 2, 3].map(|k| {
                    let own = if k == 3 { left } else { (parts[k] as u32 * most / 16).min(left) };
                    left -= own;
                    own
                });
                weights.extend(integers.iter().flat_map(|w| w.to_le_bytes()[..kind + 1].to_vec()));
                integers.map(|w| f64::from(w) / f64::from(most))
            }
            _ => {
                let floats = parts.map(|part| (part as f64 / 16.0 * share) as f32);
                weights.extend(floats.iter().flat_map(|w| w.to_le_bytes()));
                floats.map(f64::from)
            }
        };
        known.push(std::array::from_fn(|k| (chosen[k], exact[k])));
    }
    let (j_code, w_code) = (if wide { 5123 } else { 5121 }, [5121, 5123, 5126][kind]);
    let view = writer.view(&numbers, 0);
    let j = writer.accessor(format!(
        "{{\"bufferView\": {view}, \"componentType\": {j_code}, \"count\": {count}, \"type\": \"VEC4\"}}"
    ));
    let view = writer.view(&weights, 0);
    let normalised = kind < 2;
    let w = writer.accessor(format!(
        "{{\"bufferView\": {view}, \"componentType\": {w_code}, \"normalized\": {normalised}, \"count\": {count}, \"type\": \"VEC4\"}}"
    ));
    (format!("{j} {w}"), known)
}

/// A file of one mesh, morphed or skinned or both, below other nodes; and where its vertices lie.
fn random_file(random: &mut Random, kinds: &mut Kinds) -> (Writer, Vec<[f64; 3]>) {
    let mut writer = Writer::default();
    let count = 3 * (1 + random.below(10));
    let base: Vec<[f32; 3]> = (0..count).map(|_| [0; 3].map(|_| single(random))).collect();
    let at = writer.positions(random, &base);
    let mut vertices: Vec<[f64; 3]> = base.iter().map(|p| p.map(f64::from)).collect();
    let (targets, joints) = (random.below(4), random.below(4));
    // Morph targets.
    let (mut texts, mut weights) = (Vec::new(), Vec::new());
    for _ in 0..targets {
        let (accessor, known) = deltas(&mut writer, random, count, kinds);
        let weight = [0.0, 1.0, 0.123456789012, -0.7][random.below(4)];
        for (vertex, delta) in vertices.iter_mut().zip(known) {
            (0..3).for_each(|i| vertex[i] += weight * delta[i]);
        }
        texts.push(format!("{{\"NORMAL\": 77, \"POSITION\": {accessor}}}"));
        weights.push(weight);
    }
    let of_node = targets > 0 && random.below(2) == 0;
    let written = |weights: &[f64]| format!(", \"weights\": {weights:?}");
    // The weights of the node count instead of those of the mesh.
    let (of_mesh, node_weights) = match (targets, of_node) {
        (0, _) => (String::new(), String::new()),
        (_, true) => (written(&vec![9.0; targets]), written(&weights)),
        (_, false) => (written(&weights), String::new()),
    };
    let of_targets = if targets > 0 { format!(", \"targets\": [{}]", texts.join(", ")) } else { String::new() };
    // A chain of joints, and the mesh below a node of its own.
    let mut attributes = format!("\"POSITION\": {at}");
    let mut world = vec![IDENTITY];
    for joint in 0..joints {
        let (text, own) = transformation(random);
        let above = if joint == 0 { IDENTITY } else { world[joint] };
        world.push(product(&above, &own));
        let below = if joint + 1 < joints { format!(", \"children\": [{}]", joint + 1) } else { String::new() };
        writer.nodes.push(format!("{{{text}{below}}}"));
    }
    let (text, own) = transformation(random);
    let mesh_node = writer.nodes.len() + 1;
    let skin = if joints > 0 { ", \"skin\": 0" } else { "" };
    writer.nodes.push(format!("{{{text}, \"children\": [{mesh_node}]}}"));
    writer.nodes.push(format!("{{\"mesh\": 0{skin}{node_weights}}}"));
    writer.roots = if joints > 0 { vec![0, joints] } else { vec![0] };
    if joints > 0 {
        let inverse: Vec<Matrix> =
            (0..joints).map(|_| IDENTITY.map(|row| row.map(|c| c + f64::from(single(random))))).collect();
        let inverse: Vec<Matrix> = inverse
            .into_iter()
            .map(|m| {
                [
                    m[0].map(|c| f64::from(c as f32)),
                    m[1].map(|c| f64::from(c as f32)),
                    m[2].map(|c| f64::from(c as f32)),
                    IDENTITY[3],
                ]
            })
            .collect();
        let has_inverse = random.below(3) > 0;
        let mut own = format!("\"joints\": {:?}", (0..joints).collect::<Vec<_>>());
        if has_inverse {
            let bytes: Vec<u8> = inverse
                .iter()
                .flat_map(|m| (0..16).map(|k| m[k % 4][k / 4] as f32))
                .flat_map(|c| c.to_le_bytes())
                .collect();
            let view = writer.view(&bytes, 0);
            let matrices = writer.accessor(format!(
                "{{\"bufferView\": {view}, \"componentType\": 5126, \"count\": {joints}, \"type\": \"MAT4\"}}"
            ));
            own += &format!(", \"inverseBindMatrices\": {matrices}");
        }
        writer.skins.push(format!("{{{own}}}"));
        let two = random.below(3) == 0;
        let mut all: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        for set in 0..if two { 2 } else { 1 } {
            let (accessors, known) = influences(&mut writer, random, count, joints, if two { 0.5 } else { 1.0 });
            let (j, w) = accessors.split_once(' ').expect("two");
            attributes += &format!(", \"JOINTS_{set}\": {j}, \"WEIGHTS_{set}\": {w}");
            all.iter_mut().zip(known).for_each(|(all, known)| all.extend(known));
        }
        for (vertex, influences) in vertices.iter_mut().zip(all) {
            let mut placed = [0.0; 3];
            for (joint, weight) in influences {
                let matrix = if has_inverse { product(&world[joint + 1], &inverse[joint]) } else { world[joint + 1] };
                let at = moved(&matrix, *vertex);
                (0..3).for_each(|i| placed[i] += weight * at[i]);
            }
            *vertex = placed;
        }
        kinds.two_sets += usize::from(two);
        kinds.without_inverse += usize::from(!has_inverse);
    } else {
        vertices.iter_mut().for_each(|vertex| *vertex = moved(&own, *vertex));
    }
    kinds.morphed += usize::from(targets > 0);
    kinds.node_weights += usize::from(of_node);
    kinds.skinned += usize::from(joints > 0);
    kinds.both += usize::from(targets > 0 && joints > 0);
    writer.meshes.push(format!("{{\"primitives\": [{{\"attributes\": {{{attributes}}}{of_targets}}}]{of_mesh}}}"));
    (writer, vertices)
}

#[test]
fn morph_targets_and_skins_move_vertices_as_the_file_rests() {
    let mut random = Random(77);
    let mut kinds = Kinds::default();
    for round in 0..400 {
        let (writer, truth) = random_file(&mut random, &mut kinds);
        let mesh =
            read_mesh(Path::new("a.gltf"), writer.embedded()).unwrap_or_else(|fault| panic!("{round}: {fault:?}"));
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (truth.len(), truth.len() / 3));
        for (a, b) in mesh.vertices.iter().zip(&truth) {
            let size = b.iter().fold(1.0_f64, |size, c| size.max(c.abs()));
            assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-13 * size), "round {round}: {a:?} {b:?}");
        }
        assert!(mesh.coordinate_step > 0.0);
    }
    let Kinds { morphed, sparse, quantised, node_weights, skinned, two_sets, without_inverse, both } = kinds;
    let least = [morphed, sparse, quantised, node_weights, skinned, two_sets, without_inverse, both].into_iter().min();
    assert!(least > Some(40), "{kinds:?}");
}

/// A tetrahedron with one joint and one morph target, as text with its buffer inside.
fn small() -> String {
    let mut writer = Writer::default();
    let at = writer.positions(&mut Random(1), &TETRAHEDRON.0);
    let delta = writer.positions(&mut Random(1), &[[0.0, 0.0, 1.0]; 4]);
    let view = writer.view(&[0; 16], 0);
    let joints = writer
        .accessor(format!("{{\"bufferView\": {view}, \"componentType\": 5121, \"count\": 4, \"type\": \"VEC4\"}}"));
    let weights: Vec<u8> = (0..4).flat_map(|_| [255, 0, 0, 0]).collect();
    let view = writer.view(&weights, 0);
    let weights = writer.accessor(format!(
        "{{\"bufferView\": {view}, \"componentType\": 5121, \"normalized\": true, \"count\": 4, \"type\": \"VEC4\"}}"
    ));
    let corners: Vec<u8> = TETRAHEDRON.1.as_flattened().iter().map(|&corner| corner as u8).collect();
    let view = writer.view(&corners, 0);
    let indices = writer
        .accessor(format!("{{\"bufferView\": {view}, \"componentType\": 5121, \"count\": 12, \"type\": \"SCALAR\"}}"));
    writer.meshes.push(format!(
        "{{\"primitives\": [{{\"attributes\": {{\"POSITION\": {at}, \"JOINTS_0\": {joints}, \"WEIGHTS_0\": {weights}}},
          \"indices\": {indices}, \"targets\": [{{\"POSITION\": {delta}}}]}}], \"weights\": [0.5]}}"
    ));
    writer.skins.push("{\"joints\": [1]}".to_owned());
    writer.nodes.push("{\"mesh\": 0, \"skin\": 0, \"translation\": [100, 0, 0]}".to_owned());
    writer.nodes.push("{\"translation\": [0, 5, 0]}".to_owned());
    writer.roots = vec![0, 1];
    String::from_utf8(writer.embedded()).expect("text")
}

/// A wrong file: what is replaced in a good one, by what, and what the message says.
const WRONG: &[(&str, &str, &[&str])] = &[
    ("\"joints\": [1]", "\"joints\": [7]", &["skin 0: its joint, node 7, is not in the scene"]),
    ("\"joints\": [1]", "\"joints\": []", &["skin 0 has no joints"]),
    ("\"nodes\": [0, 1]", "\"nodes\": [0]", &["its joint, node 1, is not in the scene"]),
    (
        "\"joints\": [1]",
        "\"joints\": [1], \"inverseBindMatrices\": 0",
        &["accessor 0: inverse bind matrices are matrices"],
    ),
    ("\"skin\": 0", "\"skin\": 3", &["skin 3 is named, but there are 1"]),
    ("\"JOINTS_0\": 2, ", "", &["it has only one of JOINTS_0 and WEIGHTS_0"]),
    ("\"JOINTS_0\": 2, \"WEIGHTS_0\": 3", "\"NORMAL\": 0", &["its node has a skin, but it has no JOINTS_0"]),
    ("\"JOINTS_0\": 2", "\"JOINTS_0\": 3", &["accessor 3: joints are unsigned integers"]),
    ("\"WEIGHTS_0\": 3", "\"WEIGHTS_0\": 2", &["accessor 2: weights are floats, or normalised"]),
    ("\"weights\": [0.5]", "\"weights\": [0.5, 0.5]", &["has 1 morph targets, and 2 weights"]),
    ("\"weights\": [0.5]", "\"weights\": [1e400]", &["not valid glTF", "number out of range"]),
    ("\"weights\": [0.5]", "\"weights\": [1e308]", &["vertex"]),
    ("\"targets\": [{\"POSITION\": 1}]", "\"targets\": [{\"POSITION\": 4}]", &["accessor 4: positions are vectors"]),
    ("\"translation\": [0, 5, 0]", "\"children\": [0]", &["node 0 has two parents"]),
];

#[test]
fn wrong_skins_and_morph_targets_have_their_messages() {
    let text = small();
    let read = |text: String| read_mesh(Path::new("a.gltf"), text.into_bytes());
    let mesh = read(text.clone()).expect("the file is good");
    assert_eq!((six_volumes(&mesh), bounds(&mesh)), (1.0, [[0.0, 5.0, 0.5], [1.0, 6.0, 1.5]]));
    for (old, new, parts) in WRONG {
        assert!(text.contains(old), "{old} is not in the file: {text}");
        // 1e308 alone is finite: together with a scale it is not.
        let text = if *new == "\"weights\": [1e308]" {
            text.replace("\"translation\": [0, 5, 0]", "\"scale\": [1, 1, 1e10]")
        } else {
            text.clone()
        };
        let fault = read(text.replacen(old, new, 1)).expect_err(new);
        assert!(!fault.remedy.is_empty());
        let message = format!("{} ({})", fault.problem, fault.remedy);
        assert!(parts.iter().all(|part| message.contains(part)), "{new}: {message}");
    }
}

#[test]
fn weights_that_do_not_add_up_and_joints_out_of_range_are_refused() {
    let mut writer = Writer::default();
    let at = writer.positions(&mut Random(1), &TETRAHEDRON.0);
    for (joints, weights, part) in [
        ([0_u8, 0, 0, 0], [1.0_f32, 0.0, 0.0, 0.0], None),
        ([0, 0, 0, 0], [0.5, 0.25, 0.0, 0.0], Some("add up to 0.75")),
        ([0, 0, 0, 0], [0.0; 4], Some("add up to 0, not to 1")),
        ([0, 0, 0, 0], [2.0, 0.0, 0.0, 0.0], Some("the weight 2, which is not in 0 to 1")),
        ([0, 0, 0, 0], [-0.5, 1.0, 0.5, 0.0], Some("the weight -0.5")),
        ([0, 0, 0, 0], [f32::NAN, 1.0, 0.0, 0.0], Some("the weight NaN")),
        ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0], Some("names joint 1, but there are 1")),
        ([0, 9, 0, 0], [1.0, 0.0, 0.0, 0.0], Some("names joint 9, but there are 1")),
    ] {
        let mut writer = Writer {
            buffer: writer.buffer.clone(),
            views: writer.views.clone(),
            accessors: writer.accessors.clone(),
            ..Writer::default()
        };
        let view = writer.view(&joints.repeat(4), 0);
        let j = writer
            .accessor(format!("{{\"bufferView\": {view}, \"componentType\": 5121, \"count\": 4, \"type\": \"VEC4\"}}"));
        let bytes: Vec<u8> = weights.repeat(4).iter().flat_map(|w| w.to_le_bytes()).collect();
        let view = writer.view(&bytes, 0);
        let w = writer
            .accessor(format!("{{\"bufferView\": {view}, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC4\"}}"));
        writer.meshes.push(format!(
            "{{\"primitives\": [{{\"attributes\": {{\"POSITION\": {at}, \"JOINTS_0\": {j}, \"WEIGHTS_0\": {w}}}}}]}}"
        ));
        writer.skins.push("{\"joints\": [0]}".to_owned());
        writer.nodes.push("{\"mesh\": 0, \"skin\": 0}".to_owned());
        writer.roots = vec![0];
        let read = read_mesh(Path::new("a.gltf"), writer.embedded());
        match part {
            None => assert_eq!(read.expect("good").vertices.len(), 4),
            Some(part) => {
                let problem = read.expect_err(part).problem;
                assert!(
                    problem.contains("node 0: primitive 0: ") && problem.contains("vertex 0") && problem.contains(part),
                    "{problem}"
                );
            }
        }
    }
}
