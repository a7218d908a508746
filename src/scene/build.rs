//! Geometry files and shapes to hulls: each file read and hashed once, each distinct geometry built once, in parallel,
//! with the same result and the same first error for any number of threads.

use super::body_spec::{BodySpec, GeometryOptions, GeometrySpec};
use super::centre::centre;
use super::digest::InputReader;
use super::hull_fit::{self, MeshAndHull, together};
use super::length::check_length;
use super::mesh::Closure;
use super::model::{HullFit, InputDigest, Model, Piece, Shape};
use super::parallel;
use super::readers::{self, Fault, Mesh};
use super::shapes::ShapeSpec;
use crate::error::Error;
use crate::geometry::hull::{HullError, convex_hull};
use crate::geometry::{Polyhedron, Vec3};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Starting a thread pays from about so many files on.
const JOBS_PER_THREAD: usize = 8;

/// A file, a part of one, or one shape, with all the ways in which bodies use it.
enum GeometryJob {
    File { path: PathBuf, variants: Vec<(GeometryOptions, f64)> },
    Part { mesh: Arc<Mesh>, path: PathBuf, variants: Vec<(GeometryOptions, f64)> },
    Shape(Arc<ShapeSpec>, f64),
}

/// What became of a job: one shape for each variant.
struct BuiltBody {
    /// The file, and those beside it that belong to it.
    inputs: Vec<InputDigest>,
    shapes: Vec<Result<Arc<Shape>, Fault>>,
}

/// The jobs of a scene, and the (job, variant) of each body.
struct BuildPlan {
    jobs: Vec<GeometryJob>,
    of_body: Vec<(usize, usize)>,
}

/// A body whose geometry cannot be used: its index, the file (`None`: a shape) and the fault.
pub(super) struct Failure {
    pub(super) body: usize,
    pub(super) file: Option<PathBuf>,
    pub(super) fault: Fault,
}

/// The shape of each body and the files read in order of first use, or what is wrong with geometries.
pub(super) type Built = Result<(Vec<Arc<Shape>>, Vec<InputDigest>), Vec<Failure>>;

/// The shape of each body, and the files read in order of first use, of `limit` bytes each, by at most `threads` threads.
///
/// # Errors
/// For every geometry that cannot be used, that of its first body in scene order.
pub(super) fn build(folder: &Path, bodies: &[BodySpec], threads: Option<usize>, limit: u64) -> Built {
    let plan = plan(folder, bodies);
    let done = parallel::each(threads, plan.jobs.len(), JOBS_PER_THREAD, |index| work_off(&plan.jobs[index], limit));
    let mut shapes = Vec::with_capacity(bodies.len());
    let mut failures = Vec::new();
    let mut reported = HashSet::new();
    for (body, &(job, variant)) in plan.of_body.iter().enumerate() {
        match &done[job].shapes[variant] {
            Ok(shape) => shapes.push(Arc::clone(shape)),
            Err(fault) if reported.insert((job, fault.problem.as_str())) => {
                let file = match &plan.jobs[job] {
                    GeometryJob::File { path, .. } | GeometryJob::Part { path, .. } => Some(path.clone()),
                    GeometryJob::Shape(..) => None,
                };
                failures.push(Failure { body, file, fault: fault.clone() });
            }
            Err(_) => {}
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    Ok((shapes, done.into_iter().flat_map(|done| done.inputs).collect()))
}

/// Finds what is to be built: files are the same if they are the same on disk, however they are written.
fn plan(folder: &Path, bodies: &[BodySpec]) -> BuildPlan {
    let mut jobs: Vec<GeometryJob> = Vec::new();
    let mut by_key: HashMap<(Vec<u64>, u64), usize> = HashMap::new();
    let mut by_shape: HashMap<(*const ShapeSpec, u64), usize> = HashMap::new();
    let mut by_path: HashMap<PathBuf, usize> = HashMap::new();
    let mut by_text: HashMap<&str, usize> = HashMap::new();
    let mut by_mesh: HashMap<*const Mesh, usize> = HashMap::new();
    let mut of_body = Vec::with_capacity(bodies.len());
    for body in bodies {
        let slot = match &body.geometry {
            GeometrySpec::Shape(spec) => {
                let offset = body.offset.to_bits();
                let job = *by_shape.entry((Arc::as_ptr(spec), offset)).or_insert_with(|| {
                    *by_key.entry((spec.identity(), offset)).or_insert_with(|| {
                        jobs.push(GeometryJob::Shape(Arc::clone(spec), body.offset));
                        jobs.len() - 1
                    })
                });
                (job, 0)
            }
            GeometrySpec::File { path: text, reading } => {
                let job = *by_text.entry(text).or_insert_with(|| {
                    let path = folder.join(&**text);
                    let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
                    *by_path.entry(identity).or_insert_with(|| {
                        jobs.push(GeometryJob::File { path, variants: Vec::new() });
                        jobs.len() - 1
                    })
                });
                (job, add_variant(&mut jobs[job], (*reading, body.offset)))
            }
            GeometrySpec::Part { mesh, file, reading } => {
                let job = *by_mesh.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                    let (mesh, path) = (Arc::clone(mesh), file.to_path_buf());
                    jobs.push(GeometryJob::Part { mesh, path, variants: Vec::new() });
                    jobs.len() - 1
                });
                (job, add_variant(&mut jobs[job], (*reading, body.offset)))
            }
        };
        of_body.push(slot);
    }
    BuildPlan { jobs, of_body }
}

