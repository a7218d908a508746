//! Rows of pieces of splines: from tables, or from JSON.

use super::column_format::JointName;
use super::decode;
use super::file_schema::Column;
use super::joint_columns::joint_named;
use super::piece_columns::PieceColumns;
use super::row_label::RowLabel;
use super::rows::Defects;
use super::source::Source;
use super::stream_batch::BATCH_ROWS;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_kinematics::{MOST_DEGREE, SplinePiece};
use serde_json::Value;
use std::sync::Arc;

/// A row: one polynomial, or one B-spline, which is a piece for each span of its knots.
pub(super) struct PieceRow {
    pub(super) label: RowLabel,
    /// Its number, from 0.
    pub(super) row: u64,
    pub(super) run: i64,
    /// Place among the rows of its joint and run, if the table says it.
    pub(super) order: Option<i64>,
    /// Column of the joint.
    pub(super) joint: usize,
    pub(super) pieces: Vec<SplinePiece>,
}

impl PieceRow {
    /// An error in the row.
    pub(super) fn error(&self, problem: String, remedy: impl std::fmt::Display) -> Error {
        Error::input(self.label.row(self.row), problem, remedy)
    }

    /// Its first and last time.
    pub(super) fn span(&self) -> [f64; 2] {
        [self.pieces[0].span[0], self.pieces[self.pieces.len() - 1].span[1]]
    }
}

/// The numbers of a row as they are written.
#[derive(Debug, Default)]
struct RawPiece {
    span: [Option<f64>; 2],
    coefficients: Option<Vec<f64>>,
    degree: Option<i64>,
    knots: Option<Vec<f64>>,
    control: Option<Vec<f64>>,
}

/// A problem, and a remedy.
type Fault = (String, String);

fn fault<T>(problem: impl Into<String>, remedy: impl Into<String>) -> std::result::Result<T, Fault> {
    Err((problem.into(), remedy.into()))
}

impl RawPiece {
    /// Lowers the numbers to pieces.
    fn pieces(self) -> std::result::Result<Vec<SplinePiece>, Fault> {
        let numbers = [&self.coefficients, &self.knots, &self.control].into_iter().flatten().flatten();
        if let Some(stray) = numbers.chain(self.span.iter().flatten()).find(|number| !number.is_finite()) {
            return fault(format!("holds the number {stray}"), "every number of a piece has to be finite");
        }
        match (&self.coefficients, &self.control) {
            (Some(_), Some(_)) => fault(
                "has coefficients and control values",
                "leave one of them out: a row is a polynomial or a B-spline",
            ),
            (None, None) => fault("has neither coefficients nor control values", "write c0, c1, ..., or `control`"),
            (Some(coefficients), None) => Ok(vec![SplinePiece::of_powers(self.times()?, coefficients)]),
            (None, Some(control)) => self.of_control(control),
        }
    }

    /// Both times of a piece.
    fn times(&self) -> std::result::Result<[f64; 2], Fault> {
        match self.span {
            [Some(start), Some(end)] if start < end => Ok([start, end]),
            [Some(start), Some(end)] => {
                let problem = format!("t1_s is {end}, and t0_s is {start}");
                fault(problem, "a piece ends later than it begins: t1_s > t0_s")
            }
            _ => fault("has no t0_s or no t1_s", "write both times of the piece in seconds"),
        }
    }

