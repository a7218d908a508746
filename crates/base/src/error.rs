//! The one error type of the library.
//!
//! An error says *where* (a file, with the row or key), *what is wrong*, and *what to do*. The
//! library returns it; only the program prints it.

use crate::text::{escaped, is_hidden};
use std::fmt::Display;
use std::path::Path;

/// The kind of error; it decides the exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line does not fit (exit code 2).
    Usage,
    /// A file that the user gave is missing, unreadable or wrong (exit code 1).
    Input,
    /// The output cannot be written (exit code 1).
    Output,
    /// The job was cancelled (exit code 130).
    Cancelled,
    /// An invariant of the engine broke: a defect of clearsweep, never of the data (exit code 1).
    Internal,
}

/// An error with the place, the problem and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The file, with the row, line or key where that is known.
    pub place: String,
    /// The problem at that place.
    pub problem: String,
    /// The action that the user can take.
    pub remedy: String,
}

/// Remedy for a file beyond the limit.
pub const LARGE_INPUT: &str = "give a smaller file, or raise the limit (--max-input)";

/// A result of this library.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A file that the user gave is wrong.
    pub fn input(place: impl Display, problem: impl Display, remedy: impl Display) -> Self {
        Self::new(ErrorKind::Input, place, problem, remedy)
    }

    /// The command line does not fit.
    pub fn usage(place: impl Display, problem: impl Display, remedy: impl Display) -> Self {
        Self::new(ErrorKind::Usage, place, problem, remedy)
    }

    /// The output cannot be written.
    pub fn output(place: impl Display, problem: impl Display, remedy: impl Display) -> Self {
        Self::new(ErrorKind::Output, place, problem, remedy)
    }

    /// The job was cancelled.
    #[doc(hidden)]
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the job", "was cancelled", "run it again")
    }

    /// An invariant of the engine broke.
    pub fn internal(place: impl Display, problem: impl Display) -> Self {
        Self::new(
            ErrorKind::Internal,
            place,
            problem,
            "this is a defect of clearsweep: please report it with the input",
        )
    }

    /// An input file that cannot be opened or read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::not_read(path, error, "check the path")
    }

    /// As [`Self::unreadable`], for a file that a scene names.
    #[doc(hidden)]
    pub fn unreadable_of_scene(path: &Path, error: &std::io::Error) -> Self {
        Self::not_read(path, error, "check the path; paths in a scene are relative to the scene file")
    }

    /// An input file that cannot be read. `not_found`: remedy if no file has that name.
    fn not_read(path: &Path, error: &std::io::Error, not_found: &str) -> Self {
        let remedy = match error.kind() {
            // A name alone: the path may be longer than what the user wrote.
            std::io::ErrorKind::NotFound => similar_file(path)
                .map_or(not_found.to_owned(), |near| format!("did you mean `{near}` in the same folder?")),
            std::io::ErrorKind::FileTooLarge => LARGE_INPUT.to_owned(),
            std::io::ErrorKind::PermissionDenied => "check the permissions of the file".to_owned(),
            _ => "check that the file is a readable regular file".to_owned(),
        };
        Self::input(path.display(), format!("cannot be read ({error})"), remedy)
    }

    /// The system gives no further thread.
    #[doc(hidden)]
    pub fn no_thread(error: &dyn Display) -> Self {
        let remedy = "ask for fewer (--threads), or raise the limits of threads and memory (`ulimit -u`, `ulimit -v`)";
        Self::new(ErrorKind::Output, "threads", format!("the system gives no further thread ({error})"), remedy)
    }

    /// An output file that cannot be created, written or moved to its place.
    #[doc(hidden)]
    pub fn unwritable(path: &Path, error: &dyn Display) -> Self {
        let remedy = "check the path, its permissions and the free space";
        Self::output(path.display(), format!("cannot be written ({error})"), remedy)
    }

    /// Several things that are wrong at once, as one error; `place`: what they have in common. One
    /// alone stays as it is.
    #[doc(hidden)]
    pub fn several(place: impl Display, mut errors: Vec<Self>) -> Self {
        /// More than these are counted.
        const LISTED: usize = 10;
        if errors.len() < 2
            && let Some(error) = errors.pop()
        {
            return error;
        }
        let mut problem = format!("{} things are wrong:", errors.len());
        for Self { place, problem: what, remedy, .. } in errors.iter().take(LISTED) {
            problem.push_str(&format!("\n- {place}: {what}\n  {remedy}"));
        }
        if errors.len() > LISTED {
            problem.push_str(&format!("\n- and {} more", errors.len() - LISTED));
        }
        Self::input(place, problem, "mend each as it says, and try again")
    }

    /// The file that the place begins with, if there is one of that name.
    #[doc(hidden)]
    pub fn file(&self) -> Option<&str> {
        let ends = self.place.match_indices([':', ',', ' ']).map(|(at, _)| at).chain([self.place.len()]);
        ends.filter(|&at| at > 0).map(|at| &self.place[..at]).rfind(|path| Path::new(path).is_file())
    }

    fn new(kind: ErrorKind, place: impl Display, problem: impl Display, remedy: impl Display) -> Self {
        // A remedy may quote a command that is to be copied.
        let (place, problem) = (printable(place, QUOTED), printable(problem, QUOTED));
        Self { kind, place, problem, remedy: printable(remedy, QUOTED_COMMAND) }
    }
}

