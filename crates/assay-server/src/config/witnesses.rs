//! Those who sign the checkpoints of the logs beside this hub: `[[trust.witnesses]]` in the
//! configuration file.

use std::path::Path;

use assay_app::WitnessAddress;
use assay_tlog::WitnessKey;
use toml::{Table, Value};

use super::faults::ConfigFault;
use super::listed::Listed;
use crate::base_url::BaseUrl;

const LIST: Listed = Listed {
    name: "witnesses",
    one: "witness",
    // Each is asked about every checkpoint, and a note has room for so many signatures.
    max: 32,
};

/// Takes the witnesses out of a configuration file. Every fault is told, and what has one is left
/// out.
pub(super) fn take(
    table: &mut Table,
    file: &Path,
    faults: &mut Vec<ConfigFault>,
) -> Vec<WitnessAddress> {
    LIST.take(table, file, faults, read, |witness| witness.key.to_string())
}

fn read(value: &Value) -> Result<WitnessAddress, String> {
    let table = value
        .as_table()
        .ok_or("a witness has `url` and `key`, a line each")?;
    let known = ["url", "key"];
    if let Some(unknown) = table.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!(
            "there is no `{unknown}`; a witness has `url` and `key`"
        ));
    }
    let text = |key: &str| table.get(key).and_then(Value::as_str);
    let url = text("url").ok_or("it has no `url`, the address that is asked")?;
    let base: BaseUrl = url.parse().map_err(|error| format!("`{url}`: {error}"))?;
    let key = text("key").ok_or("it has no `key`, the one that it signs with")?;
    let key: WitnessKey = key.parse().map_err(|error| format!("`{key}`: {error}"))?;
    Ok(WitnessAddress {
        url: base.to_string(),
        key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITNESS: &str =
        "witness.example/w1+d9ed62c5+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR";

    fn taken(text: &str) -> (Vec<WitnessAddress>, Vec<String>) {
        let mut table: Table = text.parse().unwrap();
        let mut faults = Vec::new();
        let witnesses = take(&mut table, Path::new("assay.toml"), &mut faults);
        let reasons = faults.into_iter().map(|fault| fault.reason).collect();
        (witnesses, reasons)
    }

    #[test]
    fn a_witness_has_an_address_and_a_key() {
        let text = format!("[[trust.witnesses]]\nurl = 'https://w1.example/'\nkey = '{WITNESS}'\n");

        let (witnesses, faults) = taken(&text);

        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(witnesses[0].url, "https://w1.example");
        assert_eq!(witnesses[0].key.to_string(), WITNESS);
    }

    #[test]
    fn every_witness_with_a_fault_is_told() {
        let text = format!(
            "[[trust.witnesses]]\nurl = 'nowhere'\nkey = '{WITNESS}'\n\
             [[trust.witnesses]]\nurl = 'https://a.example'\n\
             [[trust.witnesses]]\nurl = 'https://a.example'\nkey = 'x'\n\
             [[trust.witnesses]]\nurl = 'https://a.example'\nkey = '{WITNESS}'\nquorum = 1\n\
             [[trust.witnesses]]\nurl = 'https://a.example'\nkey = '{WITNESS}'\n\
             [[trust.witnesses]]\nurl = 'https://b.example'\nkey = '{WITNESS}'\n"
        );

        let (witnesses, faults) = taken(&text);

        assert_eq!(witnesses.len(), 1);
        let expected = [
            "number 1: `nowhere`",
            "number 2: it has no `key`",
            "number 3: `x`",
            "number 4: there is no `quorum`",
            "number 6: `witness.example/w1",
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, start) in faults.iter().zip(expected) {
            assert!(fault.starts_with(start), "{fault}");
        }
        assert_eq!(taken("[trust]\nwitnesses = 'x'\n").1.len(), 1);
    }
}
