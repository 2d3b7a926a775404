use assay_formats::eee::{Version, aggregate_shape};
use assay_formats::json::{Layout, Map, Node, parse, write};
use assay_formats::{Kind, Tape, Value};
use assay_model::quote;

use super::aggregate;
use super::conform::conform;
use super::path::Home;
use super::refusal::{Reason, ReasonKind, Refusal};
use super::report::{ChangeKind, Ledger, Origin, Report};
use super::rows::{RowsSummary, Target};
use super::verify::{score_reasons, shape_reasons, syntax_reason};

const COMPANION: &str = "detailed_evaluation_results";

/// A record on its way from one version to the next: read, but without its samples.
///
/// A record and its samples are upgraded in three steps, because the record must say the digest of
/// rows that are themselves rewritten: [`Draft::read`], then [`Rows`](super::Rows) with
/// [`Draft::target`], then [`Draft::finish`].
#[derive(Debug)]
pub struct Draft {
    home: Result<Home, Vec<Reason>>,
    origin: Origin,
    /// The text of a record that is current already, which is handed out as it is.
    current: Option<String>,
    root: Map,
    ledger: Ledger,
}

/// The fields of a record about its samples file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Samples<'d> {
    /// The path that the record names; before 0.2.3 often that of another machine.
    pub file_path: Option<&'d str>,
}

/// A record in the current version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upgraded {
    /// Its text.
    pub json: String,
    /// The path, from the root of the datastore.
    pub path: String,
    /// The changes that were made.
    pub report: Report,
}

impl Draft {
    /// Reads a record and makes every change that does not depend on its samples.
    pub fn read(text: &str, path: &str) -> Result<Self, Refusal> {
        let home = Home::of(path);
        let source = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut tape = Tape::new();
        let faults = parse(source, &mut tape);
        let mut reasons: Vec<Reason> = faults
            .iter()
            .filter_map(|fault| syntax_reason(source, fault))
            .collect();
        let root = tape
            .root(source)
            .ok_or_else(|| cannot_be_read(&mut reasons))?;
        Refusal::unless_empty(reasons)?;
        let origin = origin(root).map_err(Refusal::because)?;
        let mut ledger = Ledger::default();
        if !faults.is_empty() {
            note_non_finite(root, &mut ledger);
        }
        let Node::Map(root) = Node::of(root) else {
            return Err(Refusal::because(not_an_object()));
        };
        let current = (origin == Origin::Published(Version::CURRENT)).then(|| text.to_owned());
        let mut draft = Self {
            home,
            origin,
            current,
            root,
            ledger,
        };
        draft.change();
        Ok(draft)
    }

    /// The version that the record was written in.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns whether the record is current already, so that it and its samples stay as they are,
    /// byte for byte.
    pub fn is_current(&self) -> bool {
        self.current.is_some()
    }

    /// Returns the path of the record, from the root of the datastore, if it has the place of a
    /// record.
    pub fn path(&self) -> Option<&str> {
        self.home.as_ref().ok().map(|home| home.path.as_str())
    }

    /// Returns the path of its samples.
    pub fn samples_path(&self) -> Option<String> {
        self.home.as_ref().ok().map(Home::samples)
    }

