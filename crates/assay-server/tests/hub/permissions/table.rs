//! Every endpoint, and what it needs.

use serde_json::{Value, json};

use super::needs::{Ask, Effect, Endpoint, Needs};
use super::people::{LAB, OLGA};
use super::scene::{FILE, Place, commit_lines};

const fn row(
    method: &'static str,
    route: &'static str,
    needs: Needs,
    good: u16,
    ask: fn(&Place) -> Ask,
) -> Endpoint {
    Endpoint {
        method,
        route,
        needs,
        effect: Effect::Looks,
        good,
        ask,
    }
}

const fn change(
    method: &'static str,
    route: &'static str,
    needs: Needs,
    ask: fn(&Place) -> Ask,
) -> Endpoint {
    Endpoint {
        method,
        route,
        needs,
        effect: Effect::Changes,
        good: 200,
        ask,
    }
}

fn at(path: &str) -> Ask {
    Ask(path.to_owned(), Vec::new())
}

fn of(place: &Place, rest: &str) -> Ask {
    Ask(format!("{}{rest}", place.api()), Vec::new())
}

fn on(place: &Place, rest: &str, body: &Value) -> Ask {
    Ask(
        format!("{}{rest}", place.api()),
        body.to_string().into_bytes(),
    )
}

fn page(place: &Place, rest: &str) -> Ask {
    Ask(format!("{}{rest}", place.page()), Vec::new())
}

fn to_page(place: &Place, rest: &str, body: &str) -> Ask {
    Ask(format!("{}{rest}", place.page()), body.as_bytes().to_vec())
}

fn commit(place: &Place, rest: &str) -> Ask {
    Ask(
        format!("{}/commit/{rest}", place.api()),
        commit_lines("notes/new.md").into_bytes(),
    )
}

fn preupload(place: &Place, rest: &str) -> Ask {
    let body = json!({ "files": [{ "path": "a.txt", "size": 1, "sample": "" }] });
    on(place, &format!("/preupload/{rest}"), &body)
}

fn batch(place: &Place, body: &Value) -> Ask {
    to_page(place, ".git/info/lfs/objects/batch", &body.to_string())
}

/// The hash of an object that nobody has.
const NO_OBJECT: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
/// A token that nobody was given.
const NO_TOKEN: &str = "/eval-results/AAAAAAAAAAAAAAAAAAAAAQ";
const NO_PROOF: &str = "/eval-results/AAAAAAAAAAAAAAAAAAAAAQ/proof";
/// A link whose signature is nobody's.
const NO_LINK: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824?size=1&until=9999999999&signature=00";

