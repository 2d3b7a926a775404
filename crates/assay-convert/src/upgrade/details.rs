use std::collections::HashSet;

use assay_formats::Kind;
use assay_formats::json::{Map, Node};

use super::conform::{as_text, wrap};
use super::report::{ChangeKind, Ledger};

/// The map of texts behind a key, made or wrapped when it is not one yet.
pub(crate) fn details<'m>(
    parent: &'m mut Map,
    key: &str,
    ledger: &mut Ledger,
) -> Option<&'m mut Map> {
    match parent.get_mut(key) {
        Some(node) if node.kind() != Kind::Null => {
            ledger.at_key(key, |ledger| wrap(node, ledger));
        }
        Some(_) | None => {
            parent.set(key, Map::new());
        }
    }
    parent.map_of_mut(key)
}

/// Files entries that have no place of their own any more among some details, as text. `name` is
/// what the details are called in the report; the ledger stands where the entries were.
pub(crate) fn file_away(
    entries: Vec<(String, Node)>,
    details: &mut Map,
    name: &str,
    ledger: &mut Ledger,
) {
    let mut taken: HashSet<String> = details.entries().map(|(key, _)| key.to_owned()).collect();
    let mut filed: Vec<(String, Node)> = Vec::new();
    for (key, value) in entries {
        if value.kind() == Kind::Null {
            ledger.note_at(&key, ChangeKind::Lost, "was null");
            continue;
        }
        let free = free_key(&key, &taken);
        ledger.note_at(
            &key,
            ChangeKind::Moved,
            format!("to `{name}.{free}`, as text"),
        );
        filed.push((free.clone(), Node::String(as_text(&value))));
        taken.insert(free);
    }
    let own = std::mem::take(details).into_entries();
    *details = own.chain(filed).collect();
}

/// The key, or the key with the first number that makes it new: nothing that is filed away covers
/// up another thing.
pub(crate) fn free_key(key: &str, taken: &HashSet<String>) -> String {
    if !taken.contains(key) {
        return key.to_owned();
    }
    // Among one more name than there are keys, one is free.
    (2..=taken.len() + 2)
        .map(|number| format!("{key}_{number}"))
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_else(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filed_away_covers_up_nothing() {
        let mut details = Map::new();
        details.set("seed", "kept");
        details.set("seed_2", "kept too");
        let entries = vec![
            ("seed".to_owned(), Node::from(7)),
            ("gone".to_owned(), Node::Null),
        ];
        let mut ledger = Ledger::default();

        file_away(entries, &mut details, "additional_details", &mut ledger);

        let entries: Vec<(&str, Option<&str>)> = details
            .entries()
            .map(|(key, value)| (key, value.text()))
            .collect();
        assert_eq!(
            entries,
            [
                ("seed", Some("kept")),
                ("seed_2", Some("kept too")),
                ("seed_3", Some("7"))
            ]
        );
        let kinds: Vec<ChangeKind> = ledger.changes.iter().map(|change| change.kind).collect();
        assert_eq!(kinds, [ChangeKind::Moved, ChangeKind::Lost]);
    }
}
