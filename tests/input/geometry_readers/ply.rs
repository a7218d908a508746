//! PLY files in three encodings, with properties and elements that are no geometry in between.

use super::*;

/// Types of PLY under both of their names, with the size and how a small number is written.
const KINDS: [(&str, usize); 16] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("float", 4),
    ("double", 8),
    ("int8", 1),
    ("uint8", 1),
    ("int16", 2),
    ("uint16", 2),
    ("int32", 4),
    ("uint32", 4),
    ("float32", 4),
    ("float64", 8),
];

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

/// A file in the making.
struct Writer {
    encoding: Encoding,
    bytes: Vec<u8>,
}

impl Writer {
    fn put(&mut self, kind: &str, value: f64) {
        let bits: Vec<u8> = match kind {
            "char" | "int8" => (value as i8).to_be_bytes().to_vec(),
            "uchar" | "uint8" => (value as u8).to_be_bytes().to_vec(),
            "short" | "int16" => (value as i16).to_be_bytes().to_vec(),
            "ushort" | "uint16" => (value as u16).to_be_bytes().to_vec(),
            "int" | "int32" => (value as i32).to_be_bytes().to_vec(),
            "uint" | "uint32" => (value as u32).to_be_bytes().to_vec(),
            "float" | "float32" => (value as f32).to_be_bytes().to_vec(),
            _ => value.to_be_bytes().to_vec(),
        };
        match self.encoding {
            Encoding::Ascii => self.bytes.extend(format!("{value} ").bytes()),
            Encoding::Little => self.bytes.extend(bits.iter().rev()),
            Encoding::Big => self.bytes.extend(&bits),
        }
    }

    fn end(&mut self) {
        if self.encoding == Encoding::Ascii {
            self.bytes.push(b'\n');
        }
    }
}

/// A known mesh, and how it is laid out.
struct Case {
    vertices: Vec<[f64; 3]>,
    faces: Vec<Vec<u32>>,
    strips: Vec<Vec<u32>>,
    coordinate: &'static str,
    index: &'static str,
    length: &'static str,
    /// Properties before x, and after the faces' lists.
    noise: Vec<&'static str>,
    faces_first: bool,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let count = 4 + random.below(60);
        let coordinate = ["float", "double", "float32", "float64"][random.below(4)];
        let number = |random: &mut Random| {
            let rounded = f64::from(single(random));
            if coordinate.ends_with("64") || coordinate == "double" {
                rounded + f64::from(single(random)) * 1e-9
            } else {
                rounded
            }
        };
        // On a circle, but for a little, so that faces with corners in their order are convex.
        let place = |k: usize, random: &mut Random| {
            let angle = std::f64::consts::TAU * k as f64 / count as f64;
            let p = [angle.cos(), angle.sin(), 1e-3 * number(random)];
            if coordinate.ends_with("64") || coordinate == "double" { p } else { p.map(|c| f64::from(c as f32)) }
        };
        let vertices: Vec<[f64; 3]> = (0..count).map(|k| place(k, random)).collect();
        let list = |random: &mut Random, least: usize| {
            let length = least + random.below(5);
            (0..length).map(|_| random.below(count) as u32).collect::<Vec<u32>>()
        };
        let face = |random: &mut Random| {
            let mut corners = list(random, 3);
            if corners.len() > 3 {
                corners.sort_unstable();
                let begin = random.below(corners.len());
                corners.rotate_left(begin);
            }
            corners
        };
        Self {
            faces: (0..random.below(40)).map(|_| face(random)).collect(),
            strips: (0..random.below(4)).map(|_| list(random, 1)).collect(),
            vertices,
            coordinate,
            index: ["int", "uint", "short", "uint16", "int32", "char"][random.below(6)],
            length: ["uchar", "uint8", "int", "ushort"][random.below(4)],
            noise: (0..random.below(4)).map(|_| KINDS[random.below(16)].0).collect(),
            faces_first: random.below(3) == 0,
        }
    }

    fn header(&self, word: &str) -> String {
        let mut text = format!(
            "ply\nformat {word} 1.0\ncomment made here\nobj_info none\nelement junk 2\nproperty short a\nproperty list uchar double b\n"
        );
        let mut vertex = format!("element vertex {}\n", self.vertices.len());
        for (number, kind) in self.noise.iter().enumerate() {
            let _ = writeln!(vertex, "property {kind} n{number}");
        }
        for axis in ["x", "y", "z"] {
            let _ = writeln!(vertex, "property {} {axis}", self.coordinate);
        }
        let list = |name: &str| format!("property list {} {} {name}\n", self.length, self.index);
        let mut face = format!("element face {}\n{}", self.faces.len(), list("vertex_indices"));
        for (number, kind) in self.noise.iter().enumerate() {
            let _ = writeln!(face, "property {kind} n{number}");
        }
        let _ =
            write!(text, "{}", if self.faces_first { format!("{face}{vertex}") } else { format!("{vertex}{face}") });
        let _ =
            write!(text, "element tristrips {}\nproperty list int int vertex_index\nend_header\n", self.strips.len());
        text
    }

    fn write(&self, encoding: Encoding) -> Vec<u8> {
        let word = match encoding {
            Encoding::Ascii => "ascii",
            Encoding::Little => "binary_little_endian",
            Encoding::Big => "binary_big_endian",
        };
        let mut out = Writer { encoding, bytes: self.header(word).into_bytes() };
        for row in 0..2 {
            out.put("short", -7.0);
            out.put("uchar", f64::from(row));
            (0..row).for_each(|_| out.put("double", 0.25));
            out.end();
        }
        let vertices = |out: &mut Writer| {
            for position in &self.vertices {
                self.noise.iter().for_each(|kind| out.put(kind, 3.0));
                position
                    .iter()
                    .for_each(|&c| out.put(if self.coordinate == "double" { "float64" } else { self.coordinate }, c));
                out.end();
            }
        };
        let faces = |out: &mut Writer| {
            for face in &self.faces {
                out.put(self.length, face.len() as f64);
                face.iter().for_each(|&v| out.put(self.index, f64::from(v)));
                self.noise.iter().for_each(|kind| out.put(kind, 1.0));
                out.end();
            }
        };
        if self.faces_first {
            faces(&mut out);
            vertices(&mut out);
        } else {
            vertices(&mut out);
            faces(&mut out);
        }
        for strip in &self.strips {
            out.put("int", strip.len() as f64 + 1.0);
            strip.iter().for_each(|&v| out.put("int", f64::from(v)));
            out.put("int", -1.0);
            out.end();
        }
        out.bytes
    }

    /// Fans and strips, spelt out.
    fn triangles(&self) -> Vec<[u32; 3]> {
        let mut all = Vec::new();
        for face in &self.faces {
            (2..face.len()).for_each(|k| all.push([face[0], face[k - 1], face[k]]));
        }
        for strip in &self.strips {
            for k in 2..strip.len() {
                let (a, b) = (strip[k - 2], strip[k - 1]);
                all.push(if k % 2 == 0 { [a, b, strip[k]] } else { [b, a, strip[k]] });
            }
        }
        all
    }
}

