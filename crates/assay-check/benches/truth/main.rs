//! Faults planted in real records, and the share of them that validation finds: `just bench truth`.
//!
//! Records are taken from the corpus, or made when there is none. Each kind of fault is planted in
//! `each` records (40), a few in a collection at a time, and a fault counts as found when a file
//! that it touched has a finding that it did not have before. Then every record is rewritten in
//! honest ways, and whatever is reported that was not before is a false alarm.
//!
//! `just bench truth seed=2 each=100 records=400 show=KIND`

mod arithmetic;
mod beside;
mod case;
mod form;
mod honest;
mod identity;
mod made;
mod names;
mod outliers;
mod pool;
mod random;
mod scale;
mod times;

use std::collections::BTreeMap;

use crate::case::{Case, Kind};
use crate::pool::{Findings, Pool};
use crate::random::Random;

/// Most faults that are planted in a collection at a time: one in so many records, or one.
const ONE_IN: usize = 40;
/// The number of records drawn before a kind is given up for a round.
const DRAWS: usize = 60;

struct Settings {
    seed: u64,
    each: usize,
    records: usize,
    show: Option<String>,
}

/// The number of faults of a kind that were planted and found.
#[derive(Default, Clone, Copy)]
struct Score {
    planted: usize,
    found: usize,
    warned: usize,
}

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
fn main() {
    let settings = settings();
    let pool = Pool::load(settings.records);
    let kinds = kinds();
    println!(
        "{} records in {} collections, {}; {} kinds of fault, {} of each, seed {}\n",
        pool.records.len(),
        pool.collections.len(),
        pool.origin,
        kinds.len(),
        settings.each,
        settings.seed
    );
    let scores = plant_all(&pool, &kinds, &settings);
    print_faults(&kinds, &scores);
    println!(
        "\n| honest variation | records | with a new warning | with a new note |\n|---|---:|---:|---:|"
    );
    honest::print(&pool, settings.show.as_deref());
}

fn settings() -> Settings {
    let mut settings = Settings {
        seed: 1,
        each: 40,
        records: 400,
        show: None,
    };
    for argument in std::env::args().skip(1) {
        let Some((key, value)) = argument.split_once('=') else {
            continue;
        };
        let number = || value.parse().expect("a number after `=`");
        match key {
            "seed" => settings.seed = number() as u64,
            "each" => settings.each = number(),
            "records" => settings.records = number(),
            "show" => settings.show = Some(value.to_owned()),
            other => assert!(
                other.is_empty(),
                "`{other}` is none of seed, each, records, show"
            ),
        }
    }
    settings
}

fn kinds() -> Vec<Kind> {
    [
        scale::KINDS,
        names::KINDS,
        arithmetic::KINDS,
        identity::KINDS,
        times::KINDS,
        outliers::KINDS,
        form::KINDS,
    ]
    .concat()
}

/// Plants faults in rounds, so that few records of a collection are wrong at a time.
#[expect(clippy::print_stdout, reason = "a benchmark shows what was asked for")]
fn plant_all(pool: &Pool, kinds: &[Kind], settings: &Settings) -> Vec<Score> {
    let mut random = Random(settings.seed);
    let mut scores = vec![Score::default(); kinds.len()];
    let mut barren = 0;
    while barren < 3 && scores.iter().any(|score| score.planted < settings.each) {
        let cases = draw_round(pool, kinds, &scores, settings.each, &mut random);
        if cases.is_empty() {
            barren += 1;
            continue;
        }
        let before = pool.validate_with(cases.iter().map(|(_, _, case)| case.honest_files()));
        let after = pool.validate_with(cases.iter().map(|(_, _, case)| case.faulty_files()));
        for (kind, _, case) in &cases {
            let (found, warned) = is_found(case, &before, &after);
            scores[*kind].planted += 1;
            scores[*kind].found += usize::from(found);
            scores[*kind].warned += usize::from(warned);
            let is_shown = settings.show.as_deref() == Some(kinds[*kind].name);
            if is_shown && !found {
                println!("missed: {} result {}", case.path, case.at);
            }
        }
    }
    scores
}

/// Chooses records for the kinds that lack some.
fn draw_round<'p>(
    pool: &'p Pool,
    kinds: &[Kind],
    scores: &[Score],
    each: usize,
    random: &mut Random,
) -> Vec<(usize, usize, Case<'p>)> {
    let mut room: Vec<usize> = pool
        .collections
        .iter()
        .map(|members| (members.len() / ONE_IN).max(1))
        .collect();
    let mut cases: Vec<(usize, usize, Case<'p>)> = Vec::new();
    let mut order: Vec<usize> = (0..kinds.len())
        .filter(|kind| scores[*kind].planted < each)
        .collect();
    random.shuffle(&mut order);
    for kind in order {
        for _ in 0..DRAWS {
            let collection = random.below(room.len());
            let members = &pool.collections[collection];
            let record = members[random.below(members.len())];
            if room[collection] == 0 || cases.iter().any(|(_, taken, _)| *taken == record) {
                continue;
            }
            if let Some(case) = Case::plant(pool, record, &kinds[kind], random) {
                room[collection] -= 1;
                cases.push((kind, record, case));
                break;
            }
        }
    }
    cases
}

/// Returns whether files of the case have a finding, and a warning or error, that they did not have
/// before.
fn is_found(case: &Case<'_>, before: &Findings, after: &Findings) -> (bool, bool) {
    let count = |findings: &Findings| {
        let mut counts: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        for path in case.touched() {
            for found in findings.get(path).into_iter().flatten() {
                let entry = counts.entry(found.code.clone()).or_default();
                entry.0 += 1;
                entry.1 |= !found.is_note;
            }
        }
        counts
    };
    let (before, after) = (count(before), count(after));
    let new = after
        .iter()
        .filter(|(code, (count, _))| before.get(*code).is_none_or(|(old, _)| old < count));
    let weights: Vec<bool> = new.map(|(_, (_, is_warning))| *is_warning).collect();
    (!weights.is_empty(), weights.contains(&true))
}

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
fn print_faults(kinds: &[Kind], scores: &[Score]) {
    println!(
        "| family | kind of fault | planted | found | as a warning or error |\n|---|---|---:|---:|---:|"
    );
    for (kind, score) in kinds.iter().zip(scores) {
        println!(
            "| {} | {} | {} | {} | {} |",
            kind.family, kind.name, score.planted, score.found, score.warned
        );
    }
    let mut families: BTreeMap<&str, Score> = BTreeMap::new();
    for (kind, score) in kinds.iter().zip(scores) {
        for family in [kind.family, "all kinds"] {
            let sum = families.entry(family).or_default();
            sum.planted += score.planted;
            sum.found += score.found;
            sum.warned += score.warned;
        }
    }
    println!("\n| family | planted | found | as a warning or error |\n|---|---:|---:|---:|");
    for (family, score) in families {
        let share = |part: usize| percent(part, score.planted);
        println!(
            "| {family} | {} | {} | {} |",
            score.planted,
            share(score.found),
            share(score.warned)
        );
    }
}

/// Returns a part of a whole in per cent.
#[expect(clippy::cast_precision_loss, reason = "counts of records")]
fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}
