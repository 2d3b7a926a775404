//! An issuer without repositories, as a process of its own, and a hub that trusts it.

use std::process::Child;

use crate::hub::{BENCHMARK, CONFIG, FILE, Hub, ISSUER, MODEL, POLICY, Run, alone, spawn};
use crate::logs::{LOG, harness_log};
use crate::verified::{row, submit};

/// The name of the issuer.
const NAME: &str = "https://evals.example";

/// An issuer beside a hub. It is killed when this is dropped.
struct Issuer {
    child: Child,
    url: String,
    /// The credential of the integration `harness`.
    credential: String,
}

impl Issuer {
    fn start(hub: &Hub) -> Self {
        let policy = hub.write("policy.toml", POLICY);
        let policy = policy.to_str().unwrap();
        let names = [
            format!("trust.issuer={NAME}"),
            format!("trust.audience={ISSUER}"),
        ];
        let settings = [&names[0], &names[1], "issuer.allow_loopback=true"];
        let command = ["issuer", "serve", "--policy", policy, "--hub", &hub.url];
        let (child, url) = spawn(hub.place(), &command, "issuer", &settings);
        let mut issuer = Self {
            child,
            url,
            credential: String::new(),
        };
        operate(hub, &["integration", "add", "harness", "--policy", policy]);
        let line = ["credential", "add", "harness/lab", "--policy", policy];
        let made = operate(hub, &[&line[..], &["--format", "json"]].concat());
        made.json()["secret"]
            .as_str()
            .unwrap()
            .clone_into(&mut issuer.credential);
        issuer
    }