/// Characters of a quoted text that a message keeps.
const QUOTED: usize = 100;

/// Characters of a quoted text that a remedy keeps.
const QUOTED_COMMAND: usize = 2000;

/// Characters of a message, whatever is in it.
const MESSAGE: usize = 20_000;

/// Text with what a user's file put into it, safe for a terminal: hidden characters are escaped,
/// lines are kept, and what stands between backticks is cut to `quoted` characters.
fn printable(text: impl Display, quoted: usize) -> String {
    let text = text.to_string();
    let mut out = String::new();
    let (mut is_quoted, mut length, mut has_hidden) = (false, 0, false);
    for (number, c) in text.chars().enumerate() {
        if number == MESSAGE {
            out.push_str("...");
            break;
        }
        (is_quoted, length) = if c == '`' { (!is_quoted, 0) } else { (is_quoted, length + 1) };
        match () {
            () if is_quoted && length > quoted => {
                if length == quoted + 1 {
                    out.push_str("...");
                }
            }
            () if is_hidden(c) && c != '\n' => {
                out.push_str(&escaped(c));
                has_hidden = is_quoted;
            }
            () => out.push(c),
        }
        if has_hidden && !is_quoted {
            out.push_str(" (with a hidden character)");
            has_hidden = false;
        }
    }
    out
}

/// Names in the folder of a missing file that are most like its name.
fn similar_file(path: &Path) -> Option<String> {
    /// Most files of a folder whose names are compared.
    const LOOKED_AT: usize = 10_000;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.take(LOOKED_AT).filter_map(std::result::Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))
}

/// Longest word that another is suggested for, characters: the search takes the square of it.
const MAX_SUGGESTED: usize = 1000;

/// Most words that a message offers.
const OFFERED: usize = 3;

/// The known words most like a wrong one, for a message that says "did you mean `{}`?": one word,
/// or two or three equally near ones with "` or `" between them.
pub fn nearest<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    offered(&nearest_words(wrong, known))
}

/// The one known word most like a wrong one, for text that is to be copied; `None`: there is none,
/// or others are equally near.
pub fn nearest_one<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    match nearest_words(wrong, known)[..] {
        [near] => Some(near),
        _ => None,
    }
}

/// As [`nearest`], by the letters that both have rather than by those to change.
pub fn similar<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    /// Words below this similarity are not worth a suggestion.
    const SIMILAR: f64 = 0.7;
    let known = known.filter(|word| word.len().max(wrong.len()) <= MAX_SUGGESTED && !is_other_number(word, wrong));
    let words = known.map(|word| (1.0 - strsim::jaro_winkler(wrong, word), word));
    offered(&least(words.filter(|(distance, _)| *distance <= 1.0 - SIMILAR)))
}

/// The words with "` or `" between them; `None` if there are none or too many.
fn offered(words: &[&str]) -> Option<String> {
    (1..=OFFERED).contains(&words.len()).then(|| words.join("` or `"))
}

