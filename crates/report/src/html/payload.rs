//! The data of the 3D views: a small JSON text, and geometry as a deflated stream of integers.
//!
//! Geometry is rounded to what a screen shows, and written as differences in variable-length
//! integers (LEB128; signed ones zigzag, as in Protocol Buffers): most take one or two bytes before
//! they are deflated. `assets/viewer.js` reads both.

use crate::data::{DisplayMesh, Placement, Report, TrackSample, View};
use crate::words::{Clock, clipped};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::is_hidden;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::io::Write;

/// Views of a page: those of each issue's first finding come first, then of each one's second, ...
const MOST_VIEWS: usize = 600;
/// Samples of a track; a longer one is thinned out.
const MOST_SAMPLES: usize = 240;
/// Steps of a position within the reach of its view: a screen has fewer pixels.
const STEPS_OF_REACH: f64 = 32_768.0;
/// Steps of a component of a quaternion.
const STEPS_OF_ROTATION: f64 = 1_048_576.0;
/// Steps of a component of a unit vector.
const STEPS_OF_DIRECTION: f64 = 100_000.0;
/// Steps of a second.
const STEPS_OF_SECOND: f64 = 1e6;
/// Characters of a name in the legend of a view.
const NAME: usize = 80;

/// The data of all views of a page.
pub(super) struct Payload {
    /// JSON for an element `script`: no character of it can end the element.
    pub(super) json: String,
    /// Geometry: deflated without header, base64.
    pub(super) geometry: String,
    /// The number of the view of an issue's finding.
    views: FxHashMap<(usize, usize), usize>,
}

impl Payload {
    /// The views of the issues that a report shows in full.
    pub(super) fn of(report: &Report) -> Result<Self> {
        let selected = selected(report);
        let mut geometry = Bytes::default();
        let meshes = used_meshes(report, &selected);
        for &(mesh, reach) in &meshes.order {
            write_mesh(&mut geometry, &report.meshes[mesh], reach);
        }
        let mut names = Names::default();
        let mut views = Vec::with_capacity(selected.len());
        let clock = Clock::of(report);
        for place in &selected {
            let mut view = write_view(&mut geometry, place, &meshes.numbers, &mut names);
            view["j"] = json!(clock.joints(place.run));
            views.push(view);
        }
        let json = json!({
            "unit": report.unit.word,
            "dates": report.has_dates,
            "perMetre": report.unit.denominator / report.unit.numerator,
            "meshes": meshes.order.len(),
            "names": names.texts,
            "views": views,
        });
        let numbers = selected.iter().enumerate().map(|(number, place)| ((place.issue, place.finding), number));
        Ok(Self {
            json: for_script(&json.to_string()),
            geometry: STANDARD.encode(deflated(&geometry.0)?),
            views: numbers.collect(),
        })
    }

    /// The number of the view of a finding, if the page has one.
    pub(super) fn view(&self, issue: usize, finding: usize) -> Option<usize> {
        self.views.get(&(issue, finding)).copied()
    }
}

/// A JSON text in which no character can end or change the element around it: these become
/// `\uXXXX`, as only strings have them.
pub(super) fn for_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c if is_hidden(c) => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")))
            }
            c => out.push(c),
        }
    }
    out
}

/// A view that the page has.
struct Selected<'a> {
    issue: usize,
    finding: usize,
    view: &'a View,
    run: i64,
    /// The frame of its least distance.
    frame: i64,
    /// Whether the least distance lies between that frame and the next one.
    is_between: bool,
}

fn selected(report: &Report) -> Vec<Selected<'_>> {
    let issues = &report.issues[..report.in_full.min(report.issues.len())];
    let most = issues.iter().map(|issue| issue.findings.len()).max().unwrap_or(0);
    let rounds = (0..most).flat_map(|finding| issues.iter().enumerate().map(move |(issue, of)| (issue, of, finding)));
    let views = rounds.filter_map(|(issue, of, number)| {
        let finding = of.findings.get(number)?;
        let view = finding.view.as_ref()?;
        let is_sound = view.parts.iter().all(|part| part.mesh < report.meshes.len());
        let (run, frame, is_between) = (finding.run, finding.least.frame, finding.is_between());
        is_sound.then_some(Selected { issue, finding: number, view, run, frame, is_between })
    });
    views.take(MOST_VIEWS).collect()
}

/// The meshes that views use.
struct UsedMeshes {
    /// Their indices in the report, and the smallest reach of a view of each.
    order: Vec<(usize, f64)>,
    /// Their places in `order`.
    numbers: FxHashMap<usize, usize>,
}

