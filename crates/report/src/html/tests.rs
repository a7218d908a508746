use super::*;
use crate::data::*;
use clearsweep_model::LengthUnit;
use std::collections::BTreeMap;

fn at(frame: i64) -> Moment {
    Moment { frame, time_s: Some(0.25 * frame as f64) }
}

fn cube(half: f32) -> DisplayMesh {
    let corner = |i: u32| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { half } else { -half });
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    DisplayMesh { vertices: (0..8).map(corner).collect(), triangles }
}

fn view(names: &[String; 2]) -> View {
    let placement = |x| Placement { position: [x, 0.0, 0.0], q: [1.0, 0.0, 0.0, 0.0] };
    let part = |name: &String, x, moves| ViewPart {
        body: 0,
        name: name.clone(),
        mesh: 0,
        placement: placement(x),
        moves,
        colour: None,
    };
    let sample = |frame| TrackSample { moment: at(frame), placements: vec![Some(placement(0.1 * frame as f64))] };
    View {
        origin: [0.0; 3],
        parts: vec![part(&names[0], 0.0, false), part(&names[1], 0.3, true), part(&"ghost".to_owned(), 0.9, false)],
        witness: Some([[0.1, 0.0, 0.0], [0.2, 0.0, 0.0]]),
        normal: Some([1.0, 0.0, 0.0]),
        overlap: None,
        reach: 0.5,
        camera: Camera { eye: [0.0, -2.0, 0.0], forward: [0.0, 1.0, 0.0], up: [0.0, 0.0, 1.0] },
        track: (0..9).map(sample).collect(),
    }
}

fn finding(names: [String; 2]) -> Finding {
    let point = |frame| CurvePoint { moment: at(frame), distance_m: 0.04, bracket_m: [Some(0.04), Some(0.04)] };
    Finding {
        bodies: [0, 1],
        required_m: 0.05,
        run: 0,
        span: [at(3), at(4)],
        least: at(3),
        share: None,
        contact: None,
        proof: None,
        bracket_m: [Some(0.0482), Some(0.0483)],
        place: Some([1.0, 2.0, 3.0]),
        kind: "near".to_owned(),
        state: "new".to_owned(),
        decision: crate::data::Decision::default(),
        events: 1,
        runs: 1,
        view: Some(view(&names)),
        curve: Some(Curve {
            points: (0..9).map(point).collect(),
            required_m: 0.05,
            within_m: 0.5,
            samples: 9,
            ..Curve::default()
        }),
        histogram: None,
        names,
    }
}

fn issue(id: &str, name: &str) -> Issue {
    Issue {
        id: id.to_owned(),
        group: name.to_owned(),
        rule: name.to_owned(),
        severity: "major".to_owned(),
        state: "new".to_owned(),
        is_open: true,
        kind: Some("near".to_owned()),
        events: 1,
        pairs: 2,
        runs: 1,
        bracket_m: [Some(0.0482), Some(0.0483)],
        frames: Some([3, 4]),
        overlap_m: None,
        volume_m3: None,
        note: Some(name.to_owned()),
        between: Vec::new(),
        findings: vec![finding([name.to_owned(), "wall".to_owned()]), finding(["wall".to_owned(), name.to_owned()])],
        solved: Vec::new(),
    }
}

fn report(issues: Vec<Issue>) -> Report {
    let fact = |name: &str| Fact { name: name.to_owned(), text: "432".to_owned(), details: vec![name.to_owned()] };
    Report {
        name: "pipe-rack".to_owned(),
        version: "0.2.0".to_owned(),
        dir: None,
        unit: LengthUnit::parse("mm").expect("a unit"),
        moves: true,
        runs: 1,
        sweeps: Vec::new(),
        has_dates: false,
        between: "none".to_owned(),
        verdict: Verdict { word: "violated".to_owned(), tone: Tone::Bad, sentence: "3 pairs violate.".to_owned() },
        checked: vec![fact("bodies")],
        unchecked: vec![fact("ignored")],
        in_full: issues.len(),
        issues,
        meshes: vec![cube(0.1)],
        rules: Vec::new(),
        matrix: GroupMatrix::default(),
        elements: BTreeMap::new(),
        worst_runs: Vec::new(),
        plant: None,
        has_decisions: false,
        decisions: None,
    }
}

/// The text of an element that is not escaped: of a script or a style.
fn raw<'a>(page: &'a str, start: &str) -> &'a str {
    let from = page.find(start).expect("the element") + start.len();
    &page[from..from + page[from..].find("</").expect("its end")]
}

#[test]
fn a_page_shows_an_issue() {
    let page = html(&report(vec![issue("abc123", "pump")]), &[Some(vec![1, 2, 3])]).expect("a page");
    for text in [
        "required 50 mm, proven at least 48.2 mm, at most 48.3 mm",
        r#"id="issue-abc123""#,
        "data:image/png;base64,AQID",
        "frame 3 (0.75 s)",
        "x 1000, y 2000, z 3000 mm",
        "3 pairs violate.",
        "1 issue, 1 of them open: 1 new",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("://"), "the page names no address");
    assert!(!page.contains("NaN"));
}