    fn text(&self, path: &str) -> String {
        let mut answer = ureq::get(format!("{}{path}", self.url)).call().unwrap();
        answer.body_mut().read_to_string().unwrap()
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the program on the data directory of the issuer.
fn operate(hub: &Hub, args: &[&str]) -> Run {
    let line = [&["issuer"][..], args, &["--data", "issuer"]].concat();
    let run = alone(hub.place(), &line);
    assert_eq!(run.code, Some(0), "{run}");
    run
}

/// A hub that has a name of its own and issues nothing.
fn hub() -> Hub {
    let name = format!("trust.issuer={ISSUER}");
    Hub::start_with(tempfile::tempdir().unwrap(), &[&name])
}

#[test]
fn what_an_issuer_alone_signs_is_verified_by_a_hub_that_trusts_it() {
    let hub = hub();
    let issuer = Issuer::start(&hub);
    hub.write(LOG, harness_log(None));
    let keys = hub.write("evals.json", issuer.text("/.well-known/jwks.json"));
    let keys = keys.to_str().unwrap();
    let who = [
        ("ASSAY_TOKEN", hub.bob.as_str()),
        ("ASSAY_CREDENTIAL", &issuer.credential),
    ];
    let line = submit(&["--issuer", &issuer.url]);

    let stranger = hub.run_with(&line, &who);
    let before = row(&hub);
    let add = ["trust", "issuer", "add", NAME, "--jwks", keys];
    hub.operate(&[&add[..], &["--framework", "lm-evaluation-harness"]].concat());
    let after = hub.run_with(
        &submit(&["--issuer", &issuer.url, "--notes", "again"]),
        &who,
    );

    assert_eq!(stranger.code, Some(2), "{stranger}");
    assert_eq!(before["standing"]["reason"], "unknown_key", "{before}");
    assert_eq!(after.code, Some(0), "{after}");
    let board = hub.get(&format!(
        "/api/datasets/{BENCHMARK}/leaderboard?verified=true"
    ));
    assert_eq!(board[0]["modelId"], MODEL, "{board}");
    assert_eq!(board[0]["standing"]["attested"]["issuer"], NAME);
    let checked = hub.operate(&["reindex", "--check", "--no-progress"]);
    assert_eq!(checked.code, Some(0), "{checked}");
}

#[test]
fn a_token_of_an_issuer_alone_is_checked_with_its_published_keys_and_its_log() {
    let hub = hub();
    let issuer = Issuer::start(&hub);
    hub.write(LOG, harness_log(None));
    let keys = hub.write("evals.json", issuer.text("/.well-known/jwks.json"));
    let line = [
        "token",
        "request",
        LOG,
        "--model",
        MODEL,
        "--to",
        &issuer.url,
    ];
    let task = ["--benchmark", BENCHMARK, "--task", "sums"];
    let line = [&line[..], &task, &["--format", "json"]].concat();

    let asked = hub.run_with(&line, &[("ASSAY_CREDENTIAL", &issuer.credential)]);
    let again = hub.run_with(&line, &[("ASSAY_CREDENTIAL", "evp_000000000000_nobody")]);

    assert_eq!(asked.code, Some(0), "{asked}");
    let token = asked.json()["entries"][0]["verify_token"].clone();
    let token = token.as_str().unwrap();
    let keys = ["--keys", keys.to_str().unwrap(), "--format", "json"];
    let verified = hub.run_with(&[&["verify", token][..], &keys].concat(), &[]);
    assert_eq!(verified.json()["signature"], "holds", "{verified}");
    let shown = hub.run_with(&["token", "inspect", token, "--format", "json"], &[]);
    assert_eq!(shown.json()["tokens"][0]["claims"]["iss"], NAME, "{shown}");
    assert_eq!(
        shown.json()["tokens"][0]["claims"]["aud"],
        ISSUER,
        "{shown}"
    );
    assert_eq!(again.code, Some(1), "{again}");
    let audited = hub.run_with(&["log", "audit", &issuer.url, "--no-progress"], &[]);
    assert_eq!(audited.code, Some(0), "{audited}");
    assert!(audited.stdout.contains("results: 1 entr"), "{audited}");
}

/// The configuration that trusts the issuer, for one framework.
const TRUSTING: &str = "[[trust.issuers]]\nissuer = 'https://evals.example'\njwks = 'evals.json'\nframeworks = ['lm-evaluation-harness']\n";

/// Returns the reason why the row of the model is not verified, if it is not, once the index was
/// found to be that of a new one.
fn reason(hub: &Hub) -> String {
    hub.operate(&["reindex", "--check", "--no-progress"]);
    let standing = &row(hub)["standing"];
    let word = standing["reason"].as_str().unwrap_or("verified");
    word.to_owned()
}

#[test]
fn an_issuer_that_the_configuration_names_is_trusted_for_as_long_as_it_does() {
    let mut hub = hub();
    let issuer = Issuer::start(&hub);
    hub.write(LOG, harness_log(None));
    hub.write("evals.json", issuer.text("/.well-known/jwks.json"));
    let line = [
        "token",
        "request",
        LOG,
        "--model",
        MODEL,
        "--to",
        &issuer.url,
    ];
    let line = [&line[..], &["--benchmark", BENCHMARK, "--task", "sums"]].concat();
    let signed = hub.run_with(&line, &[("ASSAY_CREDENTIAL", &issuer.credential)]);
    assert_eq!(signed.code, Some(0), "{signed}");

    hub.commit("models", MODEL, FILE, &signed.stdout);
    let stranger = reason(&hub);
    hub.write(CONFIG, TRUSTING);
    hub.restart_after(|_| {});
    let named = reason(&hub);
    hub.commit(
        "models",
        MODEL,
        FILE,
        &format!("{}# again\n", signed.stdout),
    );
    let trusted = reason(&hub);
    hub.restart_after(|_| {});
    let leaves = || hub.text("/v1/log/control/checkpoint");
    let (before, still) = (leaves(), reason(&hub));
    hub.write(CONFIG, "");
    hub.restart_after(|_| {});
    let distrusted = reason(&hub);

    assert_eq!(stranger, "unknown_key");
    assert_eq!(named, "not_admitted", "a token is decided on when it comes");
    assert_eq!((trusted.as_str(), still.as_str()), ("verified", "verified"));
    assert_eq!(distrusted, "issuer_untrusted");
    let size = |checkpoint: &str| checkpoint.lines().nth(1).unwrap().parse::<u64>().unwrap();
    let after = hub.text("/v1/log/control/checkpoint");
    assert_eq!(size(&after), size(&before) + 1, "a restart costs no leaf");
}

#[test]
fn issuers_of_a_configuration_are_judged_before_a_server_starts() {
    let place = tempfile::tempdir().unwrap();
    let check = || alone(place.path(), &["config", "check", "--config", CONFIG]);
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write(CONFIG, TRUSTING);

    let absent = check();
    write("evals.json", &crate::signed::jwks());
    let good = check();
    write(
        CONFIG,
        &format!("[trust]\nissuer = 'https://evals.example'\n{TRUSTING}"),
    );
    let itself = check();

    assert_eq!(absent.code, Some(1), "{absent}");
    assert!(
        absent.stderr.contains("`trust.issuers`") && absent.stderr.contains("evals.json"),
        "{absent}"
    );
    assert_eq!(good.code, Some(0), "{good}");
    assert!(
        good.stdout
            .contains("trusted with 1 key for lm-evaluation-harness"),
        "{good}"
    );
    assert_eq!(itself.code, Some(1), "{itself}");
    assert!(itself.stderr.contains("is this hub itself"), "{itself}");
}
