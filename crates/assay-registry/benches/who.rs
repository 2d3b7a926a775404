//! Counts the names resolved per second: `just bench who`. With the corpus its names, else the
//! shipped ones in other spellings.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use assay_registry::{Certainty, Registry};

/// The number of rounds over all names.
const ROUNDS: u32 = 20;

#[expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
fn main() {
    let shipped = Registry::shipped();
    let (registry, names): (Registry, Vec<String>) = if let Some(pairs) = corpus() {
        let mut registry = Registry::default();
        for organisation in shipped.organisations() {
            registry.add_organisation(organisation.clone());
        }
        for (_, canonical) in &pairs {
            registry.add_id(canonical);
        }
        let names = pairs.into_iter().map(|(spelling, _)| spelling).collect();
        (registry, names)
    } else {
        let spell = |id: &str| id.to_lowercase().replace('.', "-");
        let names = shipped
            .models()
            .iter()
            .map(|model| spell(&model.id))
            .collect();
        (shipped, names)
    };
    let start = Instant::now();
    let mut certain = 0;
    for _ in 0..ROUNDS {
        certain = names
            .iter()
            .filter(|name| registry.resolve(name).certainty == Certainty::Certain)
            .count();
    }
    let seconds = start.elapsed().as_secs_f64();
    let resolved = f64::from(ROUNDS) * f64::from(u32::try_from(names.len()).unwrap_or(u32::MAX));
    println!(
        "{} names, {certain} certain: {:.0} names a second on one core",
        names.len(),
        resolved / seconds
    );
}

fn corpus() -> Option<Vec<(String, String)>> {
    let directory = std::env::var_os("ASSAY_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let bytes = std::fs::read(directory.join("model_aliases_half.csv.gz")).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .ok()?;
    let pairs = text
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit_once(','));
    Some(
        pairs
            .map(|(spelling, id)| (spelling.to_owned(), id.to_owned()))
            .collect(),
    )
}
