use std::collections::BTreeMap;
use std::str::FromStr;

use crate::Json;

/// The members of an object whose schema is closed: each is taken out once, and nothing may be left over.
///
/// What nobody reads today, some consumer may believe tomorrow; therefore an unknown member is a fault.
#[derive(Debug)]
pub(crate) struct Members(BTreeMap<String, Json>);

/// Why an object does not have its shape.
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

impl Members {
    pub(crate) fn of(json: Json) -> Result<Self, Malformed> {
        match json {
            Json::Map(members) => Ok(Self(members)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => {
                Err(Malformed::NotAnObject)
            }
        }
    }

    /// The member, if there is one.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Json> {
        self.0.remove(key)
    }

    pub(crate) fn required(&mut self, key: &'static str) -> Result<Json, Malformed> {
        self.take(key).ok_or(Malformed::Missing(key))
    }

    pub(crate) fn members(&mut self, key: &'static str) -> Result<Self, Malformed> {
        Self::of(self.required(key)?).map_err(|_| Malformed::Wrong(key))
    }

    pub(crate) fn list(&mut self, key: &'static str) -> Result<Vec<Json>, Malformed> {
        match self.required(key)? {
            Json::List(items) => Ok(items),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::Map(_) => {
                Err(Malformed::Wrong(key))
            }
        }
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Result<String, Malformed> {
        match self.required(key)? {
            Json::Text(text) => Ok(text),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::List(_) | Json::Map(_) => {
                Err(Malformed::Wrong(key))
            }
        }
    }

    pub(crate) fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, Malformed> {
        if self.0.contains_key(key) {
            self.text(key).map(Some)
        } else {
            Ok(None)
        }
    }

    pub(crate) fn parsed<T: FromStr>(&mut self, key: &'static str) -> Result<T, Malformed> {
        self.text(key)?.parse().map_err(|_| Malformed::Wrong(key))
    }

    pub(crate) fn optional_parsed<T: FromStr>(
        &mut self,
        key: &'static str,
    ) -> Result<Option<T>, Malformed> {
        let text = self.optional_text(key)?;
        text.map(|text| text.parse().map_err(|_| Malformed::Wrong(key)))
            .transpose()
    }

    pub(crate) fn truth(&mut self, key: &'static str) -> Result<bool, Malformed> {
        match self.required(key)? {
            Json::Bool(truth) => Ok(truth),
            Json::Null | Json::Number(_) | Json::Text(_) | Json::List(_) | Json::Map(_) => {
                Err(Malformed::Wrong(key))
            }
        }
    }

    /// A whole number that is exact in every tool.
    pub(crate) fn integer(&mut self, key: &'static str) -> Result<i64, Malformed> {
        let Json::Number(number) = self.required(key)? else {
            return Err(Malformed::Wrong(key));
        };
        let value = number.get();
        if value.fract() != 0.0 || value.abs() > assay_model::Number::MAX_INTEGER {
            return Err(Malformed::Wrong(key));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole and below 2^53"
        )]
        Ok(value as i64)
    }

    pub(crate) fn index(&mut self, key: &'static str) -> Result<u64, Malformed> {
        u64::try_from(self.integer(key)?).map_err(|_| Malformed::Wrong(key))
    }

    pub(crate) fn optional_index(&mut self, key: &'static str) -> Result<Option<u64>, Malformed> {
        if self.0.contains_key(key) {
            self.index(key).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Takes a text that must be this one, such as the kind of a leaf.
    pub(crate) fn constant(&mut self, key: &'static str, text: &str) -> Result<(), Malformed> {
        if self.text(key)? == text {
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

    /// Whether everything was taken.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        match self.0.into_keys().next() {
            Some(key) => Err(Malformed::Unknown(key)),
            None => Ok(()),
        }
    }
}
