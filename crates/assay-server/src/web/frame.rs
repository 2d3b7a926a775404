use super::links;
use super::theme::Theme;

/// The frame around the content of every page.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The title, without the name of the hub.
    pub(crate) title: String,
    /// A description of the page in a sentence, for sites that link to it.
    pub(crate) description: String,
    /// Light or dark.
    pub(crate) theme: Theme,
    /// The path and query of this page.
    pub(crate) here: String,
    /// The user who is signed in.
    pub(crate) person: Option<String>,
    /// The token that the forms of the page carry.
    pub(crate) form: String,
    /// The section of the hub it belongs to.
    pub(crate) section: Section,
    /// The text that was searched for.
    pub(crate) search: String,
    /// The feed of what the page shows: its title and address.
    pub(crate) feed: Option<(String, String)>,
    /// True if search engines are asked to stay away.
    pub(crate) unlisted: bool,
    /// The address by which search engines know the page, with scheme and host; empty when it has
    /// none.
    pub(crate) canonical: String,
    /// The content of the page for machines: JSON-LD that was escaped to stand in a script element.
    pub(crate) json_ld: Option<String>,
    /// True if there are samples to look at.
    pub(crate) has_lake: bool,
}

/// The parts of the hub that the header leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Section {
    /// None of them.
    #[default]
    None,
    /// Models by every benchmark.
    Results,
    /// Benchmarks and their leaderboards.
    Benchmarks,
    /// Models and their results.
    Models,
    /// Samples, one by one.
    Samples,
    /// Models side by side.
    Compare,
    /// The documentation.
    Docs,
}

impl Frame {
    /// Returns the links of the header: address, name, and whether this page belongs there.
    pub(crate) fn sections(&self) -> Vec<(&'static str, &'static str, bool)> {
        let sections = [
            ("/results", "Results", Section::Results),
            ("/benchmarks", "Benchmarks", Section::Benchmarks),
            ("/models", "Models", Section::Models),
            ("/samples", "Samples", Section::Samples),
            ("/compare", "Compare", Section::Compare),
            ("/docs", "Docs", Section::Docs),
        ];
        sections
            .into_iter()
            .filter(|(_, _, section)| *section != Section::Samples || self.has_lake)
            .map(|(address, name, section)| (address, name, self.section == section))
            .collect()
    }

    /// Returns the address of the sign-in that leads back here.
    pub(crate) fn login(&self) -> String {
        match self.here.as_str() {
            "/" | "/login" => "/login".to_owned(),
            here => format!("/login?next={}", links::part(here)),
        }
    }

    /// The themes: address, name, and whether it is this one.
    pub(crate) fn themes(&self) -> [(String, &'static str, bool); 3] {
        Theme::ALL.map(|theme| {
            let address = format!(
                "/theme?to={}&back={}",
                theme.as_str(),
                links::part(&self.here)
            );
            (address, theme.label(), theme == self.theme)
        })
    }

    /// The page in a part of the hub.
    #[must_use]
    pub(crate) fn within(mut self, section: Section) -> Self {
        self.section = section;
        self
    }

    /// The page with a sentence on what it shows.
    #[must_use]
    pub(crate) fn about(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// The page with a feed.
    #[must_use]
    pub(crate) fn fed_by(mut self, title: impl Into<String>, address: impl Into<String>) -> Self {
        self.feed = Some((title.into(), address.into()));
        self
    }

    /// The page with a description for machines.
    #[must_use]
    pub(crate) fn described_by(mut self, json_ld: String) -> Self {
        self.json_ld = Some(json_ld);
        self
    }

    /// The page without search engines.
    #[must_use]
    pub(crate) fn unlisted(mut self) -> Self {
        self.unlisted = true;
        self
    }
}
