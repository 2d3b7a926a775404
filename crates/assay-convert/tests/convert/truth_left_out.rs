//! What logs say and no record has: each such value stands in `fixtures/truth/left_out.tsv` with
//! the reason, and where the reason says something that a value can break, every value is held
//! against it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::kit::fixture;
use crate::truth;
use crate::truth_leaves::{Leaves, leaves};
use crate::truth_runs::{HARNESSES, converted, documents, folder, names};

/// Returns whether a reason is true of a value of a run, given all that was written of it.
type Holds = fn(&str, &Value, &Leaves) -> bool;

/// Reasons that a value can break, by how they begin.
const CHECKED: &[(&str, Holds)] = &[
    ("is `N/A`", |_, value, _| value == "N/A"),
    ("is -1", |_, value, _| value == -1),
    ("is in the rows in milliseconds", |_, value, kept| {
        let milliseconds = (value.as_f64().unwrap() * 1e6).round() / 1e3;
        let mut requests = (1..=MOST_REQUESTS).map(f64::from);
        requests.any(|count| kept.has(&(count * milliseconds).into()))
    }),
    ("is in the record as `lower_is_better`", |_, value, kept| {
        kept.has_flag("lower_is_better", !value.as_bool().unwrap())
    }),
    ("is recorded as `git_dirty`", |_, value, kept| {
        kept.has_flag("git_dirty", value.as_bool().unwrap())
    }),
    ("is `false` in every log", |_, value, _| value == false),
    ("is `true` in every log", |_, value, _| value == true),
    ("is a planted secret", |_, value, _| {
        value.as_str().unwrap().contains("Planted")
    }),
    ("is a path of the machine", |_, value, kept| {
        let last = value.as_str().unwrap().rsplit('/').next().unwrap();
        kept.has(&last.into())
    }),
    ("is recorded where it is not the default", |_, value, _| {
        matches!(value.as_i64(), Some(0 | 1234))
    }),
    ("is a digest", |_, value, _| {
        let text = value.as_str().unwrap();
        text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    }),
    ("is a grade", |_, value, kept| {
        let number = match (value.as_str(), value.as_bool()) {
            (Some("C"), _) | (_, Some(true)) => 1.0,
            (Some("P"), _) => 0.5,
            (Some("I" | "N"), _) | (_, Some(false)) => 0.0,
            (_, None) => return false,
        };
        kept.has(&number.into())
    }),
    (
        "is in the record in seconds since 1970",
        |_, value, kept| kept.has(&seconds_since_1970(value.as_str().unwrap()).into()),
    ),
    ("is the traceback once more, in colours", |_, value, _| {
        value.as_str().unwrap().contains("\u{1b}[")
    }),
    (
        "is of a sample whose score is no finite number",
        |run, _, _| run == "nan",
    ),
    ("is a UUID of", |_, value, _| {
        let text = value.as_str().unwrap();
        text.len() >= 20 && !text.contains(' ')
    }),
];

/// The separator of reasons of which each value has one.
const OR: &str = "; or ";
/// The most requests that are made for one question.
const MOST_REQUESTS: u32 = 4;
/// The days before the first of each month of a common year.
const DAYS: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// A time of this century such as `2026-11-18T11:33:47+00:00`.
fn seconds_since_1970(time: &str) -> u64 {
    let part = |range: std::ops::Range<usize>| time[range].parse::<u64>().unwrap();
    let (year, month, day) = (part(0..4), part(5..7), part(8..10));
    let leaps = (year - 1969) / 4 + u64::from(year % 4 == 0 && month > 2);
    let days = (year - 1970) * 365 + leaps + DAYS[usize::try_from(month).unwrap() - 1] + day - 1;
    assert!(time.ends_with("+00:00"), "{time}");
    ((days * 24 + part(11..13)) * 60 + part(14..16)) * 60 + part(17..19)
}

