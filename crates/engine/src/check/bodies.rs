//! Bodies that look as if they were in another unit.

use super::super::warning::Warning;
use clearsweep_model::{LengthUnit, Scene};

/// A body is looked at if it is so many times as large, or as small, as the median body...
const SUSPECT: f64 = 20.0;
/// ...and lies so far outside of where nine in ten of the others are...
const OUTSIDE: f64 = 4.0;
/// ...and a unit of length would bring it back to the median within this factor.
const EXPLAINED: f64 = 4.0;

/// Sizes that a unit would explain.
pub(super) fn warnings(scene: &Scene) -> Vec<Warning> {
    let sizes: Vec<f64> = scene.bodies.iter().map(|body| body.shape.size()).collect();
    let mut warnings = Vec::new();
    for (unit, bodies, factor) in suspects(&sizes, scene.unit) {
        let first = &scene.bodies[bodies[0] as usize];
        // A shape has no `unit`. A file without triangles cannot be told from one.
        let remedy = match first.shape.watertight {
            Some(_) => format!("if its geometry is in {0}, say `unit = \"{0}\"`; else check its scale", unit.word),
            None => format!(
                "check its lengths, which may be in {0}: those of a `shape` may say so (`\"500{0}\"`)",
                unit.word
            ),
        };
        let first = &first.name;
        let size = sizes[bodies[0] as usize] / scene.unit.metres(1.0);
        let how = if factor > 1.0 { "larger" } else { "smaller" };
        let times = if factor > 1.0 { factor } else { 1.0 / factor };
        let more = match bodies.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        warnings.push(Warning::new(
            "size",
            bodies,
            format!(
                "`{first}`{more}: {times:.0} times {how} than the median of the other bodies ({} {} across)",
                rounded(size),
                scene.unit.word
            ),
            remedy,
        ));
    }
    warnings
}

/// To four digits, without an exponent.
fn rounded(size: f64) -> f64 {
    let place = 10_f64.powi(3 - size.log10().floor() as i32);
    if place.is_finite() && place > 0.0 { (size * place).round() / place } else { size }
}

/// Bodies whose size a unit would explain: the unit, the bodies, and by which factor the first is
/// off.
fn suspects(sizes: &[f64], unit: LengthUnit) -> Vec<(LengthUnit, Vec<u32>, f64)> {
    let mut sorted: Vec<f64> = sizes.iter().copied().filter(|&size| size > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < 3 {
        return Vec::new();
    }
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let (low, median, high) = (at(0.1), at(0.5), at(0.9));
    // Few bodies: the ends of the ranking are the suspects themselves.
    let few = sorted.len() < 11;
    let (low, high) = if few { (sorted[1], sorted[sorted.len() - 2]) } else { (low, high) };
    let mut found: Vec<(LengthUnit, Vec<u32>, f64)> = Vec::new();
    for (&size, body) in sizes.iter().zip(0..).filter(|(size, _)| **size > 0.0) {
        let factor = size / median;
        let outside = size > OUTSIDE * high || size < low / OUTSIDE;
        if (1.0 / SUSPECT..=SUSPECT).contains(&factor) || !outside {
            continue;
        }
        let off = |other: &LengthUnit| (factor / (unit.metres(1.0) / other.metres(1.0))).ln().abs();
        let others = LengthUnit::ALL.into_iter().filter(|other| other.word != unit.word);
        let Some(likely) = others.min_by(|a, b| off(a).total_cmp(&off(b))) else { continue };
        if off(&likely) > EXPLAINED.ln() {
            continue;
        }
        match found.iter_mut().find(|(unit, ..)| unit.word == likely.word) {
            Some((_, bodies, _)) => bodies.push(body),
            None => found.push((likely, vec![body], factor)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sizes: &[f64], unit: &str) -> Vec<(&'static str, Vec<u32>)> {
        let unit = LengthUnit::parse(unit).expect("a unit");
        suspects(sizes, unit).into_iter().map(|(unit, bodies, _)| (unit.word, bodies)).collect()
    }

    #[test]
    fn a_size_that_a_unit_explains_is_named_with_the_unit() {
        let normal = [0.5, 0.8, 1.0, 1.3, 0.6];
        let with = |size: f64| [&normal[..], &[size]].concat();
        assert_eq!(words(&normal, "m"), []);
        // Millimetres read as metres, inches read as millimetres, feet read as millimetres.
        assert_eq!(words(&with(900.0), "m"), [("mm", vec![5])]);
        assert_eq!(words(&with(0.8 / 25.4), "mm"), [("in", vec![5])]);
        assert_eq!(words(&with(0.9 / 304.8), "mm"), [("ft", vec![5])]);
        assert_eq!(words(&with(0.0009), "mm"), [("m", vec![5])]);
        // A hall around the bodies, and a screw among them.
        assert_eq!(words(&with(15.0), "m"), []);
        assert_eq!(words(&with(0.06), "m"), []);
        // Points have no size.
        assert_eq!(words(&with(0.0), "m"), []);
    }

    #[test]
    fn a_scene_of_all_sizes_is_not_suspected() {
        let sizes: Vec<f64> = (0..40).map(|k| 0.01 * 1.4_f64.powi(k)).collect();
        assert_eq!(words(&sizes, "m"), []);
        let mut wrong: Vec<f64> = (0..40).map(|k| 0.5 + 0.02 * f64::from(k)).collect();
        wrong[7] *= 1000.0;
        wrong[9] *= 1000.0;
        assert_eq!(words(&wrong, "m"), [("mm", vec![7, 9])]);
    }
}
