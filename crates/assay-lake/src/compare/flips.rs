//! The samples on which one model is right and the other wrong, with what was asked and answered.

use std::collections::BTreeMap;

use datafusion::arrow::array::{Array as _, AsArray as _};
use serde::Serialize;

use super::Question;
use super::pairs::{Did, Pair, quoted};
use crate::engine::Engine;
use crate::error::Result;

/// A sample on which one is right and the other wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flip {
    /// What tells the question from others.
    pub sample_hash: String,
    /// The question, when the rows have it.
    pub input: Option<String>,
    /// The right answers.
    pub references: Vec<String>,
    /// How the one did.
    pub a: Side,
    /// How the other did.
    pub b: Side,
}

/// How one model did on a sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// True if it is right.
    pub right: bool,
    /// Its score.
    pub score: f64,
    /// What it said last.
    pub output: Option<String>,
}

/// What is known of one model and one sample.
#[derive(Debug, Default)]
struct SampleTexts {
    /// The run and the row that this is of; of several the first is told.
    row: Option<(String, i64)>,
    input: Option<String>,
    references: Vec<String>,
    output: Option<String>,
}

/// The first so many samples that differ, in the order of their hashes.
pub(super) async fn flips(
    engine: &Engine,
    question: &Question,
    pairs: &[Pair],
) -> Result<Vec<Flip>> {
    let differing: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| pair.a.right != pair.b.right)
        .take(question.flips)
        .collect();
    if differing.is_empty() {
        return Ok(Vec::new());
    }
    let mut told = told(engine, question, &differing).await?;
    let mut take = |model: &String, pair: &Pair| {
        told.remove(&(model.clone(), pair.hash.clone()))
            .unwrap_or_default()
    };
    Ok(differing
        .into_iter()
        .map(|pair| {
            let (a, b) = (take(&question.model_a, pair), take(&question.model_b, pair));
            Flip {
                sample_hash: pair.hash.clone(),
                input: a.input.or(b.input),
                references: a.references,
                a: side(pair.a, a.output),
                b: side(pair.b, b.output),
            }
        })
        .collect())
}

fn side(did: Did, output: Option<String>) -> Side {
    Side {
        right: did.right,
        score: did.score,
        output,
    }
}

async fn told(
    engine: &Engine,
    question: &Question,
    differing: &[&Pair],
) -> Result<BTreeMap<(String, String), SampleTexts>> {
    let hashes: Vec<String> = differing.iter().map(|pair| quoted(&pair.hash)).collect();
    let sql = format!(
        "SELECT model, sample_hash, record_id, line, part, role, content FROM messages \
         WHERE model IN ({}, {}) AND sample_hash IN ({}) AND content IS NOT NULL \
         AND part IN ('input', 'reference', 'output', 'message') \
         ORDER BY model, sample_hash, record_id, line, position",
        quoted(&question.model_a),
        quoted(&question.model_b),
        hashes.join(", ")
    );
    let mut told: BTreeMap<(String, String), SampleTexts> = BTreeMap::new();
    for batch in engine.all(&sql).await? {
        let text = |row: usize, column: usize| {
            let column = batch.column(column).as_string_view_opt()?;
            (!column.is_null(row)).then(|| column.value(row).to_owned())
        };
        let lines = batch
            .column(3)
            .as_primitive_opt::<datafusion::arrow::datatypes::Int64Type>();
        for row in 0..batch.num_rows() {
            let (Some(model), Some(hash)) = (text(row, 0), text(row, 1)) else {
                continue;
            };
            let line = lines.map_or(0, |lines| lines.value(row));
            let place = (text(row, 2).unwrap_or_default(), line);
            let told = told.entry((model, hash)).or_default();
            if *told.row.get_or_insert_with(|| place.clone()) != place {
                continue;
            }
            let role = text(row, 5);
            let content = text(row, 6);
            match (text(row, 4).as_deref(), role.as_deref()) {
                (Some("input"), _) => told.input = content,
                (Some("reference"), _) => told.references.extend(content),
                (Some("output"), _) | (Some("message"), Some("assistant")) => told.output = content,
                _ => {}
            }
        }
    }
    Ok(told)
}
