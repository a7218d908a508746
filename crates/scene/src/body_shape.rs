//! A mesh as read, or a shape, to the geometry of a body: hulls, convex pieces, or triangles.

use super::body_spec::{GeometryOptions, Growth};
use super::centre::centre;
use super::decomposition::{self, DecomposedSolid};
use super::distinct::{Distinct, fault_of_hull};
use super::hull_fit::{self, MeshAndHull, together};
use super::length::check_length;
use super::mesh::{Closure, MeshMade, clean};
use super::readers::{Fault, Mesh};
use super::rounded::uneven_growth;
use super::shapes::{ShapeSpec, Solid, SolidCore};
use clearsweep_base::workers::Workers;
use clearsweep_geometry::hull::{check_range, convex_hull};
use clearsweep_geometry::round::Cover;
use clearsweep_geometry::triangle_tree::bounds;
use clearsweep_geometry::{Inside, LazyPieceTree, LazySurface, Polyhedron, TriangleMesh, Vec3};
use clearsweep_model::{HullFit, LazyParts, MeshCondition, Model, Piece, Shape};
use std::sync::Arc;

/// Remedy for a mesh without triangles.
const HULL_OF_VERTICES: &str = "write `model = \"hull\"` to use the convex hull of its vertices";

/// Vertices of a part of a pass over all of them.
const PART: usize = 1 << 16;

/// The geometry of a body before it grows.
#[derive(Clone)]
pub(super) struct BuiltGeometry {
    model: Model,
    /// One hull, or one of each piece.
    cores: Vec<Polyhedron>,
    /// The hull of all pieces, if there are several.
    hull: Option<Polyhedron>,
    /// The radius of a sphere or a capsule, metres.
    radius: f64,
    /// Radii of the cores of several parts, and how far rounding may have moved the cores, metres.
    parts: Option<(Vec<f64>, f64)>,
    center: Vec3<f64>,
    /// See [`Shape::middle`].
    middle: Vec3<f64>,
    vertices: u64,
    triangles: u64,
    watertight: Option<bool>,
    fit: Option<HullFit>,
    mesh: Option<Arc<TriangleMesh>>,
    condition: Option<MeshCondition>,
    /// Bound on the distance of a decomposition's pieces from its mesh, metres.
    measured: Option<f64>,
    /// The rounding step of the coordinates as the file stores them, metres.
    coordinate_step: f64,
}

impl BuiltGeometry {
    /// Returns the geometry of cores that are no mesh.
    fn of(model: Model, cores: Vec<Polyhedron>, center: Vec3<f64>, (vertices, triangles): (u64, u64)) -> Self {
        let (hull, radius, parts, watertight, fit) = (None, 0.0, None, None, None);
        let (mesh, condition, measured, coordinate_step) = (None, None, None, 0.0);
        let middle = middle(cores.iter().flat_map(Polyhedron::bounds));
        Self {
            model,
            cores,
            hull,
            radius,
            parts,
            center,
            middle,
            vertices,
            triangles,
            watertight,
            fit,
            mesh,
            condition,
            measured,
            coordinate_step,
        }
    }

    /// Returns the geometry of the pieces that stand for a solid mesh.
    fn of_decomposition(solid: DecomposedSolid, center: Vec3<f64>, counts: (u64, u64)) -> Self {
        let DecomposedSolid { pieces, hull, middle, deviation, condition, watertight } = solid;
        let (condition, measured, watertight) = (Some(condition), Some(deviation), Some(watertight));
        let built = Self::of(Model::Decomposition, pieces, center, counts);
        Self { hull, middle, condition, measured, watertight, ..built }
    }

    /// The same, its coordinates stored in steps of this length, metres.
    pub(super) fn stored_in_steps(self, coordinate_step: f64) -> Self {
        Self { coordinate_step, ..self }
    }

    /// The same, all its polyhedra built again when they are asked for.
    pub(super) fn forgotten(self) -> Self {
        let cores = self.cores.into_iter().map(Polyhedron::forgotten).collect();
        Self { cores, hull: self.hull.map(Polyhedron::forgotten), ..self }
    }

    /// Whether it is the triangles of a mesh.
    pub(super) fn is_mesh(&self) -> bool {
        self.mesh.is_some()
    }

