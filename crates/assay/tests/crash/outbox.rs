//! Results that a hub gets exactly once, however often it is killed meanwhile.

use std::net::TcpListener;
use std::process::Output;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;

use crate::client::Client;
use crate::kills::number;
use crate::server::Place;
use assay_testkit::random::Random;

const LOG: &[u8] = include_bytes!("../../../assay-convert/tests/fixtures/inspect/mcq.eval");
const BENCHMARK: &str = "name: Sums\ndescription: Adding.\nmetrics:\n  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}\ntasks:\n  - {id: words}\n";
/// The number of kills of the hub while results are sent, unless `ASSAY_OUTBOX_KILLS` is set.
const KILLS: u64 = 6;
/// The longest that a hub lives before it is killed, in milliseconds.
const LIFE_MILLIS: u64 = 1_500;
/// The number of last attempts to send what waits, before it counts as lost.
const LAST_TRIES: usize = 5;

fn assay(place: &Place, hub: &str, token: &str, args: &[&str]) -> Output {
    let mut command = place.assay(args);
    command
        .env("ASSAY_HUB", hub)
        .env("ASSAY_TOKEN", token)
        .env("ASSAY_OUTBOX", place.path().join("outbox"))
        .output()
        .unwrap()
}

/// Runs a harness that writes a log, below a directory of its own.
fn run_harness(place: &Place, hub: &str, token: &str, number: u64) -> Output {
    let model = format!("operator/model-{number}");
    let logs = format!("logs-{number}");
    let write = format!("mkdir {logs} && cp source.bin {logs}/run.eval");
    let run = ["run", "--logs", &logs, "--model", &model];
    let target = ["--benchmark", "operator/sums", "--task", "words"];
    let args = [&run[..], &target, &["--", "sh", "-c", &write]].concat();
    assay(place, hub, token, &args)
}

#[test]
fn every_result_arrives_once_and_no_run_suffers_however_often_the_hub_is_killed() {
    let place = Place::new();
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let hub = format!("http://{address}");
    std::fs::write(place.path().join("source.bin"), LOG).unwrap();
    let server = place.serve_at(&address);
    let token = server.token.clone().unwrap();
    let client = Client::new(&token);
    let kills = number("ASSAY_OUTBOX_KILLS", KILLS);
    client.create(&hub, "dataset", "sums");
    let defined = client.commit(
        &hub,
        "datasets/operator/sums/commit/main",
        "eval.yaml",
        BENCHMARK,
    );
    defined.unwrap().good();
    for number in 0..kills {
        client.create(&hub, "model", &format!("model-{number}"));
    }
    let running = Mutex::new(Some(server));

    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random::new(20_261_118);
            for _ in 0..kills {
                std::thread::sleep(Duration::from_millis(random.below(LIFE_MILLIS)));
                running.lock().unwrap().take().unwrap().kill();
                std::thread::sleep(Duration::from_millis(random.below(LIFE_MILLIS)));
                *running.lock().unwrap() = Some(place.serve_at(&address));
            }
        });
        for number in 0..kills {
            let ended = run_harness(&place, &hub, &token, number);
            let errors = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(0), "{errors}");
        }
    });

    let mut waiting = String::new();
    for _ in 0..LAST_TRIES {
        let sent = assay(&place, &hub, &token, &["outbox", "send"]);
        waiting = String::from_utf8_lossy(&sent.stderr).into_owned();
        if sent.status.success() {
            break;
        }
    }
    let left = assay(&place, &hub, &token, &["outbox", "list"]);
    let left = String::from_utf8_lossy(&left.stdout).into_owned();
    assert_eq!(left, "the outbox is empty\n", "{waiting}");
    for number in 0..kills {
        let url = format!("{hub}/api/models/operator/model-{number}/discussions");
        let listed = client.get(&url).unwrap().good().json();
        let pulls: Vec<&Value> = listed["discussions"].as_array().unwrap().iter().collect();
        assert_eq!(pulls.len(), 1, "model {number}: {listed}");
        assert_eq!(pulls[0]["isPullRequest"], true, "{listed}");
    }
}