fn add_variant(job: &mut GeometryJob, variant: (GeometryOptions, f64)) -> usize {
    let (GeometryJob::File { variants, .. } | GeometryJob::Part { variants, .. }) = job else { return 0 };
    variants.iter().position(|known| *known == variant).unwrap_or_else(|| {
        variants.push(variant);
        variants.len() - 1
    })
}

fn work_off(job: &GeometryJob, max_input: u64) -> BuiltBody {
    let each = |mesh: &Mesh, of: MeshOrigin, variants: &[(GeometryOptions, f64)]| {
        variants.iter().map(|(reading, offset)| from_mesh(mesh, of, reading, *offset).map(Arc::new)).collect()
    };
    let (path, variants) = match job {
        GeometryJob::Shape(spec, offset) => {
            return BuiltBody { inputs: Vec::new(), shapes: vec![from_shape(spec, *offset).map(Arc::new)] };
        }
        GeometryJob::Part { mesh, variants, .. } => {
            return BuiltBody { inputs: Vec::new(), shapes: each(mesh, MeshOrigin::Part, variants) };
        }
        GeometryJob::File { path, variants } => (path, variants),
    };
    let failed =
        |fault: Fault| BuiltBody { inputs: Vec::new(), shapes: variants.iter().map(|_| Err(fault.clone())).collect() };
    if let Err(fault) = readers::check_extension(path) {
        return failed(fault);
    }
    let mut input = InputReader::new(max_input);
    let bytes = match input.read(path) {
        Ok(read) => read,
        Err(error) => {
            let error = Error::unreadable(path, &error);
            return failed(Fault::new(error.problem, error.remedy));
        }
    };
    match readers::read_with_companions(path, bytes, &mut input) {
        Err(fault) => failed(fault),
        Ok(mesh) => BuiltBody { inputs: input.digests, shapes: each(&mesh, MeshOrigin::File, variants) },
    }
}

fn from_shape(spec: &ShapeSpec, offset: f64) -> Result<Shape, Fault> {
    let (points, radius) = spec.core();
    let center = centre(&points);
    let points = Distinct::of(points, center);
    if let ShapeSpec::Pieces(lists) = spec {
        let mut vertices = 0_u32..;
        let mut member = || vertices.next().map_or(0, |vertex| points.of_vertex[vertex as usize]);
        let members = lists.iter().map(|list| list.iter().map(|_| member()).collect()).collect();
        let (pieces, hull) = hulls(members, &points)?;
        let triangles = pieces.iter().map(triangle_count).sum();
        return Ok(assemble(
            Model::Pieces,
            pieces,
            hull,
            offset,
            center,
            (points.of_vertex.len() as u64, triangles, None),
        ));
    }
    let core = points.hull(None)?;
    let counts = (points.of_vertex.len() as u64, triangle_count(&core), None);
    Ok(assemble(Model::Hull, vec![core], None, radius + offset, center, counts))
}