    /// The shape of the inflated body; its radii are rounded up.
    pub(super) fn inflated(self, Growth { offset, deviation }: Growth) -> Shape {
        let Self {
            model,
            cores,
            hull,
            center,
            middle,
            vertices,
            triangles,
            watertight,
            fit,
            mesh,
            condition,
            measured,
            ..
        } = self;
        let (radii, placed) = self.parts.unwrap_or_else(|| (vec![self.radius; cores.len()], 0.0));
        let piece = |core: Polyhedron, radius: f64| {
            let radius = radius + offset;
            Piece { core: core.recentred(center, radius), radius }
        };
        let largest = radii.iter().copied().fold(0.0, f64::max);
        let uneven = uneven_growth(&cores, &radii, hull.as_ref(), (center, offset)).map(Arc::new);
        let pieces: Vec<Piece> = cores.into_iter().zip(radii).map(|(core, radius)| piece(core, radius)).collect();
        let hull = hull.map(|core| piece(core, largest));
        let outer = |most: f64, Piece { core, radius }: &Piece| {
            most.max(if *radius > 0.0 { (core.radius + radius).next_up() } else { core.radius })
        };
        let radius = pieces.iter().chain(hull.as_ref()).fold(0.0, outer);
        let moved = condition.map_or([0.0; 2], |found| [found.weld_shift, found.polygon_warp]);
        let parts = [measured.unwrap_or(0.0), moved[0], moved[1], placed];
        let deviation = parts
            .into_iter()
            .filter(|&part| part > 0.0)
            .fold(deviation, |sum, part| if sum > 0.0 { (sum + part).next_up() } else { part });
        Shape {
            model,
            pieces,
            hull: hull.map(Box::new),
            center,
            middle,
            radius,
            deviation,
            decomposition_deviation: measured,
            uneven,
            vertices,
            triangles,
            coordinate_step: self.coordinate_step,
            watertight,
            fit,
            mesh,
            faces: LazySurface::default(),
            tree: LazyPieceTree::default(),
            parts: LazyParts::default(),
            condition,
        }
    }
}

/// The centre of the box around points.
fn middle(points: impl Iterator<Item = Vec3<f64>>) -> Vec3<f64> {
    let (low, high) = bounds(points);
    (low + high).scale(0.5)
}

/// The geometry of a shape.
///
/// # Errors
/// Its numbers are too large or too small for a hull.
pub(super) fn from_shape(spec: &ShapeSpec) -> Result<BuiltGeometry, Fault> {
    let solids = spec.solids();
    if solids.iter().any(Solid::is_round) {
        return from_round_solids(spec, &solids);
    }
    let points: Vec<Vec3<f64>> = solids.iter().flat_map(|solid| solid.points().into_owned()).collect();
    let center = centre(points.iter().copied());
    let points = Distinct::of(points, center, &Workers::none());
    let count = points.of_vertex.len() as u64;
    if let ([solid], false) = (&solids[..], is_compound(spec)) {
        let core = points.hull(None)?;
        let counts = (count, triangle_count(&core));
        return Ok(BuiltGeometry {
            radius: solid.radius,
            ..BuiltGeometry::of(Model::Hull, vec![core], center, counts)
        });
    }
    let mut vertices = points.of_vertex.iter().copied();
    let members = solids.iter().map(|solid| vertices.by_ref().take(solid.points().len()).collect()).collect();
    let (pieces, hull) = hulls(members, &points)?;
    let triangles = pieces.iter().map(triangle_count).sum();
    Ok(of_parts(spec, &solids, (pieces, hull), center, (count, triangles)))
}

