//! The documentation of the rules, for pages: the same text as `assay explain` prints.

pub use assay_check::rules::doubts_value;

use assay_check::rules;
use assay_model::{Code, Severity};

/// A rule and the page that explains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePage {
    /// The stable name for machines.
    pub code: String,
    /// The stable name for people.
    pub name: &'static str,
    /// The severity of a finding.
    pub severity: Severity,
    /// The first line of the page.
    pub title: &'static str,
    /// The page, as Markdown.
    pub page: String,
}

impl RulePage {
    fn of(rule: &assay_check::Rule) -> Self {
        Self {
            code: rule.code.to_string(),
            name: rule.name,
            severity: rule.severity,
            title: rule.title(),
            page: rule.page(),
        }
    }
}

/// Every rule, in the order of the codes.
pub fn rule_pages() -> Vec<RulePage> {
    rules::ALL.iter().map(|rule| RulePage::of(rule)).collect()
}

/// The rule of a code.
pub fn rule_page(code: &str) -> Option<RulePage> {
    let code: Code = code.parse().ok()?;
    rules::find(code).map(RulePage::of)
}
