//! Colours: sixteen of them, of which four are used, so that any theme of a terminal shows them.

use super::args::{Cli, ColorArg};
use super::diagnostics;
use anstyle::{AnsiColor, Style};
use clap::{CommandFactory, FromArgMatches, ValueEnum};
use std::ffi::OsString;

/// The meaning of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// A result as it should be.
    Good,
    /// Worth a look.
    Doubtful,
    /// Wrong.
    Bad,
    /// A label.
    Label,
    /// A title.
    Title,
}

/// Text in its tone. Whether colours reach the terminal is decided where it is printed.
pub(crate) fn paint(tone: Tone, text: &str) -> String {
    let style = match tone {
        Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
        Tone::Doubtful => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
        Tone::Bad => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        Tone::Label => Style::new().dimmed(),
        Tone::Title => Style::new().bold(),
    };
    format!("{style}{text}{style:#}")
}

/// Reads the command line; from here on `--color` holds for all that is printed, help and errors of
/// usage included.
pub(crate) fn parse(words: &[OsString]) -> Cli {
    let texts: Vec<String> = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    diagnostics::choose(&texts);
    let asked = asked(&texts);
    match asked {
        ColorArg::Auto => {}
        ColorArg::Always => anstream::ColorChoice::Always.write_global(),
        ColorArg::Never => anstream::ColorChoice::Never.write_global(),
    }
    let command = Cli::command().color(match asked {
        ColorArg::Auto => clap::ColorChoice::Auto,
        ColorArg::Always => clap::ColorChoice::Always,
        ColorArg::Never => clap::ColorChoice::Never,
    });
    let parsed = command.try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| {
        if diagnostics::are_json() && error.use_stderr() {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            diagnostics::error_of_words(&error, code);
            std::process::exit(code.into())
        }
        error.exit()
    })
}

/// The value of `--color`; what is no value of it is reported where the command line is read in
/// earnest.
fn asked(words: &[String]) -> ColorArg {
    value_of(words, "--color").and_then(|value| ColorArg::from_str(&value, false).ok()).unwrap_or(ColorArg::Auto)
}

/// The value of a flag in words that are not parsed yet; of several, the last.
pub(super) fn value_of(words: &[String], flag: &str) -> Option<String> {
    let words = words.iter().take_while(|word| *word != "--").collect::<Vec<_>>();
    let value = |(at, word): (usize, &&String)| match word.strip_prefix(flag)? {
        "" => words.get(at + 1).map(|value| (*value).clone()),
        rest => rest.strip_prefix('=').map(str::to_owned),
    };
    words.iter().enumerate().rev().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_found_before_the_command_line_is_read() {
        let of = |text: &str| asked(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("run s.toml --out o"), ColorArg::Auto);
        assert_eq!(of("run s.toml --color always --out o"), ColorArg::Always);
        assert_eq!(of("--color=never run"), ColorArg::Never);
        assert_eq!(of("run -- --color=never"), ColorArg::Auto);
        assert_eq!(of("run --color sometimes"), ColorArg::Auto);
    }

    #[test]
    fn only_colours_of_the_sixteen_are_used() {
        for tone in [Tone::Good, Tone::Doubtful, Tone::Bad, Tone::Label, Tone::Title] {
            let text = paint(tone, "x");
            assert!(!text.contains("38;") && !text.contains("48;"), "{text:?}");
            assert_eq!(anstream::adapter::strip_str(&text).to_string(), "x");
        }
    }
}
