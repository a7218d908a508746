//! Which side of the triangles of a closed mesh is outside.
//!
//! - *Patches* are triangles that are connected by edges of exactly two triangles. A patch that can
//!   be oriented at all can be oriented in two ways; it keeps the direction of most of its
//!   triangles.
//! - *Shells* are patches that close up by themselves, or several that close up together. A shell
//!   with a positive volume is oriented outward.
//! - Shells that lie inside of others keep their direction relative to the shell around them: a
//!   cavity runs the other way round. So a shell is turned with all that it contains, if the
//!   outermost shell around it is oriented inward.
//!
//! Afterwards no point may lie inside of more cavities than solids: then the orientation
//! contradicts itself, and no side of the triangles is the outside.

use super::nesting::containers;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::convex_split::edges::{Closure, EdgeUse, by_edge};
use clearsweep_geometry::convex_split::sets::ParitySets;
use clearsweep_geometry::triangle_tree::Corners;

/// A shell whose volume is no larger than this part of the volumes that its triangles span with a
/// point near it is flat.
const FLAT: f64 = 1.0 / (1_u64 << 40) as f64;

/// The volume that oriented triangles enclose.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EnclosedVolume {
    /// Cubic metres; positive where the triangles are oriented outward.
    pub(crate) signed: f64,
    /// The volumes of the tetrahedra that it is summed of, cubic metres.
    magnitude: f64,
}

impl EnclosedVolume {
    /// By tetrahedra towards a point near the triangles.
    pub(crate) fn of(triangles: impl Iterator<Item = Corners>, near: Vec3<f64>) -> Self {
        let mut volume = Self::default();
        triangles.for_each(|triangle| volume.add(triangle, near));
        Self { signed: volume.signed / 6.0, magnitude: volume.magnitude / 6.0 }
    }

    /// Adds six times the volume of a tetrahedron.
    fn add(&mut self, triangle: Corners, near: Vec3<f64>) {
        let [a, b, c] = triangle.map(|corner| corner - near);
        let volume = a.dot(b.cross(c));
        self.signed += volume;
        self.magnitude += volume.abs();
    }

    fn is_flat(self) -> bool {
        self.signed.abs() <= FLAT * self.magnitude
    }
}

/// Finds the triangles (over `points`, three different ones each) that are to be turned so that all
/// are oriented outward; `uses`: the uses of all edges. `None`: the triangles do not close up,
/// cannot be oriented, enclose nothing or contradict each other.
pub(super) fn turned_outward(points: &[Vec3<f64>], triangles: &[[u32; 3]], uses: &[EdgeUse]) -> Option<Vec<bool>> {
    if !Closure::of_uses(uses).closed {
        return None;
    }
    let Patches { mut turned, patch } = patches(triangles.len(), uses)?;
    let forward = |one: &EdgeUse| one.is_forward() != turned[one.triangle() as usize];
    if by_edge(uses).any(|same| 2 * same.iter().filter(|one| forward(one)).count() != same.len()) {
        return None;
    }
    let shell = shells(&patch, uses, forward);
    let count = shell.iter().max().map_or(0, |&most| most as usize + 1);
    let corners = |t: usize| {
        let [a, b, c] = triangles[t].map(|v| points[v as usize]);
        if turned[t] { [a, c, b] } else { [a, b, c] }
    };
    // Each from a point of the shell, which may be small and far from the others.
    let mut volumes: Vec<Option<(EnclosedVolume, Vec3<f64>)>> = vec![None; count];
    for (t, &shell) in shell.iter().enumerate() {
        let (volume, near) = volumes[shell as usize].get_or_insert((EnclosedVolume::default(), corners(t)[0]));
        volume.add(corners(t), *near);
    }
    if volumes.iter().flatten().any(|(volume, _)| volume.is_flat()) {
        return None;
    }
    let outward: Vec<bool> = volumes.iter().flatten().map(|(volume, _)| volume.signed > 0.0).collect();
    if outward.contains(&false) {
        let within = containers((0..triangles.len()).map(corners).collect(), &shell, count)?;
        let inside_out = inside_out(&outward, &within)?;
        for (turned, &shell) in turned.iter_mut().zip(&shell) {
            *turned ^= inside_out[shell as usize];
        }
    }
    Some(turned)
}

