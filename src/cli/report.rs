//! `clearsweep report`: what an execution found, in files that people pass on.

use super::args::ReportArgs;
use super::exit::{self, ProgramEnd};
use super::files::{check_beside, check_target, write_whole};
use super::text::{bytes, table};
use super::{results, stdout};
use clearsweep::{Error, Result};
use clearsweep_records::manifest::{Manifest, Summary};
use clearsweep_report::{BcfOptions, BcfVersion, GlbMoment, Issue, JointEntry, PICTURE_SIZE, Report, ReportOptions};
use clearsweep_report::{counted, joint_html, joint_verdict};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Width and height of the pictures of `--png`, pixels.
const LARGE_PICTURE: [usize; 2] = [960, 640];

/// A file of a report that is made but not written.
struct MadeFile {
    what: &'static str,
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Writes the files that are asked for, and prints which.
pub(crate) fn report(args: &ReportArgs) -> Result<ProgramEnd> {
    let targets = targets(args)?;
    let places = results::places(&args.dirs, true)?;
    let [results::ResultPlace { dir, .. }] = places.as_slice() else { return several(args, &targets, places) };
    let manifest = Manifest::read(dir)?;
    let options = ReportOptions { max_issues: args.max_issues, views: !args.no_views, all_views: args.bcf.is_some() };
    for (_, target) in &targets {
        check_beside(target, dir)?;
        check_target(target, args.force)?;
    }
    if let Some(folder) = &args.png {
        check_beside(folder, dir)?;
    }
    let report = clearsweep_report::read_report(dir, &manifest, &options)?;
    let (made, bare) = make(args, &manifest, &report)?;
    made.iter().try_for_each(|file| check_target(&file.path, args.force))?;
    if let Some(folder) = &args.png {
        std::fs::create_dir_all(folder).map_err(|error| Error::unwritable(folder, &error))?;
    }
    made.iter().try_for_each(|file| write_whole(&file.path, &file.bytes, args.force))?;
    if let Some(note) = snapshot_note(args, &report, &bare) {
        stdout::print_to_stderr(&format!("note: {note}\n"));
    }
    print(args, &report, &made, &bare)?;
    Ok(ProgramEnd::Clear)
}

/// Writes one page for several executions under their joint verdict, which decides the exit code,
/// and beside it a page for each of them.
fn several(
    args: &ReportArgs,
    targets: &[(&'static str, PathBuf)],
    places: Vec<results::ResultPlace>,
) -> Result<ProgramEnd> {
    let [("html", target)] = targets else {
        let problem = "several executions make one page, and no other file";
        return Err(Error::usage("report", problem, "give --html alone, or one execution"));
    };
    if args.png.is_some() {
        let problem = "several executions make one page, and no pictures";
        return Err(Error::usage("--png", problem, "give --html alone, or one execution"));
    }
    let all = results::read(places)?;
    let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let own: Vec<PathBuf> =
        (1..=all.len()).map(|number| target.with_file_name(format!("{stem}-{number}.html"))).collect();
    for path in own.iter().chain([target]) {
        all.iter().try_for_each(|one| check_beside(path, &one.place.dir))?;
        check_target(path, args.force)?;
    }
    let options = ReportOptions { max_issues: args.max_issues, views: !args.no_views, all_views: false };
    let (mut entries, mut made) = (Vec::new(), Vec::new());
    for (one, path) in all.iter().zip(&own) {
        let report = clearsweep_report::read_report(&one.place.dir, &one.manifest, &options)?;
        let Summary { runs, frames, rows, .. } = one.manifest.summary;
        let checked = [("run", runs), ("frame", frames), ("row", rows)];
        entries.push(JointEntry {
            name: one.place.name.display().to_string(),
            verdict: report.verdict.clone(),
            href: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            checked: checked.map(|(noun, number)| clearsweep_report::counted(number, noun)).join(", "),
            open: report.issues.iter().filter(|issue| issue.is_open).count() as u64,
        });
        write_whole(path, &page(&report)?, args.force)?;
        made.push(MadeFile { what: "html", path: path.clone(), bytes: Vec::new() });
    }
    let is_violated = |one: &&results::OneResult| one.manifest.summary.verdict.as_deref() == Some("violated");
    let verdict = joint_verdict(results::verdict(&all), all.len(), all.iter().filter(is_violated).count());
    write_whole(target, joint_html(&verdict, &entries)?.as_bytes(), args.force)?;
    let printed = match args.json {
        true => {
            let paths: Vec<String> = own.iter().map(|path| path.display().to_string()).collect();
            stdout::print_json(
                &json!({ "verdict": verdict.word, "page": target.display().to_string(), "pages": paths }),
            )
        }
        false => stdout::print(&table(&[
            ("html", format!("{}, which leads to {} pages", target.display(), made.len())),
            ("verdict", format!("{}: {}", verdict.word, verdict.sentence)),
        ])),
    };
    exit::printed(printed, results::end(&all))
}

/// Writes the page of a run that is done; it has no other file.
pub(super) fn page_of_run(dir: &Path, manifest: &Manifest, path: &Path, force: bool) -> Result<u64> {
    let report = clearsweep_report::read_report(dir, manifest, &ReportOptions::default())?;
    let page = page(&report)?;
    write_whole(path, &page, force)?;
    Ok(page.len() as u64)
}

fn page(report: &Report) -> Result<Vec<u8>> {
    let pictures = clearsweep_report::pictures(report, PICTURE_SIZE);
    Ok(clearsweep_report::html(report, &pictures)?.into_bytes())
}

/// The single files that are asked for, by format.
fn targets(args: &ReportArgs) -> Result<Vec<(&'static str, PathBuf)>> {
    let ReportArgs { html, bcf, glb, csv, xlsx, .. } = args;
    let all = [("html", html), ("bcf", bcf), ("glb", glb), ("csv", csv), ("xlsx", xlsx)];
    let targets: Vec<_> = all.into_iter().filter_map(|(format, path)| Some((format, path.clone()?))).collect();
    if targets.is_empty() && args.png.is_none() {
        let remedy = "name a file: --html report.html, --bcf, --glb, --csv, --xlsx, or a folder for pictures: --png";
        return Err(Error::usage("report", "no file is asked for", remedy));
    }
    if args.bcf.is_some() && args.author.is_none() {
        let remedy = "name who raises the topics by an e-mail address: --author NAME@COMPANY.COM";
        return Err(Error::usage("--bcf", "has no author", remedy));
    }
    for (flag, path) in [("--png", &args.png), ("--glb", &args.glb)] {
        if args.no_views && path.is_some() {
            return Err(Error::usage(flag, "shows geometry, which --no-views leaves out", "leave one of them out"));
        }
    }
    let twice = |path: &Path| targets.iter().filter(|(_, other)| other == path).count() > 1;
    if let Some((format, path)) = targets.iter().find(|(_, path)| twice(path)) {
        let problem = format!("{} is named for two formats", path.display());
        return Err(Error::usage(format!("--{format}"), problem, "name a file of its own for each"));
    }
    Ok(targets)
}

/// Makes all files, before any of them is written; with the ids of topics that have no snapshot.
fn make(args: &ReportArgs, manifest: &Manifest, report: &Report) -> Result<(Vec<MadeFile>, Vec<String>)> {
    let (mut made, mut bare) = (Vec::new(), Vec::new());
    let is_large = args.bcf.is_some() || args.png.is_some();
    let large = if is_large { clearsweep_report::pictures(report, LARGE_PICTURE) } else { Vec::new() };
    let mut add = |what, path: &Path, bytes: Vec<u8>| made.push(MadeFile { what, path: path.to_owned(), bytes });
    if let Some(path) = &args.html {
        add("html", path, page(report)?);
    }
    if let (Some(path), Some(author)) = (&args.bcf, &args.author) {
        let version = if args.bcf_version == "3.0" { BcfVersion::V3_0 } else { BcfVersion::V2_1 };
        let options = BcfOptions { version, author: author.clone(), date: now() };
        add("bcf", path, clearsweep_report::bcf(report, &large, &options)?);
        let without = clearsweep_report::topics_without_snapshot(report, &large);
        bare.extend(without.into_iter().map(|issue| issue.id.clone()));
    }
    if let Some(path) = &args.glb {
        let moment = match (&args.issue, args.run) {
            (_, Some(run)) => GlbMoment::Run(run),
            (Some(issue), None) => GlbMoment::Issue(issue),
            (None, None) => GlbMoment::Worst,
        };
        let (bytes, notes) = clearsweep_report::run_glb(manifest, report, moment)?;
        notes.iter().for_each(|note| super::notes::note(note));
        add("glb", path, bytes);
    }
    if let Some(path) = &args.csv {
        add("csv", path, clearsweep_report::csv(report)?.into_bytes());
    }
    if let Some(path) = &args.xlsx {
        add("xlsx", path, clearsweep_report::xlsx(report)?);
    }
    if let Some(folder) = &args.png {
        for (issue, picture) in report.issues[..report.in_full].iter().zip(large) {
            if let Some(picture) = picture {
                add("png", &folder.join(format!("{}.png", issue.id)), picture);
            }
        }
    }
    Ok((made, bare))
}

/// Says which topics of a BCF file have no snapshot; `None`: all have one.
fn snapshot_note(args: &ReportArgs, report: &Report, bare: &[String]) -> Option<String> {
    /// Topics that are named; `--json` has all.
    const NAMED: usize = 10;
    let first = bare.first()?;
    let why = match args.no_views {
        true => "leave --no-views out for snapshots of all",
        false => "a body is no more, or has no pose at that moment",
    };
    let named = bare.iter().take(NAMED).skip(1).fold(first.clone(), |named, id| named + ", " + id);
    let more = bare.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let topics = report.issues.iter().filter(|issue| issue.names().is_some()).count();
    let count = format!("{} of {topics} topics", bare.len());
    Some(format!("{count} without a snapshot, which BIMcollab and Solibri refuse: {named}{more}; {why}"))
}

/// The time as RFC 3339 in UTC: that of SOURCE_DATE_EPOCH if it is set, so that a file can be made
/// again.
fn now() -> String {
    let set = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let time = chrono::DateTime::from_timestamp(set.unwrap_or(since as i64), 0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Prints which files were written. `bare`: ids of issues whose topics have no snapshot.
fn print(args: &ReportArgs, report: &Report, made: &[MadeFile], bare: &[String]) -> Result<()> {
    let of_png = |file: &&MadeFile| file.what == "png";
    let pictures = made.iter().filter(of_png).count();
    if args.json {
        let files = made.iter().map(
            |file| json!({ "format": file.what, "path": file.path.display().to_string(), "bytes": file.bytes.len() }),
        );
        return stdout::print_json(&json!({
            "issues": report.issues.len(),
            "issues_in_full": report.in_full,
            "topics_without_snapshot": bare,
            "pairs_not_listed": report.pairs_not_listed(),
            "files": files.collect::<Vec<_>>(),
        }));
    }
    let single = made.iter().filter(|file| !of_png(file));
    let mut rows: Vec<(&str, String)> = single
        .map(|file| (file.what, format!("{} to {}", bytes(file.bytes.len() as u64), file.path.display())))
        .collect();
    if let Some(folder) = &args.png {
        let size: usize = made.iter().filter(of_png).map(|file| file.bytes.len()).sum();
        rows.push(("png", format!("{pictures} pictures, {} to {}", bytes(size as u64), folder.display())));
    }
    let violated = report.issues.iter().filter(|issue| !issue.findings.is_empty()).count();
    if report.in_full < violated {
        let text = format!("{} of {violated} issues in full, the others as rows (--max-issues)", report.in_full);
        rows.push(("issues", text));
    }
    let not_listed = report.pairs_not_listed();
    if not_listed > 0 {
        let text = format!(
            "{} not listed: an issue lists its {} nearest; `clearsweep export DIR --csv` has all",
            counted(not_listed, "pair"),
            Issue::MOST_FINDINGS,
        );
        rows.push(("pairs", text));
    }
    stdout::print(&table(&rows))
}
