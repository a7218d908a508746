//! Pictures of views, drawn on the CPU: the same bytes on every platform.
//!
//! `projection` places points on the grid of samples, `camera` chooses the eye and draws lines,
//! `raster` finds the nearest face of each sample, and this file gives samples their colours. A
//! pixel is the mean of 2 x 2 samples.

mod camera;
mod projection;
mod raster;

pub(crate) use camera::choose_camera;

use crate::data::{DisplayMesh, View, ViewPart};
use camera::{NEAR, upright};
use clearsweep_geometry::Vec3;
use projection::Projection;
use raster::{CREASE, Face, Layer, NOWHERE, SILHOUETTE, Scratch, Span, fill, for_triangles, refill, union, widened};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::iter::repeat_n;
use std::ops::Range;

/// A picture; three bytes a pixel, row by row from the upper left corner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Pixels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue.
    pub rgb: Vec<u8>,
}

type Rgb = [u8; 3];

/// Colours of A and B: blue and orange are told apart by colour-blind people too.
const BODIES: [Rgb; 2] = [[58, 122, 216], [236, 136, 38]];
const GHOST: Rgb = [150, 156, 164];
const GHOST_OUTLINE: Rgb = [128, 134, 142];
const OUTLINE: Rgb = [22, 28, 40];
const PLANE: Rgb = [20, 150, 110];
/// Upper and lower end of the background.
const BACKGROUND: [Rgb; 2] = [[255, 255, 255], [238, 242, 247]];

/// Steps of shades of a body: few colours make small files.
const SHADES: f64 = 24.0;
const GHOST_SHADES: f64 = 6.0;

/// Direction to the light in the camera frame: beside and above the eye.
const LIGHT: Vec3<f64> = Vec3 { x: -0.34, y: 0.48, z: -0.808_7 };

/// Marks of a sample over the bodies: colours of [`MARKS`], and a flag.
mod mark {
    pub(super) const NONE: u8 = 0;
    pub(super) const RED: u8 = 1;
    pub(super) const BLACK: u8 = 2;
    pub(super) const WHITE: u8 = 3;
    pub(super) const PLANE_EDGE: u8 = 4;
    pub(super) const PLANE: u8 = 0x80;
}

/// Colours of marks.
const MARKS: [Rgb; 5] = [[0, 0, 0], [214, 20, 34], [12, 12, 16], [255, 255, 255], PLANE];

/// A picture before its samples become pixels.
struct Drawing<'a> {
    view: &'a View,
    projection: Projection,
    /// Face `n` of a layer is `faces[n - 1]`.
    faces: Vec<Face>,
    colours: Vec<Rgb>,
    canvas: Canvas,
}

/// The buffers of a picture.
#[derive(Default)]
struct Canvas {
    bodies: Layer,
    /// The neighbours, which hide nothing.
    ghosts: Layer,
    marks: Vec<u8>,
}

thread_local! {
    /// The buffers of a thread's last picture: megabytes of fresh memory would take as long as the
    /// drawing.
    static CANVAS: Cell<Canvas> = Cell::default();
}

/// Draws a view: A in blue, B in orange, neighbours as ghosts, witness points, the box of the
/// overlap and the separating plane. Width and height: pixels, at least 1.
pub(crate) fn render(view: &View, meshes: &[DisplayMesh], [width, height]: [usize; 2]) -> Picture {
    let size = [2 * width, 2 * height];
    let mut canvas = CANVAS.take();
    canvas.bodies.clear(size);
    canvas.ghosts.clear(size);
    refill(&mut canvas.marks, size[0] * size[1], mark::NONE);
    let projection = Projection::new(&view.camera, size, NEAR * view.reach.max(f64::MIN_POSITIVE));
    let mut drawing = Drawing { view, projection, faces: Vec::new(), colours: Vec::new(), canvas };
    drawing.draw_parts(meshes);
    drawing.mark_plane();
    drawing.mark_overlap();
    drawing.mark_witness();
    let picture = drawing.to_picture();
    CANVAS.set(drawing.canvas);
    picture
}

