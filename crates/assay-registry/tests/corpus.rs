//! Measures how well names are resolved, on names that people use.
//!
//! Looks for `model_aliases_half.csv.gz` in the directory `ASSAY_CORPUS`, and says so when it
//! skips.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use assay_registry::{Certainty, Registry, Role};

/// A name and the model that it means.
struct Pair {
    spelling: String,
    canonical: String,
}

#[expect(clippy::print_stdout, reason = "whoever runs the test should know")]
fn say(text: &str) {
    println!("{text}");
}

fn corpus() -> Option<Vec<Pair>> {
    let directory = std::env::var_os("ASSAY_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let bytes = std::fs::read(directory.join("model_aliases_half.csv.gz")).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .expect("the corpus is gzip");
    let pairs = text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let (spelling, canonical) = line.rsplit_once(',')?;
            let spelling = spelling.trim_matches('"').replace("\"\"", "\"");
            Some(Pair {
                spelling,
                canonical: canonical.to_owned(),
            })
        })
        .collect();
    Some(pairs)
}

/// The shipped organisations without the shipped models.
fn organisations_only() -> Registry {
    let mut registry = Registry::default();
    for organisation in Registry::shipped().organisations() {
        registry.add_organisation(organisation.clone());
    }
    registry
}

#[derive(Debug, Default)]
struct Tally {
    names: usize,
    right: usize,
    wrong: Vec<String>,
    /// Wrong ones that the corpus lists as a model of its own too: it contradicts itself.
    contradicted: usize,
    suggested: usize,
    unknown: usize,
}

impl Tally {
    fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong.len())
    }

    /// Precision without the names that the corpus itself uses for two models.
    fn consistent_precision(&self) -> f64 {
        share(
            self.right,
            self.right + self.wrong.len() - self.contradicted,
        )
    }

    fn coverage(&self) -> f64 {
        share(self.right, self.names)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand names")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Runs of letters and of digits of a name without its organisation, in no order; versions without
/// `v` and `.0`.
fn plain(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let mut runs: Vec<String> = Vec::new();
    let mut last = ' ';
    for letter in base.chars() {
        match runs.last_mut() {
            Some(run)
                if letter.is_alphanumeric()
                    && last.is_alphanumeric()
                    && last.is_ascii_digit() == letter.is_ascii_digit() =>
            {
                run.push(letter);
            }
            _ if letter.is_alphanumeric() => runs.push(letter.to_string()),
            _ => {}
        }
        last = letter;
    }
    runs.retain(|run| run != "v" && run != "0");
    runs.sort();
    runs.concat()
}

fn resolve_all<'p>(
    registry: &Registry,
    own_names: &BTreeMap<String, BTreeSet<&str>>,
    pairs: impl Iterator<Item = &'p Pair>,
) -> Tally {
    let mut tally = Tally::default();
    for Pair {
        spelling,
        canonical,
    } in pairs
    {
        let answer = registry.resolve(spelling);
        tally.names += 1;
        match (answer.certainty, answer.model) {
            (Certainty::Certain, Some(model)) if model == canonical => tally.right += 1,
            (Certainty::Certain, model) => {
                let is_contradicted = own_names
                    .get(&plain(spelling))
                    .is_some_and(|ids| ids.iter().any(|id| id != canonical));
                tally.contradicted += usize::from(is_contradicted);
                let mark = if is_contradicted {
                    "(contradicted) "
                } else {
                    ""
                };
                tally.wrong.push(format!(
                    "{mark}{spelling} -> {} ({:?}), is {canonical}",
                    model.unwrap_or_default(),
                    answer.reason
                ));
            }
            (Certainty::Likely, _) => tally.suggested += 1,
            (Certainty::Unknown, _) => tally.unknown += 1,
        }
    }
    tally
}

