//! The rules for names of accounts and repositories.

use assay_model::{RepoId, is_reserved_namespace, reserved_namespaces, skeleton};
use assay_store::Tx;

use crate::error::{Error, Existing};

/// Checks the name of an account, which is also its namespace.
pub(crate) fn check_account(name: &str) -> Result<(), Error> {
    if name.contains('/') {
        return Err(Error::Invalid(format!("`{name}` has a slash")));
    }
    name.parse::<RepoId>()
        .map_err(|error| Error::Invalid(error.to_string()))?;
    if is_reserved_namespace(name) {
        return Err(Error::Invalid(format!("`{name}` is a reserved name")));
    }
    Ok(())
}

/// Refuses a name that people would take for that of another account, or for an address of the hub.
pub(crate) async fn check_look(tx: &mut Tx, name: &str) -> Result<(), Error> {
    let other = match reserved_that_looks_like(name) {
        Some(reserved) => Some(reserved.to_owned()),
        None => tx.account_that_looks_like(name).await?,
    };
    match other {
        Some(other) => Err(Error::Exists(Existing::LooksLike {
            name: name.to_owned(),
            other,
        })),
        None => Ok(()),
    }
}

/// Returns the reserved name that a name looks like.
fn reserved_that_looks_like(name: &str) -> Option<&'static str> {
    let own = skeleton(name);
    reserved_namespaces().find(|reserved| skeleton(reserved) == own)
}

/// The id of a repository in a namespace.
pub(crate) fn repository(namespace: &str, name: &str) -> Result<RepoId, Error> {
    let id: RepoId = format!("{namespace}/{name}")
        .parse()
        .map_err(|error: assay_model::RepoIdError| Error::Invalid(error.to_string()))?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_addresses_need_are_nobodys_in_any_case() {
        for name in ["api", "Datasets", "MODELS", "settings", "embed"] {
            assert!(check_account(name).is_err(), "{name}");
        }
        assert!(check_account("apis").is_ok());
        assert_eq!(reserved_that_looks_like("Iogin"), Some("login"));
        assert_eq!(reserved_that_looks_like("apis"), None);
    }

    #[test]
    fn an_account_is_one_part_of_an_id() {
        for name in ["", "a/b", "-a", "a--b", "a.git", "é", &"x".repeat(97)] {
            assert!(check_account(name).is_err(), "{name}");
        }
        assert!(repository("acme", "a/b").is_err());
        assert!(repository("acme", "model-1.0").is_ok());
    }
}