/// Every endpoint of the hub.
#[rustfmt::skip]
pub(super) const TABLE: &[Endpoint] = &[
    row("GET", "/healthz", Needs::Nothing, 200, |_| at("/healthz")),
    row("GET", "/api/openapi.json", Needs::Nothing, 200, |_| at("/api/openapi.json")),
    row("GET", "/avatars/{picture}", Needs::Nothing, 200, |_| at("/avatars/alice.svg")),
    row("GET", "/api/docs", Needs::Nothing, 200, |_| at("/api/docs")),
    row("GET", "/metrics", Needs::Nothing, 200, |_| at("/metrics")),
    row("HEAD", "/api/telemetry/{topic}", Needs::Nothing, 200, |_| at("/api/telemetry/x/y")),
    row("GET", "/api/telemetry/{topic}", Needs::Nothing, 200, |_| at("/api/telemetry/x/y")),
    row("POST", "/api/telemetry/{topic}", Needs::Nothing, 200, |_| at("/api/telemetry/x/y")),
    row("GET", "/api/models-tags-by-type", Needs::Nothing, 200, |_| at("/api/models-tags-by-type")),
    row("GET", "/api/datasets-tags-by-type", Needs::Nothing, 200, |_| at("/api/datasets-tags-by-type")),
    row("GET", "/api/agent-harnesses", Needs::Nothing, 404, |_| at("/api/agent-harnesses")),
    row("GET", "/api/settings/webhooks", Needs::Writing, 200, |_| at("/api/settings/webhooks")),
    // Nothing is watched, and there is no webhook 0: who manages one is asked in
    // `client_webhooks.rs`.
    row("POST", "/api/settings/webhooks", Needs::Writing, 400, |_| Ask("/api/settings/webhooks".to_owned(), b"{}".to_vec())),
    row("GET", "/api/settings/webhooks/{webhook}", Needs::Writing, 404, |_| at("/api/settings/webhooks/0")),
    row("POST", "/api/settings/webhooks/{webhook}", Needs::Writing, 404, |_| Ask("/api/settings/webhooks/0".to_owned(), b"{}".to_vec())),
    row("DELETE", "/api/settings/webhooks/{webhook}", Needs::Writing, 404, |_| at("/api/settings/webhooks/0")),
    row("POST", "/api/settings/webhooks/{webhook}/enable", Needs::Writing, 404, |_| at("/api/settings/webhooks/0/enable")),
    row("POST", "/api/settings/webhooks/{webhook}/disable", Needs::Writing, 404, |_| at("/api/settings/webhooks/0/disable")),
    row("GET", "/api/whoami-v2", Needs::Account, 200, |_| at("/api/whoami-v2")),
    row("GET", "/api/users/{account}/overview", Needs::Nothing, 200, |_| at(&format!("/api/users/{OLGA}/overview"))),
    row("GET", "/api/organizations/{account}/members", Needs::Membership, 200, |_| at(&format!("/api/organizations/{LAB}/members"))),
    row("GET", "/api/organizations/{account}/settings/repositories", Needs::Membership, 200, |_| {
        at(&format!("/api/organizations/{LAB}/settings/repositories"))
    }),
    row("GET", "/api/settings/repositories", Needs::Account, 200, |_| at("/api/settings/repositories")),
    row("GET", "/api/organizations/{account}/overview", Needs::Nothing, 200, |_| at(&format!("/api/organizations/{LAB}/overview"))),
    row("POST", "/api/validate-yaml", Needs::Nothing, 200, |_| {
        Ask("/api/validate-yaml".to_owned(), br#"{"content":"---\nlicense: mit\n---\n"}"#.to_vec())
    }),
    // This hub has no lake; those that have one are asked in the tests of the lake.
    row("POST", "/api/sql", Needs::Nothing, 501, |_| {
        Ask("/api/sql".to_owned(), br#"{"query":"SELECT 1"}"#.to_vec())
    }),
    row("POST", "/api/sql/permalinks", Needs::Nothing, 200, |_| {
        Ask("/api/sql/permalinks".to_owned(), br#"{"query":"SELECT 1"}"#.to_vec())
    }),
    row("GET", "/api/sql/{question}", Needs::Nothing, 501, |_| at("/api/sql/U0VMRUNUIDE")),
    row("GET", "/api/lake/{download}", Needs::Nothing, 501, |_| at("/api/lake/results.parquet")),
    // A list tells only of what its reader may see; another test asks what is in it.
    row("GET", "/api/models", Needs::Nothing, 200, |place| at(&format!("/api/{}", place.kind))),
    row("GET", "/readyz", Needs::Nothing, 200, |_| at("/readyz")),
    row("GET", "/api/assay/audit", Needs::Operator, 200, |_| at("/api/assay/audit")),
    row("GET", "/api/assay/changes", Needs::Nothing, 200, |_| at("/api/assay/changes?from=2026-01-01")),
    row("GET", "/api/assay/compare", Needs::Nothing, 200, |_| at("/api/assay/compare?models=alice/one&models=alice/two")),
    row("GET", "/api/assay/search", Needs::Nothing, 200, |_| at("/api/assay/search?q=sums")),
    row("POST", "/mcp", Needs::Nothing, 406, |_| Ask("/mcp".to_owned(), br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_vec())),
    row("GET", "/api/assay/findings", Needs::Nothing, 200, |_| at("/api/assay/findings")),
    row("GET", "/api/assay/removals", Needs::Nothing, 200, |_| at("/api/assay/removals")),
    change("POST", "/api/assay/organizations", Needs::Writing, |place| {
        let body = json!({ "name": format!("org-{}", place.name) });
        Ask("/api/assay/organizations".to_owned(), body.to_string().into_bytes())
    }),
    change("PUT", "/api/assay/benchmarks/{namespace}/{name}/official", Needs::Operator, |place| {
        let path = format!("/api/assay/benchmarks/{}/official", place.id());
        Ask(path, br#"{"official":false}"#.to_vec())
    }),
    change("POST", "/api/repos/create", Needs::Creation, |place| {
        let kind = place.kind.trim_end_matches('s');
        let body = json!({ "name": format!("{}-new", place.name), "organization": place.namespace, "type": kind });
        Ask("/api/repos/create".to_owned(), body.to_string().into_bytes())
    }),
    change("POST", "/api/models/{namespace}/{name}/duplicate", Needs::Copy, |place| {
        on(place, "/duplicate", &json!({ "repository": format!("{}/{}-copy", place.namespace, place.name) }))
    }),
    change("DELETE", "/api/repos/delete", Needs::Admin, |place| {
        let kind = place.kind.trim_end_matches('s');
        let body = json!({ "name": place.name, "organization": place.namespace, "type": kind });
        Ask("/api/repos/delete".to_owned(), body.to_string().into_bytes())
    }),
    change("POST", "/api/repos/move", Needs::Admin, |place| {
        let kind = place.kind.trim_end_matches('s');
        let to = format!("{}-moved", place.id());
        let body = json!({ "fromRepo": place.id(), "toRepo": to, "type": kind });
        Ask("/api/repos/move".to_owned(), body.to_string().into_bytes())
    }),
    row("GET", "/api/models/{namespace}/{name}", Needs::Read, 200, |place| of(place, "")),
    row("GET", "/api/models/{namespace}/{name}/revision/{revision}", Needs::Read, 200, |place| of(place, "/revision/main")),
    row("GET", "/api/models/{namespace}/{name}/commits/{revision}", Needs::Read, 200, |place| of(place, "/commits/main")),
    row("GET", "/api/models/{namespace}/{name}/tree/{revision}", Needs::Read, 200, |place| of(place, "/tree/main")),
    row("GET", "/api/models/{namespace}/{name}/tree/{revision}/{path}", Needs::Read, 200, |place| of(place, "/tree/main/notes")),
    row("POST", "/api/models/{namespace}/{name}/paths-info/{revision}", Needs::Read, 200, |place| {
        on(place, "/paths-info/main", &json!({ "paths": ["notes"] }))
    }),
    row("GET", "/api/models/{namespace}/{name}/xet-write-token/{revision}", Needs::Write, 200, |place| of(place, "/xet-write-token/main")),
    row("GET", "/api/models/{namespace}/{name}/lfs-files", Needs::Write, 200, |place| of(place, "/lfs-files")),
    row("POST", "/api/models/{namespace}/{name}/lfs-files/batch", Needs::Admin, 200, |place| {
        on(place, "/lfs-files/batch", &json!({ "deletions": { "sha": [] } }))
    }),
    row("GET", "/api/models/{namespace}/{name}/records", Needs::Read, 200, |place| of(place, "/records")),
    row("GET", "/api/models/{namespace}/{name}/refs", Needs::Read, 200, |place| of(place, "/refs")),
    change("POST", "/api/models/{namespace}/{name}/branch/{branch}", Needs::Write, |place| on(place, "/branch/new", &json!({}))),
    change("POST", "/api/models/{namespace}/{name}/super-squash/{branch}", Needs::Write, |place| {
        on(place, "/super-squash/dev", &json!({ "message": "one commit" }))
    }),
    change("DELETE", "/api/models/{namespace}/{name}/branch/{branch}", Needs::Write, |place| of(place, "/branch/dev")),
    change("POST", "/api/models/{namespace}/{name}/tag/{tag}", Needs::Write, |place| on(place, "/tag/main", &json!({ "tag": "v2" }))),
    change("DELETE", "/api/models/{namespace}/{name}/tag/{tag}", Needs::Write, |place| of(place, "/tag/v1")),
    change("PUT", "/api/models/{namespace}/{name}/settings", Needs::Admin, |place| {
        on(place, "/settings", &json!({ "description": "changed" }))
    }),
    row("GET", "/api/models/{namespace}/{name}/auth-check", Needs::Read, 200, |place| of(place, "/auth-check")),
    row("GET", "/api/models/{namespace}/{name}/auth-check/write", Needs::Write, 200, |place| of(place, "/auth-check/write")),
    change("POST", "/api/models/{namespace}/{name}/commit/{revision}", Needs::Write, |place| commit(place, "main")),
    change("POST", "/api/models/{namespace}/{name}/commit/{revision}", Needs::Discuss, |place| commit(place, "main?create_pr=1")),
    change("POST", "/api/models/{namespace}/{name}/commit/{revision}", Needs::Author, |place| commit(place, "refs%2Fpr%2F1")),
    row("POST", "/api/models/{namespace}/{name}/preupload/{revision}", Needs::Write, 200, |place| preupload(place, "main")),
    row("POST", "/api/models/{namespace}/{name}/preupload/{revision}", Needs::Discuss, 200, |place| preupload(place, "main?create_pr=1")),
    row("POST", "/api/models/{namespace}/{name}/preupload/{revision}", Needs::Author, 200, |place| preupload(place, "refs%2Fpr%2F1")),
    row("GET", "/.well-known/eval-trust", Needs::Nothing, 200, |_| at("/.well-known/eval-trust")),
    row("GET", "/v1/log.git/info/refs", Needs::Nothing, 200, |_| at("/v1/log.git/info/refs?service=git-upload-pack")),
    row("POST", "/v1/log.git/git-upload-pack", Needs::Nothing, 200, |_| {
        Ask("/v1/log.git/git-upload-pack".to_owned(), b"0000".to_vec())
    }),
    row("GET", "/v1/log/{log}/checkpoint", Needs::Nothing, 200, |_| at("/v1/log/results/checkpoint")),
    row("GET", "/v1/log/{log}/witnessed", Needs::Nothing, 404, |_| at("/v1/log/results/witnessed")),
    row("GET", "/v1/log/{log}/tile/{tile}", Needs::Nothing, 200, |_| at("/v1/log/control/tile/entries/000.p/1")),
    row("GET", "/v1/log/{log}/receipts/{index}", Needs::Nothing, 200, |_| at("/v1/log/control/receipts/0")),
    row("GET", "/api/models/{namespace}/{name}/eval-results", Needs::Read, 200, |place| of(place, "/eval-results")),
    row("POST", "/api/models/{namespace}/{name}/eval-results/preview", Needs::Read, 200, |place| {
        on(place, "/eval-results/preview", &json!({ "path": ".eval_results/x.yaml", "content": "[]" }))
    }),
    // None of these repositories has a result with a token, which is told to those who see them.
    row("GET", "/api/models/{namespace}/{name}/eval-results/{jti}", Needs::Read, 404, |place| of(place, NO_TOKEN)),
    row("GET", "/api/models/{namespace}/{name}/eval-results/{jti}/proof", Needs::Read, 404, |place| of(place, NO_PROOF)),
    row("GET", "/api/models/{namespace}/{name}/discussions", Needs::Read, 200, |place| of(place, "/discussions")),
    change("POST", "/api/models/{namespace}/{name}/discussions", Needs::Discuss, |place| {
        on(place, "/discussions", &json!({ "title": "A draft", "description": "", "pullRequest": true }))
    }),
    row("GET", "/api/models/{namespace}/{name}/discussions/{num}", Needs::Read, 200, |place| of(place, "/discussions/1?diff=1")),
    change("POST", "/api/models/{namespace}/{name}/discussions/{num}/comment", Needs::Discuss, |place| {
        on(place, "/discussions/1/comment", &json!({ "comment": "me too" }))
    }),
    change("POST", "/api/models/{namespace}/{name}/discussions/{num}/comment/{event}/edit", Needs::Comment, |place| {
        let rest = format!("/discussions/1/comment/{}/edit", place.comment);
        on(place, &rest, &json!({ "content": "changed" }))
    }),
    change("POST", "/api/models/{namespace}/{name}/discussions/{num}/comment/{event}/hide", Needs::Author, |place| {
        of(place, &format!("/discussions/1/comment/{}/hide", place.comment))
    }),
    change("POST", "/api/models/{namespace}/{name}/discussions/{num}/title", Needs::Author, |place| {
        on(place, "/discussions/1/title", &json!({ "title": "Another title" }))
    }),
    change("POST", "/api/models/{namespace}/{name}/discussions/{num}/status", Needs::Author, |place| {
        on(place, "/discussions/1/status", &json!({ "status": "closed" }))
    }),
    change("POST", "/api/models/{namespace}/{name}/discussions/{num}/merge", Needs::Write, |place| of(place, "/discussions/1/merge")),
    // None of these repositories is a benchmark, which is told to those who see them. Boards have
    // tests of their own.
    row("GET", "/api/datasets/{namespace}/{name}/findings", Needs::Read, 404, |place| of(place, "/findings")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard", Needs::Read, 404, |place| of(place, "/leaderboard")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard/changes", Needs::Read, 404, |place| of(place, "/leaderboard/changes?from=2026-01-01")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard.csv", Needs::Read, 404, |place| of(place, "/leaderboard.csv")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard.json", Needs::Read, 404, |place| of(place, "/leaderboard.json")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard.md", Needs::Read, 404, |place| of(place, "/leaderboard.md")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard.tex", Needs::Read, 404, |place| of(place, "/leaderboard.tex")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard.ndjson", Needs::Read, 404, |place| of(place, "/leaderboard.ndjson")),
    row("GET", "/api/datasets/{namespace}/{name}/leaderboard.parquet", Needs::Read, 404, |place| of(place, "/leaderboard.parquet")),
    row("GET", "/{namespace}/{name}/resolve/{revision}/{path}", Needs::Read, 200, |place| page(place, &format!("/resolve/main/{FILE}"))),
    row("HEAD", "/{namespace}/{name}/resolve/{revision}/{path}", Needs::Read, 200, |place| page(place, &format!("/resolve/main/{FILE}"))),
    row("GET", "/{namespace}/{name}/raw/{revision}/{path}", Needs::Read, 200, |place| page(place, &format!("/raw/main/{FILE}"))),
    row("HEAD", "/{namespace}/{name}/raw/{revision}/{path}", Needs::Read, 200, |place| page(place, &format!("/raw/main/{FILE}"))),
    row("GET", "/{namespace}/{name}/info/refs", Needs::Read, 200, |place| page(place, ".git/info/refs?service=git-upload-pack")),
    row("GET", "/{namespace}/{name}/info/refs", Needs::Discuss, 200, |place| page(place, "/info/refs?service=git-receive-pack")),
    row("POST", "/{namespace}/{name}/git-upload-pack", Needs::Read, 200, |place| to_page(place, "/git-upload-pack", "0000")),
    row("POST", "/{namespace}/{name}/git-receive-pack", Needs::Discuss, 200, |place| to_page(place, ".git/git-receive-pack", "0000")),
    row("POST", "/{namespace}/{name}/info/lfs/objects/batch", Needs::Read, 200, |place| {
        batch(place, &json!({ "operation": "download", "objects": [] }))
    }),
    row("POST", "/{namespace}/{name}/info/lfs/objects/batch", Needs::Discuss, 200, |place| {
        batch(place, &json!({ "operation": "upload", "objects": [] }))
    }),
    row("POST", "/{namespace}/{name}/info/lfs/objects/batch", Needs::Write, 200, |place| {
        batch(place, &json!({ "operation": "upload", "objects": [], "ref": { "name": "refs/heads/main" } }))
    }),
    // Whoever is let in hears that the object has not arrived.
    row("POST", "/{namespace}/{name}/info/lfs/objects/verify", Needs::Discuss, 422, |place| {
        let body = json!({ "oid": NO_OBJECT, "size": 1 });
        to_page(place, ".git/info/lfs/objects/verify", &body.to_string())
    }),
    // A link is its own permission, and this one is none.
    row("PUT", "/uploads/lfs/{kind}/{namespace}/{name}/{oid}", Needs::Nothing, 403, |place| {
        at(&format!("/uploads/lfs/model/{}/{NO_LINK}", place.id()))
    }),
    row("GET", "/uploads/lfs/{kind}/{namespace}/{name}/{oid}", Needs::Nothing, 403, |place| {
        at(&format!("/uploads/lfs/model/{}/{NO_LINK}", place.id()))
    }),
    // These take a token of their own, which no token of the hub is.
    row("POST", "/xet/{kind}/{namespace}/{name}/{day}/v1/xorbs/{prefix}/{hash}", Needs::Nothing, 401, |place| {
        at(&format!("/xet/model/{}/1-1/v1/xorbs/default/{NO_LINK}", place.id()))
    }),
    row("POST", "/xet/{kind}/{namespace}/{name}/{day}/v1/shards", Needs::Nothing, 401, |place| {
        at(&format!("/xet/model/{}/1-1/v1/shards", place.id()))
    }),
    row("POST", "/xet/{kind}/{namespace}/{name}/{day}/v2/shards", Needs::Nothing, 401, |place| {
        at(&format!("/xet/model/{}/1-1/v2/shards", place.id()))
    }),
    // The issuer knows machines, and accounts of the hub are none. What machines get has tests of
    // its own.
    row("GET", "/.well-known/oauth-authorization-server", Needs::Nothing, 200, |_| at("/.well-known/oauth-authorization-server")),
    row("GET", "/.well-known/jwks.json", Needs::Nothing, 200, |_| at("/.well-known/jwks.json")),
    row("POST", "/oauth/device", Needs::Machine, 200, |_| Ask("/oauth/device".to_owned(), b"{}".to_vec())),
    row("POST", "/oauth/token", Needs::Machine, 400, |_| Ask("/oauth/token".to_owned(), b"{}".to_vec())),
    row("POST", "/oauth/revoke", Needs::Machine, 200, |_| Ask("/oauth/revoke".to_owned(), b"{}".to_vec())),
    row("POST", "/oauth/introspect", Needs::MachineOrOperator, 200, |_| Ask("/oauth/introspect".to_owned(), b"{}".to_vec())),
    row("POST", "/v1/eval-tokens", Needs::Machine, 401, |_| Ask("/v1/eval-tokens".to_owned(), b"{}".to_vec())),
    row("POST", "/v1/eval-tokens/preview", Needs::Machine, 401, |_| Ask("/v1/eval-tokens/preview".to_owned(), b"{}".to_vec())),
    row("GET", "/v1/eval-tokens/{jti}", Needs::MachineOrOperator, 404, |_| at("/v1/eval-tokens/AAAAAAAAAAAAAAAAAAAAAQ")),
    row("POST", "/v1/eval-tokens/{jti}/revoke", Needs::MachineOrOperator, 404, |_| at("/v1/eval-tokens/AAAAAAAAAAAAAAAAAAAAAQ/revoke")),
    row("POST", "/v1/credentials/revoke", Needs::Machine, 202, |_| Ask("/v1/credentials/revoke".to_owned(), br#"{"credentials":[]}"#.to_vec())),
];
