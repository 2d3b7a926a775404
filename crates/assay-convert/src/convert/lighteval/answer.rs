use parquet::record::Field;

use super::field::{items, json, number, texts};

/// The answer of the model.
pub(super) enum Answer {
    /// In words, which may have been cut to what counts; with the reasoning before them.
    Said {
        texts: Vec<String>,
        extracted: Option<String>,
        reasonings: Vec<String>,
    },
    /// By finding one option more likely than the others.
    Chosen { choice: String, logprobs: String },
    /// Not at all.
    Nothing,
}

impl Answer {
    /// Reads the answer out of the columns of a response.
    pub(super) fn of<'f>(part: &dyn Fn(&str) -> Option<&'f Field>, choices: &[String]) -> Self {
        let said = texts(part("text"));
        if let Some(first) = said.first() {
            let processed = texts(part("text_post_processed")).into_iter().next();
            return Self::Said {
                extracted: processed.filter(|processed| processed != first),
                reasonings: texts(part("reasonings")),
                texts: said,
            };
        }
        let logprobs = items(part("logprobs"));
        if logprobs.len() != choices.len() {
            return Self::Nothing;
        }
        let mut best: Option<(usize, f64)> = None;
        for (index, logprob) in logprobs.iter().enumerate() {
            // Of equals the first wins, as it does in lighteval.
            if let Some(logprob) = number(logprob)
                && best.is_none_or(|(_, highest)| logprob > highest)
            {
                best = Some((index, logprob));
            }
        }
        best.map_or(Self::Nothing, |(index, _)| Self::Chosen {
            choice: choices[index].clone(),
            logprobs: logprobs
                .iter()
                .map(json)
                .collect::<serde_json::Value>()
                .to_string(),
        })
    }
}
