//! Text of `--help` below the flags: examples that work as printed from a fresh clone, units, exit
//! codes.
//!
//! A test runs every line that begins with `clearsweep`.

pub(crate) const PROGRAM: &str = "\
Begin here (from the folder of the sources):
  clearsweep generate crowd --out demo/crowd --bodies 20 --frames 120
  clearsweep check demo/crowd/scene.toml
  clearsweep run demo/crowd/scene.toml --out demo/out
  clearsweep summary demo/out

Results go to stdout, progress and errors to stderr; with --json, one JSON object on stdout and nothing else;
with --errors json, one JSON object on each line of stderr. clearsweep schema tells their keys.
Each command has examples in its own help: clearsweep run --help
Completion of commands and flags: clearsweep completions --help

Exit codes: 0 done, and nothing violates `require` but what is accepted; 1 failed, or `verify` finds a difference; 2 usage, \
or something is required and nothing was there to be checked; 3 done, with violations of `require` that nobody has accepted, or findings \
of `audit`, or a wrong row of `recheck`; 4 done, but with uncertified rows or undecided intervals, and no violation; 130 interrupted; 141 the reader \
of `run --out -` closed the pipe. The help of each command names its own.";

pub(crate) const RUN: &str = "\
Lengths are in the scene's unit, or carry their own: 50mm, 0.2m, 1.5ft. The tables are in metres, seconds, radians.

--force keeps the old tables until the new ones are whole, which takes the disk space of both; then they change places. \
It removes what a killed run has left. It does not disturb a run that is at work, and does not replace files of others, \
whatever their names, nor anything that the job reads.

--trajectories - reads an Arrow IPC stream from stdin, copied to a temporary file first, since bounds are read before poses. --out - \
writes `distances` as such a stream to stdout, no other table, and the summary to stderr:
  cat poses.arrows | clearsweep run scene.toml --trajectories - --out - > distances.arrows

Examples (from the folder of the sources):
  clearsweep run datasets/crowd/scene.toml --out out/crowd
  clearsweep run datasets/crowd/scene.toml --out out/close --within 10mm --runs 0..1 --frames 20..60
  clearsweep run datasets/crowd/scene.toml --out out/crowd --force --json --progress none
  clearsweep run datasets/crowd/scene.toml --out out/down --frames 0..20 --direction 0,0,-1
  clearsweep run datasets/crowd/scene.toml --out out/between --frames 0..20 --between linear

Exit codes: 0 done, and nothing violates `require` but what is accepted (--accepted), or a shard is whole; 1 failed, with no \
new result, or the page of --report cannot be written; 2 usage, or done, but with something required and nothing there to be checked \
(unless --allow-empty); 3 done, and a row, or an interval between frames, violates `require`, and nobody has accepted it; 4 done, \
none does, but rows without a proven bracket or undecided intervals are among them; 130 interrupted; 141 \
the reader of --out - closed the pipe.";

pub(crate) const CHECK: &str = "\
Reads everything once and writes nothing but the file that --srdf names. Beside what a run would refuse (exit code 1) it warns of what is allowed but \
looks wrong: rules that cover no pair, sizes off by a unit, bodies that never move, jumps, times that do not increase. \
Warnings do not change the exit code.

SCENE may be a geometry file (.glb, .gltf, .obj, .stl, .ply, .dae, .3mf, .rvm): then a scene to begin with is printed too, which `clearsweep init` writes.

Examples (from the folder of the sources):
  clearsweep check datasets/first-clash-check/plant.glb
  clearsweep check datasets/crowd/scene.toml
  clearsweep check datasets/crowd/scene.toml --frames 0..60 --json
  clearsweep check datasets/joints/arm.toml --srdf -

Exit codes: 0 a run would be done, whatever the warnings; 1 it would fail; 2 usage, also --runs and --frames that choose nothing; \
130 interrupted.";

pub(crate) const INIT: &str = "\
Makes a body of each part of the file, at rest, and requires that none of them overlap. Comments say what to change next. The scene is \
checked first, as `clearsweep check` does.

Examples (from the folder of the sources):
  clearsweep init datasets/first-clash-check/plant.glb --out out/plant.toml
  clearsweep check out/plant.toml

Exit codes: 0 written; 1 the geometry cannot be used, or the scene file exists; 2 usage. The file appears whole or not at all.";

pub(crate) const AUDIT: &str = "\
Checks a log of poses. A tunnel is a contact that is proven between two neighbouring frames, both of which show the bodies apart. An overlap is \
a stretch of frames in which bodies are proven to overlap by more than --allow. [columns] of the scene names the columns of the log.

