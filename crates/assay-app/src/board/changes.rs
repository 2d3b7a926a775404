//! The times of the last changes, for caches of answers: a change elsewhere leaves an answer as
//! good as it was.

use std::collections::HashMap;

use assay_model::RepoKey;

/// The number of boards and models that are told apart; beyond that everything counts as changed.
const MAX_TOLD_APART: usize = 65_536;

/// The generations in which boards and models changed last.
#[derive(Debug, Default)]
pub(super) struct Changes {
    generation: u64,
    /// The last one in which anything may have changed.
    everything: u64,
    boards: HashMap<RepoKey, u64>,
    /// By name in lower case, because whoever asks knows no key.
    models: HashMap<String, u64>,
}

impl Changes {
    /// The generation of now.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The last generation in which anything may have changed.
    pub(super) fn of_everything(&self) -> u64 {
        self.everything
    }

    /// The generation in which a board changed last.
    pub(super) fn of_board(&self, key: RepoKey) -> u64 {
        let own = self.boards.get(&key).copied();
        own.unwrap_or_default().max(self.everything)
    }

    /// The generation in which the results of a model changed last.
    pub(super) fn of_model(&self, name: &str) -> u64 {
        let own = self.models.get(&name.to_ascii_lowercase()).copied();
        own.unwrap_or_default().max(self.everything)
    }

    /// Something changed, nobody knows what.
    pub(super) fn all(&mut self) {
        self.generation += 1;
        self.everything = self.generation;
        self.boards.clear();
        self.models.clear();
    }

    /// These changed and nothing else.
    pub(super) fn only<'n>(
        &mut self,
        boards: &[RepoKey],
        models: impl IntoIterator<Item = &'n String>,
    ) {
        self.generation += 1;
        let generation = self.generation;
        self.boards
            .extend(boards.iter().map(|key| (*key, generation)));
        let models = models.into_iter().cloned();
        self.models.extend(models.map(|name| (name, generation)));
        if self.boards.len() + self.models.len() > MAX_TOLD_APART {
            self.all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_where_it_was_and_nowhere_else() {
        let mut changes = Changes::default();
        changes.all();

        changes.only(&[RepoKey(1)], [&"ada/small".to_owned()]);

        assert_eq!(
            (changes.of_board(RepoKey(1)), changes.of_board(RepoKey(2))),
            (2, 1)
        );
        assert_eq!(
            (changes.of_model("Ada/Small"), changes.of_model("ada/other")),
            (2, 1)
        );
        assert_eq!(changes.generation(), 2);
    }

    #[test]
    fn a_change_of_who_knows_what_is_seen_everywhere() {
        let mut changes = Changes::default();
        changes.only(&[RepoKey(1)], []);

        changes.all();

        assert_eq!(
            (changes.of_board(RepoKey(1)), changes.of_model("ada/small")),
            (2, 2)
        );
    }

    #[test]
    fn the_memory_of_changes_is_bounded() {
        let mut changes = Changes::default();

        for key in 0..=MAX_TOLD_APART {
            changes.only(&[RepoKey(i64::try_from(key).unwrap())], []);
        }

        assert!(changes.boards.is_empty());
        assert_eq!(changes.of_board(RepoKey(0)), changes.generation());
    }
}
