//! Cells, formulas, limits, and numbers rounded outward.

use super::{MOST_TEXT, check_rows, csv, outward, shown, xlsx};
use crate::bcf::tests::{HOSTILE, sample};
use clearsweep_model::LengthUnit;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// The records of a CSV, with the heading.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let records = reader.records().map(|record| record.expect("a record"));
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

/// A part of a workbook.
fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).expect("a part").read_to_string(&mut text).expect("UTF-8");
    text
}

#[test]
fn a_row_stands_for_a_pair() {
    let records = records(&csv(&sample()).expect("text"));
    let heading = "issue,state,severity,rule,kind,body_a,body_b,required_mm,at_least_mm,at_most_mm,run,begin_frame,begin_s,\
                   end_frame,end_s,least_frame,least_s,x_mm,y_mm,z_mm,events,runs,note,until,by,reason";
    assert_eq!(records[0].join(","), heading);
    let row = "00000000000a,new,major,clearance & more,near,pump-1,tray,50,12.1,12.3,2,10,1,20,2,15,1.5,1000000,-2000,500,3,1,,2026-03-31,anna,'=seal";
    assert_eq!(records[1].join(","), row);
    assert_eq!((records.len(), records[2][5].len(), records[3][5].as_str()), (5, 1 << 16, HOSTILE));
    assert_eq!(records[3][8..10], ["-20", "-19.5"], "numbers stay numbers");
    let places = &records[4][17..20];
    assert!(places.iter().all(String::is_empty), "no place: {places:?}");
}

#[test]
fn texts_are_no_formulas() {
    let mut report = sample();
    let formulas = ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "\n=1", "'=1"];
    for formula in formulas {
        report.issues[0].findings[0].names[0] = formula.to_owned();
        assert_eq!(records(&csv(&report).expect("text"))[1][5], format!("'{formula}"));
    }
    assert!(records(&csv(&report).expect("text"))[4][22].starts_with("'=HYPERLINK"));
    let book = xlsx(&report).expect("a workbook");
    assert!((1..=3).all(|sheet| !part(&book, &format!("xl/worksheets/sheet{sheet}.xml")).contains("<f>")));
}

#[test]
fn without_motion_there_are_no_frames() {
    let still = crate::data::Report { moves: false, ..sample() };
    let records = records(&csv(&still).expect("text"));
    assert!(records[1][10..17].iter().all(String::is_empty) && records[1][17] == "1000000");
}

#[test]
fn bounds_are_rounded_outward() {
    for unit in LengthUnit::ALL {
        for metres in [0.0, 0.0123, -0.0195, 1.0 / 3.0, -1.0 / 7.0, 1e-9 / 3.0, 12_345.678_901_234_567, 5e-324] {
            let [low, high] = [-1.0, 1.0].map(|sign| outward(unit, metres, sign));
            assert!(unit.metres(low) <= metres && metres <= unit.metres(high), "{metres} m in {}", unit.word);
            assert!(high - low <= 2e-11 * high.abs() + 1e-300, "{low} and {high}");
        }
    }
}

#[test]
fn workbooks_repeat_and_have_three_sheets() {
    let [once, twice] = [(); 2].map(|()| xlsx(&sample()).expect("a workbook"));
    assert_eq!(once, twice);
    let book = part(&once, "xl/workbook.xml");
    assert!(["Issues", "Pairs", "About"].iter().all(|name| book.contains(&format!("name=\"{name}\""))));
    let issues = part(&once, "xl/worksheets/sheet1.xml");
    assert!(issues.contains("<autoFilter ref=\"A1:U5\"/>") && issues.contains("state=\"frozen\""), "{issues}");
    assert!(part(&once, "xl/worksheets/sheet2.xml").contains("<v>12.3</v>"));
    let texts = part(&once, "xl/sharedStrings.xml");
    assert!(texts.contains("3 issues are open.") && texts.contains("… (cut: 65536 characters)"));
    assert!(texts.contains("31 pairs") || texts.contains("pairs are not listed"));
    assert!(!texts.contains("<script>") && !texts.contains('\u{fffe}'));
}

#[test]
fn an_empty_report_is_a_workbook() {
    let empty = crate::data::Report { issues: Vec::new(), ..sample() };
    assert!(xlsx(&empty).is_ok());
    assert_eq!(records(&csv(&empty).expect("text")).len(), 1);
}

#[test]
fn texts_and_rows_have_limits() {
    assert_eq!(shown("short"), "short");
    let full = "é".repeat(MOST_TEXT);
    assert_eq!(shown(&full), full);
    for long in ["é".repeat(MOST_TEXT + 1), "\u{1f600}".repeat(MOST_TEXT)] {
        let cut = shown(&long);
        let length = cut.encode_utf16().count();
        assert!(length <= MOST_TEXT && length > MOST_TEXT - 2 && cut.ends_with("characters)"), "{length}");
    }
    assert!(check_rows("pairs", 1_048_575).is_ok());
    assert!(check_rows("pairs", 1_048_576).expect_err("too many").remedy.contains("--csv"));
}
