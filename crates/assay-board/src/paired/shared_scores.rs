use crate::Error;

/// The fewest questions from which models are compared.
pub const LEAST_QUESTIONS: usize = 10;
/// The most models that are compared. Their pairs take 400 MB.
pub const MOST_MODELS: usize = 10_000;
/// The fewest models that are compared.
const LEAST_MODELS: usize = 2;

/// The scores of models on questions that all of them answered. With several epochs a score is the
/// mean of a question's.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedScores {
    models: usize,
    questions: usize,
    values: Vec<f64>,
}

impl SharedScores {
    /// Takes the scores of one model after the other, each in the same order of questions. Rejects
    /// a table that is not full, too small or too large, or has a score that is not finite.
    pub fn new(models: usize, questions: usize, values: Vec<f64>) -> Result<Self, Error> {
        if !(LEAST_MODELS..=MOST_MODELS).contains(&models) {
            return Err(Error::ModelCount {
                found: models,
                least: LEAST_MODELS,
                most: MOST_MODELS,
            });
        }
        if questions < LEAST_QUESTIONS {
            return Err(Error::TooFewQuestions {
                found: questions,
                least: LEAST_QUESTIONS,
            });
        }
        if models.checked_mul(questions) != Some(values.len()) {
            return Err(Error::NotATable {
                scores: values.len(),
                models,
                questions,
            });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(place) => Err(Error::ScoreNotFinite {
                model: place / questions,
                question: place % questions,
            }),
            None => Ok(Self {
                models,
                questions,
                values,
            }),
        }
    }

    /// Returns the number of models.
    pub fn models(&self) -> usize {
        self.models
    }

    /// Returns the number of questions.
    pub fn questions(&self) -> usize {
        self.questions
    }

    /// The scores of each model, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.questions)
    }
}
