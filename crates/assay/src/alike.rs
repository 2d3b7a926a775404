//! Failures that differ in a name alone, told once.

use std::collections::BTreeMap;

use assay_cli::Printer;
use assay_render::visible;

use crate::plural::grouped;

/// Number of failures of one kind that are told one by one.
const SHOWN_ALIKE: usize = 3;

/// Prints failures as errors. Of those that are alike but for names in backticks and numbers, the
/// first few are printed, then how many there are more.
pub(crate) fn report_failures<'f>(
    failures: impl IntoIterator<Item = &'f str>,
    printer: &mut Printer,
) {
    let mut kinds: Vec<Vec<&str>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for failure in failures {
        let place = *places.entry(kind(failure)).or_insert(kinds.len());
        match kinds.get_mut(place) {
            Some(alike) => alike.push(failure),
            None => kinds.push(vec![failure]),
        }
    }
    for alike in kinds {
        for failure in alike.iter().take(SHOWN_ALIKE) {
            printer.error(&visible(failure));
        }
        let more = alike.len().saturating_sub(SHOWN_ALIKE);
        if more > 0 {
            printer.error(&format!(
                "{} more like these; `--format json` lists all {}",
                grouped(more as u64),
                grouped(alike.len() as u64)
            ));
        }
    }
}

/// A failure without the names in backticks and without digits.
fn kind(failure: &str) -> String {
    let failure = match failure.split_once(": ") {
        Some((place, rest)) if !place.contains(' ') => rest,
        Some(_) | None => failure,
    };
    let parts = failure.split('`').enumerate();
    let outside = parts.filter(|(number, _)| number % 2 == 0);
    outside
        .flat_map(|(_, part)| part.chars())
        .filter(|character| !character.is_ascii_digit())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_differ_in_a_name_or_a_number_are_of_one_kind() {
        assert_eq!(
            kind("`a/1.json` cannot be read: line 3"),
            kind("`b/2.json` cannot be read: line 41")
        );
        assert_ne!(
            kind("`a.json` cannot be read"),
            kind("`a.json` cannot be written")
        );
    }
}
