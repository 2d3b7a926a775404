//! Sentences of a board about itself: its leader and its rules.

use assay_app::BoardView;
use assay_board::Policy;
use assay_model::{Direction, Metric, Setup};

use super::BoardRequest;
use super::columns::differing_keys;
use crate::web::chart::unit;
use crate::web::show;

/// Returns the leader, in a sentence.
pub(crate) fn summary(view: &BoardView, metric: &Metric) -> String {
    let leader = view.leader();
    let Some(first) = leader.row else {
        return match leader.passed {
            0 => format!("Nobody has a result for {} yet.", view.benchmark.name),
            _ => "Nobody is said to lead: findings put the values in doubt.".to_owned(),
        };
    };
    let value = with_unit(first.value, metric);
    // Rows in doubt are passed over, also as the next one; of a board with many of them not all are
    // looked at.
    let rows = || {
        view.rows()
            .iter()
            .skip(leader.passed)
            .take(MOST_BESIDE)
            .take_while(|row| row.group == first.group)
            .filter(|row| !view.is_doubtful(row))
    };
    let passed = passed_over(leader.passed, "above it");
    let tied = rows().take_while(|row| row.rank == first.rank).count();
    if tied > 1 {
        return format!(
            "{} models are tied for first at {value}.{passed}",
            show::count(tied)
        );
    }
    let interval = first.estimate.map_or_else(String::new, |estimate| {
        let interval = estimate.interval;
        let width = interval.high - interval.low;
        let (low, high) = (
            show::end(interval.low, width),
            show::end(interval.high, width),
        );
        format!(" (95\u{a0}% interval {low} to {high})")
    });
    let second = rows().nth(1);
    let lead = second.map_or_else(String::new, |second| {
        let gap = show::number((first.value - second.value).abs());
        format!(", {gap} ahead of {}", second.loaded.model())
    });
    let between = second.map_or_else(String::new, |second| {
        let after = view.rows().iter().skip(leader.passed + 1);
        let between = after.take_while(|row| !std::ptr::eq(*row, second));
        passed_over(between.count(), "between them")
    });
    format!(
        "{} leads with {value}{interval}{lead}.{passed}{between}",
        first.loaded.model()
    )
}

/// Number of rows beside the leader that are looked at for ties and for the next one.
const MOST_BESIDE: usize = 1000;

/// Says in a sentence that rows above the leader, or between it and the next, are passed over.
fn passed_over(passed: usize, place: &str) -> String {
    match passed {
        0 => String::new(),
        1 => format!(" One row {place} is passed over: a finding puts its value in doubt."),
        more => format!(
            " {} rows {place} are passed over: findings put their values in doubt.",
            show::count(more)
        ),
    }
}

/// In which setup keys the rows differ, in a sentence; none when they do not, as far as they
/// report.
pub(super) fn differences(view: &BoardView) -> Option<String> {
    let keys = differing_keys(view);
    let names: Vec<String> = keys
        .iter()
        .map(|key| Setup::heading(key).to_lowercase())
        .collect();
    let (last, others) = names.split_last()?;
    let words = match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    };
    Some(format!(
        "Rows differ in {words}. A value that is not shown was not reported."
    ))
}

/// A value with the unit of its metric.
pub(crate) fn with_unit(value: f64, metric: &Metric) -> String {
    let value = show::number(value);
    match unit(metric) {
        "" => value,
        "$" => format!("${value}"),
        unit => format!("{value}\u{a0}{unit}"),
    }
}

/// Returns the rules of the ranking, a sentence each.
pub(super) fn sentences(view: &BoardView, metric: &Metric, asked: &BoardRequest) -> Vec<String> {
    let better = match metric.direction {
        Direction::HigherIsBetter => "the higher the better",
        Direction::LowerIsBetter => "the lower the better",
    };
    let chosen = Policy::ALL
        .into_iter()
        .find(|policy| policy.as_str() == view.policy)
        .unwrap_or_default();
    let mut said = vec![
        format!("By {}, {better}.", metric.display_name),
        "Equal values share a rank, and the ranks after them are left out: 1, 2, 2, 4. Within a tie, who \
         reported it first comes first."
            .to_owned(),
        format!("When a model has several results: {}.", policy(chosen)),
        "Results over a subset of the benchmark are ranked by themselves, and so are those that differ in what the \
         benchmark keeps apart. Other differences of the setup are shown."
            .to_owned(),
        "Runs of one setup that nothing tells apart are averaged."
            .to_owned(),
    ];
    if asked.verified {
        said.push("Only results whose signed token was checked and holds.".to_owned());
    }
    said.push(
        if asked.base_only {
            "Models made from other models are left out."
        } else {
            "Models made from other models are included."
        }
        .to_owned(),
    );
    said.push(
        "Open pull requests count as community results until they are merged or closed.".to_owned(),
    );
    said.push(
        "Intervals are 95\u{a0}%: as the result gives them, else Wilson's interval from the number of samples \
         where the metric counts right answers. They do not change ranks."
            .to_owned(),
    );
    if view.rows().iter().any(|row| row.rank_interval.is_some()) {
        said.push(
            "Ranks 1\u{2013}5 under a rank means that the model could be anywhere from first to fifth, as far as chance is \
             concerned: 95\u{a0}% for all ranges of the board at once (Tukey-Kramer). A row whose uncertainty is unknown \
             could have any rank, and widens the ranges of the others. Rows of tier 1 cannot be told from the leader."
                .to_owned(),
        );
    }
    said
}

/// Returns the policy in words.
pub(super) fn policy(policy: Policy) -> &'static str {
    match policy {
        Policy::Authoritative => {
            "the most trusted counts: verified, then merged, then community; of one setup the newest, of several setups the best"
        }
        Policy::Best => "the best value counts",
        Policy::Latest => "the newest counts",
        Policy::All => "every one has a row of its own",
    }
}
