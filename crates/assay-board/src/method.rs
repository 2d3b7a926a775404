use crate::Interval;

/// The method of a statistic. It is shown beside the statistic, because two intervals of one value
/// by two methods differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// The result itself gives the interval.
    Stated,
    /// The result gives the standard error, and the error is taken to be normal.
    Normal,
    /// Wilson's score interval of a share.
    Wilson,
    /// Student's interval of a mean.
    Student,
    /// Wilson's interval of a share, for as many independent samples as the clusters are worth.
    ClusteredWilson,
    /// Student's interval of a mean, with an error that lets samples of one cluster be alike.
    ClusteredStudent,
    /// `McNemar`'s test by the binomial distribution.
    McNemarExact,
    /// `McNemar`'s test by the normal distribution, for more pairs than can be summed.
    McNemarNormal,
    /// The interval of Bonett and Price for a difference of two shares of the same samples.
    BonettPrice,
    /// Percentiles of resampled pairs, widened for small samples.
    PairedBootstrap,
    /// Simultaneous comparisons of all pairs after Tukey and Kramer.
    TukeyKramer,
    /// The interval of a difference from those of two independent values, by squaring and adding
    /// their arms.
    SquareAndAdd,
    /// Simultaneous comparisons of all pairs on shared samples, by a bootstrap of the largest of
    /// them.
    JointBootstrap,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Stated,
        Self::Normal,
        Self::Wilson,
        Self::Student,
        Self::ClusteredWilson,
        Self::ClusteredStudent,
        Self::McNemarExact,
        Self::McNemarNormal,
        Self::BonettPrice,
        Self::PairedBootstrap,
        Self::TukeyKramer,
        Self::JointBootstrap,
        Self::SquareAndAdd,
    ];

    /// The name for machines. It is never given to another method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Normal => "normal",
            Self::Wilson => "wilson",
            Self::Student => "student-t",
            Self::ClusteredWilson => "clustered-wilson",
            Self::ClusteredStudent => "clustered-t",
            Self::McNemarExact => "mcnemar-exact",
            Self::McNemarNormal => "mcnemar-normal",
            Self::BonettPrice => "bonett-price",
            Self::PairedBootstrap => "paired-bootstrap",
            Self::TukeyKramer => "tukey-kramer",
            Self::JointBootstrap => "joint-bootstrap",
            Self::SquareAndAdd => "square-and-add",
        }
    }

    /// Returns the name of the method for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Stated => "as the result gives it",
            Self::Normal => "normal interval from the standard error",
            Self::Wilson => "Wilson's score interval",
            Self::Student => "Student's t interval",
            Self::ClusteredWilson => "Wilson's score interval with clustered samples",
            Self::ClusteredStudent => "Student's t interval with clustered errors",
            Self::McNemarExact => "exact McNemar test",
            Self::McNemarNormal => "McNemar test, normal limit",
            Self::BonettPrice => "Bonett-Price interval of a paired difference",
            Self::PairedBootstrap => "paired bootstrap, widened percentiles",
            Self::TukeyKramer => "simultaneous pairwise comparisons (Tukey-Kramer)",
            Self::SquareAndAdd => "difference of two independent values (square-and-add)",
            Self::JointBootstrap => {
                "simultaneous pairwise comparisons on the same samples (joint bootstrap)"
            }
        }
    }
}

/// A value with how uncertain it is, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The interval of the true difference.
    pub interval: Interval,
    /// The method of the interval.
    pub method: Method,
}

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// The probability that chance alone gives a difference as large as this or larger, on either
    /// side.
    pub p_value: f64,
    /// The method of the test.
    pub method: Method,
}
