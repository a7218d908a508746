//! A large scene file in sections, on all cores.
//!
//! A scene that holds the points of its bodies is megabytes of TOML. A line that begins with
//! `[[body]]` ends what is before it, whatever that is, so the parts between such lines are
//! documents of their own. They are parsed and lowered side by side, and the first of them, which
//! says where the trajectories are, before all others.
//!
//! Nothing is reported from here: where a part is wrong, or parts have more in common than bodies,
//! the caller parses the whole as it would without this module. So messages and what is allowed do
//! not depend on the size of a file.

use super::each::MadeOfFiles;
use super::file::{self, BodyList, Head, SceneFile, SceneSection, WorkList};
use super::joints::JointSpecs;
use super::keys::SceneSource;
use clearsweep_base::workers::Workers;
use clearsweep_model::{Expected, LengthUnit};
use std::ops::Range;
use std::path::Path;

/// Bytes from which a file is cut.
const LARGE: usize = 64 << 10;

/// Bytes of a part, or a few more: what its parser remembers of it stays in the second-level cache.
const PART: usize = 16 << 10;

/// Begins a body.
const BODY: &str = "\n[[body]]";

/// Lowers a large scene file; `told` hears its head first. `None`: it is not large, or not as
/// simple as most are.
pub(super) fn parse(path: &Path, text: &str, threads: Option<usize>, told: &mut dyn FnMut(&Head)) -> Option<SceneFile> {
    if text.len() < LARGE { None } else { in_parts(path, text, PART, threads, told) }
}

fn in_parts(
    path: &Path,
    text: &str,
    bytes: usize,
    threads: Option<usize>,
    told: &mut dyn FnMut(&Head),
) -> Option<SceneFile> {
    let (first, rest) = cut(text, bytes)?;
    let lower = |part: &Range<usize>, unit: Option<LengthUnit>| {
        file::section(&SceneSource::of_section(path, part.start, &text[part.clone()]), unit)
    };
    let first = lower(&first, None)?;
    // Bodies written as a list cannot be added to.
    let unit = first.head.as_ref().filter(|_| first.bodies.is_empty())?.unit;
    told(first.head.as_ref()?);
    let sections = Workers::new(threads).each(rest.len(), 1, |part| lower(&rest[part], Some(unit)));
    join(&SceneSource::new(path, text), std::iter::once(Some(first)).chain(sections))
}

/// Cuts the text into the part before the first body, and parts of at least `bytes` bytes that
/// begin with a body each.
fn cut(text: &str, bytes: usize) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    // Only in a text of several lines could a line that begins a section be something else.
    if text.contains("\"\"\"") || text.contains("'''") {
        return None;
    }
    let mut starts = Vec::new();
    for (at, _) in text.match_indices(BODY) {
        if starts.last().is_none_or(|last| at + 1 - last >= bytes) {
            starts.push(at + 1);
        }
    }
    let first = 0..*starts.first()?;
    // Whoever is told of the head begins to read by `[columns]`, too, which may stand behind the
    // bodies.
    let is_columns = |line: &str| line.starts_with('[') && !line.starts_with(&BODY[1..]) && line.contains("columns");
    if text[first.end..].lines().map(str::trim_start).any(is_columns) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    Some((first, starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()))
}

