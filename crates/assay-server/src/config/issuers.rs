//! Issuers beside this hub: `[[trust.issuers]]` in the configuration file.

use std::path::Path;

use assay_app::{NewIssuer, keys_of_jwks};
use toml::{Table, Value};

use super::faults::ConfigFault;
use super::listed::Listed;
use crate::base_url::BaseUrl;

const LIST: Listed = Listed {
    name: "issuers",
    one: "issuer",
    max: usize::MAX,
};
/// The largest key set, in bytes.
const MAX_KEYS: u64 = 64 * 1024;
/// The keys of an issuer.
const MEMBERS: [&str; 5] = ["issuer", "jwks", "audience", "frameworks", "logged"];

/// Takes the issuers out of a configuration file. Every fault is told, and what has one is left
/// out.
pub(super) fn take(
    table: &mut Table,
    file: &Path,
    faults: &mut Vec<ConfigFault>,
) -> Vec<NewIssuer> {
    let read = |value: &Value| read(value, file);
    LIST.take(table, file, faults, read, |issuer| issuer.issuer.clone())
}

fn read(value: &Value, file: &Path) -> Result<NewIssuer, String> {
    let table = value
        .as_table()
        .ok_or("an issuer has `issuer` and `jwks`, a line each")?;
    if let Some(unknown) = table.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
        let known = MEMBERS.join("`, `");
        return Err(format!("there is no `{unknown}`; an issuer has `{known}`"));
    }
    Ok(NewIssuer {
        issuer: name(table, "issuer")?.ok_or("it has no `issuer`, the name in its tokens")?,
        audience: name(table, "audience")?,
        frameworks: frameworks(table)?,
        must_be_logged: match table.get("logged") {
            None => false,
            Some(Value::Boolean(truth)) => *truth,
            Some(_) => return Err("`logged` is `true` or `false`".to_owned()),
        },
        keys: {
            let jwks = text(table, "jwks")?.ok_or("it has no `jwks`, the file with its keys")?;
            let text = key_set(&near(file, jwks))?;
            keys_of_jwks(&text).map_err(|error| format!("`{jwks}`: {error}"))?
        },
    })
}

/// A path is meant from where the file lies that has it, wherever the server was started.
fn near(file: &Path, path: &str) -> std::path::PathBuf {
    let directory = file.parent().unwrap_or_else(|| Path::new(""));
    directory.join(path)
}

fn key_set(path: &Path) -> Result<String, String> {
    let length = fs_err::metadata(path).map_err(|error| error.to_string())?;
    if length.len() > MAX_KEYS {
        return Err(format!(
            "`{}` has more than {MAX_KEYS} bytes",
            path.display()
        ));
    }
    fs_err::read_to_string(path).map_err(|error| error.to_string())
}

fn text<'t>(table: &'t Table, key: &str) -> Result<Option<&'t str>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not text")),
    }
}

/// The name of an issuer or a hub, as tokens have it.
fn name(table: &Table, key: &str) -> Result<Option<String>, String> {
    let Some(text) = text(table, key)? else {
        return Ok(None);
    };
    let url: BaseUrl = text
        .parse()
        .map_err(|error| format!("`{key}`: `{text}`: {error}"))?;
    Ok(Some(url.to_string()))
}

/// The frameworks that it may sign for; all of them when nothing is said.
fn frameworks(table: &Table) -> Result<Option<Vec<String>>, String> {
    let wrong = || "`frameworks` is a list of names; leave it out to mean all of them".to_owned();
    let Some(value) = table.get("frameworks") else {
        return Ok(None);
    };
    let list = value.as_array().filter(|list| !list.is_empty());
    let names = list
        .ok_or_else(wrong)?
        .iter()
        .map(|name| name.as_str().filter(|name| !name.trim().is_empty()));
    let names: Option<Vec<String>> = names.map(|name| name.map(ToOwned::to_owned)).collect();
    names.map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8037, appendix A.2.
    const JWKS: &str = r#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

    fn taken(text: &str) -> (Vec<NewIssuer>, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        fs_err::write(directory.path().join("keys.json"), JWKS).unwrap();
        fs_err::write(directory.path().join("none.json"), "{\"keys\": []}").unwrap();
        let mut table: Table = text.parse().unwrap();
        let mut faults = Vec::new();
        let file = directory.path().join("assay.toml");
        let issuers = take(&mut table, &file, &mut faults);
        let trust = table.get("trust").and_then(Value::as_table);
        assert!(trust.is_none_or(|trust| !trust.contains_key("issuers")));
        (
            issuers,
            faults.into_iter().map(|fault| fault.reason).collect(),
        )
    }

    #[test]
    fn an_issuer_has_its_keys_in_a_file_beside_the_configuration() {
        let (issuers, faults) = taken(
            "[[trust.issuers]]\nissuer = 'https://evals.example/'\njwks = 'keys.json'\nframeworks = ['inspect-ai']\n\
             [[trust.issuers]]\nissuer = 'https://other.example'\njwks = 'keys.json'\nlogged = true\naudience = 'https://hub.example'\n",
        );

        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(issuers.len(), 2);
        assert_eq!(issuers[0].issuer, "https://evals.example");
        assert_eq!(issuers[0].keys.len(), 1);
        let inspect = vec!["inspect-ai".to_owned()];
        assert_eq!(issuers[0].frameworks, Some(inspect));
        assert_eq!(issuers[1].frameworks, None);
        assert!(issuers[1].must_be_logged && !issuers[0].must_be_logged);
    }

    #[test]
    fn every_issuer_with_a_fault_is_told() {
        let (issuers, faults) = taken(
            "[[trust.issuers]]\nissuer = 'nowhere'\njwks = 'keys.json'\n\
             [[trust.issuers]]\nissuer = 'https://a.example'\n\
             [[trust.issuers]]\nissuer = 'https://b.example'\njwks = 'absent.json'\n\
             [[trust.issuers]]\nissuer = 'https://c.example'\njwks = 'none.json'\n\
             [[trust.issuers]]\nissuer = 'https://d.example'\njwks = 'keys.json'\nframeworks = []\n\
             [[trust.issuers]]\nissuer = 'https://e.example'\njwks = 'keys.json'\nframework = 'x'\n\
             [[trust.issuers]]\nissuer = 'https://f.example'\njwks = 'keys.json'\n\
             [[trust.issuers]]\nissuer = 'https://f.example'\njwks = 'keys.json'\n",
        );

        assert_eq!(issuers.len(), 1);
        let words = [
            "number 1: `issuer`: `nowhere`",
            "number 2: it has no `jwks`",
            "absent.json",
            "number 4: `none.json`",
            "number 5: `frameworks`",
            "number 6: there is no `framework`",
            "number 8: `https://f.example` is there twice",
        ];
        assert_eq!(faults.len(), words.len(), "{faults:?}");
        for (fault, word) in faults.iter().zip(words) {
            assert!(fault.contains(word), "{fault}");
        }
    }

    #[test]
    fn one_table_is_no_list() {
        let (issuers, faults) = taken("[trust.issuers]\nissuer = 'https://a.example'\n");

        assert!(issuers.is_empty());
        assert_eq!(
            faults,
            ["write each issuer below a line `[[trust.issuers]]`"]
        );
    }
}