/// The geometry of solids of which some are round: their polyhedra, and the hull of all of them,
/// are built when first asked for. Round ones have no vertices and triangles.
fn from_round_solids(spec: &ShapeSpec, solids: &[Solid]) -> Result<BuiltGeometry, Fault> {
    let covers: Vec<Option<Cover>> = solids.iter().map(Solid::cover).collect();
    let corners = solids.iter().zip(&covers).flat_map(|(solid, cover)| match (&solid.core, cover) {
        (SolidCore::Points(points), _) | (_, Some(Cover { points, .. })) => points.iter().copied(),
        (SolidCore::Round(_), None) => [].iter().copied(),
    });
    let center = centre(corners);
    let (mut first, mut counts) = (0_u32, (0, 0));
    let mut cores = Vec::with_capacity(solids.len());
    for (solid, cover) in solids.iter().zip(&covers) {
        let numbered = |index: usize| first + index as u32;
        let core = match (&solid.core, cover) {
            (SolidCore::Round(body), Some(cover)) if center == Vec3::ZERO => {
                Polyhedron::covering(body.clone(), cover, first).map_err(|error| fault_of_hull(error, numbered))?
            }
            (SolidCore::Round(body), _) => {
                let body = body.recentred(center);
                Polyhedron::around(body, first).map_err(|error| fault_of_hull(error, numbered))?
            }
            (SolidCore::Points(points), _) => {
                let points: Vec<Vec3<f64>> = points.iter().map(|&point| point - center).collect();
                let mut core = convex_hull(&points).map_err(|error| fault_of_hull(error, numbered))?;
                core.source_mut().iter_mut().for_each(|source| *source += first);
                counts = (counts.0 + points.len() as u64, counts.1 + triangle_count(&core));
                core
            }
        };
        let next = u32::try_from(u64::from(first) + core.most_vertices() as u64);
        first = next.map_err(|_| Fault::new("the shape has too many parts", "make several bodies of them"))?;
        cores.push(core);
    }
    if is_compound(spec) || cores.len() > 1 {
        let hull = (cores.len() > 1).then(|| Polyhedron::hull_of(&cores));
        return Ok(of_parts(spec, solids, (cores, hull), center, counts));
    }
    let radius = solids[0].radius;
    Ok(BuiltGeometry { radius, ..BuiltGeometry::of(Model::Hull, cores, center, counts) })
}

/// Whether a shape is made of pieces or of parts, though it may be of one.
fn is_compound(spec: &ShapeSpec) -> bool {
    matches!(spec, ShapeSpec::Parts(_) | ShapeSpec::Pieces(_))
}

/// The geometry of solids with their cores, and of several the hull of all.
fn of_parts(
    spec: &ShapeSpec,
    solids: &[Solid],
    (cores, hull): (Vec<Polyhedron>, Option<Polyhedron>),
    center: Vec3<f64>,
    counts: (u64, u64),
) -> BuiltGeometry {
    let rounding = solids.iter().map(|solid| solid.rounding).fold(0.0, f64::max);
    let parts = Some((solids.iter().map(|solid| solid.radius).collect(), rounding));
    let is_one_part = cores.len() == 1 && matches!(spec, ShapeSpec::Parts(_));
    let model = if is_one_part { Model::Hull } else { Model::Pieces };
    BuiltGeometry { hull, parts, ..BuiltGeometry::of(model, cores, center, counts) }
}

/// Triangles of the faces of a hull.
fn triangle_count(core: &Polyhedron) -> u64 {
    (0..core.face_count()).map(|f| core.face(f as u32).len() as u64 - 2).sum()
}

