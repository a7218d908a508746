//! RVM files of plants written for tests, and read again by a parser of their own.

/// The columns of a matrix that turns nothing: millimetres to metres, as plants have it.
pub const UPRIGHT: [f32; 9] = [0.001, 0.0, 0.0, 0.0, 0.001, 0.0, 0.0, 0.0, 0.001];

/// A matrix of columns and a place, metres.
pub fn placed(columns: [f32; 9], place: [f32; 3]) -> [f32; 12] {
    std::array::from_fn(|k| if k < 9 { columns[k] } else { place[k - 9] })
}

/// The position of the word of transparency in a chunk `OBST` or `INSU`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transparency {
    BeforeMatrix,
    BehindBox,
}

/// A file in the making.
pub struct Rvm {
    pub bytes: Vec<u8>,
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_be_bytes()).collect()
}

/// A text: its length in words, and its bytes.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    let count = bytes.len().div_ceil(4);
    let mut stored = words(&[count as u32]);
    stored.extend(bytes);
    stored.resize(4 + 4 * count, 0);
    stored
}

impl Default for Rvm {
    fn default() -> Self {
        let mut file = Self { bytes: Vec::new() };
        let fields = [b"test".as_slice(), b"", b"today", b"me", b"Unicode UTF-8"].map(text).concat();
        file.chunk(b"HEAD", &[words(&[2]), fields].concat());
        file.chunk(b"MODL", &[words(&[1]), text(b"project"), text(b"model")].concat());
        file
    }
}

impl Rvm {
    /// Adds a chunk with the bytes of its body, which begin with its version.
    pub fn chunk(&mut self, name: &[u8; 4], body: &[u8]) {
        let end = self.bytes.len() + 24 + body.len();
        self.bytes.extend(words(&name.map(u32::from)));
        self.bytes.extend(words(&[end as u32, 1]));
        self.bytes.extend(body);
    }

    /// Begins a group.
    pub fn begin(&mut self, name: &[u8]) -> &mut Self {
        self.begin_version(2, name, 1)
    }

    /// Begins a group of a version and a colour.
    pub fn begin_version(&mut self, version: u32, name: &[u8], material: u32) -> &mut Self {
        let more = match version {
            3 => vec![50, 2, 0, 0],
            4 => vec![0x54; 28],
            _ => Vec::new(),
        };
        let fields = [text(name), floats(&[0.0; 3]), words(&[material]), more].concat();
        self.chunk(b"CNTB", &[words(&[version]), fields].concat());
        self
    }

    pub fn end(&mut self) -> &mut Self {
        self.chunk(b"CNTE", &words(&[2]));
        self
    }

    /// Adds a primitive of the chunk `PRIM`.
    pub fn prim(&mut self, kind: u32, matrix: [f32; 12], numbers: &[f32]) -> &mut Self {
        self.chunk(b"PRIM", &[words(&[1, kind]), floats(&matrix), floats(&BOX), floats(numbers)].concat());
        self
    }

    /// Adds a primitive of the chunk `OBST` or `INSU`.
    pub fn volume(
        &mut self,
        name: &[u8; 4],
        (kind, matrix, numbers): (u32, [f32; 12], &[f32]),
        place: Transparency,
    ) -> &mut Self {
        let word = |at: Transparency| if at == place { vec![50, 0, 0, 0] } else { Vec::new() };
        let (before, behind) = (word(Transparency::BeforeMatrix), word(Transparency::BehindBox));
        let placing = [before, floats(&matrix), floats(&BOX), behind].concat();
        self.chunk(name, &[words(&[1, kind]), placing, floats(numbers)].concat());
        self
    }

    /// Adds a facet group of polygons, each of contours.
    pub fn facets(&mut self, matrix: [f32; 12], polygons: &[Vec<Vec<[f32; 3]>>]) -> &mut Self {
        let mut body = [words(&[1, 11]), floats(&matrix), floats(&BOX), words(&[polygons.len() as u32])].concat();
        for polygon in polygons {
            body.extend(words(&[polygon.len() as u32]));
            for contour in polygon {
                body.extend(words(&[contour.len() as u32]));
                contour
                    .iter()
                    .for_each(|corner| body.extend(floats(&[corner[0], corner[1], corner[2], 0.0, 0.0, 1.0])));
            }
        }
        self.chunk(b"PRIM", &body);
        self
    }

    /// Adds an entry of the palette.
    pub fn colour(&mut self, index: u32, colour: [u8; 3]) -> &mut Self {
        self.chunk(b"COLR", &[words(&[1, index]), colour.to_vec(), vec![0]].concat());
        self
    }

    /// The bytes of the finished file, filled up with zeros.
    pub fn finished(&mut self) -> Vec<u8> {
        self.chunk(b"END:", &words(&[1]));
        self.bytes.resize(self.bytes.len().next_multiple_of(5280), 0);
        std::mem::take(&mut self.bytes)
    }
}

/// A box that every test shape is said to fill, as files have boxes that are too small.
const BOX: [f32; 6] = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0];

/// The polygons of a cuboid with a hole from z = 0 to the height, millimetres: ten faces, two of
/// them with a hole.
pub fn pierced([width, hole, height]: [f32; 3]) -> Vec<Vec<Vec<[f32; 3]>>> {
    let square = |half: f32, z: f32| {
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| [x, y, z]).to_vec()
    };
    let reversed = |mut contour: Vec<[f32; 3]>| {
        contour.reverse();
        contour
    };
    let (outer, inner) = (0.5 * width, 0.5 * hole);
    let wall = |half: f32, k: usize| {
        let (low, high) = (square(half, 0.0), square(half, height));
        vec![low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]]
    };
    let mut polygons = vec![
        vec![square(outer, height), reversed(square(inner, height))],
        vec![reversed(square(outer, 0.0)), square(inner, 0.0)],
    ];
    polygons.extend((0..4).map(|k| vec![wall(outer, k)]));
    polygons.extend((0..4).map(|k| vec![reversed(wall(inner, k))]));
    polygons
}

/// A primitive of the chunk `PRIM` as this parser finds it.
pub struct Found {
    pub kind: u32,
    /// Columns, and the place.
    pub matrix: [f64; 12],
    pub numbers: Vec<f64>,
}

/// The primitives of a sound file, by group in the order of the groups.
pub fn primitives(bytes: &[u8]) -> Vec<Vec<Found>> {
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let float = |at: usize| f64::from(f32::from_bits(word(at)));
    let (mut groups, mut open, mut at) = (Vec::new(), Vec::new(), 0);
    loop {
        let name = [0, 1, 2, 3].map(|k| bytes[at + 4 * k + 3]);
        let end = word(at + 16) as usize;
        match &name {
            b"CNTB" => {
                open.push(groups.len());
                groups.push(Vec::new());
            }
            b"CNTE" => drop(open.pop()),
            b"PRIM" => {
                let kind = word(at + 28);
                let first = at + 32 + 72;
                let count = if kind == 11 { 0 } else { (end - first) / 4 };
                groups[open[open.len() - 1]].push(Found {
                    kind,
                    matrix: std::array::from_fn(|k| float(at + 32 + 4 * k)),
                    numbers: (0..count).map(|k| float(first + 4 * k)).collect(),
                });
            }
            b"END:" => return groups,
            _ => {}
        }
        at = end;
    }
}
