use assay_model::{RepoId, RepoKind};

/// The same address with the new name of a repository, keeping everything round it: the API, git,
/// and downloads alike.
pub(crate) fn renamed(target: &str, kind: RepoKind, to: &RepoId) -> Option<String> {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let api = format!("/api/{}/", kind.plural());
    let prefix = match kind {
        _ if path.starts_with(&api) => api.as_str(),
        RepoKind::Dataset => "/datasets/",
        RepoKind::Model => "/",
    };
    let mut parts = path.strip_prefix(prefix)?.splitn(3, '/');
    let (_namespace, name, rest) = (parts.next()?, parts.next()?, parts.next());
    let git = if name.strip_suffix(".git").is_some() {
        ".git"
    } else {
        ""
    };
    let mut place = format!("{prefix}{to}{git}");
    if let Some(rest) = rest {
        place.push('/');
        place.push_str(rest);
    }
    if let Some(query) = query {
        place.push('?');
        place.push_str(query);
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_address_keeps_all_but_the_name() {
        let to: RepoId = "new/name".parse().unwrap();
        for (target, kind, place) in [
            ("/api/models/a/b", RepoKind::Model, "/api/models/new/name"),
            (
                "/api/datasets/a/b/tree/refs%2Fpr%2F1?x=%20y",
                RepoKind::Dataset,
                "/api/datasets/new/name/tree/refs%2Fpr%2F1?x=%20y",
            ),
            (
                "/a/b.git/info/refs?service=git-upload-pack",
                RepoKind::Model,
                "/new/name.git/info/refs?service=git-upload-pack",
            ),
            (
                "/datasets/a/b/resolve/main/x/y.txt",
                RepoKind::Dataset,
                "/datasets/new/name/resolve/main/x/y.txt",
            ),
        ] {
            assert_eq!(renamed(target, kind, &to).as_deref(), Some(place));
        }
    }

    #[test]
    fn an_address_without_a_name_has_no_new_one() {
        let to: RepoId = "new/name".parse().unwrap();

        assert_eq!(renamed("/", RepoKind::Model, &to), None);
    }
}
