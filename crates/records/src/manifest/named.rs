//! Objects whose keys are data, and ranges with open ends.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::ops::Range;
use std::slice::Iter;

/// Entries of an object, by name, in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Named<T> {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Into<String>, T> FromIterator<(K, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<'a, T> IntoIterator for &'a Named<T> {
    type Item = &'a (String, T);
    type IntoIter = Iter<'a, (String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Map::<String, Value>::deserialize(deserializer)?;
        let value = |(name, value)| Ok((name, T::deserialize(value).map_err(D::Error::custom)?));
        entries.into_iter().map(value).collect::<Result<Vec<_>, _>>().map(Self)
    }
}

/// Numbers of runs or frames from the first up to before the second; null: an open end.
#[derive(Serialize, Deserialize, Default, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub [Option<i64>; 2]);

impl Span {
    /// The range; open ends are those of the type.
    pub fn range(self) -> Range<i64> {
        self.0[0].unwrap_or(i64::MIN)..self.0[1].unwrap_or(i64::MAX)
    }
}

impl From<&Range<i64>> for Span {
    fn from(range: &Range<i64>) -> Self {
        Self([(range.start != i64::MIN).then_some(range.start), (range.end != i64::MAX).then_some(range.end)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn open_ends_of_a_range_are_null() {
        for (range, expected) in [(i64::MIN..7, json!([null, 7])), (-3..i64::MAX, json!([-3, null]))] {
            let json = serde_json::to_value(Span::from(&range)).expect("JSON");
            assert_eq!(json, expected);
            assert_eq!(Span::deserialize(&json).expect("a range").range(), range);
        }
    }

    #[test]
    fn entries_keep_the_order_of_their_names() {
        let named: Named<u64> = [("z", 1), ("a", 2)].into_iter().collect();
        let text = serde_json::to_string(&named).expect("JSON");
        assert_eq!(text, r#"{"z":1,"a":2}"#);
        assert_eq!(serde_json::from_str::<Named<u64>>(&text).expect("entries"), named);
        assert_eq!((named.get("a"), named.get("b")), (Some(&2), None));
    }
}