/// Triangles of the faces of a hull.
fn triangle_count(core: &Polyhedron) -> u64 {
    (0..core.face_count()).map(|f| core.face(f as u32).len() as u64 - 2).sum()
}

/// What a mesh was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MeshOrigin {
    /// A file of its own.
    File,
    /// A node, an object or a component of a file.
    Part,
}

fn from_mesh(mesh: &Mesh, of: MeshOrigin, reading: &GeometryOptions, offset: f64) -> Result<Shape, Fault> {
    let points = in_metres(mesh, reading)?;
    let center = centre(&points);
    let points = Distinct::of(points, center);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| points.of_vertex[v as usize])).collect();
    let watertight = (!triangles.is_empty()).then(|| Closure::of(&triangles).oriented);
    let counts = (mesh.vertices.len() as u64, mesh.triangles.len() as u64, watertight);
    if let Some(model @ (Model::Pieces | Model::PieceHulls)) = reading.model {
        let (pieces, hull) = pieces(mesh, &points)?;
        let fit = pieces_fit(mesh, &points, &triangles, (&pieces, hull.as_ref()), model)?;
        return Ok(Shape { fit: Some(fit), ..assemble(model, pieces, hull, offset, center, counts) });
    }
    let mut core = points.hull_by_distinct(None)?;
    let measured =
        MeshAndHull { points: &points.list, triangles: &triangles, hull: &core, size: hull_fit::size(&core) };
    let fit = match reading.model {
        None => Some(require_convex(&measured, mesh, of)?),
        Some(_) => (!triangles.is_empty()).then(|| measured.any()),
    };
    points.rename(&mut core);
    Ok(Shape { fit, ..assemble(Model::Hull, vec![core], None, offset, center, counts) })
}

/// Puts a shape together; radii are rounded up. `counts`: vertices, triangles, watertight.
fn assemble(
    model: Model,
    cores: Vec<Polyhedron>,
    hull: Option<Polyhedron>,
    growth: f64,
    center: Vec3<f64>,
    (vertices, triangles, watertight): (u64, u64, Option<bool>),
) -> Shape {
    let recentred = |core: Polyhedron| core.recentred(center, growth);
    let (cores, hull): (Vec<_>, _) = (cores.into_iter().map(recentred).collect(), hull.map(recentred));
    let outer = |radius: f64, core: &Polyhedron| {
        radius.max(if growth > 0.0 { (core.radius + growth).next_up() } else { core.radius })
    };
    let radius = cores.iter().chain(&hull).fold(0.0, outer);
    let piece = |core| Piece { core, radius: growth };
    let pieces = cores.into_iter().map(piece).collect();
    Shape { model, pieces, hull: hull.map(piece), center, radius, vertices, triangles, watertight, fit: None }
}

/// The convex pieces of a mesh by its objects and groups, and, of several, the hull of them all.
fn pieces(mesh: &Mesh, points: &Distinct) -> Result<(Vec<Polyhedron>, Option<Polyhedron>), Fault> {
    if mesh.pieces == 0 {
        let remedy = "write model = \"hull\" to use the hull of its vertices";
        return Err(Fault::new("model = \"pieces\", but the file has no faces and so no pieces", remedy));
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); mesh.pieces];
    for (triangle, &piece) in mesh.triangles.iter().zip(&mesh.piece) {
        members[piece as usize].extend(triangle.map(|v| points.of_vertex[v as usize]));
    }
    hulls(members, points)
}

