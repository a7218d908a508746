//! Geometry files and shapes to hulls: each file read and hashed once, and geometry of equal
//! contents built once, in parallel, with the same result and the same first error for any number
//! of threads.

use super::body_shape::{BuiltGeometry, from_mesh, from_shape};
use super::body_spec::{BodySpec, GeometryOptions, GeometrySpec, Growth};
use super::digest::InputReader;
use super::readers::{self, DifferentMeshes, Fault, Mesh, SceneChoice};
use super::shapes::ShapeSpec;
use clearsweep_base::error::Error;
use clearsweep_base::workers::Workers;
use clearsweep_model::{GeometryNote, InputDigest, LengthUnit, Model, Shape};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Files for each thread: with fewer, starting a thread does not pay, unless one of few files is
/// larger than `LARGE_FILE`.
const JOBS_PER_THREAD: usize = 8;

/// Bytes above which a file is worth a thread of its own.
const LARGE_FILE: u64 = 1 << 20;

/// Shapes above which their polyhedra are built when they are asked for: those of bodies that come
/// near no other one would fill the memory.
const MANY_SHAPES: usize = 10_000;

/// A file, a part of one, or one shape, with all the ways in which bodies use it.
enum GeometryJob {
    File { path: PathBuf, scene: Option<SceneChoice>, variants: Vec<Variant> },
    Part { mesh: Arc<Mesh>, path: PathBuf, variants: Vec<Variant> },
    Shape(Arc<ShapeSpec>, Growth),
}

/// A way to use a mesh.
type Variant = (GeometryOptions, Growth);

/// The result of a job: one shape for each variant.
struct BuiltBody {
    /// The file, and those beside it that belong to it.
    inputs: Vec<InputDigest>,
    /// Notes on the parts left out of the file.
    notes: Vec<GeometryNote>,
    shapes: Vec<Result<Arc<Shape>, Fault>>,
}

/// The jobs of a scene, and the (job, variant) of each body.
struct BuildPlan {
    jobs: Vec<GeometryJob>,
    of_body: Vec<(usize, usize)>,
}

impl BuildPlan {
    /// Number of jobs that make a thread worth its start.
    fn jobs_per_thread(&self) -> usize {
        let is_large = |job: &GeometryJob| match job {
            GeometryJob::File { path, .. } => path.metadata().is_ok_and(|about| about.len() > LARGE_FILE),
            GeometryJob::Part { mesh, .. } => size_of_val(&mesh.vertices[..]) as u64 > LARGE_FILE,
            GeometryJob::Shape(..) => false,
        };
        // With many files, a large one does not matter.
        let are_few = self.jobs.len() <= JOBS_PER_THREAD * JOBS_PER_THREAD;
        if are_few && self.jobs.iter().any(is_large) { 1 } else { JOBS_PER_THREAD }
    }
}

/// A body whose geometry cannot be used: its index, the file (`None`: a shape) and the fault.
pub(super) struct Failure {
    pub(super) body: usize,
    pub(super) file: Option<PathBuf>,
    pub(super) fault: Fault,
}

/// The results of building: shapes, files read and notes.
pub(super) struct BuiltShapes {
    /// The shape of each body.
    pub(super) shapes: Vec<Arc<Shape>>,
    /// The files read, in order of first use.
    pub(super) inputs: Vec<InputDigest>,
    /// Notes on the parts left out of files, in order of first use.
    pub(super) notes: Vec<(PathBuf, GeometryNote)>,
}

/// Builds the shape of each body from files of `limit` bytes each, by at most `threads` threads.
///
/// # Errors One failure for each geometry that cannot be used: that of its first body in scene
/// order.
pub(super) fn build(
    folder: &Path,
    bodies: &[BodySpec],
    threads: Option<usize>,
    limit: u64,
) -> Result<BuiltShapes, Vec<Failure>> {
    let plan = plan(folder, bodies);
    let workers = Workers::new(threads);
    let per_thread = plan.jobs_per_thread();
    let read = ReadFiles { max_input: limit, slots: Mutex::default() };
    let are_many = plan.jobs.len() > MANY_SHAPES;
    let work = |index| work_off(&plan.jobs[index], are_many, &read, &workers);
    let done = workers.each(plan.jobs.len(), per_thread, work);
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
    let (mut inputs, mut notes) = (Vec::new(), Vec::new());
    for (job, done) in plan.jobs.iter().zip(done) {
        inputs.extend(done.inputs);
        if let GeometryJob::File { path, .. } = job {
            notes.extend(done.notes.into_iter().map(|note| (path.clone(), note)));
        }
    }
    Ok(BuiltShapes { shapes, inputs, notes })
}

