/// The query of a page, to be changed piece by piece: every control of a page is a link or a form,
/// and all that it chooses is in the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State {
    pairs: Vec<(String, String)>,
}

impl State {
    /// The query as it came. What cannot be read is left out.
    pub(crate) fn of(query: Option<&str>) -> Self {
        let pairs = serde_html_form::from_str(query.unwrap_or_default());
        Self {
            pairs: pairs.unwrap_or_default(),
        }
    }

    /// The value of a key, the last when it has several; none when it is empty.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.all(key).last()
    }

    /// Every value of a key that is not empty.
    pub(crate) fn all(&self, key: &str) -> impl DoubleEndedIterator<Item = &str> {
        self.pairs
            .iter()
            .filter(move |(own, value)| own == key && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// The same with another value for a key.
    #[must_use]
    pub(crate) fn with(&self, key: &str, value: impl Into<String>) -> Self {
        let mut changed = self.without(key);
        changed.pairs.push((key.to_owned(), value.into()));
        changed
    }

    /// The same with one more value for a key.
    #[must_use]
    pub(crate) fn and(&self, key: &str, value: impl Into<String>) -> Self {
        let mut changed = self.clone();
        changed.pairs.push((key.to_owned(), value.into()));
        changed
    }

    /// The same without a key.
    #[must_use]
    pub(crate) fn without(&self, key: &str) -> Self {
        let pairs = self.pairs.iter().filter(|(own, _)| own != key);
        Self {
            pairs: pairs.cloned().collect(),
        }
    }

    /// The same with these keys alone.
    #[must_use]
    pub(crate) fn only(&self, keys: &[&str]) -> Self {
        let pairs = self
            .pairs
            .iter()
            .filter(|(own, _)| keys.contains(&own.as_str()));
        Self {
            pairs: pairs.cloned().collect(),
        }
    }

    /// The pairs that say something, for the hidden fields of a form.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let filled = self.pairs.iter().filter(|(_, value)| !value.is_empty());
        filled.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// An address with this query.
    pub(crate) fn on(&self, path: &str) -> String {
        let pairs: Vec<(&str, &str)> = self.pairs().collect();
        if pairs.is_empty() {
            return path.to_owned();
        }
        let query = serde_html_form::to_string(&pairs).unwrap_or_default();
        format!("{path}?{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_changed_piece_by_piece_and_keeps_the_rest() {
        let state = State::of(Some("a=1&b=x%20y&a=2&empty="));

        assert_eq!(state.get("a"), Some("2"));
        assert_eq!(state.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(state.get("empty"), None);
        assert_eq!(state.with("a", "3").on("/p"), "/p?b=x+y&a=3");
        assert_eq!(state.without("a").without("b").on("/p"), "/p");
        assert_eq!(state.only(&["b"]).on("/p"), "/p?b=x+y");
    }

    #[test]
    fn nothing_in_a_value_escapes_from_it() {
        let state = State::default().with("q", "a&b=c#\"><script>");

        let address = state.on("/p");

        assert_eq!(address, "/p?q=a%26b%3Dc%23%22%3E%3Cscript%3E");
        assert_eq!(
            State::of(address.split_once('?').map(|(_, query)| query)),
            state
        );
    }
}
