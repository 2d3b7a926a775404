use assay_model::{Code, Severity};

/// One rule: its code, its weight and the page that explains it.
#[derive(Debug)]
pub struct Rule {
    /// The stable name for machines.
    pub code: Code,
    /// The stable name for people: what is wrong, never how to mend it.
    pub name: &'static str,
    /// The severity of a finding, unless the context says otherwise.
    pub severity: Severity,
    /// The doc comment of the rule, as Markdown; its first line is the title.
    pub doc: &'static str,
}

impl Rule {
    /// The first line of the page.
    pub fn title(&self) -> &'static str {
        self.doc.lines().next().unwrap_or(self.name).trim()
    }

    /// The page `docs/codes/AY….md`, as `assay explain` prints it.
    pub fn page(&self) -> String {
        let mut page = format!(
            "# {}: {}\n\n`{}` · {}\n",
            self.code,
            self.title(),
            self.name,
            self.severity
        );
        for line in self.doc.lines().skip(1) {
            page.push_str(line.strip_prefix(' ').unwrap_or(line));
            page.push('\n');
        }
        page
    }
}

/// Declares a rule; the doc comment is its page. The first line is the title, the rest says what
/// the rule finds, why it matters and how to mend it.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ $name:ident = ($number:literal, $slug:literal, $severity:ident)) => {
        $(#[doc = $doc])+
        pub(crate) static $name: $crate::rule::Rule = $crate::rule::Rule {
            code: assay_model::Code::new($number),
            name: $slug,
            severity: assay_model::Severity::$severity,
            doc: concat!($($doc, "\n"),+),
        };
    };
}
pub(crate) use rule;