fn used_meshes(report: &Report, selected: &[Selected<'_>]) -> UsedMeshes {
    let mut meshes = UsedMeshes { order: Vec::new(), numbers: FxHashMap::default() };
    for place in selected {
        let reach = sound_reach(place.view);
        for part in &place.view.parts {
            let next = meshes.order.len();
            let number = *meshes.numbers.entry(part.mesh).or_insert(next);
            if number == next {
                meshes.order.push((part.mesh, reach));
            }
            meshes.order[number].1 = meshes.order[number].1.min(reach);
        }
    }
    debug_assert!(meshes.order.iter().all(|&(mesh, _)| mesh < report.meshes.len()));
    meshes
}

/// The reach of a view to six digits: a positive number.
fn sound_reach(view: &View) -> f64 {
    let reach = format!("{:.5e}", view.reach).parse().unwrap_or(1.0);
    if (1e-9..1e12).contains(&reach) { reach } else { 1.0 }
}

/// Writes the numbers of corners and of triangles, the low corner of the box, the step, and both
/// lists as differences.
///
/// The step is a 2048th of the reach of the closest view, but no coarser than a 1024th of the mesh
/// and no finer than a single precision number of its size.
fn write_mesh(out: &mut Bytes, mesh: &DisplayMesh, reach: f64) {
    let corners: Vec<[f64; 3]> = mesh.vertices.iter().map(|corner| corner.map(|x| finite(f64::from(x)))).collect();
    let low =
        corners.iter().copied().reduce(|a, b| std::array::from_fn(|axis| a[axis].min(b[axis]))).unwrap_or([0.0; 3]);
    let size = corners.iter().flat_map(|corner| (0..3).map(|axis| corner[axis] - low[axis])).fold(0.0, f64::max);
    let step = (reach / 2048.0).max(size * 2_f64.powi(-22)).min(size / 1024.0);
    let step = if step > 0.0 && step.is_finite() { step } else { 1.0 };
    let is_sound = |triangle: &&[u32; 3]| triangle.iter().all(|&corner| (corner as usize) < corners.len());
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().filter(is_sound).copied().collect();
    out.unsigned(corners.len() as u64);
    out.unsigned(triangles.len() as u64);
    for number in low.into_iter().chain([step]) {
        out.number(number);
    }
    let mut last = [0_i64; 3];
    for corner in &corners {
        let now: [i64; 3] = std::array::from_fn(|axis| ((corner[axis] - low[axis]) / step).round() as i64);
        out.differences(&now, &mut last);
    }
    let mut last = [0_i64];
    for corner in triangles.into_iter().flatten() {
        out.differences(&[i64::from(corner)], &mut last);
    }
}

/// Writes the placements and the track of a view; returns the rest of it as JSON.
///
/// Keys: `r` reach, `p` parts (name, mesh, whether it moves), `w` witness points, `n` normal, `x`
/// box of the overlap, `c` camera (eye, forward, up), `s` number of samples, `l` the sample of the
/// least distance, `b` whether it lies between that one and the next. Lengths count steps of the
/// reach. `j`, which the caller adds: the joints that a sweep moves, as [`Clock::joints`] describes
/// them.
fn write_view(out: &mut Bytes, place: &Selected<'_>, meshes: &FxHashMap<usize, usize>, names: &mut Names) -> Value {
    let (view, frame) = (place.view, place.frame);
    let reach = sound_reach(view);
    let mut parts = Vec::with_capacity(view.parts.len());
    for part in &view.parts {
        parts.push(json!([names.number(&part.name), meshes.get(&part.mesh), i32::from(part.moves)]));
        out.differences(&steps_of(&part.placement, reach), &mut [0; 7]);
    }
    let moving = view.parts.iter().filter(|part| part.moves).count();
    let samples = thinned(&view.track, frame);
    write_track(out, &samples, moving, reach);
    let lengths = |points: &[[f64; 3]]| -> Vec<i64> {
        points.iter().flatten().map(|&metres| steps(metres, STEPS_OF_REACH / reach)).collect()
    };
    let directions = |vectors: &[[f64; 3]]| -> Vec<i64> {
        vectors.iter().flatten().map(|&component| steps(component, STEPS_OF_DIRECTION)).collect()
    };
    let camera = [lengths(&[view.camera.eye]), directions(&[view.camera.forward, view.camera.up])].concat();
    json!({
        "r": reach,
        "p": parts,
        "w": view.witness.map(|points| lengths(&points)),
        "n": view.normal.map(|normal| directions(&[normal])),
        "x": view.overlap.map(|corners| lengths(&corners)),
        "c": camera,
        "s": samples.len(),
        "b": place.is_between,
        "l": samples.iter().position(|sample| sample.moment.frame == frame),
    })
}

/// Every n-th sample of a track so that at most [`MOST_SAMPLES`] stay, with the last one and that
/// of `frame`.
fn thinned(track: &[TrackSample], frame: i64) -> Vec<&TrackSample> {
    let every = track.len().div_ceil(MOST_SAMPLES - 2).max(1);
    let kept = |&(index, sample): &(usize, &TrackSample)| {
        index % every == 0 || index + 1 == track.len() || sample.moment.frame == frame
    };
    track.iter().enumerate().filter(kept).map(|(_, sample)| sample).collect()
}

/// Writes whether the samples have times, and of each its frame, its time, and the placements of
/// the parts that move.
fn write_track(out: &mut Bytes, samples: &[&TrackSample], moving: usize, reach: f64) {
    let is_timed = samples.iter().all(|sample| sample.moment.time_s.is_some_and(|s| s.abs() < 4e9));
    out.unsigned(u64::from(is_timed));
    let mut last_moment = [0; 2];
    let mut last = vec![[0_i64; 7]; moving];
    for sample in samples {
        let time = sample.moment.time_s.map_or(0, |seconds| steps(seconds, STEPS_OF_SECOND));
        out.differences(&[sample.moment.frame, if is_timed { time } else { 0 }], &mut last_moment);
        for (part, last) in last.iter_mut().enumerate() {
            let placement = sample.placements.get(part).and_then(Option::as_ref);
            out.unsigned(u64::from(placement.is_some()));
            if let Some(placement) = placement {
                out.differences(&steps_of(placement, reach), last);
            }
        }
    }
}

/// A placement in steps: position, then the quaternion.
fn steps_of(placement: &Placement, reach: f64) -> [i64; 7] {
    let [x, y, z] = placement.position.map(|metres| steps(metres, STEPS_OF_REACH / reach));
    let [w, i, j, k] = placement.q.map(|component| steps(component, STEPS_OF_ROTATION));
    [x, y, z, w, i, j, k]
}

/// A number in steps, at most the 2^50 that a script's numbers tell apart with their differences.
fn steps(value: f64, per_unit: f64) -> i64 {
    const MOST: f64 = (1_u64 << 50) as f64;
    finite(value * per_unit).clamp(-MOST, MOST).round() as i64
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// The names of parts, each once.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        let text = clipped(name, NAME);
        *self.numbers.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        })
    }
}

