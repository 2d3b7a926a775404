use std::path::Path;
use std::time::Duration;

/// How many inputs a target gets in a run that is not told how long to take.
const ITERATIONS: usize = 1500;
/// The longest input before changes, in bytes: enough for some fifty changes to a file of the
/// corpus.
const MAX_INPUT: usize = 256;
/// The longest run of bytes that one change takes away or repeats.
const MAX_RUN: usize = 24;

/// What the formats give a meaning to, and what readers of text stumble over.
const TOKENS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\udc00",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "1e999",
    "-0",
    "0x1F",
    "1e-400",
    "123456789012345678901234567890",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "- ",
    "? ",
    ": ",
    "# ",
    "&a ",
    "*a",
    "!!str ",
    "<<: ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "|\n  ",
    "\u{feff}",
    "\u{2028}",
    "\u{0}",
    "\u{1f600}",
];

/// Gives a target its corpus, and then raw bytes and changed files of the corpus in turn.
pub(crate) fn fuzz(target: &'static str, judge: fn(&[u8])) {
    let corpus = corpus(target);
    for seed in &corpus {
        judge(seed);
    }
    let check = bolero::check!(name = target).with_max_len(MAX_INPUT);
    let check = match seconds() {
        Some(seconds) => check
            .with_iterations(usize::MAX)
            .with_test_time(Duration::from_secs(seconds)),
        None => check.with_iterations(ITERATIONS),
    };
    check.for_each(|input: &[u8]| judge(&changed(&corpus, input)));
}

/// The files of a target, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let mut paths: Vec<_> = std::fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", directory.display());
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn seconds() -> Option<u64> {
    let seconds = std::env::var_os("ASSAY_FUZZ_SECONDS")?;
    let seconds = seconds.to_str().and_then(|text| text.parse().ok());
    Some(seconds.expect("ASSAY_FUZZ_SECONDS is a whole number"))
}

/// What the input says: itself, or which file of the corpus to take and what to change in it.
fn changed(corpus: &[Vec<u8>], input: &[u8]) -> Vec<u8> {
    let [plan, seed, changes @ ..] = input else {
        return input.to_vec();
    };
    if plan % 4 == 0 {
        return changes.to_vec();
    }
    let mut bytes = corpus[usize::from(*seed) % corpus.len()].clone();
    let (changes, _) = changes.as_chunks::<4>();
    // A few changes reach deeper than many: a text that is broken everywhere is read nowhere.
    for change in changes.iter().take(usize::from(plan % 16)) {
        apply(corpus, *change, &mut bytes);
    }
    bytes
}

fn apply(corpus: &[Vec<u8>], [what, high, low, argument]: [u8; 4], bytes: &mut Vec<u8>) {
    let at = usize::from(u16::from_be_bytes([high, low])) % (bytes.len() + 1);
    let end = (at + 1 + usize::from(argument) % MAX_RUN).min(bytes.len());
    match what % 8 {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << (argument % 8);
            }
        }
        1 => bytes.insert(at, argument),
        2 => {
            bytes.drain(at..end);
        }
        3 => {
            let run = bytes[at..end].to_vec();
            bytes.splice(at..at, run);
        }
        4 | 5 => {
            let token = TOKENS[usize::from(argument) % TOKENS.len()];
            bytes.splice(at..at, token.bytes());
        }
        6 => {
            let other = &corpus[usize::from(argument) % corpus.len()];
            bytes.splice(at..at, other.iter().copied().take(MAX_RUN * 4));
        }
        _ => bytes.truncate(at.max(bytes.len() / 2)),
    }
}