impl Drawing<'_> {
    fn draw_parts(&mut self, meshes: &[DisplayMesh]) {
        let mut scratch = Scratch::default();
        let sky = self.projection.turned(Vec3::new(0.0, 0.0, 1.0));
        let Self { view, projection, faces, colours, canvas: Canvas { bodies, ghosts, .. } } = self;
        for (part, ViewPart { mesh, placement, colour, .. }) in view.parts.iter().enumerate() {
            let layer = if part < 2 { &mut *bodies } else { &mut *ghosts };
            for_triangles(projection, placement, &meshes[*mesh], &mut scratch, |points, corners| {
                if layer.draw(corners, faces.len() as u32 + 1) {
                    let face = Face::new(part, points, projection);
                    colours.push(shade(part, *colour, face.normal, sky));
                    faces.push(face);
                }
            });
        }
        bodies.find_outlines(faces);
        ghosts.find_outlines(faces);
    }

    /// A translucent square between the bodies, if they are apart.
    fn mark_plane(&mut self) {
        let (Some(normal), Some([a, b]), None) = (self.view.normal, self.view.witness, self.view.overlap) else {
            return;
        };
        let normal = Vec3::from(normal);
        if a == b || !normal.is_finite() {
            return;
        }
        let middle = (Vec3::from(a) + Vec3::from(b)).scale(0.5);
        let u = upright(normal).scale(0.25 * self.view.reach);
        let v = normal.cross(u);
        let Self { projection, canvas: Canvas { bodies, marks, .. }, .. } = self;
        let [a, b, c, d] = [u + v, v - u, -u - v, u - v].map(|corner| projection.point(middle + corner));
        for triangle in [[a, b, c], [a, c, d]] {
            projection.cut(triangle, |_, corners| {
                fill(corners, projection.size[0], |Span { row, columns, nearness }| {
                    for (step, column) in columns.enumerate() {
                        let at = row * projection.size[0] + column;
                        if nearness.at(step) as f32 > bodies.nearness[at] {
                            marks[at] |= mark::PLANE;
                        }
                    }
                });
            });
        }
        for ends in [[a, b], [b, c], [c, d], [d, a]] {
            projection.line(ends, 1, |at, nearness| {
                if nearness as f32 > bodies.nearness[at] {
                    marks[at] = mark::PLANE_EDGE;
                }
            });
        }
    }

    /// The edges of the box of the overlap.
    fn mark_overlap(&mut self) {
        let Some(ends) = self.view.overlap else { return };
        let Self { projection, canvas: Canvas { marks, .. }, .. } = self;
        let corner = |k: usize| projection.point(Vec3::new(ends[k & 1][0], ends[k >> 1 & 1][1], ends[k >> 2][2]));
        for k in 0..8_usize {
            for bit in [1, 2, 4].into_iter().filter(|bit| k & bit == 0) {
                projection.line([corner(k), corner(k | bit)], 3, |at, _| marks[at] = mark::RED);
            }
        }
    }

    /// The witness points and the line between them, over everything.
    fn mark_witness(&mut self) {
        let Some(witness) = self.view.witness else { return };
        let Self { projection, canvas: Canvas { marks, .. }, .. } = self;
        let ends = witness.map(|p| projection.point(p.into()));
        for (thickness, radius, colour) in [(7, 8.0, mark::WHITE), (3, 6.5, mark::BLACK)] {
            projection.line(ends, thickness, |at, _| marks[at] = colour);
            ends.iter().for_each(|&p| projection.dot(p, radius, |at| marks[at] = colour));
        }
        ends.iter().for_each(|&p| projection.dot(p, 4.5, |at| marks[at] = mark::RED));
    }
}

/// The colour of a part's face by a light beside the eye and by the sky. Unit vectors in the camera
/// frame: the normal, and the direction to the sky. `own`: the colour of the body in its file, which
/// a neighbour keeps; the two bodies of the pair are told apart by theirs.
fn shade(part: usize, own: Option<Rgb>, normal: Vec3<f64>, sky: Vec3<f64>) -> Rgb {
    let light = normal.dot(LIGHT).max(0.0) * 0.68 + (0.5 + 0.5 * normal.dot(sky)) * 0.32;
    let (colour, steps) = BODIES.get(part).map_or((own.unwrap_or(GHOST), GHOST_SHADES), |&colour| (colour, SHADES));
    let light = (light * steps + 0.5) as u32 as f64 / steps;
    // Dark sides keep their hue, bright ones turn to white a little.
    let (gain, white) = (0.48 + 0.62 * light, (light - 0.75).max(0.0) * 0.7);
    colour.map(|c| {
        let c = (f64::from(c) * gain).min(255.0);
        (c + (255.0 - c) * white + 0.5) as u8
    })
}