Nothing is written without --out. The scene may leave `within` out: contacts are looked for. Ignored pairs and accepted overlaps are no findings.

Examples (from the folder of the sources):
  clearsweep audit datasets/simulator-log/scene.toml
  clearsweep audit datasets/simulator-log/scene.toml --allow 1mm --between linear --top 3
  clearsweep audit datasets/simulator-log/scene.toml --frames 0..60 --csv findings.csv --force --json

Exit codes: 0 nothing found; 1 failed; 2 usage, or nothing was there to be checked; 3 found; 4 nothing found, but an interval \
or a sample is not decided; 130 interrupted.";

pub(crate) const GENERATE: &str = "\
The same options give the same bytes on every machine. DIR has to be new or empty.

Examples:
  clearsweep generate pipe-rack --out demo/plant --frames 200
  clearsweep generate separation --out demo/separation --runs 20 --json
  clearsweep generate shop-floor --out demo/shop-floor --poses noisy --frames 2000

Exit codes: 0 written; 1 failed, and nothing is left behind; 2 usage; 130 interrupted, and nothing is left behind.";

pub(crate) const SUMMARY: &str = "\
Lengths are in the unit of `require`, or of the scene: proven brackets, rounded outward. Lists are ordered by the upper end of the bracket, \
the least first; runs that violate `require` come before others.

Examples (from the folder of the sources):
  clearsweep run datasets/coherence/scene.toml --out out/coherence
  clearsweep summary out/coherence
  clearsweep summary out/coherence --json

Exit codes: 0 printed; 1 DIR is no output of a finished execution; 2 usage. Of several results the joint verdict decides, as for \
`run`: 0 nothing violates `require` but what is accepted; 2 something is required and nothing was checked; 3 violated; 4 a row or \
an interval is not proven, and none violates.";

pub(crate) const ACCEPT: &str = "\
Writes a row for each rule and pair: the least distance that is proven, down to which later violations are accepted, the day, who and why. \
A scene reads the file by [dispositions] file, or a run by --accepted; a spreadsheet may edit it. A violation that comes nearer is open again.
--pair takes names or globs (`*` any text, `?` one character), in either order.

Examples (from the folder of the sources):
  clearsweep run datasets/contact/scene.toml --out out/contact
  clearsweep accept out/contact --to out/accepted.csv --reason rests --pair table 'crate*'
  clearsweep accept out/contact --to out/accepted.csv --reason by-design --by A.B. --all
  clearsweep run datasets/contact/scene.toml --out out/contact --force --accepted out/accepted.csv

Exit codes: 0 written; 1 DIR is no output of a finished execution, or has no such violation; 2 usage. The file appears whole or not at all.";

pub(crate) const DIFF: &str = "\
A pair under a rule is new, worse (proven to come nearer), the same, better (proven to stay farther away), or resolved. A difference \
of at most --worse-by is no change; left out, it is the larger `touch` of the scenes. Names of rules and bodies tell which pairs are the \
same. A body that only NEW has is a new part; one that only OLD has is a gone part.

Examples (from the folder of the sources):
  clearsweep run datasets/contact/scene.toml --out out/old
  clearsweep run datasets/contact/scene.toml --out out/new --require 1mm
  clearsweep diff out/old out/new
  clearsweep diff out/old out/new --worse-by 0.5mm --json

Exit codes: 0 compared, whatever the changes; 1 OLD or NEW is no output of a finished execution in which something is required; 2 usage.";

pub(crate) const REPORT: &str = "\
Geometry and poses are read again from the paths in the manifest; a file that has changed since is an error that names it. Topics of BCF keep \
their GUIDs as issues keep their ids (`run --previous`); solved issues are closed topics. SOURCE_DATE_EPOCH sets the date in a BCF file.

Examples (from the folder of the sources):
  clearsweep run datasets/pipe-rack/scene.toml --out out/pipe-rack --require 50mm --report out/pipe-rack.html
  clearsweep report out/pipe-rack --html out/report.html
  clearsweep report out/pipe-rack --bcf out/issues.bcf --author you@example.com
  clearsweep report out/pipe-rack --glb out/worst.glb --png out/pictures --xlsx out/issues.xlsx