/// Finds what is to be built: files are the same if they are the same on disk, however they are
/// written.
fn plan(folder: &Path, bodies: &[BodySpec]) -> BuildPlan {
    let mut jobs: Vec<GeometryJob> = Vec::new();
    let mut by_key: HashMap<(Vec<u64>, [u64; 2]), usize> = HashMap::new();
    let mut by_shape: HashMap<(*const ShapeSpec, [u64; 2]), usize> = HashMap::new();
    let mut by_path: HashMap<(PathBuf, Option<&SceneChoice>), usize> = HashMap::new();
    let mut by_text: HashMap<(&str, Option<&SceneChoice>), usize> = HashMap::new();
    let mut by_mesh: HashMap<*const Mesh, usize> = HashMap::new();
    let mut different = DifferentMeshes::default();
    let mut first_of: HashMap<*const Mesh, Arc<Mesh>> = HashMap::new();
    let mut of_body = Vec::with_capacity(bodies.len());
    for body in bodies {
        let slot = match &body.geometry {
            GeometrySpec::Shape(spec) => {
                let growth = body.growth.bits();
                let job = *by_shape.entry((Arc::as_ptr(spec), growth)).or_insert_with(|| {
                    *by_key.entry((spec.identity(), growth)).or_insert_with(|| {
                        jobs.push(GeometryJob::Shape(Arc::clone(spec), body.growth));
                        jobs.len() - 1
                    })
                });
                (job, 0)
            }
            GeometrySpec::File { path: text, scene, reading } => {
                let job = *by_text.entry((text, scene.as_ref())).or_insert_with(|| {
                    let path = folder.join(&**text);
                    let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
                    *by_path.entry((identity, scene.as_ref())).or_insert_with(|| {
                        jobs.push(GeometryJob::File { path, scene: scene.clone(), variants: Vec::new() });
                        jobs.len() - 1
                    })
                });
                (job, add_variant(&mut jobs[job], (*reading, body.growth)))
            }
            GeometrySpec::Part { mesh, file, reading } => {
                // Other files may hold the same mesh.
                let mesh = first_of.entry(Arc::as_ptr(mesh)).or_insert_with(|| different.first(mesh));
                let job = *by_mesh.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
                    let (mesh, path) = (Arc::clone(mesh), file.to_path_buf());
                    jobs.push(GeometryJob::Part { mesh, path, variants: Vec::new() });
                    jobs.len() - 1
                });
                (job, add_variant(&mut jobs[job], (*reading, body.growth)))
            }
        };
        of_body.push(slot);
    }
    BuildPlan { jobs, of_body }
}

fn add_variant(job: &mut GeometryJob, variant: Variant) -> usize {
    let (GeometryJob::File { variants, .. } | GeometryJob::Part { variants, .. }) = job else { return 0 };
    variants.iter().position(|known| *known == variant).unwrap_or_else(|| {
        variants.push(variant);
        variants.len() - 1
    })
}

/// The shapes of a file, and the notes on it.
type BuiltFile = (Vec<GeometryNote>, Vec<Result<Arc<Shape>, Fault>>);

/// Files by their bytes and their use: the thread that reads the first of equal ones builds the
/// shapes, and others wait for it.
struct ReadFiles {
    /// Most bytes of a file.
    max_input: u64,
    slots: Mutex<HashMap<String, Arc<OnceLock<BuiltFile>>>>,
}

impl ReadFiles {
    /// The place of a file with this digest, if its bytes are all that it is made of: `.gltf` names
    /// other files, and beside `.rvm` lie its attributes.
    fn slot(&self, sha256: &str, path: &Path, used: impl Debug) -> Option<Arc<OnceLock<BuiltFile>>> {
        let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let key = || format!("{sha256} {extension} {used:?}");
        (!["gltf", "rvm"].contains(&extension.as_str())).then(|| Arc::clone(slots.entry(key()).or_default()))
    }
}