/// Logs that make no record.
pub(crate) const WITHOUT_SCORES: [&str; 2] = ["cancelled", "unscored"];

/// The values that a run has lost, by their paths.
struct Lost<'r> {
    reasons: &'r BTreeMap<&'r str, &'r str>,
    used: BTreeSet<String>,
    /// An example of each path without a reason.
    unlisted: BTreeMap<String, String>,
    /// Values of which the reason is not true.
    untrue: BTreeMap<String, String>,
}

impl Lost<'_> {
    fn add(&mut self, run: &str, path: String, value: &Value, kept: &Leaves) {
        let Some(reason) = self.reasons.get(path.as_str()) else {
            self.unlisted.insert(path, format!("{run}: {value}"));
            return;
        };
        let mut parts = reason.split(OR);
        let is_true = parts.any(|part| {
            let check = CHECKED.iter().find(|(begin, _)| part.starts_with(begin));
            check.is_none_or(|(_, holds)| holds(run, value, kept))
        });
        if !is_true {
            let fault = format!("{run}: {value} is not what `{reason}` says");
            self.untrue.insert(path.clone(), fault);
        }
        self.used.insert(path);
    }
}

/// Returns whether a value of a log was written somewhere; a truth value, under its key.
fn is_kept(path: &str, value: &Value, kept: &Leaves) -> bool {
    match value {
        Value::Bool(truth) => {
            let key = path.trim_end_matches("[]").rsplit('.').next().unwrap();
            kept.has_flag(key, *truth)
        }
        _ => kept.has(value),
    }
}

#[test]
fn what_no_record_has_is_listed_with_a_reason_that_is_true() {
    let list = String::from_utf8(fixture("truth/left_out.tsv")).unwrap();
    let lines = list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs: Vec<(&str, &str)> = lines.map(|line| line.split_once('\t').unwrap()).collect();
    let reasons: BTreeMap<&str, &str> = pairs.iter().copied().collect();
    assert_eq!(reasons.len(), pairs.len(), "a path is listed twice");
    assert!(reasons.values().all(|reason| reason.len() > 10));
    let mut lost = Lost {
        reasons: &reasons,
        used: BTreeSet::new(),
        unlisted: BTreeMap::new(),
        untrue: BTreeMap::new(),
    };

    for harness in HARNESSES {
        for name in names(harness) {
            let (files, output) = converted(harness, &name);
            let kept = Leaves::of_files(&output.files);
            for (kind, document) in documents(&files) {
                leaves(&document, &mut |path, value| {
                    if !is_kept(path, value, &kept) {
                        let path = format!("{} {kind}{path}", folder(harness));
                        lost.add(&name, path, value, &kept);
                    }
                });
            }
        }
    }
    let with_record = truth::names();
    let with_record = with_record
        .iter()
        .filter(|name| !WITHOUT_SCORES.contains(&name.as_str()));
    for name in with_record {
        let kept = Leaves::of_files(&truth::converted(&format!("{name}.json")).files);
        leaves(&truth::log(name), &mut |path, value| {
            if !is_kept(path, value, &kept) {
                lost.add(name, format!("inspect log{path}"), value, &kept);
            }
        });
    }

    let stale = reasons.keys().filter(|path| !lost.used.contains(**path));
    let is_used = |begin: &str| {
        reasons
            .values()
            .any(|reason| reason.split(OR).any(|part| part.starts_with(begin)))
    };
    let idle = CHECKED.iter().filter(|(begin, _)| !is_used(begin));
    let faults: Vec<String> = std::iter::empty()
        .chain(lost.unlisted.iter().map(|(path, example)| {
            format!("in no record, and without a reason: {path} ({example})")
        }))
        .chain(
            lost.untrue
                .iter()
                .map(|(path, fault)| format!("not so: {path} ({fault})")),
        )
        .chain(stale.map(|path| format!("listed, but nothing is left out: {path}")))
        .chain(idle.map(|(begin, _)| format!("no reason begins so: {begin}")))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
