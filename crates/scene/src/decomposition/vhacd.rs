//! The decomposer: V-HACD (Mamou 2016, "Volumetric hierarchical approximate convex decomposition")
//! of the crate `parry3d-f64`.
//!
//! Voxels that a mesh fills are cut by planes between them, until each part nearly fills its hull.
//! The decomposer is not trusted: only points are taken from it. If it panics or returns numbers
//! that are not finite, there is no decomposition.

use super::super::readers::Fault;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::triangle_tree::bounds;
use clearsweep_input_guard::guarded;

/// Points of each part.
pub(super) type ProposedParts = Vec<Vec<Vec3<f64>>>;

/// Voxels along the longest side.
const RESOLUTION: u32 = 64;

/// Parts at most.
const MOST_PARTS: usize = 64;

/// The volume that the hull of a part may have above its own, in volumes of the hull of the whole.
#[cfg(feature = "decomposition")]
const CONCAVITY: f64 = 0.0025;

/// Tests of a voxel against a triangle, at most: a second or a few.
const TESTS: f64 = (1_u64 << 27) as f64;

/// Bytes of stack: hulls are searched by recursion over facets, hundreds of thousands of them at
/// times. The system gives memory only for the part that is used.
const STACK: usize = 1 << 28;

/// Binary exponent of the largest coordinate after scaling: the coordinate is below 1.
const SCALED: i32 = -1;

/// Points of the parts of a solid; triangles are outward.
///
/// # Errors
/// The decomposer gave up, or would take too long.
pub(super) fn parts(vertices: &[Vec3<f64>], triangles: &[[u32; 3]]) -> Result<ProposedParts, Fault> {
    let tests = tests(vertices, triangles);
    if tests > TESTS {
        let problem = format!("its {} triangles overlap too much to be decomposed", triangles.len());
        return Err(Fault::new(problem, REMEDY));
    }
    parts_by(vertices, triangles, decompose)
}

/// Remedy for a mesh that is not decomposed.
const REMEDY: &str = "write `model = \"mesh\"`: the exact triangles";

/// As [`parts`], by any decomposer. It works on the mesh scaled by a power of two, which loses
/// nothing.
fn parts_by(
    vertices: &[Vec3<f64>],
    triangles: &[[u32; 3]],
    decompose: impl FnOnce(&[Vec3<f64>], &[[u32; 3]]) -> Result<ProposedParts, Fault> + Send,
) -> Result<ProposedParts, Fault> {
    let largest = vertices.iter().flat_map(|v| v.to_array()).fold(0.0, |most: f64, c| most.max(c.abs()));
    let exponent = libm::ilogb(largest) - SCALED;
    let scaled = |by: i32| move |v: Vec3<f64>| Vec3::from(v.to_array().map(|c| libm::scalbn(c, by)));
    let small: Vec<Vec3<f64>> = vertices.iter().copied().map(scaled(-exponent)).collect();
    let gave_up = |how: &str| Fault::new(format!("it cannot be decomposed: the decomposer {how}"), REMEDY);
    let run = || guarded(|| decompose(&small, triangles));
    let done = std::thread::scope(|scope| {
        let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok()?;
        started.join().ok().flatten()
    });
    let parts = done.ok_or_else(|| gave_up("gave up"))??;
    if parts.len() > MOST_PARTS {
        return Err(gave_up("found too many parts"));
    }
    if !parts.iter().flatten().all(|point| point.is_finite()) {
        return Err(gave_up("returned numbers that are not finite"));
    }
    Ok(parts.into_iter().map(|part| part.into_iter().map(scaled(exponent)).collect()).collect())
}

/// Number of voxels in the boxes of all triangles.
fn tests(vertices: &[Vec3<f64>], triangles: &[[u32; 3]]) -> f64 {
    let sides = |(low, high): (Vec3<f64>, Vec3<f64>)| (high - low).to_array().into_iter();
    let voxel = sides(bounds(vertices.iter().copied())).fold(0.0, f64::max) / f64::from(RESOLUTION);
    let of_one = |t: &[u32; 3]| {
        sides(bounds(t.iter().map(|&v| vertices[v as usize]))).map(|side| side / voxel + 3.0).product::<f64>()
    };
    triangles.iter().map(of_one).sum()
}