#[test]
fn names_do_no_harm() {
    let nasty = [
        "<script>alert(1)</script>",
        "\"quoted\" & 'so'",
        "</script><!--",
        "\u{2028}\u{202e}gpj",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
    ];
    let plain = html(&report(vec![issue("a", "pump")]), &[]).expect("a page");
    for name in nasty {
        let mut with = report(vec![issue("a", name), issue("b", name)]);
        with.in_full = 1;
        with.name = name.to_owned();
        with.verdict.sentence = name.to_owned();
        with.checked[0].details = vec![name.to_owned()];
        let page = html(&with, &[]).expect("a page");
        assert_eq!(page.matches("<script").count(), plain.matches("<script").count(), "{name}");
        assert_eq!(page.matches("</script").count(), plain.matches("</script").count(), "{name}");
        assert!(!page.contains(['\u{2028}', '\u{202e}']), "{name}");
        let json = raw(&page, r#"<script type="application/json" id="report-data">"#);
        let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(data["names"][0], crate::words::visible(name).as_ref());
    }
}

#[test]
fn an_issue_has_the_command_that_explains_it() {
    let command = |name: &str, dir: Option<&str>| {
        let page =
            html(&Report { dir: dir.map(Into::into), ..report(vec![issue("ab12", name)]) }, &[]).expect("a page");
        let from = page.find("clearsweep explain").expect("a command");
        page[from..from + page[from..].find("</code>").expect("its end")].to_owned()
    };
    let pair = issue("ab12", "pump").findings[0].names.clone();
    let plain = format!("clearsweep explain out/a --pair {} {} --run 0 --frame 3", pair[0], pair[1]);
    assert_eq!(command("pump", Some("out/a")), plain);
    assert!(command("pump", None).starts_with("clearsweep explain DIR --pair "));
    // Quotes of HTML are those of numbers.
    assert!(command("a b", None).contains("&#39;a b"), "{}", command("a b", None));
    for name in ["\u{202e}gpj", "-x", &"long".repeat(30)] {
        assert_eq!(command(name, None), "clearsweep explain DIR --issue ab12", "{name}");
    }
}

#[test]
fn long_names_do_not_blow_up_the_page() {
    let plain = html(&report(vec![issue("a", "pump")]), &[]).expect("a page").len();
    let long = html(&report(vec![issue("a", &"\u{e9}<".repeat(32_768))]), &[]).expect("a page");
    assert!(long.contains("(a name of 65,536 characters)"));
    assert!(long.len() < plain + 100_000, "{} beside {plain}", long.len());
}

#[test]
fn scripts_are_named_by_their_hashes() {
    let page = html(&report(Vec::new()), &[]).expect("a page");
    for text in [STYLE, VIEWER, MAP, SCRIPT, DECIDING, EARLY] {
        let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert!(page.contains(&format!("'sha256-{hash}'")) && page.contains(text));
        assert!(!text.contains("</script") && !text.contains("</style") && !text.contains("<!--"));
    }
}

#[test]
fn an_empty_report_says_why() {
    for (word, reason) in
        [("clear", "keeps the clearance"), ("nothing required", "nothing is required"), ("odd", "no pair")]
    {
        let mut empty = report(Vec::new());
        empty.verdict.word = word.to_owned();
        empty.checked.clear();
        empty.unchecked.clear();
        empty.meshes.clear();
        let page = html(&empty, &[]).expect("a page");
        assert!(page.contains(reason), "{word}");
        assert!(page.contains("Nothing is recorded as left out.") && !page.contains("<form"));
    }
}

#[test]
fn the_rest_is_listed_and_told() {
    let mut long = report((0..6_000).map(|index| issue(&format!("{index:012x}"), "pump")).collect());
    long.in_full = 2;
    let page = html(&long, &[]).expect("a page");
    assert_eq!(page.matches("<article").count(), 2);
    assert_eq!(page.matches(r#"<tr class="issue""#).count(), MOST_ROWS);
    assert!(page.contains("5,000 more issues are listed without views: --max-issues raises the limit."));
    assert!(page.contains("998 beyond these are not listed here: see issues.parquet."));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let with = report(vec![issue("a", "pump"), issue("b", "tank")]);
    assert_eq!(html(&with, &[]).expect("a page"), html(&with.clone(), &[]).expect("a page"));
}

#[test]
fn odd_data_give_a_page() {
    let mut odd = issue("a", "pump");
    odd.findings[0].place = Some([f64::NAN; 3]);
    odd.findings[0].bracket_m = [Some(f64::NEG_INFINITY), None];
    odd.bracket_m = [None, None];
    odd.volume_m3 = Some([f64::NAN, f64::INFINITY]);
    odd.overlap_m = Some([[f64::NAN; 3]; 2]);
    if let Some(view) = &mut odd.findings[0].view {
        view.reach = f64::NAN;
        view.parts[0].mesh = 99;
    }
    let mut resolved = issue("c", "gone");
    resolved.findings.clear();
    let mut with = report(vec![odd, resolved]);
    with.moves = false;
    let page = html(&with, &[None]).expect("a page");
    assert!(page.contains("distance not proven") && page.contains("no violation in these tables"));
}

/// The tags of a page with the names of their attributes, and nothing that a name could have put
/// there.
fn skeleton(page: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').expect("every tag ends") + at;
        let tag = &rest[at + 1..end];
        // Values stand in double quotes, of which names have none left.
        let outside = tag.split('"').step_by(2).collect::<String>();
        tags.push(outside);
        rest = &rest[end + 1..];
        for element in ["script", "style"] {
            if tag.starts_with(element) {
                let closing = format!("</{element}>");
                rest = &rest[rest.find(&closing).expect("its end")..];
            }
        }
    }
    tags
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    /// Whatever a name is made of, the page has the same elements and attributes as with a plain
    /// one.
    #[test]
    fn no_name_changes_the_elements_of_a_page(name in r#"([<>&"'=/{}%`;:!-]|script|onerror|[a-z ]|\PC|[\x00-\x1f\u{202a}-\u{202e}\u{2028}\u{2029}\u{fffe}]){1,20}"#) {
        let page = |name: &str| html(&report(vec![issue("abc123", name)]), &[Some(vec![1])]).expect("a page");
        let (plain, strange) = (skeleton(&page("pump 1")), skeleton(&page(&name)));
        proptest::prop_assert_eq!(plain, strange);
    }
}