Exit codes: 0 written; 1 DIR is no output of a finished execution, a file has changed, or one to be written exists; 2 usage. Each file \
appears whole or not at all. Of several results the joint verdict decides, as for `run`: 0 nothing violates `require` but what is \
accepted; 2 something is required and nothing was checked; 3 violated; 4 a row or an interval is not proven, and none violates.";

pub(crate) const EXPORT: &str = "\
Numbers are written so that they read back as the same number. In CSV nulls are empty cells, and lists have `;` between their items. \
Columns are those of the Parquet tables, in SI units.

Examples (from the folder of the sources):
  clearsweep run datasets/coherence/scene.toml --out out/coherence
  clearsweep export out/coherence --csv
  clearsweep export out/coherence --csv --table pairs --to -
  clearsweep export out/coherence --ndjson --gzip

Exit codes: 0 written; 1 DIR is no output of a finished execution, or a file exists; 2 usage; 130 interrupted: tables that \
are finished stay. A file appears whole or not at all.";

pub(crate) const QUERY: &str = "\
Shapes: box:X,Y,Z (full sides), sphere:R, capsule:R,LENGTH (core along z), cylinder:R,HEIGHT (a prism: \
cylinder:R,HEIGHT,SIDES), cone:R_BELOW,R_ABOVE,HEIGHT, ellipsoid:A,B,C (half axes), dish:R,HEIGHT,spherical (or elliptical), \
torus:R_ARC,R_TUBE,90deg, rectangular_torus:R_INNER,R_OUTER,HEIGHT,90deg (a full turn without an angle), or a geometry \
file (.obj, .stl, .ply, .dae, .glb, .gltf, .3mf, but not .rvm), which is taken as its hull if it is convex, else as its exact triangles. mesh:FILE takes \
the triangles, hull:FILE the convex hull, pieces:FILE its objects as convex pieces, piece-hulls:FILE the hull of each object, decomposition:FILE convex pieces for a \
solid, with their measured deviation. Answers are in metres, in the frame of A.

Examples (from the folder of the sources):
  clearsweep query box:1,1,1 sphere:0.5 --pose 2,0,0,1,0,0,0
  clearsweep query datasets/coherence/object.obj box:4,4,2 --pose 9,0,0,1,0,0,0 --json
  clearsweep query hull:datasets/pipe-rack/geometry/beam.obj sphere:50 --unit mm
  clearsweep query box:1,1,1 box:1,1,1 --pose 0.25,0,1,1,0,0,0 --explain
  clearsweep query box:1,1,1 sphere:0.5 --pose 2,0,4,1,0,0,0 --direction -1,0,-2
  clearsweep query box:1,1,1 sphere:0.5 --between 2,0,4,1,0,0,0 2,0,-4,1,0,0,0

Exit codes: 0 answered; 1 a file cannot be used; 2 usage; 4 answered without a proven bracket, or, with --between, undecided.";

pub(crate) const SORT: &str = "\
Sorts by run, then frame; rows of a frame stay in the order in which they are read. Columns of the format come out \
under its names (run, frame, time_s, body, x, ...), unless [columns] of --scene names them; all other columns are kept. More rows than --memory holds are sorted \
through temporary files, which take about the size of the input, uncompressed. OUT appears whole or not at all.

Examples (from the folder of the sources):
  clearsweep sort datasets/crowd/trajectories.parquet sorted.parquet
  clearsweep sort datasets/crowd/trajectories.parquet sorted.parquet --force --memory 512MB

Exit codes: 0 done; 1 failed; 2 usage; 130 interrupted. Only with 0 is there a new OUT.";

pub(crate) const PLAN: &str = "\
Reads the statistics of row groups (Parquet) or the keys of all rows, and nothing else: every machine makes the same plan, and \
`run --shard I/N` makes it again. Runs stay whole, but one that is longer than a shard is cut at frames whose number is a \
multiple of 64. Shards have about equal numbers of poses.

Examples (from the folder of the sources):
  clearsweep plan datasets/separation/scene.toml --shards 8
  clearsweep plan datasets/separation/scene.toml --shards 8 --out out/tasks.parquet --force --json

Exit codes: 0 done; 1 failed; 2 usage, also --runs and --frames that choose nothing.";

pub(crate) const MERGE: &str = "\
Checks that the shards are of one job and cover it once, then writes the tables that one machine would have written, byte for \
byte (--fast: the same rows). The scene is loaded again: its files have to be those of the shards. Memory depends on neither \
rows nor shards.

Examples (from the folder of the sources):
  clearsweep run datasets/separation/scene.toml --shard 0/2 --out out/shards
  clearsweep run datasets/separation/scene.toml --shard 1/2 --out out/shards
  clearsweep merge out/shards --out out/merged --force