/// The mean of two colours; `share`: of the second, in sixteenths.
fn mixed(first: Rgb, second: Rgb, share: u16) -> Rgb {
    std::array::from_fn(|k| {
        let sum = u16::from(first[k]) * (16 - share) + u16::from(second[k]) * share;
        ((sum + 8) >> 4) as u8
    })
}

/// All that the colour of a sample depends on, but the background: numbers of faces, strengths of
/// outlines, and the mark.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sample {
    body: u32,
    ghost: u32,
    body_line: u8,
    ghost_line: u8,
    mark: u8,
}

impl Drawing<'_> {
    fn to_picture(&self) -> Picture {
        let size = self.projection.size;
        let (width, height) = (size[0] / 2, size[1] / 2);
        let mut rgb = Vec::with_capacity(3 * width * height);
        for row in 0..height {
            let background = mixed(BACKGROUND[0], BACKGROUND[1], (16 * row / height) as u16);
            let drawn = self.drawn_pixels(row);
            rgb.extend(repeat_n(background, drawn.start).flatten());
            for column in drawn.clone() {
                rgb.extend(self.pixel(2 * row * size[0] + 2 * column, background));
            }
            rgb.extend(repeat_n(background, width - drawn.end).flatten());
        }
        Picture { width, height, rgb }
    }

    /// The columns of a row of pixels outside of which there is only background.
    fn drawn_pixels(&self, row: usize) -> Range<usize> {
        let width = self.projection.size[0];
        let Canvas { bodies, ghosts, marks } = &self.canvas;
        let mut drawn = NOWHERE;
        // Outlines reach one row beyond the faces.
        for row in (2 * row).saturating_sub(1)..(2 * row + 3).min(self.projection.size[1]) {
            drawn = union(&drawn, &union(&bodies.drawn[row], &ghosts.drawn[row]));
        }
        let drawn = if drawn.is_empty() { drawn } else { widened(&drawn, width) };
        let marks = |row: usize| &marks[row * width..(row + 1) * width];
        let marked = [2 * row, 2 * row + 1].map(marks).into_iter().fold(drawn, |drawn, marks| {
            // Most rows have no marks: this is the fastest way to see it.
            if marks.iter().fold(0, |all, mark| all | mark) == mark::NONE {
                return drawn;
            }
            let is_marked = |mark: &u8| *mark != mark::NONE;
            let [first, last] = [marks.iter().position(is_marked), marks.iter().rposition(is_marked)];
            union(&drawn, &(first.unwrap_or(width)..last.map_or(0, |last| last + 1)))
        });
        if marked.is_empty() { 0..0 } else { marked.start / 2..marked.end.div_ceil(2) }
    }

    /// The colour of the pixel whose upper left sample is `first`.
    fn pixel(&self, first: usize, background: Rgb) -> Rgb {
        let below = first + self.projection.size[0];
        let (a, b) = (self.sample(first), self.sample(first + 1));
        let (c, d) = (self.sample(below), self.sample(below + 1));
        if a == b && a == c && a == d {
            return if a == Sample::default() { background } else { self.colour(a, background) };
        }
        mean([a, b, c, d].map(|sample| self.colour(sample, background)))
    }

    #[inline(always)]
    fn sample(&self, at: usize) -> Sample {
        let Canvas { bodies, ghosts, marks } = &self.canvas;
        let (body, body_line, mark) = (bodies.face[at], bodies.outline[at], marks[at]);
        let (ghost, ghost_line) = if ghosts.nearness[at] > bodies.nearness[at] {
            (ghosts.face[at], ghosts.outline[at])
        } else {
            // The outer half of a ghost's outline.
            (0, if body == 0 { ghosts.outline[at] } else { 0 })
        };
        Sample { body, ghost, body_line, ghost_line, mark }
    }

    fn colour(&self, sample: Sample, background: Rgb) -> Rgb {
        let of_face = |number: u32| (number > 0).then(|| self.colours[number as usize - 1]);
        let body = of_face(sample.body).unwrap_or(background);
        let body = match sample.body_line {
            SILHOUETTE => mixed(body, OUTLINE, 14),
            CREASE => mixed(body, OUTLINE, 9),
            _ => body,
        };
        let with_ghost = match (sample.ghost_line, of_face(sample.ghost)) {
            (0, None) => body,
            (0, Some(ghost)) => mixed(body, ghost, 4),
            _ => mixed(body, GHOST_OUTLINE, 8),
        };
        let with_plane = if sample.mark & mark::PLANE == 0 { with_ghost } else { mixed(with_ghost, PLANE, 4) };
        match sample.mark & !mark::PLANE {
            mark::NONE => with_plane,
            mark => MARKS[mark as usize],
        }
    }
}