/// The geometry of a mesh; where the model is left out, a hull if the mesh is convex, else its
/// triangles.
///
/// # Errors
/// It is not what its model says.
pub(super) fn from_mesh(mesh: &Mesh, reading: &GeometryOptions, workers: &Workers) -> Result<BuiltGeometry, Fault> {
    let reading = &reading.of_mesh(mesh);
    let points = in_metres(mesh, reading, workers)?;
    let center = centre(points.iter().copied());
    let points = Distinct::of(points, center, workers);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| points.of_vertex[v as usize])).collect();
    let counts = (mesh.vertices.len() as u64, mesh.triangles.len() as u64);
    let warped_triangles = mesh.warped.len() as u64;
    let warp = mesh.warped.iter().fold(0.0_f64, |most, (_, warp)| most.max(*warp));
    let polygon_warp = reading.metres_rounded_up(warp);
    let built = match reading.model {
        Some(model @ (Model::Pieces | Model::PieceHulls)) => {
            let (pieces, hull) = pieces(mesh, &points)?;
            let fit = pieces_fit((mesh, reading), &points, &triangles, (&pieces, hull.as_ref()), model, workers)?;
            BuiltGeometry { hull, fit: Some(fit), ..BuiltGeometry::of(model, pieces, center, counts) }
        }
        Some(Model::Hull) => {
            let core = points.hull_by_distinct(None)?;
            let fit =
                (!triangles.is_empty()).then(|| measured(&points, &triangles, &core, (polygon_warp, workers)).any());
            let core = points.renamed(core);
            BuiltGeometry { fit, ..BuiltGeometry::of(Model::Hull, vec![core], center, counts) }
        }
        Some(Model::Decomposition) => {
            let solid = decomposition::from_solid(&points, &triangles, workers)?;
            BuiltGeometry::of_decomposition(solid, center, counts)
        }
        Some(Model::Mesh) => from_triangles(&points, &triangles, None, reading.inside, (center, counts), workers)?,
        None => {
            let core = points.hull_by_distinct(None)?;
            if triangles.is_empty() {
                return Err(Fault::new("the geometry has no triangles", HULL_OF_VERTICES));
            }
            match measured(&points, &triangles, &core, (polygon_warp, workers)).if_convex() {
                None => from_triangles(&points, &triangles, Some(core), reading.inside, (center, counts), workers)?,
                fit => {
                    let core = points.renamed(core);
                    BuiltGeometry { fit, ..BuiltGeometry::of(Model::Hull, vec![core], center, counts) }
                }
            }
        }
    };
    let condition = built.condition.map(|found| MeshCondition { warped_triangles, polygon_warp, ..found });
    let closes_up = || (!triangles.is_empty()).then(|| Closure::of(&triangles, workers).oriented);
    let coordinate_step = reading.unit.metres(mesh.coordinate_step * reading.scale);
    Ok(BuiltGeometry { watertight: built.watertight.or_else(closes_up), condition, coordinate_step, ..built })
}

fn measured<'a>(
    points: &'a Distinct,
    triangles: &'a [[u32; 3]],
    hull: &'a Polyhedron,
    (warp, workers): (f64, &'a Workers),
) -> MeshAndHull<'a> {
    MeshAndHull { points: &points.list, triangles, hull, size: hull_fit::size(hull), warp, workers }
}

/// The exact triangles; `of_all`: the hull of all points, if it is known; `inside`: what the body
/// says of it.
fn from_triangles(
    points: &Distinct,
    triangles: &[[u32; 3]],
    of_all: Option<Polyhedron>,
    inside: Option<Inside>,
    (center, counts): (Vec3<f64>, (u64, u64)),
    workers: &Workers,
) -> Result<BuiltGeometry, Fault> {
    if triangles.is_empty() {
        let remedy = match inside {
            None => HULL_OF_VERTICES,
            Some(_) => "write `model = \"hull\"` in place of `inside` to use the convex hull of its vertices",
        };
        return Err(Fault::new("model = \"mesh\", but the geometry has no triangles", remedy));
    }
    check_range(&points.list).map_err(|error| points.fault(error, None))?;
    // Nearly always all points are used; the predicates of all of them are exact.
    let (made, of_all) = workers.both(
        || {
            let is_sheet = inside == Some(Inside::Surface);
            clean(&points.list, &points.first, triangles, points.of_vertex.len(), is_sheet, workers)
        },
        || of_all.map_or_else(|| points.hull_by_distinct(None), Ok),
    );
    let Some(MeshMade { mesh, condition, points: used, closure }) = made else {
        let problem = match triangles.len() {
            1 => "its only triangle has no area: its corners are equal or lie on a line".to_owned(),
            n => format!("none of its {n} triangles has an area: their corners are equal or lie on a line"),
        };
        let place = if inside.is_some() { " in place of `inside`" } else { "" };
        let remedy = format!(
            "check the `unit` and the `scale`, or write `model = \"hull\"`{place} to use the convex hull of its vertices"
        );
        return Err(Fault::new(problem, remedy));
    };
    if inside == Some(Inside::Solid) {
        check_solid(&condition)?;
    }
    let core = if used.len() == points.list.len() { of_all? } else { points.hull_by_distinct(Some(&used))? };
    let core = points.renamed(core);
    let (mesh, condition, watertight) = (Some(Arc::new(mesh)), Some(condition), Some(closure.oriented));
    Ok(BuiltGeometry { mesh, condition, watertight, ..BuiltGeometry::of(Model::Mesh, vec![core], center, counts) })
}

