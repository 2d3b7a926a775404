//! Reading of names, words and numbers from JSON: a text comes in through its `FromStr`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::{
    Code, Date, MetricId, Number, ObjectId, RepoId, RepoKind, RepoPath, Role, TaskId, Timestamp,
    ValueType,
};

macro_rules! from_text {
    ($($name:ident)*) => {
        $(
            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let text = String::deserialize(deserializer)?;
                    text.parse().map_err(D::Error::custom)
                }
            }
        )*
    };
}

from_text! { Code Date MetricId ObjectId RepoId RepoKind RepoPath Role TaskId Timestamp ValueType }

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::new(value).ok_or_else(|| D::Error::custom("the number is not finite"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let moment = Timestamp::from_millis(1_771_065_000_123);
        let id: RepoId = "Idavidrein/gpqa".parse().unwrap();
        let text = serde_json::to_string(&(&id, moment, Role::Write, RepoKind::Dataset)).unwrap();

        let read: (RepoId, Timestamp, Role, RepoKind) = serde_json::from_str(&text).unwrap();

        assert_eq!(read, (id, moment, Role::Write, RepoKind::Dataset));
    }

    #[test]
    fn a_text_that_the_type_refuses_is_refused_with_its_reason() {
        let error = serde_json::from_str::<RepoId>("\"a/b/c\"").unwrap_err();

        assert!(error.to_string().contains("2 slashes"), "{error}");
        assert!(serde_json::from_str::<Timestamp>("\"yesterday\"").is_err());
        assert!(serde_json::from_str::<Code>("\"X1\"").is_err());
    }
}