/// A stream of integers and numbers.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Differences to the integers before, which become these.
    fn differences(&mut self, now: &[i64], last: &mut [i64]) {
        for (now, last) in now.iter().zip(last) {
            let difference = now.wrapping_sub(*last);
            self.unsigned(((difference << 1) ^ (difference >> 63)) as u64);
            *last = *now;
        }
    }

    fn number(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
}

fn deflated(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_err(|error| Error::internal("the geometry of the report", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_leave_its_element() {
        let nasty = json!({ "name": "</script><script>alert('x')</script><!-- & \u{2028}\u{2029} \"q\"" }).to_string();
        let safe = for_script(&nasty);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{safe}");
        let same: Value = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(same, serde_json::from_str::<Value>(&nasty).expect("JSON"));
    }

    #[test]
    fn integers_take_few_bytes() {
        let mut out = Bytes::default();
        out.unsigned(300);
        out.differences(&[-1, 63, -64, i64::MAX], &mut [0; 4]);
        assert_eq!(out.0[..5], [0xac, 0x02, 1, 126, 127]);
        assert_eq!(out.0.len(), 5 + 10);
    }

    #[test]
    fn tracks_keep_the_sample_of_the_least_distance() {
        let sample =
            |frame| TrackSample { moment: crate::data::Moment { frame, time_s: None }, placements: Vec::new() };
        let track: Vec<TrackSample> = (0..1000).map(sample).collect();
        let kept = thinned(&track, 777);
        assert!(kept.len() <= MOST_SAMPLES);
        let frames: Vec<i64> = kept.iter().map(|sample| sample.moment.frame).collect();
        assert!(frames.contains(&0) && frames.contains(&777) && frames.contains(&999));
        assert_eq!(thinned(&track[..50], 3).len(), 50);
    }

    #[test]
    fn numbers_that_are_not_finite_do_no_harm() {
        let placement = Placement { position: [f64::NAN, f64::INFINITY, 1e300], q: [f64::NAN, 1.0, 0.0, -1.0] };
        assert_eq!(steps_of(&placement, 1.0), [0, 0, 1 << 50, 0, 1 << 20, 0, -(1 << 20)]);
        let mesh = DisplayMesh { vertices: vec![[f32::NAN, 1.0, f32::INFINITY]], triangles: vec![[0, 0, 9]] };
        let mut out = Bytes::default();
        write_mesh(&mut out, &mesh, 1.0);
        assert_eq!(out.0[..2], [1, 0], "one corner, and no triangle: the only one names a corner that is not there");
    }
}
