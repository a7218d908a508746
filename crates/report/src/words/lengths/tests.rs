use super::*;

fn unit(word: &str) -> LengthUnit {
    LengthUnit::parse(word).expect("a unit")
}

fn mm() -> Lengths {
    Lengths::to_five_digits(unit("mm"))
}

/// The metres of a written length.
fn read(text: &str, unit: LengthUnit) -> f64 {
    let number = text.strip_suffix(unit.word).expect("the unit").trim();
    unit.metres(number.parse().expect("a number"))
}

/// A number in 0 .. 1 that follows from `state` (Knuth's multiplier of a linear congruential
/// generator).
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

#[test]
fn lengths_are_in_the_unit_of_the_scene() {
    let texts = |word: &str, metres: [f64; 4]| metres.map(|metres| Lengths::to_five_digits(unit(word)).text(metres));
    let lengths = [0.05, -0.0379276, 2.8e-17, 0.0];
    assert_eq!(texts("mm", lengths), ["50 mm", "-37.928 mm", "2.80e-14 mm", "0 mm"]);
    assert_eq!(texts("m", lengths), ["0.05 m", "-0.037928 m", "2.80e-17 m", "0 m"]);
    assert_eq!(texts("cm", lengths), ["5 cm", "-3.7928 cm", "2.80e-15 cm", "0 cm"]);
    assert_eq!(texts("in", [0.0254, 1.0, 100.0, 0.0])[..3], ["1 in", "39.37 in", "3937 in"]);
    assert_eq!(texts("ft", [0.3048, 1.0, 3048.0, 0.0])[..3], ["1 ft", "3.2808 ft", "10000 ft"]);
    assert_eq!(texts("km", [1000.0, 0.05, 2e6, f64::NAN])[..3], ["1 km", "0.00005 km", "2000 km"]);
    assert_eq!([mm().text(f64::NAN), mm().text(f64::INFINITY)], ["NaN mm", "inf mm"]);
    assert_eq!(mm().text(12.345_678_9), "12346 mm");
    assert_eq!(mm().required(0.012_345_678), "12.345678 mm");
}

#[test]
fn bounds_are_rounded_outward() {
    let mut state = 7;
    for word in ["mm", "m", "cm", "km", "in", "ft"] {
        let lengths = Lengths::to_five_digits(unit(word));
        for _ in 0..20_000 {
            let size = 10_f64.powf(16.0 * next(&mut state) - 9.0);
            let metres = size * (2.0 * next(&mut state) - 1.0);
            let [low, high] = [lengths.at_least(metres), lengths.at_most(metres)];
            assert!(read(&low, lengths.unit) <= metres, "{metres}: {low}");
            assert!(read(&high, lengths.unit) >= metres, "{metres}: {high}");
            let loss = 1e-4 * metres.abs() + 1.1 * lengths.unit.metres(0.1_f64.powi(lengths.decimals as i32));
            assert!(read(&high, lengths.unit) - read(&low, lengths.unit) <= 2.0 * loss, "{metres}: {low}, {high}");
        }
    }
    assert_eq!([mm().at_most(0.005), mm().at_least(0.005)], ["5 mm", "5 mm"]);
    assert_eq!([mm().at_most(5.870_12e-6), mm().at_least(5.870_12e-6)], ["0.006 mm", "0.005 mm"]);
    assert_eq!([mm().at_most(3e-9), mm().at_least(3e-9)], ["0.001 mm", "0 mm"]);
    assert_eq!([mm().at_most(-3e-9), mm().at_least(-3e-9)], ["0 mm", "-0.001 mm"]);
    let bracket = [Some(0.0121), Some(0.01234)];
    let ends = [mm().sentence_end(0.05, bracket), mm().sentence_end(0.05, [Some(-0.02), Some(-0.0195)])];
    assert_eq!(ends, ["12.34 mm", "19.5 mm"]);
    assert!(mm().bracket_sentence(0.05, bracket[0], bracket[1]).ends_with(&ends[0]));
}