/// Does a job of a scene; `are_many`: it has many.
fn work_off(job: &GeometryJob, are_many: bool, read: &ReadFiles, workers: &Workers) -> BuiltBody {
    let only = |shapes| BuiltBody { inputs: Vec::new(), notes: Vec::new(), shapes };
    let (path, scene, variants) = match job {
        GeometryJob::Shape(spec, growth) => {
            let built = from_shape(spec);
            let built = if are_many { built.map(BuiltGeometry::forgotten) } else { built };
            return only(vec![built.map(|built| Arc::new(built.inflated(*growth)))]);
        }
        GeometryJob::Part { mesh, variants, .. } => return only(all_variants(mesh, variants, workers)),
        GeometryJob::File { path, scene, variants } => (path, scene.as_ref(), variants),
    };
    let failed = |fault: Fault| only(variants.iter().map(|_| Err(fault.clone())).collect());
    if let Err(fault) = readers::check_extension(path) {
        return failed(fault);
    }
    let mut input = InputReader::new(read.max_input);
    let bytes = match input.read(path) {
        Ok(read) => read,
        Err(error) => {
            let error = Error::unreadable_of_scene(path, &error);
            return failed(Fault::new(error.problem, error.remedy));
        }
    };
    let slot = input.digests.last().and_then(|file| read.slot(&file.sha256, path, (scene, variants)));
    let faulty = |fault: Fault| (Vec::new(), variants.iter().map(|_| Err(fault.clone())).collect());
    let build = || match readers::is_plant(path) {
        true => readers::read_whole_plant(path, &bytes, &mut input)
            .map_or_else(faulty, |plant| (plant.notes, plant_variants(&plant.shape, plant.step, variants))),
        false => readers::read_with_companions(path, bytes, scene, &mut input)
            .map_or_else(faulty, |(mesh, notes)| (notes, all_variants(&mesh, variants, workers))),
    };
    let (notes, shapes) = match &slot {
        Some(slot) => slot.get_or_init(build).clone(),
        None => build(),
    };
    BuiltBody { inputs: input.digests, notes, shapes }
}

/// The shape of each variant of a plant that is one body; `step`: of the coordinates in the file,
/// metres.
fn plant_variants(shape: &ShapeSpec, step: f64, variants: &[Variant]) -> Vec<Result<Arc<Shape>, Fault>> {
    let own = GeometryOptions { unit: LengthUnit::ALL[0], scale: 1.0, y_up: false, model: None, inside: None };
    let built = from_shape(shape).map(|built| built.stored_in_steps(step));
    let of_variant = |(reading, growth): &Variant| match *reading == own {
        true => built.clone().map(|built| Arc::new(built.inflated(*growth))),
        false => Err(Fault::new(
            "an RVM file says its own unit and axes, and is exact shapes",
            "remove `unit`, `scale`, `up`, `model` and `inside` of the body",
        )),
    };
    variants.iter().map(of_variant).collect()
}

/// The shape of each variant of a mesh. Variants that differ in growth only share the work, and the
/// triangles of a mesh body.
fn all_variants(mesh: &Mesh, variants: &[Variant], workers: &Workers) -> Vec<Result<Arc<Shape>, Fault>> {
    let mut shapes: Vec<Option<Result<Arc<Shape>, Fault>>> = vec![None; variants.len()];
    // A model that is left out comes first, as it may turn out to be one that others name.
    let left_out = (0..variants.len()).filter(|&v| variants[v].0.model.is_none());
    for first in left_out.chain(0..variants.len()) {
        if shapes[first].is_some() {
            continue;
        }
        let (reading, growth) = variants[first];
        let built = from_mesh(mesh, &reading, workers);
        let is_mesh = built.as_ref().is_ok_and(BuiltGeometry::is_mesh);
        let named = if is_mesh { GeometryOptions { model: Some(Model::Mesh), ..reading } } else { reading };
        for other in (0..variants.len()).filter(|&other| other != first) {
            if shapes[other].is_none() && [reading, named].contains(&variants[other].0) {
                let growth = variants[other].1;
                shapes[other] = Some(built.clone().map(|built| Arc::new(built.inflated(growth))));
            }
        }
        shapes[first] = Some(built.map(|built| Arc::new(built.inflated(growth))));
    }
    shapes.into_iter().flatten().collect()
}
