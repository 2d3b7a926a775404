use assay_model::Diagnostic;
use serde::Serialize;

/// The body of every answer that is a refusal. Clients show `error`; the rest is for those who can
/// do more with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    /// The error, for people.
    pub error: String,
    /// The diagnostics of the files that were sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// The address of the repository that has the name already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl ErrorBody {
    /// A refusal in words alone.
    pub fn of(error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            diagnostics: Vec::new(),
            url: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_in_words_has_no_other_key() {
        let json = serde_json::to_string(&ErrorBody::of("Repository not found")).unwrap();

        assert_eq!(json, r#"{"error":"Repository not found"}"#);
    }
}