    /// The samples file that the record speaks of.
    pub fn samples(&self) -> Option<Samples<'_>> {
        let companion = self.root.get(COMPANION)?.map()?;
        Some(Samples {
            file_path: companion.text_of("file_path"),
        })
    }

    /// Returns the fields of the record that the rows of the samples file must repeat.
    pub fn target(&self) -> Target {
        let text = |map: Option<&Map>, key: &str| {
            map.and_then(|map| map.text_of(key))
                .unwrap_or_default()
                .to_owned()
        };
        Target {
            evaluation_id: text(Some(&self.root), "evaluation_id"),
            model_id: text(self.root.get("model_info").and_then(Node::map), "id"),
        }
    }

    /// The record in the current version, with what its samples turned out to be.
    pub fn finish(mut self, samples: Option<&RowsSummary>) -> Result<Upgraded, Refusal> {
        let mut reasons = Vec::new();
        let home = self.home.clone().unwrap_or_else(|faults| {
            reasons.extend(faults);
            Home::nowhere()
        });
        if self.current.is_none() {
            reasons.extend(self.point_at(samples, &home).err());
            let mut root = Node::Map(std::mem::take(&mut self.root));
            conform(
                aggregate_shape(Version::CURRENT),
                &mut root,
                &mut self.ledger,
            );
            self.current = Some(write(&root, Layout::Pretty));
        }
        let json = self.current.unwrap_or_default();
        let on_home_ground = reasons.is_empty();
        reasons.extend(remaining_reasons(&json, on_home_ground));
        Refusal::unless_empty(reasons)?;
        Ok(Upgraded {
            json,
            path: home.path,
            report: Report {
                from: self.origin,
                changes: self.ledger.changes,
            },
        })
    }

    fn change(&mut self) {
        if self.is_current() {
            self.ledger = Ledger::default();
            return;
        }
        // A record outside the layout is refused in the end; its other faults are still worth
        // telling.
        let collection = self
            .home
            .as_ref()
            .map_or("unknown", |home| &home.collection);
        self.root.set("schema_version", Version::CURRENT.as_str());
        aggregate::upgrade(&mut self.root, collection, &mut self.ledger);
    }

    /// Makes the record point at its rewritten samples.
    fn point_at(&mut self, samples: Option<&RowsSummary>, home: &Home) -> Result<(), Reason> {
        let Some(samples) = samples else {
            return self.point_at_nothing();
        };
        if samples.rows == 0 {
            return Err(Reason::whole(
                ReasonKind::SamplesEmpty,
                "the samples file has no rows",
            ));
        }
        if self.root.get(COMPANION).is_none() {
            self.root.set(COMPANION, Map::new());
        }
        let Some(companion) = self.root.map_of_mut(COMPANION) else {
            return Ok(());
        };
        let facts = [
            ("format", Node::from("jsonl")),
            ("file_path", Node::from(home.samples())),
            ("hash_algorithm", Node::from("sha256")),
            ("checksum", Node::from(samples.sha256.as_str())),
            ("total_rows", Node::from(samples.rows)),
        ];
        self.ledger.at_key(COMPANION, |ledger| {
            for (key, value) in facts {
                let old = companion.set(key, value.clone());
                match old {
                    Some(old) if old == value => {}
                    Some(Node::Null) | None => {
                        ledger.note_at(key, ChangeKind::Filled, "from the rewritten samples");
                    }
                    Some(_) => {
                        ledger.note_at(key, ChangeKind::Restated, "follows the rewritten samples");
                    }
                }
            }
        });
        Ok(())
    }

    /// A pointer without a path and without a file says nothing; one with a path speaks of a file
    /// that must be there.
    fn point_at_nothing(&mut self) -> Result<(), Reason> {
        let Some(samples) = self.samples() else {
            return Ok(());
        };
        if let Some(path) = samples.file_path {
            return Err(Reason::at(
                ReasonKind::SamplesMissing,
                format!("{COMPANION}.file_path"),
                format!(
                    "the record names the samples file {}, which is not beside it",
                    quote(path)
                ),
            ));
        }
        self.root.remove(COMPANION);
        self.ledger.note_at(
            COMPANION,
            ChangeKind::Lost,
            "it names no file, and none is beside the record",
        );
        Ok(())
    }
}

fn cannot_be_read(reasons: &mut Vec<Reason>) -> Refusal {
    let mut reasons = std::mem::take(reasons);
    if reasons.is_empty() {
        reasons.push(Reason::whole(ReasonKind::NotJson, "the text is not JSON"));
    }
    Refusal { reasons }
}

fn not_an_object() -> Reason {
    Reason::whole(ReasonKind::NotAnObject, "the document is not an object")
}

fn origin(root: Value<'_>) -> Result<Origin, Reason> {
    if root.kind() != Kind::Map {
        return Err(not_an_object());
    }
    let unknown = |message: String| {
        Reason::at(
            ReasonKind::UnknownVersion,
            "schema_version".to_owned(),
            message,
        )
    };
    let version = root
        .text_of("schema_version")
        .ok_or_else(|| unknown("the record does not say its `schema_version`".to_owned()))?;
    Origin::named(&version).ok_or_else(|| {
        unknown(format!(
            "{} is not a schema version that records were written in",
            quote(&version)
        ))
    })
}

/// Notes every bare number that is not finite; the tree holds it as text, the way that 0.3.0 writes
/// an open bound.
fn note_non_finite(value: Value<'_>, ledger: &mut Ledger) {
    match value.kind() {
        Kind::Number if value.is_non_finite() => ledger.note(
            ChangeKind::Restated,
            format!("was a bare {}, now text", quote(value.raw())),
        ),
        Kind::Number | Kind::Null | Kind::Bool | Kind::String => {}
        Kind::List => {
            for (index, item) in value.items().enumerate() {
                ledger.at_index(index, |ledger| note_non_finite(item, ledger));
            }
        }
        Kind::Map => {
            for (key, value) in value.entries() {
                let key = key.text().unwrap_or_default();
                ledger.at_key(&key, |ledger| note_non_finite(value, ledger));
            }
        }
    }
}

/// Returns the faults that keep a text from being a record of the current version. The pointer to
/// the samples follows from the path, so it is only looked at when the path holds.
fn remaining_reasons(json: &str, on_home_ground: bool) -> Vec<Reason> {
    let mut tape = Tape::new();
    let faults = parse(json, &mut tape);
    let Some(root) = tape.root(json) else {
        return faults
            .iter()
            .filter_map(|fault| syntax_reason(json, fault))
            .collect();
    };
    let mut reasons = shape_reasons(aggregate_shape(Version::CURRENT), root);
    if !on_home_ground {
        reasons.retain(|reason| !reason.path.starts_with(COMPANION));
    }
    reasons.extend(score_reasons(root));
    let not_finite = || {
        let message = "the text has a number that is not finite";
        Reason::whole(ReasonKind::NotJson, message)
    };
    let fault = faults.first();
    reasons.extend(fault.map(|fault| syntax_reason(json, fault).unwrap_or_else(not_finite)));
    reasons
}