/// The hull of each list of distinct points, and, of several, the hull of them all.
fn hulls(mut members: Vec<Vec<u32>>, points: &Distinct) -> Result<(Vec<Polyhedron>, Option<Polyhedron>), Fault> {
    for list in &mut members {
        list.sort_unstable();
        list.dedup();
    }
    let cores = members.iter().map(|list| points.hull(Some(list))).collect::<Result<Vec<_>, _>>()?;
    if cores.len() == 1 {
        return Ok((cores, None));
    }
    let mut all = members.concat();
    all.sort_unstable();
    all.dedup();
    Ok((cores, Some(points.hull(Some(&all))?)))
}

/// What it means that a hull replaces a mesh.
const HULL_MEANS: &str = "the convex hull contains the body, so that distances are lower bounds";

/// Refuses a mesh that would need `model = "mesh"` where the model was left out.
fn require_convex(measured: &MeshAndHull<'_>, mesh: &Mesh, of: MeshOrigin) -> Result<HullFit, Fault> {
    let why = match measured.triangles {
        [] => "it has no triangles".to_owned(),
        _ => match measured.convex() {
            Ok(fit) => return Ok(fit),
            Err(why) => why.words(|triangle| triangle),
        },
    };
    Err(hull_fit::fault(None, &why, convex_remedy(mesh, of)))
}

/// What to do about a mesh that is not convex.
fn convex_remedy(mesh: &Mesh, of: MeshOrigin) -> String {
    let components = match readers::components::count(mesh) {
        0 | 1 => String::new(),
        n => format!(
            "; or each = \"component\" in [[bodies]], which makes a body of each of its {n} connected components"
        ),
    };
    match (of, mesh.pieces) {
        (MeshOrigin::Part, objects) => {
            let pieces = match objects {
                0 | 1 => String::new(),
                n => format!("; or model = \"pieces\" likewise, if each of its {n} objects is convex"),
            };
            format!(
                "write model = \"hull\", in the section for all parts, or for this one in a row of its `table`: \
                 {HULL_MEANS}{pieces}{components}"
            )
        }
        (MeshOrigin::File, 0 | 1) => format!(
            "write model = \"hull\": {HULL_MEANS}; or split it into convex objects for model = \"pieces\": this file is one \
             object{components}"
        ),
        (MeshOrigin::File, n) => format!(
            "write model = \"pieces\", if each of the {n} objects of the file is convex; or model = \"hull\": {HULL_MEANS}"
        ),
    }
}

/// How the hulls of pieces fit the objects of a mesh; objects that are not convex are refused unless their hulls are
/// asked for.
fn pieces_fit(
    mesh: &Mesh,
    points: &Distinct,
    triangles: &[[u32; 3]],
    (pieces, hull): (&[Polyhedron], Option<&Polyhedron>),
    model: Model,
) -> Result<HullFit, Fault> {
    let size = hull_fit::size(hull.unwrap_or(&pieces[0]));
    let mut members: Vec<(Vec<[u32; 3]>, Vec<usize>)> = vec![(Vec::new(), Vec::new()); pieces.len()];
    for (number, (triangle, &piece)) in triangles.iter().zip(&mesh.piece).enumerate() {
        let (triangles, numbers) = &mut members[piece as usize];
        triangles.push(*triangle);
        numbers.push(number);
    }
    let mut fits = Vec::with_capacity(pieces.len());
    let mut refused: Vec<(usize, String)> = Vec::new();
    for (piece, (hull, (triangles, numbers))) in pieces.iter().zip(&members).enumerate() {
        let measured = MeshAndHull { points: &points.list, triangles, hull, size };
        match model {
            Model::PieceHulls => fits.push(measured.any()),
            _ => match measured.convex() {
                Ok(fit) => fits.push(fit),
                Err(why) => refused.push((piece, why.words(|triangle| numbers[triangle]))),
            },
        }
    }
    let Some((piece, why)) = refused.first() else { return Ok(together(&fits)) };
    let more = match refused.len() {
        1 => String::new(),
        n => format!(", and neither are {} others of the {}", n - 1, pieces.len()),
    };
    let remedy = "split it into convex objects; or write model = \"piece-hulls\": the convex \
                  hull of each object contains it, so that distances are lower bounds";
    Err(hull_fit::fault(Some(&mesh.piece_label(*piece)), &format!("{why}{more}"), remedy.to_owned()))
}

