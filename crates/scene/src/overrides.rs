//! Values of the command line in place of those of the scene file, lowered once.

use super::direction::{DIRECTION_REMEDY, parse_direction};
use super::file::CONTACTS;
use super::length::{parse_length, unit_of};
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Vec3;
use clearsweep_model::{AnswerKind, BetweenFrames, LengthUnit, SceneOverrides};

/// Values of the command line for `[query]` and `[motion]`; lengths in metres.
pub(super) struct QueryOverrides {
    pub(super) within: Option<f64>,
    pub(super) require: Option<f64>,
    /// The unit that `require` is written in, if it names one.
    pub(super) require_unit: Option<LengthUnit>,
    pub(super) direction: Option<Vec3<f64>>,
    pub(super) between: Option<BetweenFrames>,
    pub(super) answer: Option<AnswerKind>,
    pub(super) contacts: Option<bool>,
}

impl QueryOverrides {
    /// Lowers the texts of the command line. `unit`: that of lengths that name none.
    ///
    /// # Errors
    /// A text that is no value of its option.
    pub(super) fn lower(texts: &SceneOverrides, unit: LengthUnit) -> Result<Self> {
        let wrong = |problem| Error::usage("--direction", problem, DIRECTION_REMEDY);
        let direction = texts.direction.as_deref().map(|text| parse_direction(text).map_err(wrong)).transpose()?;
        let answers = AnswerKind::ALL.map(|answer| (answer.name(), answer));
        Ok(Self {
            direction,
            answer: word("--answer", texts.answer.as_deref(), &answers)?,
            contacts: word("--contacts", texts.contacts.as_deref(), &CONTACTS)?,
            require: texts.require.as_deref().map(|text| any_length("--require", text, unit)).transpose()?,
            require_unit: texts.require.as_deref().and_then(unit_of),
            within: length("--within", texts.within.as_deref(), unit)?,
            between: texts.between.as_deref().map(between).transpose()?,
        })
    }
}

/// Returns the meaning of a word.
fn word<T: Copy>(flag: &str, text: Option<&str>, words: &[(&str, T)]) -> Result<Option<T>> {
    let Some(text) = text else { return Ok(None) };
    let meaning = words.iter().find(|(word, _)| *word == text).map(|&(_, meaning)| meaning);
    let known: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
    let problem = format!("`{text}` is not one of the words of this option");
    meaning.map(Some).ok_or_else(|| Error::usage(flag, problem, format!("choose {}", known.join(" or "))))
}

/// Remedy for a text that is no length.
const LENGTH: &str = "give a length of 0 or more, in the scene's unit or with its own: 0.2, 50mm, 1.5ft";

/// Returns a length, zero or more.
fn length(flag: &str, text: Option<&str>, unit: LengthUnit) -> Result<Option<f64>> {
    let Some(text) = text else { return Ok(None) };
    match any_length(flag, text, unit)? {
        metres if metres >= 0.0 => Ok(Some(metres)),
        _ => Err(Error::usage(flag, format!("`{text}` is negative"), LENGTH)),
    }
}

/// Returns a length, negative ones too.
fn any_length(flag: &str, text: &str, unit: LengthUnit) -> Result<f64> {
    parse_length(text, unit).map_err(|problem| Error::usage(flag, problem, LENGTH))
}

/// Returns the motion between frames of a word.
fn between(text: &str) -> Result<BetweenFrames> {
    BetweenFrames::ALL.into_iter().find(|between| between.name() == text).ok_or_else(|| {
        let problem = format!("`{text}` is no motion between frames");
        Error::usage("--between", problem, "give none, linear, screw, hold, joint, spline, ballistic or bounded")
    })
}