/// Finds the triangles, of `count`, that are to be turned so that neighbours agree, patch by patch;
/// none in a patch without two sides.
pub(super) fn turned_alike(count: usize, uses: &[EdgeUse]) -> Vec<bool> {
    patches(count, uses).map_or_else(|| vec![false; count], |patches| patches.turned)
}

/// Triangles that are connected by edges of exactly two triangles.
struct Patches {
    /// Whether the triangle is to be turned so that all of its patch agree.
    turned: Vec<bool>,
    /// The patch of each triangle.
    patch: Vec<u32>,
}

/// The patches; `None`: one has no two sides, as a Moebius strip.
fn patches(count: usize, uses: &[EdgeUse]) -> Option<Patches> {
    let mut sets = ParitySets::new(count);
    for same in by_edge(uses) {
        // Neighbours that agree run through their edge in opposite directions.
        if let [one, other] = same
            && !sets.join(one.triangle(), other.triangle(), one.is_forward() == other.is_forward())
        {
            return None;
        }
    }
    let (patch, mut turned) = sets.numbered();
    let patches = patch.iter().max().map_or(0, |&most| most as usize + 1);
    // Triangles of each patch that are to be turned, less the others.
    let mut surplus = vec![0_i64; patches];
    for (&patch, &turned) in patch.iter().zip(&turned) {
        surplus[patch as usize] += if turned { 1 } else { -1 };
    }
    for (&patch, turned) in patch.iter().zip(&mut turned) {
        *turned ^= surplus[patch as usize] > 0;
    }
    Some(Patches { turned, patch })
}

/// The shell of each triangle: patches belong together where one of them does not close up by
/// itself.
fn shells(patch: &[u32], uses: &[EdgeUse], forward: impl Fn(&EdgeUse) -> bool) -> Vec<u32> {
    let count = patch.iter().max().map_or(0, |&most| most + 1);
    let mut sets = ParitySets::new(count as usize);
    for same in by_edge(uses).filter(|same| same.len() > 2) {
        let mut of_patches: Vec<(u32, bool)> =
            same.iter().map(|one| (patch[one.triangle() as usize], forward(one))).collect();
        of_patches.sort_unstable();
        let is_closed = |own: &[(u32, bool)]| 2 * own.iter().filter(|(_, forward)| *forward).count() == own.len();
        if !of_patches.chunk_by(|one, next| one.0 == next.0).all(is_closed) {
            for pair in of_patches.windows(2) {
                sets.join(pair[0].0, pair[1].0, false);
            }
        }
    }
    let (number, _) = sets.numbered();
    patch.iter().map(|&patch| number[patch as usize]).collect()
}

/// Finds the shells that are to be turned; `outward`: whether a shell has a positive volume;
/// `within`: the shells that each lies inside of. `None`: they contradict each other.
fn inside_out(outward: &[bool], within: &[Vec<u32>]) -> Option<Vec<bool>> {
    let is_outermost = |shell: &&u32| within[**shell as usize].is_empty();
    let mut turned = Vec::with_capacity(outward.len());
    for (shell, around) in within.iter().enumerate() {
        let turn = |shell: u32| !outward[shell as usize];
        let mut outermost = around.iter().filter(is_outermost).map(|&shell| turn(shell));
        let own = match outermost.next() {
            None if around.is_empty() => turn(shell as u32),
            None => return None,
            Some(first) if outermost.all(|other| other == first) => first,
            Some(_) => return None,
        };
        turned.push(own);
    }
    let winding = |shell: usize| if outward[shell] != turned[shell] { 1 } else { -1 };
    let is_consistent = |shell: usize, around: &[u32]| {
        let outside: i64 = around.iter().map(|&other| winding(other as usize)).sum();
        outside >= 0 && outside + winding(shell) >= 0
    };
    within.iter().enumerate().all(|(shell, around)| is_consistent(shell, around)).then_some(turned)
}
