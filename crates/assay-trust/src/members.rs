use std::str::FromStr;

use assay_formats::{Entries, Kind, Value};

/// The members of an object whose schema is closed: each is taken out once, and nothing may be left
/// over.
///
/// What nobody reads today, some consumer may believe tomorrow; therefore an unknown member is a
/// fault.
#[derive(Debug)]
pub(crate) struct Members<'d> {
    object: Value<'d>,
    taken: Vec<&'static str>,
    /// The members after the one that was last taken. The next one is usually among them: readers
    /// ask in the order of the names, and that is the order in which they stand.
    ahead: Entries<'d>,
}

/// Number of members that an object usually has at most.
const USUAL: usize = 20;

/// The reason why an object does not have its shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is something other than an object.
    #[error("it is not an object")]
    NotAnObject,
    /// A member is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member is not what it should be.
    #[error("`{0}` is not what it should be")]
    Wrong(&'static str),
    /// A member that nobody knows.
    #[error("{} is unknown", assay_model::quote(.0))]
    Unknown(String),
}

impl<'d> Members<'d> {
    pub(crate) fn of(object: Value<'d>) -> Result<Self, Malformed> {
        if object.kind() != Kind::Map {
            return Err(Malformed::NotAnObject);
        }
        Ok(Self {
            object,
            taken: Vec::with_capacity(USUAL),
            ahead: object.entries(),
        })
    }

    /// The member, if there is one.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Value<'d>> {
        let mut ahead = self.ahead.clone();
        let is_it = |(own, _): &(Value<'d>, Value<'d>)| own.is_text(key);
        let found = ahead.find(is_it).or_else(|| {
            ahead = self.object.entries();
            ahead.find(is_it)
        });
        let (_, value) = found?;
        self.ahead = ahead;
        self.taken.push(key);
        Some(value)
    }

    pub(crate) fn required(&mut self, key: &'static str) -> Result<Value<'d>, Malformed> {
        self.take(key).ok_or(Malformed::Missing(key))
    }

    pub(crate) fn members(&mut self, key: &'static str) -> Result<Self, Malformed> {
        Self::of(self.required(key)?).map_err(|_| Malformed::Wrong(key))
    }

    /// The items of a list.
    pub(crate) fn list(
        &mut self,
        key: &'static str,
    ) -> Result<impl Iterator<Item = Value<'d>> + use<'d>, Malformed> {
        let list = self.required(key)?;
        if list.kind() == Kind::List {
            Ok(list.items())
        } else {
            Err(Malformed::Wrong(key))
        }
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Result<String, Malformed> {
        let text = self.required(key)?.text();
        text.map(Into::into).ok_or(Malformed::Wrong(key))
    }

    pub(crate) fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, Malformed> {
        let text = |value: Value<'d>| value.text().map(Into::into).ok_or(Malformed::Wrong(key));
        self.take(key).map(text).transpose()
    }

    pub(crate) fn parsed<T: FromStr>(&mut self, key: &'static str) -> Result<T, Malformed> {
        parse(self.required(key)?, key)
    }

    pub(crate) fn optional_parsed<T: FromStr>(
        &mut self,
        key: &'static str,
    ) -> Result<Option<T>, Malformed> {
        self.take(key).map(|value| parse(value, key)).transpose()
    }

    pub(crate) fn truth(&mut self, key: &'static str) -> Result<bool, Malformed> {
        self.required(key)?.truth().ok_or(Malformed::Wrong(key))
    }

    /// A whole number that is exact in every tool.
    pub(crate) fn integer(&mut self, key: &'static str) -> Result<i64, Malformed> {
        whole(self.required(key)?).ok_or(Malformed::Wrong(key))
    }

    pub(crate) fn index(&mut self, key: &'static str) -> Result<u64, Malformed> {
        u64::try_from(self.integer(key)?).map_err(|_| Malformed::Wrong(key))
    }

    pub(crate) fn optional_index(&mut self, key: &'static str) -> Result<Option<u64>, Malformed> {
        if self.object.get(key).is_some() {
            self.index(key).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Takes a text that must be this one, such as the kind of a leaf.
    pub(crate) fn constant(&mut self, key: &'static str, text: &str) -> Result<(), Malformed> {
        if self.required(key)?.is_text(text) {
            Ok(())
        } else {
            Err(Malformed::Wrong(key))
        }
    }

    /// Takes a version that must be this one.
    pub(crate) fn version(&mut self, key: &'static str, version: i64) -> Result<(), Malformed> {
        if self.integer(key)? == version {
            Ok(())
        } else {
            Err(Malformed::Wrong(key))
        }
    }

    /// Returns whether everything was taken.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        if self.object.entries().count() == self.taken.len() {
            return Ok(());
        }
        let is_taken = |key: &Value<'d>| self.taken.iter().any(|taken| key.is_text(taken));
        let mut keys = self.object.entries().map(|(key, _)| key);
        let unknown = keys.find(|key| !is_taken(key)).and_then(Value::text);
        Err(Malformed::Unknown(unknown.unwrap_or_default().into_owned()))
    }
}

fn parse<T: FromStr>(value: Value<'_>, key: &'static str) -> Result<T, Malformed> {
    let text = value.text().ok_or(Malformed::Wrong(key))?;
    text.parse().map_err(|_| Malformed::Wrong(key))
}

fn whole(value: Value<'_>) -> Option<i64> {
    let number = value.number()?;
    if number.fract() != 0.0 || number.abs() > assay_model::Number::MAX_INTEGER {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole and below 2^53"
    )]
    Some(number as i64)
}