    fn of_control(&self, control: &[f64]) -> std::result::Result<Vec<SplinePiece>, Fault> {
        let degree = match (self.degree, &self.knots) {
            (Some(degree), _) => usize::try_from(degree).unwrap_or(usize::MAX),
            (None, None) => control.len().saturating_sub(1),
            (None, Some(_)) => return fault("has knots and no `degree`", "write the degree of the B-spline"),
        };
        if degree > MOST_DEGREE {
            return fault(
                format!("has the degree {}; from 0 to {MOST_DEGREE}", self.degree.unwrap_or(degree as i64)),
                format!("fit a spline of degree {MOST_DEGREE} or less"),
            );
        }
        let knots = match &self.knots {
            Some(knots) => knots.clone(),
            // A Bezier curve.
            None => self.times()?.into_iter().flat_map(|time| std::iter::repeat_n(time, degree + 1)).collect(),
        };
        let (wanted, count) = (control.len() + degree + 1, knots.len());
        if control.len() <= degree || count != wanted {
            let problem =
                format!("has {} control values and {count} knots of a spline of degree {degree}", control.len());
            let remedy = "a B-spline has more control values than its degree, and degree + 1 knots more than control values; \
                          a Bezier curve has t0_s, t1_s and degree + 1 control values, and no knots";
            return fault(problem, remedy);
        }
        if let Some(at) = (1..count).find(|&at| knots[at] < knots[at - 1]) {
            let problem = format!("the knot {} comes after {}", knots[at], knots[at - 1]);
            return fault(problem, "sort the knots: they do not decrease");
        }
        let domain = [knots[degree], knots[control.len()]];
        if domain[0] >= domain[1] {
            let problem = format!("its knots {degree} to {} are all {}", control.len(), domain[0]);
            return fault(problem, "a B-spline takes time: it ends later than it begins");
        }
        for (stated, domain, name) in [(self.span[0], domain[0], "t0_s"), (self.span[1], domain[1], "t1_s")] {
            if let Some(stated) = stated.filter(|&stated| stated != domain) {
                let problem = format!("{name} is {stated}, and the knots say {domain}");
                return fault(problem, "leave t0_s and t1_s out of a B-spline, or write the ends of its knots");
            }
        }
        Ok(SplinePiece::of_knots(degree, &knots, control))
    }
}

/// The joint of a name.
fn joint_of(joints: &[JointName], name: &str) -> std::result::Result<usize, Fault> {
    joint_named(joints, name).map_or_else(
        || {
            let remedy = match nearest(name, joints.iter().map(|joint| &*joint.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "name a joint of the scene that has a value of its own".to_owned(),
            };
            fault(format!("`{name}` is no joint"), remedy)
        },
        Ok,
    )
}

/// The rows of a table.
///
/// # Errors
/// The first row that cannot be understood.
pub(super) fn of_table(source: &Source, columns: &PieceColumns, joints: &[JointName]) -> Result<Vec<PieceRow>> {
    let projection = source.columns.all();
    let mut rows = Vec::new();
    for group in &source.groups {
        let mut reader = source.read(group, &projection, BATCH_ROWS)?;
        while let Some((first_row, batch)) = reader.next()? {
            let batch = PieceBatch { source, columns, projection: &projection, first_row, batch: &batch };
            batch.rows(joints, &mut rows)?;
        }
    }
    Ok(rows)
}

/// A batch of a table.
struct PieceBatch<'a> {
    source: &'a Source,
    columns: &'a PieceColumns,
    projection: &'a [usize],
    first_row: u64,
    batch: &'a RecordBatch,
}

