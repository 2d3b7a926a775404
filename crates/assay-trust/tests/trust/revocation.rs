//! The reach of revocations: from where on, and what stays.

use assay_trust::{ControlLeaf, Reason, Scope, Verdict};

use crate::support::{ENTRY, Hub, MODEL, NOW, PATH, Repo, is_verified, reason_of, with_token};

/// A hub with rows that were issued one after the other, each at indices 2n and 2n + 1 of the
/// results log.
fn rows(count: u8) -> (Hub, Repo, Vec<String>) {
    let (mut hub, repo) = (Hub::new(), Repo::new(1, MODEL));
    let mut files = Vec::new();
    for number in 0..count {
        let entry = ENTRY.replace("no-tools", &format!("run {number}"));
        let mut claims = hub.claims(&entry, MODEL);
        claims.act = Some([("identity".to_owned(), format!("runner-{number}"))].into());
        let file = with_token(&entry, &hub.issue_claims(&claims));
        assert!(is_verified(&hub.push(&repo, PATH, &file, NOW + 10)[0]));
        files.push(file);
    }
    (hub, repo, files)
}

fn revoke(hub: &mut Hub, scope: Scope, from_index: u64) -> u64 {
    hub.log(&ControlLeaf::Revoke {
        scope,
        from_index,
        reason: "key_compromise".to_owned(),
        actor: "operator".to_owned(),
    });
    hub.control.len() as u64 - 1
}

fn verdicts(hub: &Hub, repo: &Repo, files: &[String]) -> Vec<Verdict> {
    files
        .iter()
        .map(|file| hub.look(repo, PATH, file).remove(0))
        .collect()
}

fn verified(hub: &Hub, repo: &Repo, files: &[String]) -> Vec<bool> {
    verdicts(hub, repo, files).iter().map(is_verified).collect()
}

#[test]
fn revoke_from_index() {
    let (mut hub, repo, files) = rows(4);
    let kid = hub.key.kid();

    // The third row was issued at index 4. Its token may say any time it likes.
    revoke(&mut hub, Scope::Kid(kid), 4);

    assert_eq!(verified(&hub, &repo, &files), [true, true, false, false]);
    let verdicts = verdicts(&hub, &repo, &files);
    assert!(
        matches!(&verdicts[2], Verdict::Revoked(revoked) if revoked.reason == Reason::KeyRevoked)
    );
}

#[test]
fn a_back_dated_token_does_not_escape_a_revocation() {
    let (mut hub, repo, mut files) = rows(2);
    let entry = ENTRY.replace("no-tools", "stolen");
    let mut claims = hub.claims(&entry, MODEL);
    (claims.iat, claims.nbf, claims.exp) = (NOW - 800, NOW - 800, NOW + 100);
    let file = with_token(&entry, &hub.issue_claims(&claims));
    assert!(is_verified(&hub.push(&repo, PATH, &file, NOW + 10)[0]));
    files.push(file);

    let kid = hub.key.kid();
    revoke(&mut hub, Scope::Kid(kid), 4);

    assert_eq!(verified(&hub, &repo, &files), [true, true, false]);
}

#[test]
fn revoke_integration_cascades() {
    let (mut hub, repo, files) = rows(3);

    revoke(
        &mut hub,
        Scope::Integration("lighteval".parse().unwrap()),
        0,
    );
    assert_eq!(verified(&hub, &repo, &files), [true, true, true]);
    revoke(
        &mut hub,
        Scope::Integration("inspect-ai".parse().unwrap()),
        0,
    );

    let verdicts = verdicts(&hub, &repo, &files);
    assert!(
        verdicts
            .iter()
            .all(|verdict| reason_of(verdict) == Reason::IntegrationRevoked)
    );
}

#[test]
fn every_scope_covers_what_it_names_and_nothing_else() {
    let versions = |range: &str| Scope::Framework {
        name: "inspect-ai".to_owned(),
        versions: range.parse().unwrap(),
    };
    let jti = |number: u8| {
        let mut bytes = [0; 16];
        bytes[15] = number;
        Scope::Jti(assay_trust::Jti::from_bytes(bytes))
    };
    let revision = |text: &str| Scope::BenchmarkRevision(text.parse().unwrap());
    let all = [false, false, false];
    let none = [true, true, true];
    for (scope, expected, reason) in [
        (
            Scope::Issuer("https://issuer.example".to_owned()),
            all,
            Some(Reason::IssuerRevoked),
        ),
        (
            Scope::Issuer("https://other.example".to_owned()),
            none,
            None,
        ),
        (
            Scope::Identity("runner-1".to_owned()),
            [true, false, true],
            Some(Reason::IdentityRevoked),
        ),
        (jti(3), [true, true, false], Some(Reason::TokenRevoked)),
        (
            versions(">=0.4.0, <0.4.3"),
            all,
            Some(Reason::FrameworkRevoked),
        ),
        (versions(">=0.5.0"), none, None),
        (
            revision("5503434ddd753f426f4b38109466949a1217c2bb"),
            all,
            Some(Reason::Withdrawn),
        ),
        (
            revision("6503434ddd753f426f4b38109466949a1217c2bb"),
            none,
            None,
        ),
    ] {
        let (mut hub, repo, files) = rows(3);

        revoke(&mut hub, scope.clone(), 0);

        assert_eq!(verified(&hub, &repo, &files), expected, "{scope:?}");
        let verdicts = verdicts(&hub, &repo, &files);
        let revoked = verdicts.iter().find(|verdict| !is_verified(verdict));
        assert_eq!(revoked.map(reason_of), reason, "{scope:?}");
    }
}

#[test]
fn a_revocation_is_taken_back_by_another_leaf() {
    let (mut hub, repo, files) = rows(2);
    let kid = hub.key.kid();
    let first = revoke(&mut hub, Scope::Kid(kid), 0);
    let second = revoke(
        &mut hub,
        Scope::Integration("inspect-ai".parse().unwrap()),
        2,
    );
    let unrevoke = |revocation| ControlLeaf::Unrevoke {
        revocation,
        reason: "it was the other key".to_owned(),
        actor: "operator".to_owned(),
    };

    assert_eq!(verified(&hub, &repo, &files), [false, false]);
    hub.log(&unrevoke(first));
    assert_eq!(verified(&hub, &repo, &files), [true, false]);
    hub.log(&unrevoke(second));
    assert_eq!(verified(&hub, &repo, &files), [true, true]);
}
