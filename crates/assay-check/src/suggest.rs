//! "Did you mean": the name that a person probably wanted.

pub(crate) use assay_model::quote;

/// The least similarity of two names, from 0 to 1, for one to be offered for the other.
const ALIKE: f64 = 0.8;
/// The most bytes that one character has.
const MAX_WIDTH: usize = 4;

/// The known name closest to `typed`, if any comes close. Case, dashes and underscores do not
/// count.
pub fn closest<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' ', '.'], "");
    let wanted = plain(typed);
    let length = wanted.chars().count();
    known
        .into_iter()
        // A name so much longer or shorter cannot be alike, and comparing a hostile one would cost
        // its length squared.
        .filter(|name| length <= 2 * name.len() && name.len() <= 2 * length.max(1) * MAX_WIDTH)
        .map(|name| {
            (
                strsim::normalized_damerau_levenshtein(&wanted, &plain(name)),
                name,
            )
        })
        .filter(|(likeness, _)| *likeness >= ALIKE)
        // The first of equals wins, so that the answer does not depend on anything but the order
        // given.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
}

/// The next step that names the closest known name, if there is one.
pub(crate) fn did_you_mean<'n>(
    typed: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    closest(typed, known).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_a_stranger_finds_none() {
        let known = ["scorers", "solvers", "field_spec"];
        assert_eq!(closest("scores", known), Some("scorers"));
        assert_eq!(closest("fieldSpec", known), Some("field_spec"));
        assert_eq!(closest("banana", known), None);
    }
}
