use assay_cli::{Exit, Printer};
use assay_lake::compare::{
    Comparison, Difference, Flip, Question, RankScope, Ranking, Side, Verdict, compare, rank_all,
};
use assay_lake::{Engine, Error};
use assay_render::visible;
use serde_json::json;

use super::query::limits;
use crate::args::{Compare, ReportFormat};
use crate::config::Config;

/// Number of characters of a question or an that answer are shown.
const MAX_SHOWN: usize = 400;

/// Compares two models and tells how they differ.
pub(super) fn run(
    command: &Compare,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let snapshot = super::read(&command.place, config)?;
    let limits = limits(&command.budget, config);
    let (Some(model_a), Some(model_b)) = (&command.model_a, &command.model_b) else {
        let scope = RankScope {
            task: command.task.clone(),
            benchmark: command.benchmark.clone(),
            metric: command.metric.clone(),
        };
        let ranking = super::block_on(limits.threads, async {
            let engine = Engine::open(snapshot, limits).await?;
            rank_all(&engine, &scope).await
        })?;
        match command.format {
            ReportFormat::Json => printer.json(&json!({"version": 1, "ranking": ranking})),
            ReportFormat::Text => print_ranking(&ranking, printer),
        }
        return Ok(Exit::Clean);
    };
    let question = Question {
        model_a: model_a.clone(),
        model_b: model_b.clone(),
        task: command.task.clone(),
        benchmark: command.benchmark.clone(),
        metric: command.metric.clone(),
        flips: command.flips,
    };
    let comparison = super::block_on(limits.threads, async {
        let engine = Engine::open(snapshot, limits).await?;
        compare(&engine, &question).await
    })?;
    match command.format {
        ReportFormat::Json => printer.json(&json!({"version": 1, "comparison": comparison})),
        ReportFormat::Text => tell(&comparison, printer),
    }
    Ok(Exit::Clean)
}

fn tell(comparison: &Comparison, printer: &mut Printer) {
    let Comparison {
        model_a, model_b, ..
    } = comparison;
    let metric = |metric: &Option<String>| metric.as_deref().map_or_else(String::new, visible);
    printer.line(&format!(
        "A  {} {}",
        visible(model_a),
        metric(&comparison.metric_a)
    ));
    printer.line(&format!(
        "B  {} {}",
        visible(model_b),
        metric(&comparison.metric_b)
    ));
    printer.line(&format!(
        "{} samples are shared, of {} and {}",
        comparison.shared, comparison.samples_a, comparison.samples_b
    ));
    printer.line("");
    printer.line("              B right   B wrong");
    printer.line(&format!(
        "A right    {:>10}{:>10}",
        comparison.both_right, comparison.only_a_right
    ));
    printer.line(&format!(
        "A wrong    {:>10}{:>10}",
        comparison.only_b_right, comparison.both_wrong
    ));
    printer.line("");
    printer.line(&format!(
        "mean       {:>10.4} A {:>9.4} B",
        comparison.mean_a, comparison.mean_b
    ));
    printer.line(&difference(comparison.difference.as_ref()));
    printer.line(match comparison.verdict {
        Verdict::AHigher => "verdict    A scores higher: the interval lies above 0",
        Verdict::BHigher => "verdict    B scores higher: the interval lies below 0",
        Verdict::NotSeparated => "verdict    not told apart on these samples",
    });
    if !comparison.other_metrics.is_empty() {
        let others: Vec<String> = comparison
            .other_metrics
            .iter()
            .map(|metric| format!("`{}`", visible(metric)))
            .collect();
        printer.line(&format!(
            "both also have {}; `--metric` chooses",
            others.join(", ")
        ));
    }
    for flip in &comparison.flips {
        tell_flip(flip, printer);
    }
}

fn print_ranking(ranking: &Ranking, printer: &mut Printer) {
    let better = if ranking.lower_is_better {
        "lower"
    } else {
        "higher"
    };
    let metric = ranking.metric.as_deref().map_or_else(String::new, visible);
    printer.line(&format!(
        "{} models on {} shared questions by {metric}, {better} is better",
        ranking.models.len(),
        ranking.questions
    ));
    printer.line(&format!(
        "{} of {} pairs are told apart at 95 % for all pairs together; models of tier 1 cannot be told from the leader",
        ranking.separated, ranking.pairs
    ));
    printer.line("");
    printer.line("tier  rank      95 %      mean  model");
    for own in &ranking.models {
        let interval = format!("{}-{}", own.best_rank, own.worst_rank);
        printer.line(&format!(
            "{:>4}  {:>4}  {interval:>8}  {:>8.4}  {}",
            own.tier,
            own.rank,
            own.mean,
            visible(&own.model)
        ));
    }
    for own in &ranking.left_out {
        printer.line(&format!(
            "left out: {} answered {} questions, and too few of those that the others share",
            visible(&own.model),
            own.questions
        ));
    }
}

fn difference(difference: Option<&Difference>) -> String {
    match difference {
        Some(difference) => format!(
            "A - B      {:>10.4} [{:.4}, {:.4}] (95 %, {})",
            difference.value, difference.low, difference.high, difference.method
        ),
        None => {
            "A - B      nothing can be said: too few samples, or no difference at all".to_owned()
        }
    }
}

fn tell_flip(flip: &Flip, printer: &mut Printer) {
    printer.line("");
    printer.line(&format!("sample {}", visible(&flip.sample_hash)));
    printer.line(&format!("  question  {}", shown(flip.input.as_deref())));
    let references = flip.references.join(" | ");
    printer.line(&format!("  expected  {}", shown(Some(&references))));
    for (name, Side { right, output, .. }) in [("A", &flip.a), ("B", &flip.b)] {
        let verdict = if *right { "right" } else { "wrong" };
        printer.line(&format!(
            "  {name} {verdict}   {}",
            shown(output.as_deref())
        ));
    }
}

/// The beginning of a text, on one line.
fn shown(text: Option<&str>) -> String {
    let text = visible(text.unwrap_or_default());
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
