//! `cargo xtask`: runs the quick loop (`quick`) and the comparison of two programs (`same`, `levels`) itself,
//! and hands every other name to the campaigns (`main.rs`), which need the whole engine as
//! released. This program needs no crate, so it compiles in a second.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tools report to the person who runs them")]

mod counts;
mod same;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask quick [--since REVISION]
  formatting, lints and unit tests of the packages that differ from REVISION (HEAD) and of those that depend on them";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["quick"] => quick("HEAD"),
        ["quick", "--since", revision] => quick(revision),
        ["quick", ..] => Err(USAGE.to_owned()),
        ["counts"] => counts::main().map(|is_done| ExitCode::from(u8::from(!is_done))),
        ["levels", ref rest @ ..] => same::levels::main(rest).map(|is_same| ExitCode::from(u8::from(!is_same))),
        ["same", ref rest @ ..] => same::main(rest).map(|is_same| ExitCode::from(u8::from(!is_same))),
        _ => campaign(&arguments),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Runs a campaign; the exit code is its own.
fn campaign(arguments: &[&str]) -> Result<ExitCode, String> {
    const RUN: [&str; 8] = ["run", "--release", "--locked", "--package", "xtask", "--bin", "xtask", "--"];
    let status = command("cargo", &RUN).args(arguments).status().map_err(|error| format!("cargo: {error}"))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Checks what differs from `revision`. Errors: the step that failed.
fn quick(revision: &str) -> Result<ExitCode, String> {
    let files = changed_files(revision)?;
    let changed: BTreeSet<&str> = files.lines().filter_map(package_of).collect();
    let texts_changed = files.lines().any(|file| file.ends_with(".md") || file.starts_with("docs/"));
    if changed.is_empty() && !texts_changed {
        return Err(format!("nothing differs from {revision}, so nothing was checked\n{USAGE}"));
    }
    let start = Instant::now();
    if !changed.is_empty() {
        step(start, "cargo", &["fmt", "--check"])?;
        // Cargo knows which packages are affected. All of them are named, so that each has the
        // features of the full tests.
        step(
            start,
            "cargo",
            &["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"],
        )?;
        let mut test = vec!["test", "--locked", "--quiet", "--lib"];
        let affected = affected_packages(&changed)?;
        test.extend(affected.iter().flat_map(|package| ["--package", package]));
        step(start, "cargo", &test)?;
    }
    if texts_changed {
        step(start, "cargo", &["test", "--locked", "--quiet", "--test", "house", "docs::"])?;
    }
    let programs: BTreeSet<&str> = files.lines().filter_map(test_program_of).collect();
    eprintln!("passed after {} s; not run: the tests from outside", start.elapsed().as_secs());
    for program in programs {
        eprintln!("  changed: cargo test --locked --test {program}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Paths that differ from `revision`, and untracked files, one a line.
fn changed_files(revision: &str) -> Result<String, String> {
    let tracked = output("git", &["diff", "--name-only", "--relative", revision, "--"])?;
    let untracked = output("git", &["ls-files", "--others", "--exclude-standard"])?;
    Ok(tracked + &untracked)
}

/// The package that a file belongs to; `None`: the file is compiled into none.
fn package_of(file: &str) -> Option<&str> {
    let (folder, rest) = file.split_once('/').unwrap_or(("", file));
    match folder {
        "crates" => rest.split_once('/').map(|(name, _)| name),
        "python" if rest.starts_with("src/") || rest == "Cargo.toml" => Some("python"),
        "xtask" => Some("xtask"),
        "kernels" => Some("broad"),
        "src" | "tests" | "benches" | "examples" | ".cargo" => Some(""),
        "" if ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "rustfmt.toml"].contains(&rest) => Some(""),
        _ => None,
    }
}

/// The test program that a file belongs to.
fn test_program_of(file: &str) -> Option<&str> {
    let name = file.strip_prefix("tests/")?.split('/').next()?;
    Some(name.strip_suffix(".rs").unwrap_or(name)).filter(|&name| name != "support")
}

/// The packages of the changed folders, and all packages of the workspace that depend on them, if
/// they have unit tests.
fn affected_packages(folders: &BTreeSet<&str>) -> Result<BTreeSet<String>, String> {
    // The root package enables the features of the others, which are compiled once only if it is
    // always named.
    let mut affected = BTreeSet::from(["clearsweep".to_owned()]);
    for folder in folders {
        let name = match *folder {
            "" | "python" | "xtask" => continue,
            folder => format!("clearsweep-{}", folder.replace('_', "-")),
        };
        let edges = ["--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}"];
        let tree = output("cargo", &[&["tree", "--workspace", "--locked", "--invert", &name][..], &edges].concat())?;
        affected.extend(tree.lines().filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_owned()));
    }
    // Neither has unit tests: a test program of the Python module would have to link Python.
    affected.retain(|name| name != "xtask" && name != "clearsweep-python");
    Ok(affected)
}

/// Runs one step, and says after how many seconds of the loop it began.
fn step(start: Instant, program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    eprintln!("==> {shown} ({} s)", start.elapsed().as_secs());
    match command(program, arguments).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: {shown}")),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

/// Returns the output of a program on stdout.
fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let done = command(program, arguments).output().map_err(|error| format!("{program}: {error}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!(
            "failed: {program} {}\n{}",
            arguments.join(" "),
            String::from_utf8_lossy(&done.stderr).trim_end()
        )),
    }
}

/// A program, started in the folder of the workspace.
fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(arguments);
    command
}
