use std::error::Error;

/// Returns an error and its causes in one line, the outermost first. A cause whose text is in the
/// line already is left out: some errors of others repeat their cause.
///
/// ```
/// # use assay_model::chain;
/// let cause = "x".parse::<u8>().unwrap_err();
/// assert_eq!(chain(&cause), "invalid digit found in string");
/// ```
pub fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        next = cause.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    fn layers(texts: &[&'static str]) -> Option<Box<Layer>> {
        let (text, rest) = texts.split_first()?;
        let source = layers(rest);
        Some(Box::new(Layer { text, source }))
    }

    fn line(texts: &[&'static str]) -> String {
        chain(&*layers(texts).unwrap())
    }

    #[test]
    fn causes_follow_in_order() {
        let line = line(&["failed to read `a`", "no page", "the disk is gone"]);

        assert_eq!(line, "failed to read `a`: no page: the disk is gone");
    }

    #[test]
    fn a_cause_that_was_repeated_by_its_error_is_told_once() {
        let line = line(&["no page: the disk is gone", "the disk is gone", "unplugged"]);

        assert_eq!(line, "no page: the disk is gone: unplugged");
    }
}