#[test]
fn brackets_are_sentences() {
    let sentence = |required, lower, upper| mm().bracket_sentence(required, lower, upper);
    assert_eq!(sentence(0.05, Some(0.0482), Some(0.0483)), "required 50 mm, proven at least 48.2 mm, at most 48.3 mm");
    assert_eq!(
        sentence(0.0, Some(-0.0023), Some(-0.0021)),
        "required 0 mm, overlapping by at least 2.1 mm, at most 2.3 mm"
    );
    assert_eq!(
        sentence(-0.002, Some(-0.0032), Some(-0.0031)),
        "up to 2 mm of overlap allowed, overlapping by at least 3.1 mm, at most 3.2 mm"
    );
    assert_eq!(
        sentence(0.01, Some(-0.002), Some(0.001)),
        "required 10 mm, proven at most 1 mm apart, overlapping by at most 2 mm"
    );
    assert_eq!(sentence(0.01, None, Some(0.001)), "required 10 mm, proven at most 1 mm, lower bound not proven");
    assert_eq!(sentence(0.01, Some(0.001), None), "required 10 mm, proven at least 1 mm, upper bound not proven");
    assert_eq!(sentence(0.01, None, None), "required 10 mm, distance not proven");
    assert_eq!(
        sentence(0.01, None, Some(-0.001)),
        "required 10 mm, overlapping by at least 1 mm, greatest depth not proven"
    );
}

#[test]
fn a_narrow_bracket_differs_from_the_requirement() {
    let close = mm().bracket_sentence(0.05, Some(0.049_999_997), Some(0.049_999_998));
    assert_eq!(close, "required 50 mm, proven at least 49.999997 mm, at most 49.999998 mm");
    let kept = mm().bracket(Some(0.05), Some(0.05), Some(0.050_000_1));
    assert_eq!(kept, "50 .. 50.01 mm");
    assert_eq!([mm().beside(0.049_999_9, 0.05), mm().beside(0.0482, 0.05)], ["49.9999 mm", "48.2 mm"]);
    let touching = mm().bracket_sentence(0.0, Some(-2e-10), Some(-1e-10));
    assert_eq!(touching, "required 0 mm, overlapping by at least 0.0000001 mm, at most 0.0000002 mm");
    let mut state = 3;
    for _ in 0..20_000 {
        let required = 0.001 * (100.0 * next(&mut state)).round();
        let upper = required - 10_f64.powf(-12.0 * next(&mut state) - 1.0) * next(&mut state);
        let text = mm().bracket(Some(required), Some(upper - 1e-9), Some(upper));
        let written = text.rsplit(".. ").next().map(|end| read(end, unit("mm"))).expect("an upper end");
        assert!(written >= upper, "{upper}: {text}");
        assert!(written < required || upper >= required, "{required} {upper}: {text}");
    }
}

#[test]
fn brackets_fit_a_cell() {
    assert_eq!(mm().bracket(None, Some(-0.0023), Some(-0.0021)), "-2.3 .. -2.1 mm");
    assert_eq!(mm().bracket(None, None, Some(0.0483)), "not proven .. 48.3 mm");
    assert_eq!(mm().bracket(None, None, None), "not proven");
    assert_eq!(mm().bracket(None, Some(0.0), Some(0.0)), "0 mm");
}

#[test]
fn places_and_volumes_read_well() {
    assert_eq!(mm().place([1.250_5, -0.02, 0.3]), "x 1250.5, y -20, z 300 mm");
    assert_eq!(mm().edges([[0.0, 0.0, 0.0], [0.012, 0.03, 0.0045]]), "12 x 30 x 4.5 mm");
    assert_eq!(mm().volume([1.204e-6, 1.206e-6]), "1,203 .. 1,207 mm\u{b3}");
    assert_eq!(Lengths::to_five_digits(unit("m")).volume([0.0, 0.0012345]), "0 .. 0.001235 m\u{b3}");
    assert_eq!(mm().volume([0.0, 0.0]), "0 mm\u{b3}");
}

