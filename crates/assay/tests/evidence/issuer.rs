//! The requests of the program to an issuer, as a fake issuer sees them.

use serde_json::{Value, json};

use crate::fake::{Asked, Fake};
use crate::hub::alone_with;
use crate::signed::{ENTRY, MODEL, put, token};

const NAME: &str = "https://issuer.example";

/// Answers as an issuer does, with a good token.
fn answer(asked: &Asked) -> (u16, String) {
    let body = match asked.line.as_str() {
        "GET /.well-known/oauth-authorization-server" => json!({ "issuer": NAME }),
        "GET /identity?job=7&audience=https%3A%2F%2Fissuer.example" => {
            json!({ "value": "eyJh.eyJp.c2ln" })
        }
        "POST /oauth/token" => json!({ "access_token": "eva_short", "expires_in": 600 }),
        "POST /v1/eval-tokens" => json!({
            "verify_token": token(0),
            "jti": "AAAAAAAAAAAAAAAAAAAAAQ",
            "expires_at": "2026-01-01T00:15:00Z",
            "path": ".eval_results/hle.yaml",
            "entry_yaml": ENTRY,
            "digests": { "subject": "sha256:00", "entry": "sha256:01" },
            "log": { "index": 7, "receipt": "c2sp.org/tlog-proof@v1" },
        }),
        _ => return (404, json!({ "error": "not found" }).to_string()),
    };
    (200, body.to_string())
}

struct Place {
    directory: tempfile::TempDir,
    file: String,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = put(directory.path(), "hle.yaml", ENTRY);
        Self { directory, file }
    }

    fn request(&self, issuer: &Fake, more: &[&str], variables: &[(&str, &str)]) -> crate::hub::Run {
        let line = [
            "token",
            "request",
            &self.file,
            "--model",
            MODEL,
            "--to",
            &issuer.url,
        ];
        alone_with(
            self.directory.path(),
            &[&line[..], more].concat(),
            variables,
        )
    }
}

#[test]
fn a_run_of_github_actions_exchanges_its_identity_for_the_right_to_ask() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();
    let url = format!("{}/identity?job=7", issuer.url);
    let variables = [
        ("ACTIONS_ID_TOKEN_REQUEST_URL", url.as_str()),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "of-the-run"),
    ];

    let run = place.request(&issuer, &[], &variables);

    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(
        run.stdout,
        format!("{ENTRY}  verify_token: \"{}\"\n", token_in(&run.stdout))
    );
    let asked = issuer.asked();
    let lines: Vec<&str> = asked.iter().map(|asked| asked.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /.well-known/oauth-authorization-server",
            "GET /identity?job=7&audience=https%3A%2F%2Fissuer.example",
            "POST /oauth/token",
            "POST /v1/eval-tokens",
        ]
    );
    assert_eq!(asked[0].header("authorization"), None);
    assert_eq!(asked[1].header("authorization"), Some("Bearer of-the-run"));
    assert!(
        asked[2].body.contains("subject_token=eyJh.eyJp.c2ln"),
        "{:?}",
        asked[2]
    );
    assert!(
        asked[2].body.contains("grant-type%3Atoken-exchange"),
        "{:?}",
        asked[2]
    );
    assert_eq!(asked[3].header("authorization"), Some("Bearer eva_short"));
    let body: Value = serde_json::from_str(&asked[3].body).unwrap();
    assert_eq!(body["model_repo"], MODEL);
    assert_eq!(body["entry"]["notes"], "no-tools");
}

#[test]
fn gitlab_hands_the_identity_over_and_a_client_shows_its_secret() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();

    let gitlab = place.request(&issuer, &[], &[("ASSAY_ID_TOKEN", "eyJg.eyJs.YWI")]);
    let client = place.request(
        &issuer,
        &[],
        &[
            ("ASSAY_CLIENT_ID", "ins-prod"),
            ("ASSAY_CLIENT_SECRET", "evc_secret"),
        ],
    );

    assert_eq!(
        (gitlab.code, client.code),
        (Some(0), Some(0)),
        "{gitlab}{client}"
    );
    let asked = issuer.asked();
    assert!(
        asked[0].body.contains("subject_token=eyJg.eyJs.YWI"),
        "{:?}",
        asked[0]
    );
    assert!(
        asked[2].body.contains("grant_type=client_credentials"),
        "{:?}",
        asked[2]
    );
    // `ins-prod:evc_secret`
    assert_eq!(
        asked[2].header("authorization"),
        Some("Basic aW5zLXByb2Q6ZXZjX3NlY3JldA==")
    );
}