impl PieceBatch<'_> {
    fn rows(&self, joints: &[JointName], rows: &mut Vec<PieceRow>) -> Result<()> {
        let (columns, count) = (self.columns, self.batch.num_rows());
        let mut defects = Defects::new(self.source, self.first_row, count);
        let runs = decode::runs(self.source, self.projection, self.batch, &mut defects)?;
        if let Some(error) = defects.into_error() {
            return Err(error);
        }
        let names = self.cast(&columns.joint, &DataType::Utf8)?;
        let names = names.as_string::<i32>();
        let number =
            |column: &Option<Column>| column.as_ref().map(|column| self.cast(column, &DataType::Float64)).transpose();
        let whole =
            |column: &Option<Column>| column.as_ref().map(|column| self.cast(column, &DataType::Int64)).transpose();
        let span = [number(&columns.span[0])?, number(&columns.span[1])?];
        let coefficients: Vec<ArrayRef> =
            columns.coefficients.iter().map(|column| self.cast(column, &DataType::Float64)).collect::<Result<_>>()?;
        let [order, degree] = [whole(&columns.piece)?, whole(&columns.degree)?];
        let list = |column: &Option<Column>| column.as_ref().map(|column| self.lists(column)).transpose();
        let [knots, control] = [list(&columns.knots)?, list(&columns.control)?];
        let float =
            |array: &ArrayRef, row: usize| array.is_valid(row).then(|| array.as_primitive::<Float64Type>().value(row));
        let integer = |array: &Option<ArrayRef>, row: usize| {
            let array = array.as_ref().filter(|array| array.is_valid(row))?;
            Some(array.as_primitive::<arrow_array::types::Int64Type>().value(row))
        };
        for row in 0..count {
            let place = || Error::input(self.source.label().row(self.first_row + row as u64), "", "");
            let failed = |(problem, remedy): Fault| Error { problem, remedy, ..place() };
            if names.is_null(row) {
                return Err(failed(("column `joint` is null".to_owned(), "name the joint".to_owned())));
            }
            let joint = joint_of(joints, names.value(row)).map_err(failed)?;
            let control = control.as_ref().and_then(|lists| lists.at(row).transpose()).transpose().map_err(failed)?;
            let numbers: Vec<Option<f64>> = coefficients.iter().map(|array| float(array, row)).collect();
            // A row of control values has no coefficients.
            let has_none = numbers.iter().all(Option::is_none);
            let coefficients = match numbers.iter().position(Option::is_none) {
                None if !numbers.is_empty() => Some(numbers.into_iter().flatten().collect()),
                Some(power) if !(has_none && control.is_some()) => {
                    let remedy = "write 0 where a polynomial lacks a power; NaN of pandas is null in the file";
                    return Err(failed((format!("column `c{power}` is null"), remedy.to_owned())));
                }
                _ => None,
            };
            let raw = RawPiece {
                span: span.each_ref().map(|times| times.as_ref().and_then(|times| float(times, row))),
                coefficients,
                degree: integer(&degree, row),
                knots: knots.as_ref().and_then(|lists| lists.at(row).transpose()).transpose().map_err(failed)?,
                control,
            };
            rows.push(PieceRow {
                label: self.source.label(),
                row: self.first_row + row as u64,
                run: runs.at(row),
                order: integer(&order, row),
                joint,
                pieces: raw.pieces().map_err(failed)?,
            });
        }
        Ok(())
    }

    fn cast(&self, column: &Column, to: &DataType) -> Result<ArrayRef> {
        let array = decode::column(column, self.projection, self.batch, &self.source.path)?;
        let wrong = |error: &dyn std::fmt::Display| {
            let problem = format!("column `{}`: {error}", column.name);
            Error::input(self.source.path.display(), problem, format!("write it as {to}"))
        };
        let cast = arrow_cast::cast(array, to).map_err(|error| wrong(&error))?;
        if cast.null_count() > array.null_count() {
            return Err(wrong(&"a number is beyond the range of its type"));
        }
        Ok(cast)
    }

    fn lists(&self, column: &Column) -> Result<Lists> {
        let array = decode::column(column, self.projection, self.batch, &self.source.path)?;
        Ok(match array.data_type() {
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                let of = Arc::new(Field::new("item", DataType::Float64, true));
                Lists::Numbers(self.cast(column, &DataType::LargeList(of))?)
            }
            _ => Lists::Texts(self.cast(column, &DataType::Utf8)?),
        })
    }
}

/// Lists of numbers: of their own type, or texts of CSV.
enum Lists {
    Numbers(ArrayRef),
    Texts(ArrayRef),
}