pub(crate) fn tetrahedron() -> Vec<u8> {
    let (vertices, triangles) = TETRAHEDRON;
    let mut text =
        String::from("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n");
    text += "element face 4\nproperty list uchar int vertex_indices\nend_header\n";
    vertices.iter().for_each(|[x, y, z]| text += &format!("{x} {y} {z}\n"));
    triangles.iter().for_each(|[a, b, c]| text += &format!("3 {a} {b} {c}\n"));
    text.into_bytes()
}

#[test]
fn every_encoding_gives_the_mesh_that_was_written() {
    let mut random = Random(20_261_101);
    let (mut triangles, mut strips, mut first) = (0, 0, 0);
    for round in 0..300 {
        let case = Case::random(&mut random);
        for encoding in [Encoding::Ascii, Encoding::Little, Encoding::Big] {
            let mesh = read_mesh(Path::new("a.PLY"), case.write(encoding))
                .unwrap_or_else(|fault| panic!("{round}: {fault:?}"));
            assert_eq!(mesh.vertices, case.vertices, "round {round}");
            // Faces come before strips in these files, wherever the vertices stand.
            assert_eq!(mesh.triangles, case.triangles(), "round {round}");
            assert_eq!(mesh.pieces, usize::from(!mesh.triangles.is_empty()));
            assert_sound(&mesh);
        }
        triangles += case.triangles().len();
        strips += case.strips.len();
        first += usize::from(case.faces_first);
    }
    assert!(triangles > 5000 && strips > 200 && first > 50, "{triangles} {strips} {first}");
}

#[test]
fn volumes_and_bounds() {
    let mesh = read_mesh(Path::new("t.ply"), tetrahedron()).expect("a mesh");
    assert_eq!((six_volumes(&mesh), bounds(&mesh)), (1.0, [[0.0; 3], [1.0; 3]]));
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let mut random = Random(5);
    let mut originals = vec![tetrahedron()];
    for encoding in [Encoding::Ascii, Encoding::Little, Encoding::Big] {
        originals.extend((0..4).map(|_| Case::random(&mut random).write(encoding)));
    }
    damage("p.ply", &originals, 77);
}

/// The header's claims are checked against the file before anything is reserved for them.
#[test]
fn claims_beyond_the_file_are_refused() {
    let head = |format: &str, vertices: &str, kind: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\nproperty list {kind} int vertex_index\nend_header\n"
        )
        .into_bytes()
    };
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for count in ["5", "4294967296", "18446744073709551615"] {
            let fault = read_mesh(Path::new("a.ply"), [head(format, count, "uchar"), vec![b' '; 20]].concat())
                .expect_err("short");
            assert!(fault.problem.contains("truncated") && fault.problem.contains(count), "{fault:?}");
        }
        let fault =
            read_mesh(Path::new("a.ply"), [head(format, "18446744073709551616", "uchar"), vec![b' '; 20]].concat());
        assert!(fault.expect_err("beyond 64 bits").problem.contains("no number of elements"));
    }
    let long = [head("binary_little_endian", "0", "uint"), vec![0xff; 40]].concat();
    assert!(read_mesh(Path::new("a.ply"), long).expect_err("a long list").problem.contains("4294967295 values"));
    let negative = [head("ascii", "0", "int"), b"-1".to_vec()].concat();
    assert!(read_mesh(Path::new("a.ply"), negative).expect_err("a negative list").problem.contains("-1 values"));
}
