//! Archives, GUIDs and the order of elements; `sample` is the report that tests of other formats
//! use too.

use super::{BcfOptions, BcfVersion, bcf, check_author, guid};
use crate::data::{
    Camera, Decision, DisplayMesh, Fact, Finding, GroupMatrix, Issue, Moment, Placement, Report, Tone, Verdict, View,
    ViewPart,
};
use clearsweep_base::error::ErrorKind;
use clearsweep_model::LengthUnit;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// A name that breaks what does not escape it.
pub(crate) const HOSTILE: &str =
    "<script>alert(\"1\")</script>&amp;\u{202e}\u{1}\u{0}\u{fffe}]]>'\r\n\t=cmd|'/C calc'!A0";

/// Names of IFC products.
const IFC: [&str; 2] = ["hall/3LIQL2UvjC6xkGKOQxhhVW", "1GU8BMEqHBQxVAbwRD$4Jj#2"];

/// A report with an issue for each case: a view, a place only, nothing but names, and no finding.
pub(crate) fn sample() -> Report {
    let long = "x".repeat(1 << 16);
    let mut near = finding(["pump-1", "tray"], "near", [Some(0.0121), Some(0.0123)], Some(sample_view()));
    near.decision = Decision {
        until: Some("2026-03-31".to_owned()),
        by: Some("anna".to_owned()),
        reason: Some("=seal".to_owned()),
    };
    let further = finding([&long, "tray"], "near", [Some(0.03), None], None);
    let crossing = finding([HOSTILE, "سقف/مضخة"], "crossing", [Some(-0.02), Some(-0.0195)], None);
    let mut nowhere = finding(IFC, "touching", [None, Some(0.0)], None);
    nowhere.place = None;
    let mut accepted = issue("00000000000c", "approved", "touching", vec![nowhere]);
    (accepted.is_open, accepted.note) = (false, Some("=HYPERLINK(\"http://example.com\")\nsecond line".to_owned()));
    let mut resolved = issue("00000000000d", "resolved", "near", Vec::new());
    (resolved.is_open, resolved.kind, resolved.frames) = (false, None, None);
    let mut overlapping = issue("00000000000b", "new", "crossing", vec![crossing]);
    overlapping.overlap_m = Some([[1.0, 2.0, 3.0], [1.1, 2.2, 3.3]]);
    overlapping.volume_m3 = Some([0.001, 0.002]);
    overlapping.note = Some("64 KiB: ".to_owned() + &long);
    Report {
        name: "plant <3>".to_owned(),
        version: "0.2.0".to_owned(),
        dir: None,
        unit: LengthUnit::parse("mm").expect("a unit"),
        moves: true,
        runs: 3,
        sweeps: Vec::new(),
        has_dates: false,
        between: "linear".to_owned(),
        verdict: Verdict { word: "violated".to_owned(), tone: Tone::Bad, sentence: "3 issues are open.".to_owned() },
        checked: vec![Fact { name: "bodies".to_owned(), text: "4 bodies".to_owned(), details: vec![long] }],
        unchecked: vec![Fact { name: "shapes".to_owned(), text: "none".to_owned(), details: vec!["=1+1".to_owned()] }],
        issues: vec![issue("00000000000a", "worse", "near", vec![near, further]), overlapping, accepted, resolved],
        in_full: 1,
        meshes: vec![tetrahedron()],
        rules: Vec::new(),
        matrix: GroupMatrix::default(),
        elements: BTreeMap::new(),
        worst_runs: Vec::new(),
        plant: None,
        has_decisions: false,
        decisions: None,
    }
}

/// A snapshot for the first issue.
pub(crate) fn sample_pictures() -> Vec<Option<Vec<u8>>> {
    // One grey pixel.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\n".to_vec();
    png.extend(b"IDATx\x9cch\0\0\0\x82\0\x81w\xcdr\xb6\0\0\0\0IEND\xaeB`\x82");
    vec![Some(png), None]
}