Exit codes: those of `run`: 0 nothing violates `require` but what is accepted; 1 failed, with no new result; 2 usage, or something \
is required and nothing was checked; 3 violated; 4 a row or an interval is not proven, and none violates; 130 interrupted.";

pub(crate) const VERIFY: &str = "\
The manifest tells a digest of the rows of each table, for groups of runs. With one directory its tables are read and their rows \
compared with that; with two the digests of both manifests are compared, in no time. Rows count, not how files are divided.

Examples (from the folder of the sources):
  clearsweep run datasets/crowd/scene.toml --out out/crowd --force
  clearsweep verify out/crowd
  clearsweep verify out/crowd out/crowd --json

Exit codes: 0 equal; 1 something differs, or cannot be read; 2 usage.";

pub(crate) const RECHECK: &str = "\
Loads the scene and its poses again, and proves rows of the tables by code that shares nothing with the engine: brackets, pairs without a row, \
intervals, and numbers that follow from rows. Files have to be those that the run read; one that differs is named. A sample takes --seconds; the \
worst rows are always among it. What was only bounded or not looked at is said.

Examples (from the folder of the sources):
  clearsweep run datasets/contact/scene.toml --out out/contact --force
  clearsweep recheck out/contact
  clearsweep recheck out/contact --all --out out/rechecked --json --force
  clearsweep recheck out/contact --pair table crate --seconds 1

Exit codes: 0 proven again; 1 DIR is no output of a finished execution, or a file has changed; 2 usage; 3 a statement is wrong; 4 none is, \
but a bracket that was looked at is not proven again; 130 interrupted.";

pub(crate) const EXPLAIN: &str = "\
Prints what proves a row: the direction, the vertices on both supporting planes and their heights, the witness points, the rounding bound and its terms, \
deviations, and what `recheck` finds. Left out, --run and --frame are those of the pair's worst row. --interval F explains the interval after frame F.

Examples (from the folder of the sources):
  clearsweep run datasets/contact/scene.toml --out out/contact --force
  clearsweep explain out/contact --pair table crate
  clearsweep explain out/contact --pair table crate --json

Exit codes: 0 the row is proven again; 1 there is no such row, or a file has changed; 2 usage; 3 the row is wrong; 4 its bracket is not proven again.";

pub(crate) const SCHEMA: &str = "\
All columns that a table may have, also those that some jobs leave out. Keys of a JSON object may be added in a later version; no key is \
renamed or removed without a new schema_version of the manifest.

Examples:
  clearsweep schema
  clearsweep schema pairs
  clearsweep schema --object check --json

Exit codes: 0 printed; 2 usage.";

pub(crate) const CONVERT: &str = "\
Example:
  clearsweep convert building.ifc --out building
  clearsweep convert machine.step --out machine --tolerance 0.05mm";

pub(crate) const DOCTOR: &str = "\
Example:
  clearsweep doctor
  clearsweep doctor --json";

pub(crate) const COMPLETIONS: &str = "\
To install:
  bash        clearsweep completions bash > ~/.local/share/bash-completion/completions/clearsweep
  zsh         clearsweep completions zsh > ~/.zfunc/_clearsweep, with `fpath+=~/.zfunc` before compinit in ~/.zshrc
  fish        clearsweep completions fish > ~/.config/fish/completions/clearsweep.fish
  powershell  clearsweep completions powershell >> $PROFILE
  elvish      clearsweep completions elvish >> ~/.config/elvish/rc.elv

Example:
  clearsweep completions bash";

pub(crate) const MAN: &str = "\
To install: clearsweep man > ~/.local/share/man/man1/clearsweep.1, and likewise clearsweep-run.1, \
clearsweep-generate-crowd.1 and so on.

Examples:
  clearsweep man
  clearsweep man run
  clearsweep man generate crowd";

#[cfg(test)]
mod tests {
    use super::super::args::Cli;
    use clap::{CommandFactory, Parser};

    #[test]
    fn every_command_has_examples_that_parse() {
        let mut program = Cli::command();
        program.build();
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  clearsweep ")).collect();
            assert!(!examples.is_empty(), "{} has no example", command.get_name());
            for example in examples {
                let words = std::iter::once("clearsweep").chain(example.split_whitespace());
                Cli::try_parse_from(words).unwrap_or_else(|error| panic!("clearsweep {example}: {error}"));
            }
        }
    }
}