/// The models of the corpus by the plain form of their ids.
fn own_names(pairs: &[Pair]) -> BTreeMap<String, BTreeSet<&str>> {
    let mut own: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for pair in pairs {
        own.entry(plain(&pair.canonical))
            .or_default()
            .insert(&pair.canonical);
    }
    own
}

#[test]
fn names_that_were_held_out_find_their_model() {
    let Some(pairs) = corpus() else {
        say("skipped: the corpus is not at hand");
        return;
    };
    let mut registry = organisations_only();
    for pair in &pairs {
        registry.add_id(&pair.canonical);
    }

    let held_out = pairs.iter().filter(|pair| pair.spelling != pair.canonical);
    let tally = resolve_all(&registry, &own_names(&pairs), held_out);

    say(&format!(
        "{} names: precision {:.4}, {:.4} where the corpus is consistent, coverage {:.4}, wrong {}, suggested {}, unknown {}\n{}",
        tally.names,
        tally.precision(),
        tally.consistent_precision(),
        tally.coverage(),
        tally.wrong.len(),
        tally.suggested,
        tally.unknown,
        tally.wrong.join("\n")
    ));
    // The corpus gives 104 of these names to one model and lists them as another model too. It
    // gives 23 more to a model of another version, date or size, which no rule may do: each was
    // read.
    assert!(tally.consistent_precision() >= 0.995);
    assert!(tally.precision() >= 0.97);
    assert!(share(tally.wrong.len() - tally.contradicted, pairs.len()) < 0.003);
    assert!(tally.coverage() >= 0.80);
}

/// A model that is not declared must not become another one.
#[test]
fn names_of_undeclared_models_stay_unresolved() {
    let Some(pairs) = corpus() else {
        say("skipped: the corpus is not at hand");
        return;
    };
    let canonical: BTreeSet<&str> = pairs.iter().map(|pair| pair.canonical.as_str()).collect();
    let mut wrong = Vec::new();
    let mut contradicted = 0;
    for fold in 0..2 {
        let mut registry = organisations_only();
        let declared: BTreeSet<&str> = canonical
            .iter()
            .copied()
            .enumerate()
            .filter(|(at, _)| at % 2 == fold)
            .map(|(_, id)| id)
            .collect();
        for id in &declared {
            registry.add_id(id);
        }
        let strangers = pairs
            .iter()
            .filter(|pair| !declared.contains(pair.canonical.as_str()));
        let tally = resolve_all(&registry, &own_names(&pairs), strangers);
        contradicted += tally.contradicted;
        wrong.extend(tally.wrong);
    }

    say(&format!(
        "{} ({contradicted} contradicted) of {}\n{}",
        wrong.len(),
        pairs.len(),
        wrong.join("\n")
    ));
    // Most of the rest are setups and offers of services, which the corpus lists as models of their
    // own.
    assert!(share(wrong.len() - contradicted, pairs.len()) < 0.008);
}

/// Far below what a release build does, so that a slow machine does not fail it.
#[test]
fn names_are_resolved_fast() {
    let registry = Registry::shipped();
    let names: Vec<String> = (0..20_000)
        .map(|number| {
            format!(
                "acme{}/Some-Model-{}B-Instruct-FP8",
                number % 50,
                number % 700
            )
        })
        .collect();

    let start = std::time::Instant::now();
    let unknown = names
        .iter()
        .filter(|name| registry.resolve(name).certainty == Certainty::Unknown)
        .count();

    assert_eq!(unknown, names.len());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn the_shipped_registry_is_read_and_has_sources() {
    let registry = Registry::shipped();

    assert!(registry.models().len() > 300);
    for model in registry.models() {
        assert!(model.source.is_some(), "{}", model.id);
        assert_eq!(
            registry.resolve(&model.id).model,
            Some(model.id.as_str()),
            "{}",
            model.id
        );
    }
    for organisation in registry.organisations() {
        let needs_source = organisation.role == Role::Developer;
        assert!(
            !needs_source || organisation.source.is_some(),
            "{}",
            organisation.id
        );
    }
}
