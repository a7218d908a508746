//! Lists of points in the text of a large scene, read without a document of TOML around each number.
//!
//! A document takes several hundred nanoseconds a number, as it remembers where each is and how it is written, which nobody
//! asks where the list is good. A list that is written in any but the plainest way is left in the text.

use std::collections::HashMap;

/// The key whose value is a list.
const KEY: &str = "points";

/// A text of which lists of points are taken out.
pub(super) struct Thinned {
    /// The text, with blanks between the outer brackets of these lists.
    pub(super) text: String,
    /// The lists, by the byte of their outer bracket.
    pub(super) lists: HashMap<usize, Vec<[f64; 3]>>,
}

impl Thinned {
    /// Takes plain lists out of a text that begins with a line and has no strings of several lines.
    pub(super) fn of(text: &str) -> Self {
        let mut thinned = Self { text: String::with_capacity(text.len()), lists: HashMap::new() };
        let mut copied = 0;
        let (mut seen, mut quoted) = (0, false);
        for (at, _) in text.match_indices(KEY) {
            let (line, begins) = match text[seen..at].rfind('\n') {
                Some(end) => (&text[seen + end..at], true),
                None => (&text[seen..at], false),
            };
            quoted = line.contains(['"', '\'']) || (quoted && !begins);
            seen = at;
            if quoted {
                continue; // it may lie in a string
            }
            let mut cursor = Cursor { text, at: at + KEY.len() };
            let Some((start, points)) = cursor.list() else { continue };
            thinned.text.push_str(&text[copied..=start]);
            copied = cursor.at - 1;
            thinned.text.push_str(&" ".repeat(copied - start - 1));
            thinned.lists.insert(start, points);
        }
        thinned.text.push_str(&text[copied..]);
        thinned
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there.then_some(())
    }

    fn skip(&mut self, blank: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&blank) {
            self.at += 1;
        }
    }

    /// `= [[x, y, z], ...]`: where the list begins, and its points.
    fn list(&mut self) -> Option<(usize, Vec<[f64; 3]>)> {
        let in_line = |byte| matches!(byte, b' ' | b'\t');
        let blank = |byte| matches!(byte, b' ' | b'\t' | b'\n');
        self.skip(in_line);
        self.take(b'=')?;
        self.skip(in_line);
        let start = self.at;
        self.take(b'[')?;
        let mut points = Vec::new();
        loop {
            self.skip(blank);
            self.take(b'[')?;
            let mut point = [0.0; 3];
            for (axis, to) in point.iter_mut().enumerate() {
                if axis > 0 {
                    self.take(b',')?;
                }
                self.skip(blank);
                *to = self.number()?;
                self.skip(blank);
            }
            self.take(b']')?;
            points.push(point);
            self.skip(blank);
            if self.take(b']').is_some() {
                return Some((start, points));
            }
            self.take(b',')?;
        }
    }

    /// A finite decimal number, as TOML has it.
    fn number(&mut self) -> Option<f64> {
        let start = self.at;
        let _ = self.take(b'-');
        let zero = self.peek() == Some(b'0');
        if self.digits()? > 1 && zero {
            return None;
        }
        let mut is_float = false;
        if self.take(b'.').is_some() {
            is_float = true;
            self.digits()?;
        }
        if self.take(b'e').or_else(|| self.take(b'E')).is_some() {
            is_float = true;
            let _ = self.take(b'-').or_else(|| self.take(b'+'));
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        if is_float {
            text.parse().ok().filter(|number: &f64| number.is_finite())
        } else {
            text.parse().ok().map(|number: i64| number as f64)
        }
    }

    /// How many digits are skipped, if there are any.
    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        (self.at > start).then_some(self.at - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::{DeTable, DeValue};

    /// The numbers of a list, as the document has them.
    fn of_document(list: &str) -> Option<Vec<f64>> {
        let text = format!("points = {list}");
        let document = DeTable::parse(&text).ok()?;
        let DeValue::Array(points) = document.get_ref().get("points")?.get_ref() else { return None };
        let mut numbers = Vec::new();
        for point in points.iter() {
            let DeValue::Array(point) = point.get_ref() else { return None };
            for number in point.iter() {
                numbers.push(match number.get_ref() {
                    DeValue::Float(float) => float.as_str().parse().ok()?,
                    DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok()? as f64,
                    _ => return None,
                });
            }
        }
        Some(numbers)
    }

    #[test]
    fn plain_lists_are_those_of_the_document() {
        let lists = [
            "[[0, 1, 2]]",
            "[[0.0, -0.0, -0], [1e5, 1E-7, 2.5e+03]]",
            "[ [1.25,-3, 12345678901234567] ,\n\t[ 0.1 , 0.30000000000000004 , 2.2250738585072014e-308\n] ]",
            "[[9007199254740993, 1.7976931348623157e308, 5e-324]]",
        ];
        for list in lists {
            let text = format!("shape = {{ points = {list} }} # points");
            let thinned = Thinned::of(&text);
            let start = text.find('[').expect("a list");
            let found: Vec<u64> = thinned.lists[&start].iter().flatten().map(|x| x.to_bits()).collect();
            let expected: Vec<u64> = of_document(list).expect("a list").iter().map(|x| x.to_bits()).collect();
            assert_eq!(found, expected, "{list}");
            assert_eq!(thinned.text.len(), text.len());
            let rest: String = thinned.text.split_whitespace().collect();
            assert_eq!(rest, "shape={points=[]}#points");
        }
    }

    #[test]
    fn all_else_stays_in_the_text() {
        let lists = [
            "[]",
            "[[]]",
            "[[1, 2]]",
            "[[1, 2, 3, 4]]",
            "[[1, 2, 3],]",
            "[[1, 2, 3,]]",
            "[[1, 2, 3]",
            "[[1, 2, +3]]",
            "[[1, 2, 03.5]]",
            "[[1, 2, 3.]]",
            "[[1, 2, .5]]",
            "[[1, 2, 1_000]]",
            "[[1, 2, 0x1f]]",
            "[[1, 2, 1e]]",
            "[[1, 2, nan]]",
            "[[1, 2, 1e999]]",
            "[[1, 2, 92233720368547758070]]",
            "[[1, 2, 3] # a comment\n]",
            "[[1, 2, 3]\r\n]",
            "[[1, 2, \"3\"]]",
            "3",
        ];
        for list in lists {
            let text = format!("points = {list}\n");
            let thinned = Thinned::of(&text);
            assert!(thinned.lists.is_empty() && thinned.text == text, "{list}");
        }
        for text in ["name = \"points = [[1, 2, 3]]\"", "a = 'x, points = [[1, 2, 3]]'", "\"points\" = [[1, 2, 3]]"] {
            assert!(Thinned::of(text).lists.is_empty(), "{text}");
        }
        let next = "name = 'points' points = [[1, 2, 3]]\npoints = [[4, 5, 6]]";
        assert_eq!(Thinned::of(next).lists.into_values().collect::<Vec<_>>(), [[[4.0, 5.0, 6.0]]]);
        let two = "points = [[1, 2, 3]]\npoints = [[4, 5, 6], [7, 8, 9]]\nrest";
        let thinned = Thinned::of(two);
        assert_eq!((thinned.lists[&9].len(), thinned.lists[&30].len()), (1, 2));
        assert!(thinned.text.ends_with("]\nrest") && thinned.text.len() == two.len());
    }
}
