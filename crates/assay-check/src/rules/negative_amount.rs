use crate::parts::UncertaintyParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A spread or a count is negative
    ///
    /// Standard errors, standard deviations and numbers of samples cannot be less than zero. A
    /// negative one is usually a stand-in for "not known".
    ///
    /// ## What to do
    ///
    /// Leave the key out when the number is not known.
    NEGATIVE_AMOUNT = (419, "negative-amount", Error)
}

pub(crate) fn check(uncertainty: &UncertaintyParts<'_>, sink: &mut Sink<'_>) {
    let amounts = [
        uncertainty
            .standard_error
            .and_then(|error| error.get("value")),
        uncertainty.standard_deviation,
        uncertainty.samples,
        uncertainty.bootstrap_samples,
    ];
    for amount in amounts.into_iter().flatten() {
        if amount.number().is_some_and(|number| number < 0.0) {
            sink.report(&NEGATIVE_AMOUNT, amount, || {
                Draft::new(format!(
                    "`{}` is {}, which is less than zero",
                    amount.path(),
                    amount.raw()
                ))
                .help("correct it, or leave it out when it is not known")
            });
        }
    }
}