/// The mean of the samples of a pixel. Different samples have a mean of 16 levels, as few colours
/// make small files.
fn mean(colours: [Rgb; 4]) -> Rgb {
    if colours.iter().all(|colour| *colour == colours[0]) {
        return colours[0];
    }
    std::array::from_fn(|k| {
        let sum: u16 = colours.iter().map(|colour| u16::from(colour[k])).sum();
        (((sum + 34) / 68) * 17) as u8
    })
}

/// Writes a picture as PNG with a palette. If it has more than 256 colours, the rarest become the
/// nearest of the others.
pub(crate) fn png(picture: &Picture) -> Vec<u8> {
    let (pixels, _) = picture.rgb.as_chunks::<3>();
    let mut counts: FxHashMap<Rgb, usize> = FxHashMap::default();
    pixels.chunk_by(PartialEq::eq).for_each(|run| *counts.entry(run[0]).or_default() += run.len());
    let mut colours: Vec<_> = counts.into_iter().collect();
    colours.sort_unstable_by_key(|&(colour, count)| (std::cmp::Reverse(count), colour));
    let colours: Vec<Rgb> = colours.into_iter().map(|(colour, _)| colour).collect();
    let palette = &colours[..colours.len().min(256)];
    let index: FxHashMap<Rgb, u8> = colours.iter().map(|&colour| (colour, nearest(palette, colour))).collect();
    let runs = pixels.chunk_by(PartialEq::eq);
    let indices: Vec<u8> = runs.flat_map(|run| repeat_n(index[&run[0]], run.len())).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&indices));
    written.expect("a picture has pixels, and memory takes all bytes");
    bytes
}

