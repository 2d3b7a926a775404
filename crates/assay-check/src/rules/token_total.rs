use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The token counts of a row do not add up
    ///
    /// `total_tokens` is the sum of `input_tokens` and `output_tokens`. Services differ in whether
    /// cached and reasoning tokens are counted among these or beside them, so either is accepted;
    /// this total is none of the possible sums.
    ///
    /// ## What to do
    ///
    /// Sum the usage of all calls of the sample, not only of the last, and write the sum.
    TOKEN_TOTAL = (512, "token-total", Warning)
}

pub(crate) fn check(usage: Value<'_>, sink: &mut Sink<'_>) {
    let (mut input, mut output, mut total) = (None, None, None);
    let mut beside = [0_i64; 3];
    for (key, value) in usage.entries() {
        match key.plain_text() {
            Some("input_tokens") => input = value.integer(),
            Some("output_tokens") => output = value.integer(),
            Some("total_tokens") => total = value.integer().map(|number| (value, number)),
            Some("input_tokens_cache_read") => beside[0] = value.integer().unwrap_or_default(),
            Some("input_tokens_cache_write") => beside[1] = value.integer().unwrap_or_default(),
            Some("reasoning_tokens") => beside[2] = value.integer().unwrap_or_default(),
            Some(_) | None => {}
        }
    }
    let (Some(input), Some(output), Some((at, total))) = (input, output, total) else {
        return;
    };
    // Negative counts are a matter of shape, and hostile ones may not overflow.
    let sum = input.saturating_add(output);
    if input < 0 || output < 0 || total == sum || is_sum_of(total.saturating_sub(sum), beside) {
        return;
    }
    sink.report(&TOKEN_TOTAL, at, || {
        Draft::new(format!(
            "`total_tokens` is {total}, but input and output are {sum}"
        ))
        .note(format!(
            "{input} input, {output} output, {} read from the cache, {} written to it, {} for reasoning",
            beside[0], beside[1], beside[2]
        ))
        .help("sum the usage of all calls of the sample")
    });
}

/// Returns whether a number is the sum of some of the three.
fn is_sum_of(number: i64, parts: [i64; 3]) -> bool {
    (1..1_usize << parts.len()).any(|chosen| {
        let sum = (0..parts.len())
            .filter(|part| chosen & (1 << part) != 0)
            .fold(0_i64, |sum, part| sum.saturating_add(parts[part]));
        sum == number && sum != 0
    })
}