#[test]
fn lengths_of_the_terminal_have_all_decimals() {
    let texts = |word: &str, metres: [f64; 4]| metres.map(|metres| Lengths::of_word(word).text(metres));
    let lengths = [0.05, -0.0379276, 2.8e-17, 0.0];
    assert_eq!(texts("mm", lengths), ["50 mm", "-37.928 mm", "2.80e-14 mm", "0 mm"]);
    assert_eq!(texts("m", lengths), ["0.05 m", "-0.037928 m", "2.80e-17 m", "0 m"]);
    assert_eq!(texts("cm", lengths), ["5 cm", "-3.7928 cm", "2.80e-15 cm", "0 cm"]);
    assert_eq!(texts("in", [0.0254, 1.0, 100.0, 0.0])[..3], ["1 in", "39.3701 in", "3937.0079 in"]);
    assert_eq!(texts("ft", [0.3048, 1.0, 3048.0, 0.0])[..3], ["1 ft", "3.28084 ft", "10000 ft"]);
    assert_eq!(texts("km", [1000.0, 0.05, 2e6, f64::NAN])[..3], ["1 km", "0.00005 km", "2000 km"]);
    assert_eq!(Lengths::of_word("mm").fixed(0.05), "50.000 mm");
    assert_eq!(Lengths::of_word("mm").text(f64::NAN), "NaN mm");
}

#[test]
fn upper_bounds_are_rounded_up() {
    let lengths = Lengths::of_word("mm");
    assert_eq!(lengths.at_most(0.005), "5 mm");
    for metres in [5.870_12e-6, 0.123_456_4, 3.2e-9, 0.000_499_9, 7.0, 4.4e-10, 1.0 / 3.0, 0.0] {
        let text = lengths.at_most(metres);
        let written: f64 = text.strip_suffix(" mm").expect("millimetres").parse().expect("a number");
        assert!(written / 1e3 >= metres && written / 1e3 <= metres * 1.01 + 1e-6, "{metres}: {text}");
    }
    assert_eq!(lengths.at_most(5.870_12e-6), "0.006 mm");
    assert_eq!(lengths.at_most(5.12e-6), "0.006 mm");
}

#[test]
fn a_proven_bracket_is_rounded_outward_in_one_way() {
    let mm = Lengths::of_word("mm");
    let text = |lower: f64, upper: f64| mm.proven(Some(lower), Some(upper));
    assert_eq!(text(0.037_927_4, 0.037_927_6), "37.927 to 37.928 mm");
    assert_eq!(text(0.037_927_1, 0.037_927_4), "37.927 mm");
    assert_eq!(text(0.05, 0.05), "50 mm");
    assert_eq!(text(-0.010_000_4, -0.009_999_6), "10 mm deep");
    assert_eq!(text(-0.010_001_4, -0.009_999_2), "9.999 to 10.002 mm deep");
    assert_eq!(text(-1e-14, 1e-14), "touching, to 0.001 mm");
    assert_eq!(text(-2e-14, -1e-14), "touching, to 0.001 mm");
    assert_eq!(text(1e-14, 2e-14), "0 to 0.001 mm");
    assert_eq!(mm.proven_ends([Some(-0.010_000_4), Some(-0.009_999_6)]), "9.999 to 10.001 mm deep");
    assert_eq!(text(-0.01, 0.02), "10 mm deep to 20 mm apart");
    assert_eq!(text(-0.01, 0.0), "at most 10 mm deep");
    assert_eq!(mm.proven(None, Some(-0.01)), "at least 10 mm deep");
    assert_eq!(mm.proven(Some(f64::NEG_INFINITY), Some(0.01)), "at most 10 mm");
    assert_eq!([mm.proven(Some(0.01), None), mm.proven(Some(-0.01), None)], ["at least 10 mm", "at most 10 mm deep"]);
    assert_eq!(mm.proven(None, None), "not proven");
    assert_eq!(mm.fixed_ends([Some(-0.01), Some(0.000_000_4)]), ["-10.000 mm", "0.001 mm"]);
    assert_eq!(mm.fixed_ends([None, Some(0.0379)]), ["-", "37.900 mm"]);
    assert_eq!(
        mm.sql_outward("lower_m", "upper_m"),
        "floor(1e6 * lower_m) / 1e3 AS at_least_mm, ceil(1e6 * upper_m) / 1e3 AS at_most_mm"
    );
    assert!(Lengths::of_word("in").sql_outward("l", "u").contains(" / 0.0254 * u) / 1e"));
}