/// Refuses a mesh that is to be solid and is not.
fn check_solid(condition: &MeshCondition) -> Result<(), Fault> {
    if condition.is_solid() {
        return Ok(());
    }
    let why = match condition.boundary_edges {
        0 => "its triangles have no clear outside".to_owned(),
        1 => "its triangles do not close up: 1 edge has one triangle".to_owned(),
        n => format!("its triangles do not close up: {n} edges have one triangle"),
    };
    let remedy = "mend the mesh; or leave `inside` out, and the winding number decides what lies inside; or write \
                  `inside = \"surface\"` for a sheet";
    Err(Fault::new(format!("inside = \"solid\", but {why}"), remedy))
}

/// The convex pieces of a mesh by its objects and groups, and, of several, the hull of them all.
fn pieces(mesh: &Mesh, points: &Distinct) -> Result<(Vec<Polyhedron>, Option<Polyhedron>), Fault> {
    if mesh.pieces == 0 {
        let remedy = "write `model = \"hull\"` to use the hull of its vertices";
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

/// Measures how well the hulls of pieces fit the objects of a mesh. Objects that are not convex are
/// refused unless their hulls are asked for.
fn pieces_fit(
    (mesh, reading): (&Mesh, &GeometryOptions),
    points: &Distinct,
    triangles: &[[u32; 3]],
    (pieces, hull): (&[Polyhedron], Option<&Polyhedron>),
    model: Model,
    workers: &Workers,
) -> Result<HullFit, Fault> {
    let size = hull_fit::size(hull.unwrap_or(&pieces[0]));
    let mut members: Vec<(Vec<[u32; 3]>, Vec<usize>)> = vec![(Vec::new(), Vec::new()); pieces.len()];
    for (number, (triangle, &piece)) in triangles.iter().zip(&mesh.piece).enumerate() {
        let (triangles, numbers) = &mut members[piece as usize];
        triangles.push(*triangle);
        numbers.push(number);
    }
    let mut warps = vec![0.0_f64; pieces.len()];
    for &(triangle, warp) in &mesh.warped {
        let most = &mut warps[mesh.piece[triangle as usize] as usize];
        *most = most.max(reading.metres_rounded_up(warp));
    }
    let mut fits = Vec::with_capacity(pieces.len());
    let mut refused: Vec<(usize, String)> = Vec::new();
    for (piece, (hull, (triangles, numbers))) in pieces.iter().zip(&members).enumerate() {
        let measured = MeshAndHull { points: &points.list, triangles, hull, size, warp: warps[piece], workers };
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
    let remedy = "write `model = \"mesh\"`: the exact triangles; or `model = \"piece-hulls\"`: the convex hull of each object \
                  contains it, so that distances are lower bounds; or split it into convex objects";
    Err(hull_fit::fault(&mesh.piece_label(*piece), &format!("{why}{more}"), remedy))
}

/// The vertices of a file in metres, z up.
fn in_metres(mesh: &Mesh, reading: &GeometryOptions, workers: &Workers) -> Result<Vec<Vec3<f64>>, Fault> {
    let mut points = vec![Vec3::ZERO; mesh.vertices.len()];
    let parts = points.chunks_mut(PART).zip(mesh.vertices.chunks(PART)).zip((0..).step_by(PART));
    type Part<'a> = ((&'a mut [Vec3<f64>], &'a [[f64; 3]]), usize);
    let convert = |((points, vertices), first): Part<'_>| -> Result<(), Fault> {
        for ((point, position), index) in points.iter_mut().zip(vertices).zip(first..) {
            let [x, y, z] = position.map(|c| reading.unit.metres(c * reading.scale));
            for c in [x, y, z] {
                check_length(c).map_err(|problem| {
                    Fault::new(
                        format!("vertex {index} (from 0): {problem}"),
                        "check the `unit` and the `scale` of the body",
                    )
                })?;
            }
            *point = if reading.y_up { Vec3::new(x, -z, y) } else { Vec3::new(x, y, z) };
        }
        Ok(())
    };
    // The first fault is that of the first vertex.
    workers.map(parts.collect(), convert).into_iter().collect::<Result<(), Fault>>()?;
    Ok(points)
}