impl Lists {
    /// The numbers of a row; `None`: it is null.
    fn at(&self, row: usize) -> std::result::Result<Option<Vec<f64>>, Fault> {
        match self {
            Self::Numbers(lists) if lists.is_valid(row) => {
                let numbers = lists.as_list::<i64>().value(row);
                if numbers.null_count() > 0 {
                    return fault("a list holds a null", "every number of `knots` and `control` has to be there");
                }
                Ok(Some(numbers.as_primitive::<Float64Type>().values().to_vec()))
            }
            Self::Texts(texts) if texts.is_valid(row) => {
                let numbers = texts.as_string::<i32>().value(row);
                let numbers = numbers.trim_matches(['[', ']']).split([' ', ';', ',']).filter(|word| !word.is_empty());
                let number = |word: &str| {
                    word.parse().or_else(|_| {
                        fault(
                            format!("`{word}` in a list is no number"),
                            "write lists as numbers with spaces between: 0 0.5 1",
                        )
                    })
                };
                numbers.map(number).collect::<std::result::Result<_, _>>().map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Keys of a piece in JSON.
const KEYS: [&str; 8] = ["run", "piece", "t0_s", "t1_s", "joint", "degree", "knots", "control"];

/// The rows of a text in JSON: a list of objects with the names of columns, or an object with that
/// list as `pieces`.
///
/// # Errors
/// The text is no JSON, or a piece cannot be understood.
pub(super) fn of_json(text: &[u8], label: &RowLabel, joints: &[JointName]) -> Result<Vec<PieceRow>> {
    let wrong = |problem: String, remedy: &str| Error::input(label.path.display(), problem, remedy);
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        wrong(format!("is no JSON ({error})"), "write a list of pieces: [{\"joint\": \"a\", \"t0_s\": 0, ...}]")
    })?;
    let pieces = value.as_array().or_else(|| value.get("pieces")?.as_array());
    let Some(pieces) = pieces else {
        return Err(wrong("holds no list of pieces".to_owned(), "write [{...}, ...], or {\"pieces\": [{...}, ...]}"));
    };
    let of = |(piece, row): (&Value, u64)| {
        let failed = |(problem, remedy): Fault| Error::input(label.row(row), problem, remedy);
        let (run, order, joint, raw) = raw_of_json(piece, joints).map_err(failed)?;
        Ok(PieceRow { label: label.clone(), row, run, order, joint, pieces: raw.pieces().map_err(failed)? })
    };
    pieces.iter().zip(0..).map(of).collect()
}

/// The run, the place, the joint and the numbers of a piece in JSON.
fn raw_of_json(piece: &Value, joints: &[JointName]) -> std::result::Result<(i64, Option<i64>, usize, RawPiece), Fault> {
    let Some(keys) = piece.as_object() else { return fault("is no object", "write {\"joint\": \"a\", ...}") };
    let power = |key: &str| key.strip_prefix('c').and_then(|digits| digits.parse::<usize>().ok());
    if let Some(stray) = keys.keys().find(|key| !KEYS.contains(&key.as_str()) && power(key).is_none()) {
        return fault(format!("has the unknown key `{stray}`"), format!("keys are {}, c0, c1, ...", KEYS.join(", ")));
    }
    let number = |key: &str| match keys.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            value.as_f64().map_or_else(|| fault(format!("`{key}` is {value}"), "write a number"), |v| Ok(Some(v)))
        }
    };
    let whole = |key: &str| match keys.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            value.as_i64().map_or_else(|| fault(format!("`{key}` is {value}"), "write a whole number"), |v| Ok(Some(v)))
        }
    };
    let list = |key: &str| match keys.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let numbers =
                value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
            numbers
                .map_or_else(|| fault(format!("`{key}` is no list of numbers"), "write [0, 0.5, 1]"), |v| Ok(Some(v)))
        }
    };
    let powers = || keys.iter().filter_map(|(key, value)| Some((power(key)?, value)));
    // A row of control values has no coefficients.
    let has_some = powers().any(|(_, value)| !value.is_null());
    let highest = powers().map(|(power, _)| power).max().filter(|_| has_some);
    if let Some(highest) = highest.filter(|&highest| highest > MOST_DEGREE) {
        let problem = format!("has `c{highest}`: a polynomial of degree {highest}; at most {MOST_DEGREE}");
        return fault(problem, format!("divide it, and fit polynomials of degree {MOST_DEGREE} or less"));
    }
    let coefficient = |power: usize| {
        let name = format!("c{power}");
        number(&name)?.map_or_else(|| fault(format!("has no `{name}`"), "write 0 where a polynomial lacks a power"), Ok)
    };
    let coefficients = highest.map(|highest| (0..=highest).map(coefficient).collect::<std::result::Result<_, _>>());
    let name = keys.get("joint").and_then(Value::as_str);
    let name = name.map_or_else(|| fault("names no joint", "write \"joint\": \"NAME\""), Ok)?;
    let raw = RawPiece {
        span: [number("t0_s")?, number("t1_s")?],
        coefficients: coefficients.transpose()?,
        degree: whole("degree")?,
        knots: list("knots")?,
        control: list("control")?,
    };
    Ok((whole("run")?.unwrap_or(0), whole("piece")?, joint_of(joints, name)?, raw))
}