/// The vertices of a file in metres, z up.
fn in_metres(mesh: &Mesh, reading: &GeometryOptions) -> Result<Vec<Vec3<f64>>, Fault> {
    let mut points = Vec::with_capacity(mesh.vertices.len());
    for (index, position) in mesh.vertices.iter().enumerate() {
        let [x, y, z] = position.map(|c| reading.unit.metres(c * reading.scale));
        for c in [x, y, z] {
            check_length(c).map_err(|problem| {
                Fault::new(format!("vertex {index}: {problem}"), "check the `unit` and the `scale` of the body")
            })?;
        }
        points.push(if reading.y_up { Vec3::new(x, -z, y) } else { Vec3::new(x, y, z) });
    }
    Ok(points)
}

/// The different points among vertices, recentred.
struct Distinct {
    /// In order of first occurrence.
    list: Vec<Vec3<f64>>,
    /// The first vertex at each of `list`; ascending.
    first: Vec<u32>,
    /// For each vertex, its index in `list`.
    of_vertex: Vec<u32>,
}

impl Distinct {
    fn of(points: Vec<Vec3<f64>>, center: Vec3<f64>) -> Self {
        let mut found: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
        let mut distinct = Self { list: Vec::new(), first: Vec::new(), of_vertex: Vec::with_capacity(points.len()) };
        for (vertex, point) in points.into_iter().enumerate() {
            let point = point - center;
            let next = distinct.list.len() as u32; // readers refuse more than 2^31 - 1 vertices
            let key = point.to_array().map(|c| (c + 0.0).to_bits()); // -0 is 0
            let index = *found.entry(key).or_insert(next);
            if index == next {
                distinct.list.push(point);
                distinct.first.push(vertex as u32);
            }
            distinct.of_vertex.push(index);
        }
        distinct
    }

    /// The hull of some (ascending) or of all points, `source` counting vertices of the file.
    fn hull(&self, members: Option<&[u32]>) -> Result<Polyhedron, Fault> {
        let mut core = self.hull_by_distinct(members)?;
        self.rename(&mut core);
        Ok(core)
    }

    /// As [`Self::hull`], `source` counting the distinct points.
    fn hull_by_distinct(&self, members: Option<&[u32]>) -> Result<Polyhedron, Fault> {
        let Some(members) = members else { return convex_hull(&self.list).map_err(|error| self.fault(error, None)) };
        let points: Vec<Vec3<f64>> = members.iter().map(|&m| self.list[m as usize]).collect();
        let mut core = convex_hull(&points).map_err(|error| self.fault(error, Some(members)))?;
        for source in &mut core.source {
            *source = members[*source as usize];
        }
        Ok(core)
    }

    /// Turns `source` from distinct points to vertices of the file.
    fn rename(&self, core: &mut Polyhedron) {
        for source in &mut core.source {
            *source = self.first[*source as usize];
        }
    }

    fn fault(&self, error: HullError, members: Option<&[u32]>) -> Fault {
        let vertex = |index: usize| {
            let distinct = members.map_or(index, |members| members[index] as usize);
            self.first.get(distinct).copied().unwrap_or_default()
        };
        match error {
            HullError::Empty => Fault::new("there are no vertices", "export the geometry again"),
            HullError::NotFinite { index } => {
                Fault::new(format!("vertex {} is not finite", vertex(index)), "export the geometry again")
            }
            HullError::OutOfRange { index } => Fault::new(
                format!("vertex {} is so large or so small that its hull cannot be computed", vertex(index)),
                "check the length unit and the scale",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_are_one_and_the_first_names_it() {
        let points = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, -0.0, 0.0], [2.0, 0.0, 0.0]].map(Vec3::from).to_vec();
        let distinct = Distinct::of(points, Vec3::ZERO);
        assert_eq!(distinct.of_vertex, [0, 1, 0, 2]);
        assert_eq!(distinct.first, [0, 1, 3]);
    }
}