/// Joins the sections of a file; `None` if two of them say the same thing.
fn join(source: &SceneSource<'_>, sections: impl Iterator<Item = Option<SceneSection>>) -> Option<SceneFile> {
    fn set<T>(known: &mut Option<T>, more: Option<T>) -> Option<()> {
        match more {
            Some(_) if known.is_some() => None,
            Some(more) => {
                *known = Some(more);
                Some(())
            }
            None => Some(()),
        }
    }
    let (mut head, mut query, mut motion, mut ignores, mut rules) = (None, None, None, None, None);
    let mut bodies = BodyList::default();
    for section in sections {
        let section: SceneSection = section?;
        set(&mut head, section.head)?;
        set(&mut query, section.query)?;
        set(&mut motion, section.motion)?;
        set(&mut ignores, section.ignores)?;
        set(&mut rules, section.rules)?;
        for body in section.bodies {
            bodies.add(source, body).ok()?;
        }
    }
    let query = query.unwrap_or_default();
    let (ignores, rules) = (ignores.unwrap_or_default(), rules.unwrap_or_default());
    let (bodies, tables, made) = (bodies.finish(source).ok()?, Vec::new(), MadeOfFiles::default());
    let (joints, work, expected) = (JointSpecs::default(), WorkList::default(), Expected::default());
    Some(SceneFile { head: head?, query, motion, bodies, joints, ignores, rules, work, expected, tables, made })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[scene]\nlength_unit = \"mm\"\ntrajectories = \"t.parquet\"\n";

    fn body(index: usize) -> String {
        let shape = format!("shape = {{ points = [\n  [0, 0, 0], [1.5, {index}, -2e-3],\n  [1, 2, 3]] }}");
        match index % 4 {
            0 => format!("[[body]]\nname = \"b{index}\"\n{shape}\ngroup = [\"g\", \"all\"]\n"),
            1 => format!("[[body]] # a comment: [[body]]\r\nname = 'b{index}'\r\n{shape}\r\n"),
            2 => format!("[[body]]\n\n  name = \"b{index}\"\n  geometry = \"part.obj\"\n  unit = \"in\"\n"),
            _ => {
                let pose = "static = true\nposition = [1, 2, 3]\n[body.shape]\nbox = [1, 1, 2]\n";
                format!("[[body]]\nname = \"b{index}\"\n{pose}")
            }
        }
    }

    fn bodies(count: usize) -> String {
        (0..count).map(body).collect()
    }

    /// The file by its sections, and as a whole; and how often the head was heard of.
    fn both(text: &str, bytes: usize) -> (Option<String>, clearsweep_base::Result<String>, usize) {
        let path = Path::new("scene.toml");
        let mut heads = 0;
        let parts = in_parts(path, text, bytes, None, &mut |_| heads += 1).map(|file| format!("{file:?}"));
        (parts, file::parse(&SceneSource::new(path, text), u64::MAX).map(|file| format!("{file:?}")), heads)
    }

    #[test]
    fn sections_are_what_the_whole_is() {
        let query = "[query]\nwithin = 3\nrequire = 1\n";
        let ignores = "[[ignore]]\na = \"b1\"\nb = \"group:g\"\n[[ignore]]\na = \"b2\"\n";
        for text in [
            format!("{HEAD}{query}{}{ignores}", bodies(40)),
            format!("{HEAD}\n{}{query}{}", bodies(17), ignores),
            format!("{HEAD}{ignores}{query}{}", bodies(1)),
            format!("# first\n{HEAD}{}", bodies(9)),
        ] {
            for bytes in [1, 100, 1000, 1 << 20] {
                let (parts, whole, heads) = both(&text, bytes);
                assert_eq!(parts, Some(whole.expect("a good scene")), "parts of {bytes} bytes");
                assert_eq!(heads, 1);
            }
        }
    }

    #[test]
    fn what_is_wrong_or_unusual_is_left_to_the_whole() {
        let good = bodies(12);
        let wrong = [
            format!("{HEAD}{good}[[body]]\nname = \"b3\"\n[body.shape]\nsphere = 1\n"),
            format!("{HEAD}{good}[scene]\nname = \"again\"\n"),
            format!("{HEAD}{good}[[body]]\nname = \"x\"\ncolour = 3\n"),
            format!("{HEAD}{good}[[body]]\nname = \"x\n{good}"),
            format!("{HEAD}x = [\n[[body]]\n]\n{good}"),
            format!("{HEAD}[body]\nname = \"x\"\n{good}"),
            format!("body = [{{ name = \"x\", shape = {{ sphere = 1 }} }}]\n{HEAD}{good}"),
            format!("{HEAD}{good}[[rule]]\na = \"x\"\n"),
            format!("{HEAD}{good}[nothing]\n"),
            format!("[query]\nwithin = 1\n{good}"),
        ];
        for text in wrong {
            let (parts, whole, _) = both(&text, 64);
            assert!(parts.is_none() && whole.is_err(), "{whole:?}");
        }
        let unusual = [
            format!("{good}{HEAD}"),
            format!("{HEAD}[[ignore]]\na = \"b1\"\n{good}[[ignore]]\na = \"b2\"\n"),
            format!("{HEAD}name = \"\"\"\n[[body]]\"\"\"\n{good}"),
            format!("{HEAD}name = '''\n[[body]]'''\n{good}"),
        ];
        for text in unusual {
            let (parts, whole, _) = both(&text, 64);
            assert!(parts.is_none() && whole.is_ok(), "{whole:?}");
        }
        assert!(both(HEAD, 64).0.is_none(), "no body");
        // The head is told of only with all that it says of the trajectories.
        let named = "[columns]\nbody = \"who\"\n";
        let (parts, whole, heads) = both(&format!("{HEAD}{good}{named}"), 64);
        assert!(parts.is_none() && whole.is_ok() && heads == 0);
        let (parts, whole, heads) = both(&format!("{HEAD}{named}{good}"), 64);
        assert!(parts == whole.ok() && heads == 1);
    }

    #[test]
    fn small_files_are_parsed_at_once() {
        let text = format!("{HEAD}{}", bodies(400));
        let small = &text[..text.len().min(LARGE - 1)];
        let mut heads = 0;
        assert!(parse(Path::new("s"), small, None, &mut |_| heads += 1).is_none() && heads == 0);
        let large = format!("{HEAD}{}", bodies(2 * LARGE / body(0).len()));
        assert!(parse(Path::new("s"), &large, None, &mut |_| heads += 1).is_some() && heads == 1);
    }
}
