use assay_model::Timestamp;

/// The rate limit of an integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tokens a minute, for each identity.
    pub issue_per_minute: u32,
    /// The number of requests that may come at once.
    pub burst: u32,
    /// Tokens a day, for each identity.
    pub issue_per_day: u32,
    /// Tokens a day, for the whole integration.
    pub integration_per_day: u32,
    /// Tokens a day, for each owner that an identity provider names.
    pub owner_per_day: u32,
    /// Different models a day, for the whole integration.
    pub distinct_models_per_day: u32,
    /// Tokens a day for one model, benchmark and task.
    pub same_target_per_day: u32,
    /// Previews a minute, for each identity.
    pub preview_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            issue_per_minute: 30,
            burst: 60,
            issue_per_day: 5_000,
            integration_per_day: 20_000,
            owner_per_day: 2_000,
            distinct_models_per_day: 500,
            same_target_per_day: 20,
            preview_per_minute: 120,
        }
    }
}

/// A meter of requests by the generic cell rate algorithm, which keeps one moment and nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meter {
    /// The time at which the next request would be due if they came evenly, in nanoseconds: in
    /// milliseconds, a limit of many thousands a minute would be nothing at all.
    due: i128,
}

/// A second and a minute, in nanoseconds.
const SECOND: u128 = 1_000_000_000;
const MINUTE: i128 = 60_000_000_000;

impl Meter {
    /// Counts a request, unless it comes too soon; then the answer is how many seconds to wait.
    pub fn take(&mut self, per_minute: u32, burst: u32, now: Timestamp) -> Result<(), u64> {
        let step = MINUTE / i128::from(per_minute.max(1));
        let room = step * i128::from(burst.max(1));
        let now = nanoseconds(now);
        let due = self.due.max(now) + step;
        if due - now > room {
            let wait = (due - now - room).max(1).unsigned_abs();
            return Err(u64::try_from(wait.div_ceil(SECOND)).unwrap_or(u64::MAX));
        }
        self.due = due;
        Ok(())
    }
}

fn nanoseconds(moment: Timestamp) -> i128 {
    i128::from(moment.millis()) * 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_through_and_then_one_for_each_step() {
        let mut meter = Meter::default();
        let at = Timestamp::from_seconds;
        let mut take = |seconds| meter.take(30, 3, at(seconds));

        assert_eq!([take(0), take(0), take(0)], [Ok(()), Ok(()), Ok(())]);
        assert_eq!(take(0), Err(2));
        assert_eq!(take(2), Ok(()));
        assert_eq!(take(2), Err(2));
        assert_eq!(take(100), Ok(()));
    }

    #[test]
    fn a_limit_of_more_than_one_a_millisecond_is_a_limit_and_not_a_refusal() {
        let mut meter = Meter::default();
        // Two who ask at once may be counted in the other order.
        let (now, before) = (Timestamp::from_millis(1_001), Timestamp::from_millis(1_000));

        assert_eq!(meter.take(1_000_000, 2_000, now), Ok(()));
        assert_eq!(meter.take(1_000_000, 2_000, before), Ok(()));
        let through = (0..10_000).filter(|_| meter.take(1_000_000, 2_000, now).is_ok());
        assert_eq!(through.count(), 1_998);
    }

    #[test]
    fn a_refused_request_costs_nothing() {
        let mut meter = Meter::default();
        let now = Timestamp::from_seconds(0);
        meter.take(60, 1, now).unwrap();

        for _ in 0..1_000 {
            assert_eq!(meter.take(60, 1, now), Err(1));
        }

        assert_eq!(meter.take(60, 1, Timestamp::from_seconds(1)), Ok(()));
    }
}
