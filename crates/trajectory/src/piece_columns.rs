//! Columns of a table of pieces of splines.

use super::file_schema::{Column, Table, is_number, is_string};
use arrow_schema::DataType;
use clearsweep_base::error::Result;
use clearsweep_kinematics::MOST_DEGREE;

/// Columns of a table of pieces.
#[derive(Debug, Clone)]
pub(super) struct PieceColumns {
    /// Place of the piece among those of its joint and run.
    pub(super) piece: Option<Column>,
    pub(super) joint: Column,
    /// First and last time.
    pub(super) span: [Option<Column>; 2],
    /// Coefficients, constant first.
    pub(super) coefficients: Vec<Column>,
    pub(super) degree: Option<Column>,
    pub(super) knots: Option<Column>,
    pub(super) control: Option<Column>,
}

impl PieceColumns {
    /// The columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        let single = [&self.piece, &self.span[0], &self.span[1], &self.degree, &self.knots, &self.control];
        single.into_iter().filter_map(Option::as_ref).chain([&self.joint]).chain(&self.coefficients)
    }
}

/// The types that columns of CSV are parsed as: lists are texts.
pub(super) fn csv_types(columns: &[&str]) -> Vec<DataType> {
    let kind = |name: &&str| match *name {
        "run" | "piece" | "degree" => DataType::Int64,
        "t0_s" | "t1_s" => DataType::Float64,
        name if order(name).is_some() => DataType::Float64,
        _ => DataType::Utf8,
    };
    columns.iter().map(kind).collect()
}

/// The power that a coefficient of this name belongs to.
fn order(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('c')?;
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_plain.then(|| digits.parse().ok()).flatten()
}

impl Table<'_> {
    /// The columns of pieces.
    ///
    /// # Errors
    /// A column is missing, has the wrong type or another unit, or a polynomial has too high a
    /// degree.
    pub(super) fn pieces(&self) -> Result<PieceColumns> {
        for turns in [true, false] {
            if self.names.unit_of_joints(turns).is_some() {
                let problem = "[columns] gives units to joints, and pieces of splines are in radians and metres";
                return Err(
                    self.error(problem.to_owned(), "convert the coefficients, and remove `angles` and `lengths`")
                );
            }
        }
        let is_list = |kind: &DataType| match kind {
            DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => is_number(of.data_type()),
            kind => is_string(kind),
        };
        let joint = self.column("joint", is_string, "a string")?;
        let control = self.column("control", is_list, "a list of numbers")?;
        let coefficients = self.coefficients()?;
        let span = [self.column("t0_s", is_number, "float64")?, self.column("t1_s", is_number, "float64")?];
        let missing = match (&joint, control.is_some() || !coefficients.is_empty()) {
            (None, _) => Some("joint"),
            (_, false) => Some("c0"),
            _ if !coefficients.is_empty() && span[0].is_none() => Some("t0_s"),
            _ if !coefficients.is_empty() && span[1].is_none() => Some("t1_s"),
            _ => None,
        };
        let (Some(joint), None) = (joint, missing) else {
            let problem = format!("has no column `{}` ({})", missing.unwrap_or("joint"), self.columns());
            let remedy = "pieces have the columns run, piece, t0_s, t1_s, joint, and c0, c1, ... (polynomials in the time since t0_s), \
                          or degree, knots and control; values of joints at frames need another `between` than \"spline\"";
            return Err(self.error(problem, remedy));
        };
        Ok(PieceColumns {
            piece: self.column("piece", DataType::is_integer, "an integer type")?,
            joint,
            span,
            coefficients,
            degree: self.column("degree", DataType::is_integer, "an integer type")?,
            knots: self.column("knots", is_list, "a list of numbers")?,
            control,
        })
    }

    /// The columns c0, c1, ... in their order.
    fn coefficients(&self) -> Result<Vec<Column>> {
        let named = self.schema.fields().iter().filter(|field| !field.data_type().is_null());
        let named = named.filter_map(|field| order(field.name()));
        let Some(highest) = named.max() else { return Ok(Vec::new()) };
        if highest > MOST_DEGREE {
            let problem = format!("column `c{highest}` is of a polynomial of degree {highest}; at most {MOST_DEGREE}");
            return Err(
                self.error(problem, format!("divide the pieces, and fit polynomials of degree {MOST_DEGREE} or less"))
            );
        }
        let column = |power: usize| {
            let name = format!("c{power}");
            let found = self.column(&name, is_number, "float64")?;
            found.ok_or_else(|| {
                let problem = format!("has a column `c{highest}`, and no column `{name}` ({})", self.columns());
                self.error(problem, format!("add `{name}`: 0 where a polynomial lacks that power"))
            })
        };
        (0..=highest).map(column).collect()
    }

    /// The one column of this name; a column of nulls alone is none.
    fn column(&self, name: &str, fits: impl Fn(&DataType) -> bool, wanted: &str) -> Result<Option<Column>> {
        let mut found = self.schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
        let Some((index, field)) = found.next() else { return Ok(None) };
        if found.next().is_some() {
            return Err(self.error(format!("has two columns `{name}`"), "keep one of them"));
        }
        if field.data_type().is_null() {
            return Ok(None);
        }
        if !fits(field.data_type()) {
            let problem = format!("column `{name}` has the type {}", field.data_type());
            return Err(self.error(problem, format!("write it as {wanted}")));
        }
        match field.metadata().get("unit") {
            Some(unit) if !matches!(&**unit, "rad" | "m" | "s" | "") => {
                let problem = format!("column `{name}` has the unit `{unit}` in its metadata");
                Err(self.error(
                    problem,
                    "pieces are in seconds, and in radians and metres: convert them, and remove the unit",
                ))
            }
            _ => Ok(Some(Column { index, name: name.to_owned() })),
        }
    }
}