/// The known words at the least distance from a wrong one.
fn nearest_words<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let length = wrong.chars().count();
    if length > MAX_SUGGESTED {
        return Vec::new();
    }
    let limit = (length / 3).max(2).min(length.saturating_sub(1)); // something must be left of the word
    let lower = wrong.to_lowercase();
    let distance = |word: &str| match () {
        () if is_end(word, wrong) || is_end(wrong, word) => 0,
        // The lengths alone bound the distance from below, which spares most of a large scene's
        // names.
        () if word.len().abs_diff(wrong.len()) > 4 * limit => usize::MAX,
        () => match word.to_lowercase() {
            folded if folded == lower => 0,
            folded if is_other_number(&folded, &lower) => usize::MAX,
            folded => strsim::damerau_levenshtein(&lower, &folded).max(1),
        },
    };
    least(known.map(|word| (distance(word), word)).filter(|(distance, _)| *distance <= limit))
}

/// The words of the least distance, each once; not all of them if there are too many to offer.
fn least<'n, D: PartialOrd>(words: impl Iterator<Item = (D, &'n str)>) -> Vec<&'n str> {
    let mut best: Option<(D, Vec<&str>)> = None;
    for (distance, word) in words {
        match &mut best {
            Some((least, _)) if distance > *least => {}
            Some((least, words)) if distance == *least => {
                if words.len() <= OFFERED && !words.contains(&word) {
                    words.push(word);
                }
            }
            _ => best = Some((distance, vec![word])),
        }
    }
    best.map_or(Vec::new(), |(_, words)| words)
}

/// Whether a name is the end of a path: its last words without those before are a common slip.
fn is_end(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|above| above.ends_with('/'))
}

/// Whether words differ in digits alone: numbers tell things apart, and are no slips.
fn is_other_number(word: &str, other: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    word != other && letters(word) == letters(other)
}

#[cfg(test)]
mod tests {
    use super::{Error, MESSAGE, nearest, nearest_one};

    #[test]
    fn quoted_texts_are_cut_and_messages_bounded() {
        let error = Error::input("a`b", format!("`{}` is `c`", "é".repeat(300)), format!("`{}`", "d".repeat(300)));
        assert_eq!(error.place, "a`b");
        assert_eq!(error.problem, format!("`{}...` is `c`", "é".repeat(100)));
        assert_eq!(error.remedy.len(), 302);
        let error = Error::input("", "e".repeat(1 << 20), "");
        assert_eq!(error.problem.len(), MESSAGE + 3);
        assert_eq!(Error::input("", "f`\u{1b}`", "").problem, "f`\\u001B` (with a hidden character)");
        assert_eq!(Error::input("a\u{202e}b", "c\u{2028}", "").place, "a\\u202Eb");
    }

    #[test]
    fn words_that_differ_in_case_or_in_a_letter_are_near() {
        let known = ["pump-1", "Pump-2", "x", "within", "b1", "hall/pipe", "hall/pipe"];
        let near = |wrong| nearest_one(wrong, known.into_iter());
        assert_eq!((near("PUMP-1"), near("pump-2"), near("X")), (Some("pump-1"), Some("Pump-2"), Some("x")));
        assert_eq!((near("Wihtin"), near("pipe"), near("a/x")), (Some("within"), Some("hall/pipe"), Some("x")));
        // Another number is another thing, and no slip.
        assert_eq!((near("pump-3"), near("b2"), near("b"), near("b01")), (None, None, None, None));
        assert_eq!((near("y"), near("crane")), (None, None));
        let [wrong, long] = ['a', 'b'].map(|last| format!("{}{last}", "n".repeat(200_000)));
        assert_eq!(nearest(&wrong, [long.as_str()].into_iter()), None, "in no time");
    }

    #[test]
    fn equally_near_words_are_offered_together_or_not_at_all() {
        let near = |wrong, known: &[&'static str]| {
            (nearest(wrong, known.iter().copied()), nearest_one(wrong, known.iter().copied()))
        };
        assert_eq!(near("slew", &["a/slew", "b/slew", "b/lift"]), (Some("a/slew` or `b/slew".to_owned()), None));
        assert_eq!(near("pump-d", &["pump-a", "pump-b", "pump-c", "pump-e"]), (None, None));
        assert_eq!(near("pump-D", &["pump-a", "pump-b", "pump-d"]), (Some("pump-d".to_owned()), Some("pump-d")));
    }
}
