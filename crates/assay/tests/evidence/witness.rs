//! A hub and two witnesses, each a process of its own, and what they are good for: an operator who
//! shows two histories.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::hub::{CONFIG, Hub, MODEL, Run, alone, spawn};
use crate::logs::{LOG, harness_log};
use crate::verified::{bob, submit};

/// Maximum duration of something that happens beside a hub.
const PATIENCE: Duration = Duration::from_mins(1);
/// The trust note of the hub.
const NOTE: &str = "hub.note";

/// A witness. It is killed when this is dropped.
struct Witness {
    child: Child,
    url: String,
    key: String,
}

impl Witness {
    fn start(place: &Path, name: &str) -> Self {
        let command = ["log", "witness", "serve", "--name", name, "--trust", NOTE];
        let (child, url) = spawn(place, &command, name, &[]);
        let mut witness = Self {
            child,
            url,
            key: String::new(),
        };
        let about = witness.about();
        let key = about
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("witness "));
        witness.key = key.unwrap().to_owned();
        witness
    }

    /// Returns its key, and how much it has signed of each log.
    fn about(&self) -> String {
        let mut answer = ureq::get(&self.url).call().unwrap();
        answer.body_mut().read_to_string().unwrap()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A hub whose logs two witnesses watch.
struct Watched {
    hub: Hub,
    credential: String,
    witnesses: [Witness; 2],
}

impl Watched {
    fn start() -> Self {
        let (mut hub, credential) = Hub::with_issuer();
        hub.write(NOTE, hub.text("/.well-known/eval-trust"));
        hub.write(LOG, harness_log(None));
        let witnesses = ["w1.example", "w2.example"].map(|name| Witness::start(hub.place(), name));
        name_in_config(&hub, &witnesses);
        hub.restart_after(|_| {});
        Self {
            hub,
            credential,
            witnesses,
        }
    }

    /// Submits the log with some notes, and returns the identity of its token.
    fn submit(&self, notes: &str) -> String {
        let line = submit(&["--notes", notes, "--format", "json"]);
        let sent = self.hub.run_with(&line, &bob(&self.hub, &self.credential));
        assert_eq!(sent.code, Some(0), "{sent}");
        let entry = sent.json()["entries"][0].clone();
        let jti = entry["standing"]["attested"]["jti"].as_str();
        jti.unwrap_or_else(|| panic!("{entry}")).to_owned()
    }

    /// Waits until both witnesses have signed for all of the results log and of the control log.
    fn settled(&self) {
        wait_for("both witnesses to sign", || {
            ["results", "control"].iter().all(|log| {
                let newest = self.hub.text(&format!("/v1/log/{log}/checkpoint"));
                newest.matches("\n\u{2014} w").count() == 2
            })
        });
    }

    /// Verifies the proof of a row without asking anyone.
    fn verify(&self, jti: &str, more: &[&str]) -> Run {
        let proof = self.hub.run_with(&["hub", "proof", MODEL, jti], &[]);
        assert_eq!(proof.code, Some(0), "{proof}");
        self.hub.write("row.proof", &proof.stdout);
        let line = ["verify", "row.proof", "--trust", NOTE];
        alone(self.hub.place(), &[&line[..], more].concat())
    }

    fn audit(&self, more: &[&str]) -> Run {
        let line = ["log", "audit", &self.hub.url, "--no-progress"];
        alone(self.hub.place(), &[&line[..], more].concat())
    }

    /// The arguments that name both witnesses.
    fn both(&self) -> [&str; 4] {
        let [one, two] = &self.witnesses;
        ["--witness", &one.key, "--witness", &two.key]
    }
}

fn name_in_config(hub: &Hub, witnesses: &[Witness; 2]) {
    let table = |own: &Witness| {
        format!(
            "[[trust.witnesses]]\nurl = '{}'\nkey = '{}'\n",
            own.url, own.key
        )
    };
    let text: String = witnesses.iter().map(table).collect();
    hub.write(CONFIG, text);
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn what_two_witnesses_signed_is_proved_and_audited_with_a_quorum() {
    let watched = Watched::start();
    let stranger = "witness.example/w1+d9ed62c5+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR";
    let jti = watched.submit("one");
    watched.settled();

    let both = watched.both();
    let signed = watched.verify(&jti, &[&both[..], &["--max-trust-age", "1h"]].concat());
    let three = [&both[..], &["--witness", stranger]].concat();
    let all = watched.verify(&jti, &three);
    let two_of_three = watched.verify(&jti, &[&three[..], &["--quorum", "2"]].concat());
    let audited = watched.audit(&[&both[..], &["--format", "json"]].concat());
    let lacking = watched.audit(&three);
    let twice = watched.audit(&[&both[..2], &both[..2]].concat());

    assert_eq!(signed.code, Some(0), "{signed}");
    assert_eq!(all.code, Some(2), "{all}");
    assert!(all.stderr.contains("2 of the witnesses"), "{all}");
    assert_eq!(two_of_three.code, Some(0), "{two_of_three}");
    assert_eq!(audited.code, Some(0), "{audited}");
    let log = &audited.json()["logs"][0];
    assert_eq!(log["seen"]["size"], log["size"], "{audited}");
    assert_eq!(log["seen"]["witnesses"][1]["name"], "w2.example");
    assert_eq!(lacking.code, Some(1), "{lacking}");
    assert!(lacking.stdout.contains("and 3 are asked for"), "{lacking}");
    assert_eq!(twice.code, Some(3), "a witness counts once: {twice}");
    let proof = std::fs::metadata(watched.hub.place().join("row.proof")).unwrap();
    assert!(proof.len() < 20_000);
}

/// Row 81 of the threat table: a hub that was set back goes on with another history, under the keys
/// that everyone knows.
#[test]
fn split_view_lacks_quorum() {
    let mut watched = Watched::start();
    watched.submit("one");
    watched.settled();
    let place = watched.hub.place().to_owned();
    let before = place.join("before");
    watched.hub.restart_after(|data| copy(data, &before));
    let honest = watched.submit("two");
    watched.settled();
    let seen = watched.verify(&honest, &watched.both());
    // A witness that was killed remembers what it has signed.
    let [one, two] = watched.witnesses;
    drop(one);
    watched.witnesses = [Witness::start(&place, "w1.example"), two];
    name_in_config(&watched.hub, &watched.witnesses);

    watched.hub.restart_after(|data| {
        std::fs::remove_dir_all(data).unwrap();
        std::fs::rename(&before, data).unwrap();
    });
    let other = watched.submit("another");
    wait_for("the witnesses to refuse", || {
        let log = std::fs::read_to_string(place.join("data.log")).unwrap();
        log.matches("it has signed for another history of 4 entries")
            .count()
            >= 2
    });
    let fooled = watched.verify(&other, &[]);
    let warned = watched.verify(&other, &watched.both());
    let plain = watched.audit(&[]);
    let stale = watched.audit(&[&watched.both()[..], &["--witness-age", "0s"]].concat());

    assert_eq!(seen.code, Some(0), "{seen}");
    assert_eq!(fooled.code, Some(0), "the hub signs both: {fooled}");
    assert_eq!(plain.code, Some(0), "and each is whole: {plain}");
    assert_eq!(warned.code, Some(2), "{warned}");
    assert!(
        warned
            .stderr
            .contains("the results log may be a history that others are not shown: 0 of"),
        "{warned}"
    );
    assert_eq!(stale.code, Some(1), "{stale}");
    assert!(stale.stdout.contains("2 signed too long ago"), "{stale}");
    for witness in &watched.witnesses {
        let about = witness.about();
        assert!(about.lines().any(|line| line.ends_with(" 4")), "{about}");
    }
    let kept = std::fs::read_dir(place.join("w2.example")).unwrap();
    let names = kept.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(
        names.into_iter().any(|name| name.ends_with(".conflict")),
        "both checkpoints prove it to anyone"
    );
}

#[test]
fn a_witness_does_not_start_without_a_log_or_on_an_open_address() {
    let place = tempfile::tempdir().unwrap();
    let serve = ["log", "witness", "serve", "--name", "w1.example"];

    let nothing = alone(place.path(), &serve);
    let open = alone(
        place.path(),
        &[&serve[..], &["--listen", "0.0.0.0:0"]].concat(),
    );

    assert_eq!(nothing.code, Some(3), "{nothing}");
    assert!(nothing.stderr.contains("name a log to watch"), "{nothing}");
    assert_eq!(open.code, Some(3), "{open}");
    assert!(open.stderr.contains("there is no TLS"), "{open}");
}
