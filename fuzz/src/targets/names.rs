//! The doors through which text becomes a name.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use assay_formats::eee::{Layout, is_companion_path, layout_of};
use assay_model::{Code, Date, MetricId, Number, RepoId, Revision, TaskId};

use crate::harness::fuzz;

/// What is read prints as it was written, and reads back as the same.
fn keeps_its_text<T: FromStr + Display + PartialEq + Debug>(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(name) = text.parse::<T>() {
        assert_eq!(name.to_string(), text);
        assert_eq!(name.to_string().parse::<T>().ok(), Some(name));
    }
}

#[test]
fn repo_id() {
    fuzz("repo_id", keeps_its_text::<RepoId>);
}

#[test]
fn revision() {
    fuzz("revision", keeps_its_text::<Revision>);
}

#[test]
fn date() {
    fuzz("date", keeps_its_text::<Date>);
}

#[test]
fn task_id() {
    fuzz("task_id", keeps_its_text::<TaskId>);
}

#[test]
fn metric_id() {
    fuzz("metric_id", keeps_its_text::<MetricId>);
}

#[test]
fn code() {
    fuzz("code", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(code) = text.parse::<Code>() {
            assert_eq!(code.to_string(), text.trim().to_ascii_uppercase());
            assert_eq!(code.to_string().parse(), Ok(code));
        }
    });
}

/// A number prints in its one spelling, which stands for the same double.
#[test]
fn number() {
    fuzz("number", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(number) = text.parse::<Number>() {
            let canonical = number.to_string();
            let back: f64 = canonical.parse().expect("a canonical number is a number");
            let written: f64 = text.parse().expect("what was accepted is a number");
            assert_eq!(Number::new(back), Some(number));
            assert_eq!(Number::new(written), Some(number));
            assert_eq!(
                Number::new(back).map(|again| again.to_string()),
                Some(canonical)
            );
        }
    });
}

/// A path without a fault is what its parts say.
#[test]
fn layout() {
    fuzz("layout", |bytes| {
        let path = String::from_utf8_lossy(bytes);
        let (layout, faults) = layout_of(&path);
        if faults.is_empty() {
            let Layout {
                benchmark,
                developer,
                model,
                uuid,
            } = layout.expect("a path without a fault has a layout");
            let stem = format!("data/{benchmark}/{developer}/{model}/{uuid}");
            assert!(
                [".json", ".jsonl", "_samples.jsonl"]
                    .iter()
                    .any(|ending| path == format!("{stem}{ending}")),
                "{path:?}"
            );
            assert_eq!(
                is_companion_path(&path),
                path.ends_with("_samples.jsonl"),
                "{path:?}"
            );
        }
    });
}
