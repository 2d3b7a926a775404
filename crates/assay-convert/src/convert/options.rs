/// What a log cannot say and a person can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The organisation that reports the scores.
    pub organization: String,
    /// Its address.
    pub organization_url: Option<String>,
    /// Its logo.
    pub organization_logo_url: Option<String>,
    /// How those who evaluated relate to those who made the model.
    pub relationship: Relationship,
    /// What the scores were taken from; the harness, unless told otherwise.
    pub source_name: Option<String>,
    /// The name of the harness in the record, when it shall be another.
    pub library_name: Option<String>,
    /// The version of the harness, when the log does not say.
    pub library_version: Option<String>,
    /// The software that ran the model, when the log does not say.
    pub inference_engine: Option<String>,
    /// Its version.
    pub inference_engine_version: Option<String>,
    /// When the record was made, as Unix seconds. When the evaluation ended, unless told otherwise: a record must not
    /// change with the clock.
    pub retrieved_timestamp: Option<String>,
    /// Whether samples are written.
    pub samples: bool,
    /// How many threads may work on one log.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            organization: "unknown".to_owned(),
            organization_url: None,
            organization_logo_url: None,
            relationship: Relationship::ThirdParty,
            source_name: None,
            library_name: None,
            library_version: None,
            inference_engine: None,
            inference_engine_version: None,
            retrieved_timestamp: None,
            samples: true,
            jobs: 1,
        }
    }
}

/// How those who evaluated relate to those who made the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relationship {
    /// The same people.
    FirstParty,
    /// Other people.
    ThirdParty,
    /// Both together.
    Collaborative,
    /// None of these.
    Other,
}

impl Relationship {
    /// The word in a record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FirstParty => "first_party",
            Self::ThirdParty => "third_party",
            Self::Collaborative => "collaborative",
            Self::Other => "other",
        }
    }
}