#[cfg(feature = "decomposition")]
fn decompose(vertices: &[Vec3<f64>], triangles: &[[u32; 3]]) -> Result<ProposedParts, Fault> {
    use parry3d_f64::math::Vector;
    use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
    use parry3d_f64::transformation::voxelization::{FillMode, VoxelSet};
    let parameters = VHACDParameters {
        concavity: CONCAVITY,
        resolution: RESOLUTION,
        max_convex_hulls: MOST_PARTS as u32 / 2,
        // A closed cavity is filled, and counts in the deviation: with the search for cavities, a
        // solid that reaches to the border of the voxels on all sides is taken for one.
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        ..VHACDParameters::default()
    };
    let points: Vec<Vector> = vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    let found = VHACD::decompose(&parameters, &points, triangles, true);
    let hulls = found.compute_exact_convex_hulls(&points, triangles).into_iter().zip(found.voxel_parts());
    // If the library finds no hull of a part, all points of the part are taken.
    let points_of = |((hull, _), part): ((Vec<Vector>, _), &VoxelSet)| match hull.is_empty() {
        true => part.compute_primitive_intersections(&points, triangles),
        false => hull,
    };
    Ok(hulls.map(points_of).map(|part| part.into_iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect()).collect())
}

#[cfg(not(feature = "decomposition"))]
fn decompose(_: &[Vec3<f64>], _: &[[u32; 3]]) -> Result<ProposedParts, Fault> {
    let problem = "model = \"decomposition\", but this library was built without its feature `decomposition`";
    Err(Fault::new(problem, "build it with the feature, or write `model = \"mesh\"`: the exact triangles"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron(size: f64) -> (Vec<Vec3<f64>>, Vec<[u32; 3]>) {
        let corners = [[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]];
        (corners.map(Vec3::from).to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    }

    #[test]
    fn a_panic_of_the_decomposer_is_an_error_with_a_remedy() {
        let (vertices, triangles) = tetrahedron(1.0);
        let fault = parts_by(&vertices, &triangles, |_, _| panic!("unheard")).expect_err("a panic");
        assert!(fault.problem.contains("gave up") && fault.remedy.contains("model = \"mesh\""), "{fault:?}");
    }

    #[test]
    fn numbers_that_are_not_finite_and_floods_of_parts_are_errors() {
        let (vertices, triangles) = tetrahedron(1.0);
        for wrong in [f64::NAN, f64::INFINITY] {
            let part = vec![Vec3::new(0.0, wrong, 0.0)];
            let fault = parts_by(&vertices, &triangles, |_, _| Ok(vec![part])).expect_err("a number");
            assert!(fault.problem.contains("not finite"), "{fault:?}");
        }
        let fault = parts_by(&vertices, &triangles, |_, _| Ok(vec![Vec::new(); MOST_PARTS + 1])).expect_err("a flood");
        assert!(fault.problem.contains("too many"), "{fault:?}");
    }

    #[test]
    fn the_decomposer_sees_the_same_numbers_at_every_scale_and_loses_none() {
        let mut seen = Vec::new();
        for size in [0.75e-6, 0.75, 0.75 * 1024.0] {
            let (vertices, triangles) = tetrahedron(size);
            let parts = parts_by(&vertices, &triangles, |small, _| {
                let largest = small.iter().flat_map(|v| v.to_array()).fold(0.0, f64::max);
                assert!((0.5..1.0).contains(&largest), "{largest}");
                seen.push(largest);
                Ok(vec![small.to_vec()])
            });
            assert_eq!(parts.expect("parts"), [vertices]);
        }
        assert_eq!(seen[1], seen[2]);
    }

    #[test]
    fn triangles_that_overlap_without_end_are_refused() {
        let (vertices, triangles) = tetrahedron(1.0);
        let fault = parts(&vertices, &triangles.repeat(1000)).expect_err("too much");
        assert!(fault.problem.contains("overlap too much"), "{fault:?}");
    }
}
