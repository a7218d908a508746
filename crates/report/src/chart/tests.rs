use super::*;
use crate::data::{Curve, CurveBetween, CurvePoint, Histogram, Moment};
use crate::words::{Clock, Lengths};
use clearsweep_model::LengthUnit;

fn mm() -> Lengths {
    Lengths::of(LengthUnit::parse("mm").expect("a unit"))
}

fn at(frame: i64) -> Moment {
    Moment { frame, time_s: Some(0.25 * frame as f64) }
}

fn least(moment: Moment) -> RunMoment {
    RunMoment { run: 0, moment }
}

fn point(frame: i64, distance_m: f64) -> CurvePoint {
    CurvePoint { moment: at(frame), distance_m, bracket_m: [Some(distance_m - 1e-3), Some(distance_m + 1e-3)] }
}

fn dip() -> Curve {
    let points = (0..100).map(|frame| point(frame, 0.03 + 0.001 * (frame as f64 - 50.0).abs()));
    Curve {
        points: points.filter(|point| !(20..30).contains(&point.moment.frame)).collect(),
        between: vec![CurveBetween { ends: [at(49), at(50)], bracket_m: [Some(0.02), Some(0.03)] }],
        required_m: 0.05,
        within_m: 0.5,
        span: Some([at(0), at(120)]),
        samples: 90,
    }
}

/// Checks that an SVG is well-formed enough to parse, and that its numbers are numbers.
fn check(svg: &str) {
    for word in ["NaN", "inf\"", "inf ", "Infinity"] {
        let attributes: Vec<&str> = svg.split('"').skip(1).step_by(2).collect();
        assert!(!attributes.iter().any(|value| value.contains(word) && !value.contains("istance")), "{word} in {svg}");
    }
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let name = tag.split([' ', '>', '/']).next().unwrap_or_default();
        if let Some(end) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), end.split('>').next(), "{svg}");
        } else if !tag.split('>').next().is_some_and(|tag| tag.ends_with('/')) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
}

#[test]
fn a_curve_shows_its_parts() {
    let svg = curve_svg(&dip(), &least(at(50)), &Clock::plain(mm()), mm());
    check(&svg);
    for part in ["class=\"between\"", "class=\"band\"", "class=\"violation\"", "class=\"cursor\"", "class=\"least\""] {
        assert!(svg.contains(part), "{part}");
    }
    assert!(svg.contains(">required 50 mm</text>") && svg.contains(">contact</text>"));
    assert!(svg.contains("least 30 mm at frame 50 (12.5 s); required 50 mm; 90 samples"));
    assert!(svg.contains(r#"data-axis="s" data-from="0" data-to="30""#));
    let distance = svg.split("class=\"distance\" d=\"").nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(distance.map(|path| path.matches('M').count()), Some(2), "a gap where there are no rows");
}

#[test]
fn frames_stand_in_for_missing_times() {
    let mut curve = dip();
    curve.points[3].moment.time_s = None;
    let svg = curve_svg(&curve, &least(at(50)), &Clock::plain(mm()), mm());
    check(&svg);
    assert!(svg.contains(r#"data-axis="frame" data-from="0" data-to="120""#));
}

#[test]
fn a_curve_of_anything_is_drawn() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e300, -1e300, 1e-300, 0.05];
    let mut curves = vec![Curve::default()];
    for &value in &odd {
        for &other in &odd {
            let moment = |frame: i64| Moment { frame, time_s: Some(other) };
            let bracket_m = [Some(value), Some(other)];
            let one = CurvePoint { moment: moment(i64::MAX), distance_m: value, bracket_m };
            let first = CurvePoint { moment: moment(i64::MIN), distance_m: other, bracket_m: [None, Some(value)] };
            let between = CurveBetween { ends: [moment(3), moment(4)], bracket_m: [None, None] };
            let span = Some([moment(0), Moment { frame: 7, time_s: Some(value) }]);
            let (required_m, within_m) = (other, value);
            curves.push(Curve { points: vec![one], between: vec![], required_m, within_m, span: None, samples: 1 });
            curves.push(Curve {
                points: vec![first, one],
                between: vec![between],
                required_m,
                within_m,
                span,
                samples: 9,
            });
        }
    }
    for curve in &curves {
        check(&curve_svg(curve, &least(at(0)), &Clock::plain(mm()), mm()));
        check(&curve_svg(curve, &least(Moment { frame: i64::MAX, time_s: None }), &Clock::plain(mm()), mm()));
    }
}

fn runs() -> Histogram {
    Histogram {
        edges_m: (0..=20).map(|edge| 0.03 + 0.002 * f64::from(edge)).collect(),
        counts: (0..20).map(|bin| bin * bin).collect(),
        beyond: 40,
        required_m: 0.05,
        violated: [123, 1000],
        share: Some([0.123, 0.10405, 0.1448]),
    }
}

#[test]
fn a_histogram_tells_the_probability() {
    let svg = histogram_svg(&runs(), mm());
    check(&svg);
    assert!(svg.contains("12.3 % of 1,000 runs violate (95 %: 10.4 % .. 14.5 %)"), "{svg}");
    assert!(svg.contains("class=\"bar violation\"") && svg.contains("farther: 40"));
    let below = svg.split("class=\"bar violation\"").nth(1).and_then(|rest| rest.split("/>").next());
    assert_eq!(below.map(|path| path.matches('M').count()), Some(9));
}

#[test]
fn a_histogram_of_anything_is_drawn() {
    let mut odd = runs();
    check(&histogram_svg(&Histogram::default(), mm()));
    odd.edges_m = vec![f64::NAN, f64::INFINITY, 0.0, 0.0, 1e300];
    odd.counts = vec![1, u64::MAX, 3];
    for required_m in [f64::NAN, f64::INFINITY, -1e300, 0.0] {
        odd.required_m = required_m;
        odd.share = Some([required_m, f64::NAN, 7.0]);
        check(&histogram_svg(&odd, mm()));
    }
}
