//! Rows without a depth: `answer = "distance"` and `answer = "overlap"` against rows with one, of
//! the same samples.

use clearsweep_model::{AnswerKind, QueryOptions};
use clearsweep_narrow::{Method, PairCache, Proximity, Status};

use super::gap::Soups;
use super::judge::Fault;
use super::make::Subject;
use super::round::Truth;
use super::{bits, walk};
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::times;
use crate::recheck::place::Place;

/// Margin of a translation beyond its bracket, in sizes of the pair.
const ROOM: f64 = 1e-12;

/// Asks samples without their depth, with memory and each alone. Returns the faults, and the number
/// of rows that say no more than that bodies overlap.
pub fn answer_faults(
    pair: [&Subject; 2],
    samples: &[[Placement; 2]],
    cache: &mut PairCache,
    random: &mut Random,
    scale: f64,
) -> (Vec<Fault>, u64) {
    let touch = [0.0, 1e-6, 1e-2][random.below(3)] * scale;
    let answer = [AnswerKind::Overlap, AnswerKind::Distance][random.below(2)];
    let of_depth = QueryOptions { touch, ..QueryOptions::EVERYTHING };
    let within = if answer == AnswerKind::Overlap { touch } else { f64::INFINITY };
    let options = QueryOptions { within, answer, ..of_depth };
    let deep = walk(pair, samples, &mut PairCache::default(), &of_depth);
    let found = walk(pair, samples, cache, &options);
    let (mut faults, mut overlaps, mut rows) = (Vec::new(), 0, found.iter().peekable());
    for (sample, (places, deep)) in samples.iter().zip(&deep).enumerate() {
        let row = rows.next_if(|row| usize::from(row.sample) == sample);
        let alone = walk(pair, &samples[sample..=sample], &mut PairCache::default(), &options);
        if row.map(bits) != alone.first().map(bits) {
            faults.push(Fault::Memory);
        }
        let is_expected = deep.lower <= within || deep.lower.is_nan();
        let Some(row) = row else {
            faults.extend(is_expected.then_some(Fault::Answer));
            continue;
        };
        overlaps += u64::from(bits(row) != bits(deep));
        if !is_expected || (bits(row) != bits(deep) && !agrees(pair, places, row, deep, touch)) {
            eprintln!("{answer:?}, touch {touch}: {row:?} in place of {deep:?}");
            faults.push(Fault::Answer);
        }
    }
    if rows.next().is_some() {
        faults.push(Fault::Answer);
    }
    (faults, overlaps)
}

/// Whether a row that is not the one with the depth is right: the bodies overlap by more than
/// `touch`, and the translation of its lower end separates them.
fn agrees(pair: [&Subject; 2], places: &[Placement; 2], row: &Proximity, deep: &Proximity, touch: f64) -> bool {
    let have_common = row.lower <= deep.upper && deep.lower <= row.upper;
    if row.method == Method::Winding || deep.method == Method::Winding {
        return row.method == deep.method && have_common;
    }
    let soups = Soups::new(&pair[0].body, &pair[1].body, Place::new(&places[0], &places[1]));
    let room = ROOM * soups.size;
    let out = times(row.normal.to_array(), -row.lower + room);
    let deviation = |k: usize| pair[k].shape.deviation.max(pair[k].shape.decomposition_deviation.unwrap_or(0.0));
    let truth = Truth::of(pair, places);
    let has_torus = truth.as_ref().is_some_and(Truth::has_torus);
    let is_bound = match row.status {
        Status::Penetrating => row.upper < -touch,
        // Pieces that were found prove no overlap of the true bodies, and tori that nearly touch none.
        Status::Touching => deep.status == Status::Touching && (deviation(0) + deviation(1) > 0.0 || has_torus),
        Status::Separated | Status::Uncertified => false,
    };
    let is_form = is_bound && (row.lower..=row.upper).contains(&row.distance);
    let growth = soups.a.growth + soups.b.growth;
    let overlaps = match truth {
        Some(truth) => truth.overlaps(out, 1e3 * room),
        None => soups.overlap(out, growth, 2.0 * room),
    };
    let is_out = deviation(0) + deviation(1) > 0.0 || !overlaps;
    is_form && deep.status != Status::Separated && have_common && is_out
}