/// The index of the nearest colour.
fn nearest(palette: &[Rgb], colour: Rgb) -> u8 {
    let distance = |p: &Rgb| (0..3).map(|k| i32::from(p[k].abs_diff(colour[k])).pow(2)).sum::<i32>();
    let best = palette.iter().enumerate().min_by_key(|(_, p)| distance(p));
    best.map_or(0, |(index, _)| index as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Camera, Placement};

    /// A box around the origin, seen from outside.
    pub(super) fn box_mesh(half: [f64; 3]) -> DisplayMesh {
        let corner =
            |k: usize| std::array::from_fn(|axis| (if k >> axis & 1 == 1 { half[axis] } else { -half[axis] }) as f32);
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        DisplayMesh { vertices: (0..8).map(corner).collect(), triangles }
    }

    pub(super) fn part(mesh: usize, position: [f64; 3]) -> ViewPart {
        let placement = Placement { position, q: [1.0, 0.0, 0.0, 0.0] };
        ViewPart { body: 0, name: String::new(), mesh, placement, moves: false, colour: None }
    }

    /// A view along +y.
    fn view(parts: Vec<ViewPart>, reach: f64) -> View {
        let camera = Camera { eye: [0.0, -4.0 * reach, 0.0], forward: [0.0, 1.0, 0.0], up: [0.0, 0.0, 1.0] };
        View { origin: [0.0; 3], parts, witness: None, normal: None, overlap: None, reach, camera, track: Vec::new() }
    }

    const SIZE: [usize; 2] = [160, 100];

    fn pixel(picture: &Picture, column: usize, row: usize) -> Rgb {
        let at = 3 * (row * picture.width + column);
        [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]]
    }

    fn is_blue([r, _, b]: Rgb) -> bool {
        b > r + 40
    }

    fn is_orange([r, _, b]: Rgb) -> bool {
        r > b + 40
    }

    fn is_red([r, g, b]: Rgb) -> bool {
        r > 180 && g < 60 && b < 60
    }

    #[test]
    fn the_nearer_body_hides_the_farther() {
        let meshes = [box_mesh([0.4; 3])];
        for (depths, shows) in [([-0.6, 0.6], is_blue as fn(Rgb) -> bool), ([0.6, -0.6], is_orange)] {
            let parts = depths.map(|y| part(0, [0.0, y, 0.0])).to_vec();
            let picture = render(&view(parts, 1.0), &meshes, SIZE);
            assert!(shows(pixel(&picture, 80, 50)));
            let [r, g, b] = pixel(&picture, 2, 2);
            assert!(r > 230 && g > 230 && b > 230, "background");
        }
    }

    #[test]
    fn a_ghost_is_seen_and_hides_nothing() {
        let meshes = [box_mesh([0.3; 3]), box_mesh([0.8, 0.1, 0.8])];
        let without = vec![part(0, [-0.35, 0.0, 0.0]), part(0, [0.35, 0.0, 0.0])];
        let mut with = without.clone();
        with.push(part(1, [0.0, -1.0, 0.0]));
        let [bare, picture] = [without, with].map(|parts| render(&view(parts, 1.0), &meshes, SIZE));
        assert!(is_blue(pixel(&picture, 65, 50)) && is_orange(pixel(&picture, 95, 50)));
        assert_ne!(pixel(&picture, 65, 50), pixel(&bare, 65, 50));
        assert_ne!(pixel(&picture, 80, 20), pixel(&bare, 80, 20));
        assert_eq!(pixel(&picture, 4, 4), pixel(&bare, 4, 4));
    }

    #[test]
    fn a_neighbour_keeps_the_colour_of_its_file_and_the_pair_does_not() {
        let meshes = [box_mesh([0.3; 3]), box_mesh([0.8, 0.1, 0.8])];
        let picture = |pair: Option<Rgb>, ghost: Option<Rgb>| {
            let pair = [-0.35, 0.35].map(|x| ViewPart { colour: pair, ..part(0, [x, 0.0, 0.0]) });
            let ghost = ViewPart { colour: ghost, ..part(1, [0.0, -1.0, 0.0]) };
            render(&view([&pair[..], &[ghost]].concat(), 1.0), &meshes, SIZE)
        };
        let (grey, green) = (picture(None, None), picture(None, Some([0, 255, 0])));
        let [r, g, b] = pixel(&green, 80, 20);
        assert!(g > r.max(b) + 8 && pixel(&grey, 80, 20) != [r, g, b], "{r} {g} {b}");
        assert_eq!(picture(Some([0, 255, 0]), None), grey);
    }

    #[test]
    fn edges_are_dark() {
        let picture = render(&view(vec![part(0, [0.0; 3])], 1.0), &[box_mesh([0.4; 3])], SIZE);
        let row: Vec<_> = (0..160).map(|column| pixel(&picture, column, 50)).collect();
        let is_dark = |p: &Rgb| p.iter().all(|&c| c < 110);
        assert_eq!(row.iter().filter(|p| is_dark(p)).count(), 2, "{row:?}");
    }

    #[test]
    fn marks_are_seen_over_everything() {
        let meshes = [box_mesh([0.5; 3])];
        let scene = |witness, overlap, normal| View {
            witness,
            overlap,
            normal,
            ..view(vec![part(0, [0.0; 3]), part(0, [5.0, 0.0, 0.0])], 1.0)
        };
        let red = |view: &View| {
            let picture = render(view, &meshes, SIZE);
            (0..16_000).filter(|at| is_red(pixel(&picture, at % 160, at / 160))).count()
        };
        let plain = scene(None, None, None);
        assert_eq!(red(&plain), 0);
        assert!(red(&scene(Some([[-0.2, 0.0, 0.0], [0.2, 0.0, 0.0]]), None, None)) > 20, "witness points within A");
        assert!(red(&scene(None, Some([[-0.2; 3], [0.2; 3]]), None)) > 60, "box within A");
        let apart = scene(Some([[0.5, -0.6, 0.0], [0.6, -0.6, 0.0]]), None, Some([1.0, 0.0, 0.0]));
        let turned = View { normal: Some([0.0, 1.0, 0.0]), ..apart.clone() };
        assert_ne!(render(&apart, &meshes, SIZE), render(&View { normal: None, ..apart.clone() }, &meshes, SIZE));
        assert_ne!(render(&apart, &meshes, SIZE), render(&turned, &meshes, SIZE));
    }

    #[test]
    fn extremes_do_no_harm() {
        let meshes = [box_mesh([1.0; 3]), box_mesh([0.0; 3]), DisplayMesh::default(), box_mesh([1e30; 3])];
        for reach in [0.0, 1e-300, 1e-9, 1.0, 1e9, 1e30] {
            for mesh in 0..meshes.len() {
                let parts = vec![part(mesh, [0.0, -4.0 * reach, 0.0]), part(0, [reach; 3]), part(mesh, [0.0; 3])];
                let ends = [[-reach; 3], [reach, 1e9, 0.0]];
                let scene = View { witness: Some(ends), normal: Some([0.0, 1.0, 0.0]), ..view(parts, reach) };
                let boxed = View { overlap: Some(ends), ..scene.clone() };
                for view in [scene, boxed] {
                    let camera = choose_camera(&view.parts, &meshes, view.normal, reach);
                    for camera in [camera, view.camera] {
                        let picture = render(&View { camera, ..view.clone() }, &meshes, [32, 20]);
                        assert_eq!(picture.rgb.len(), 3 * 32 * 20);
                    }
                }
            }
        }
    }

    #[test]
    fn the_same_view_has_the_same_bytes_in_a_palette() {
        let meshes = [box_mesh([0.6, 0.3, 0.4])];
        let placement = Placement { position: [0.2, 0.1, 0.3], q: [0.48, 0.6, 0.64, 0.0] };
        let parts =
            vec![part(0, [-0.5, 0.0, 0.0]), ViewPart { placement, ..part(0, [0.0; 3]) }, part(0, [0.0, 1.0, 0.4])];
        let view = view(parts, 1.0);
        let [first, second] = [(); 2].map(|()| render(&view, &meshes, SIZE));
        assert_eq!(first, second);
        // Fowler, Noll and Vo's sum (FNV-1a): the same on every platform.
        let sum = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        assert_eq!(first.rgb.iter().fold(0xcbf2_9ce4_8422_2325, sum), 0x9303_9a37_beaa_17de);
        assert_eq!(png(&first), png(&second));
        let mut reader = png::Decoder::new(std::io::Cursor::new(png(&first))).read_info().expect("a PNG");
        let info = reader.info();
        assert_eq!((info.width, info.height, info.color_type), (160, 100, png::ColorType::Indexed));
        let palette = info.palette.as_ref().expect("a palette").to_vec();
        let mut indices = vec![0; 16_000];
        reader.next_frame(&mut indices).expect("whole");
        for (index, pixel) in indices.iter().zip(first.rgb.as_chunks::<3>().0) {
            let at = 3 * usize::from(*index);
            assert!(pixel.iter().zip(&palette[at..at + 3]).all(|(a, b)| a.abs_diff(*b) < 24));
        }
    }

    #[test]
    fn a_picture_of_many_colours_keeps_its_commonest() {
        let rgb =
            (0..10_000_u32).flat_map(|k| if k < 5_000 { [9, 9, 9] } else { [k as u8, (k >> 8) as u8, 77] }).collect();
        let bytes = png(&Picture { width: 100, height: 100, rgb });
        let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
        let palette = reader.info().palette.as_ref().expect("a palette");
        assert_eq!((palette.len(), &palette[..3]), (768, &[9_u8, 9, 9][..]));
    }
}