/// A small shape.
pub(crate) fn tetrahedron() -> DisplayMesh {
    let vertices = vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    DisplayMesh { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

fn issue(id: &str, state: &str, kind: &str, findings: Vec<Finding>) -> Issue {
    Issue {
        id: id.to_owned(),
        group: "pump-1".to_owned(),
        rule: "clearance & more".to_owned(),
        severity: "major".to_owned(),
        state: state.to_owned(),
        is_open: true,
        kind: Some(kind.to_owned()),
        events: 4,
        pairs: findings.len() as u64 + 30,
        runs: 2,
        bracket_m: findings.first().map_or([None, None], |finding| finding.bracket_m),
        frames: Some([10, 20]),
        overlap_m: None,
        volume_m3: None,
        note: None,
        between: Vec::new(),
        findings,
        solved: Vec::new(),
    }
}

fn finding(names: [&str; 2], kind: &str, bracket_m: [Option<f64>; 2], view: Option<View>) -> Finding {
    let moment = |frame: i64| Moment { frame, time_s: Some(frame as f64 / 10.0) };
    Finding {
        bodies: [0, 1],
        names: names.map(str::to_owned),
        required_m: 0.05,
        run: 2,
        span: [moment(10), moment(20)],
        least: moment(15),
        share: Some(0.5),
        bracket_m,
        place: Some([1000.0, -2.0, 0.5]),
        kind: kind.to_owned(),
        state: "new".to_owned(),
        decision: Decision::default(),
        events: 3,
        runs: 1,
        view,
        contact: None,
        proof: None,
        curve: None,
        histogram: None,
    }
}

fn sample_view() -> View {
    let placement = Placement { position: [0.0, 0.1, 0.0], q: [1.0, 0.0, 0.0, 0.0] };
    let part = |body: u32, name: &str| ViewPart {
        body,
        name: name.to_owned(),
        mesh: 0,
        placement,
        moves: false,
        colour: None,
    };
    View {
        origin: [1000.0, -2.0, 0.5],
        parts: vec![part(0, "pump-1"), part(1, "tray")],
        witness: Some([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0122]]),
        normal: Some([0.0, 0.0, 1.0]),
        overlap: None,
        reach: 0.3,
        camera: Camera { eye: [0.0, -1.2, 0.0], forward: [0.0, 1.0, 0.0], up: [0.0, 0.0, 1.0] },
        track: Vec::new(),
    }
}

fn options(version: BcfVersion) -> BcfOptions {
    BcfOptions { version, author: "name@example.com".to_owned(), date: "2026-01-31T12:00:00Z".to_owned() }
}

/// Names and texts of the files, in order.
fn files(version: BcfVersion) -> Vec<(String, String)> {
    let bytes = bcf(&sample(), &sample_pictures(), &options(version)).expect("a file");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file");
        let (name, mut bytes) = (file.name().expect("a name").into_owned(), Vec::new());
        file.read_to_end(&mut bytes).expect("bytes");
        files.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    files
}

/// The file of a name in the folder of an issue.
fn file_of(files: &[(String, String)], id: &str, name: &str) -> String {
    let path = format!("{}/{name}", guid("topic", &[id]));
    files.iter().find(|(found, _)| *found == path).map_or_else(String::new, |(_, text)| text.clone())
}

/// Checks that texts follow each other.
fn assert_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is missing, or earlier, in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn guids_stay_over_versions_of_the_program() {
    assert_eq!(guid("topic", &["00000000000a"]).to_string(), "c7485245-cf28-54b1-b9b6-0603b2d53235");
    assert_ne!(guid("viewpoint", &["a", "bc"]), guid("viewpoint", &["ab", "c"]));
}

#[test]
fn folders_are_sorted_and_bytes_repeat() {
    for version in [BcfVersion::V2_1, BcfVersion::V3_0] {
        let [once, twice] = [(); 2].map(|()| bcf(&sample(), &sample_pictures(), &options(version)).expect("a file"));
        assert_eq!(once, twice);
        let names: Vec<String> = files(version).into_iter().map(|(name, _)| name).collect();
        let roots = if version == BcfVersion::V2_1 { 1 } else { 2 };
        assert!(names[roots..].is_sorted(), "{names:?}");
        assert_eq!(names[0], "bcf.version");
        let count = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
        // In 3.0 a viewpoint needs a camera, and so a place.
        let viewpoints = if version == BcfVersion::V2_1 { 3 } else { 2 };
        assert_eq!([count("markup.bcf"), count("viewpoint.bcfv"), count("snapshot.png")], [3, viewpoints, 1]);
    }
}

#[test]
fn elements_are_in_the_order_of_the_schemas() {
    let old = files(BcfVersion::V2_1);
    let new = files(BcfVersion::V3_0);
    let first = ["<Topic Guid=", "<Title>", "<Priority>", "<Index>", "<Labels>"];
    let second = ["<CreationDate>", "<CreationAuthor>", "<Description>"];
    let markup = file_of(&old, "00000000000c", "markup.bcf");
    let end =
        ["</Topic>", "<Comment Guid=", "<Date>", "<Author>", "<Comment>", "<Viewpoint Guid=", "<Viewpoints Guid="];
    assert_order(&markup, &[&first[..], &second, &end].concat());
    let markup = file_of(&new, "00000000000a", "markup.bcf");
    let end = ["<Viewpoints>", "<ViewPoint Guid=", "<Viewpoint>", "<Snapshot>", "<Index>", "</Topic>"];
    assert_order(&markup, &[&first[..], &["<Label>"], &second, &end].concat());
    let markup = file_of(&new, "00000000000b", "markup.bcf");
    assert_order(
        &markup,
        &["<Comments>", "<Comment Guid=", "<Comment>", "<Viewpoint Guid=", "</Comments>", "<Viewpoints>"],
    );
    let components = ["<Components>", "<Selection>", "<Component>", "<OriginatingSystem>", "<AuthoringToolId>pump-1<"];
    let shown = ["<Visibility", "<Coloring>", "FF2F6FD0", "FFE07B1A"];
    let camera = ["<PerspectiveCamera>", "<CameraViewPoint>", "<CameraDirection>", "<CameraUpVector>", "<FieldOfView>"];
    let viewpoint = file_of(&old, "00000000000a", "viewpoint.bcfv");
    assert_order(&viewpoint, &[&components[..], &shown, &camera, &["45.0<", "<Lines>", "<StartPoint>"]].concat());
    let viewpoint = file_of(&new, "00000000000a", "viewpoint.bcfv");
    assert_order(&viewpoint, &[&components[..], &shown, &camera, &["30.0<", "<AspectRatio>1.0<", "<Lines>"]].concat());
    assert!(viewpoint.contains("<X>1000.0</X>\n      <Y>-3.2</Y>\n      <Z>0.5</Z>"), "{viewpoint}");
}

#[test]
fn topics_say_what_was_found() {
    let files = files(BcfVersion::V2_1);
    let near = file_of(&files, "00000000000a", "markup.bcf");
    assert!(near.contains("<Title>pump-1 / tray: 12.3 mm instead of 50 mm</Title>"), "{near}");
    assert!(near.contains("TopicType=\"Clearance\" TopicStatus=\"Open\""));
    assert!(near.contains("proven at least 12.1 mm, at most 12.3 mm."), "{near}");
    assert_order(&near, &["Run 2: frames 10 to 20 (1 s to 2 s); nearest between frame 15 (1.5 s)", "Further pairs: x"]);
    let crossing = file_of(&files, "00000000000b", "markup.bcf");
    assert_order(&crossing, &["TopicType=\"Clash\"", ": overlap 19.5 mm deep instead of 50 mm</Title>"]);
    assert!(!crossing.contains("<script>") && crossing.len() < 20_000);
    let viewpoint = file_of(&files, "00000000000b", "viewpoint.bcfv");
    assert_order(
        &viewpoint,
        &["<AuthoringToolId>&lt;script&gt;", "\u{202e}\u{fffd}\u{fffd}\u{fffd}]]&gt;", "<PerspectiveCamera>"],
    );
    let accepted = file_of(&files, "00000000000c", "markup.bcf");
    assert_order(
        &accepted,
        &["TopicStatus=\"Closed\"", "<Comment>=HYPERLINK(&quot;http://example.com&quot;)\nsecond line<"],
    );
    let viewpoint = file_of(&files, "00000000000c", "viewpoint.bcfv");
    assert_order(
        &viewpoint,
        &["<Component IfcGuid=\"3LIQL2UvjC6xkGKOQxhhVW\"/>", "IfcGuid=\"1GU8BMEqHBQxVAbwRD$4Jj\""],
    );
    assert!(!viewpoint.contains("Camera"), "no place is known");
}

#[test]
fn titles_stay_short() {
    let mut report = sample();
    report.issues[0].findings[0].names = [HOSTILE.repeat(9), "\u{202e}".repeat(1 << 16)];
    let topic = super::Topic::new(&report, 0, guid("topic", &[]), true, true);
    assert!(topic.title.chars().count() <= 200, "{}", topic.title);
    assert!(!topic.title.contains(|c: char| c.is_control() || c == '\u{202e}'));
}

#[test]
fn an_author_is_an_address() {
    for author in ["name@example.com", "first.last+bim@sub.example.co", "ä@ö.de"] {
        assert!(check_author(author).is_ok(), "{author}");
    }
    let long = format!("{}@example.com", "a".repeat(300));
    for author in
        ["", "name", "name@host", "a@b@c.de", "a b@c.de", "a@.de", "a@c.", "@c.de", "a@c..de", "a@c.de\n", &long]
    {
        let error = check_author(author).expect_err(author);
        assert_eq!((error.kind, error.place.as_str()), (ErrorKind::Usage, "--author"));
    }
}

#[test]
fn ids_and_dates_are_checked() {
    let mut report = sample();
    report.issues[1].id = report.issues[0].id.clone();
    let error = bcf(&report, &[], &options(BcfVersion::V2_1)).expect_err("equal ids");
    assert_eq!(error.kind, ErrorKind::Input);
    let wrong = BcfOptions { date: "31.01.2026".to_owned(), ..options(BcfVersion::V2_1) };
    assert_eq!(bcf(&sample(), &[], &wrong).expect_err("a date").kind, ErrorKind::Internal);
}

#[test]
fn an_empty_report_is_a_file() {
    let empty = Report { issues: Vec::new(), ..sample() };
    for version in [BcfVersion::V2_1, BcfVersion::V3_0] {
        let bytes = bcf(&empty, &[], &options(version)).expect("a file");
        assert!(ZipArchive::new(Cursor::new(bytes)).expect("an archive").by_name("bcf.version").is_ok());
    }
    assert_eq!(BcfVersion::parse("3.0"), Some(BcfVersion::V3_0));
    assert_eq!(BcfVersion::parse("2.0"), None);
}