#[test]
fn a_client_with_a_key_says_who_it_is_to_this_issuer_alone() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();
    let jwk = r#"{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#;
    let key = put(place.directory.path(), "client.jwk", jwk);

    let run = place.request(
        &issuer,
        &[],
        &[("ASSAY_CLIENT_ID", "ins-prod"), ("ASSAY_CLIENT_KEY", &key)],
    );

    assert_eq!(run.code, Some(0), "{run}");
    let asked = issuer.asked();
    assert_eq!(asked[0].line, "GET /.well-known/oauth-authorization-server");
    let form = &asked[1].body;
    assert!(
        form.contains("client-assertion-type%3Ajwt-bearer"),
        "{form}"
    );
    let assertion = form.split("client_assertion=").nth(1).unwrap();
    let claims = assertion.split('.').nth(1).unwrap();
    let claims = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, claims);
    let claims: Value = serde_json::from_slice(&claims.unwrap()).unwrap();
    assert_eq!(
        (&claims["sub"], &claims["aud"]),
        (&json!("ins-prod"), &json!(NAME))
    );
}

#[test]
fn the_digest_of_a_log_is_signed_along() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();
    let log = put(place.directory.path(), "run.eval", "abc");

    let run = place.request(
        &issuer,
        &["--credential", "evp_a_b", "--evidence", &log],
        &[],
    );
    let none = place.request(
        &issuer,
        &["--credential", "evp_a_b", "--evidence", "no.eval"],
        &[],
    );

    assert_eq!((run.code, none.code), (Some(0), Some(3)), "{run}{none}");
    let body: Value = serde_json::from_str(&issuer.asked()[0].body).unwrap();
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        body["evidence"],
        json!([{ "name": "run.eval", "sha256": sha256, "size": 3 }])
    );
    assert_eq!(issuer.asked().len(), 1);
}

#[test]
fn a_personal_token_is_shown_as_it_is_and_the_command_line_outweighs_the_environment() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();

    let run = place.request(
        &issuer,
        &["--credential", "evp_a_b"],
        &[("ASSAY_CREDENTIAL", "evp_c_d")],
    );

    assert_eq!(run.code, Some(0), "{run}");
    let asked = issuer.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].header("authorization"), Some("Bearer evp_a_b"));
}

#[test]
fn an_issuer_that_asks_for_patience_is_asked_again_with_the_same_key() {
    let issuer = Fake::start(|asked, before| {
        if before == 0 {
            let problem = json!({ "title": "later", "code": "log_unavailable" });
            return (503, problem.to_string());
        }
        answer(asked)
    });
    let place = Place::new();

    let run = place.request(&issuer, &["--credential", "evp_a_b"], &[]);

    assert_eq!(run.code, Some(0), "{run}");
    let asked = issuer.asked();
    assert_eq!(asked.len(), 2);
    let keys: Vec<Option<&str>> = asked
        .iter()
        .map(|asked| asked.header("idempotency-key"))
        .collect();
    assert!(keys[0].is_some() && keys[0] == keys[1], "{keys:?}");
    assert_eq!(asked[0].body, asked[1].body);
}

#[test]
fn a_refusal_is_told_with_its_code_and_nothing_is_written() {
    let issuer = Fake::start(|_, _| {
        let problem = json!({
            "type": "https://issuer.example/problems/framework_not_allowed",
            "title": "the framework is not allowed", "status": 403, "code": "framework_not_allowed",
            "detail": "`other` may not speak for `inspect-ai`", "pointer": "/entry/framework/name",
        });
        (403, problem.to_string())
    });
    let place = Place::new();

    let run = place.request(&issuer, &["--credential", "evp_a_b", "--write"], &[]);

    assert_eq!(run.code, Some(1), "{run}");
    for words in [
        "`other` may not speak for `inspect-ai`",
        "`/entry/framework/name`",
        "framework_not_allowed",
    ] {
        assert!(run.stderr.contains(words), "{run}");
    }
    assert_eq!(std::fs::read_to_string(&place.file).unwrap(), ENTRY);
    assert_eq!(issuer.asked().len(), 1);
}

#[test]
fn a_token_for_something_else_is_not_taken() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();
    std::fs::write(&place.file, ENTRY.replace("20.90", "99.9")).unwrap();

    let run = place.request(&issuer, &["--credential", "evp_a_b", "--write"], &[]);

    assert_eq!(run.code, Some(3), "{run}");
    assert!(run.stderr.contains("signed something else"), "{run}");
    assert!(
        !std::fs::read_to_string(&place.file)
            .unwrap()
            .contains("verify_token")
    );
}

#[test]
fn tokens_are_written_into_the_file_once() {
    let issuer = Fake::start(|asked, _| answer(asked));
    let place = Place::new();

    let first = place.request(&issuer, &["--credential", "evp_a_b", "--write"], &[]);
    let written = std::fs::read_to_string(&place.file).unwrap();
    let second = place.request(&issuer, &["--credential", "evp_a_b", "--write"], &[]);

    assert_eq!(
        (first.code, second.code),
        (Some(0), Some(0)),
        "{first}{second}"
    );
    assert_eq!(
        written,
        format!("{ENTRY}  verify_token: \"{}\"\n", token_in(&written))
    );
    assert!(second.stderr.contains("nothing to sign"), "{second}");
    assert_eq!(std::fs::read_to_string(&place.file).unwrap(), written);
    assert_eq!(issuer.asked().len(), 1);
}

/// The token in a text.
fn token_in(text: &str) -> &str {
    let (_, rest) = text.split_once("verify_token: \"").unwrap();
    rest.split('"').next().unwrap()
}
