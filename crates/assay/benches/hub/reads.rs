//! Boards and results of models, against a bare handler that has the same bytes in memory.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::figures::median;
use crate::http::{self, Connection};
use crate::load::{self, Rate, Until};
use crate::process::{HubProcess, Server};
use crate::{Settings, bare, fill};

const ROUNDS: usize = 3;
/// A pause between two commits of the one who writes while others read: ten a second is a busy hub.
const BETWEEN_COMMITS: Duration = Duration::from_millis(100);

/// A request to both.
struct Question {
    name: &'static str,
    hub: Vec<Vec<u8>>,
    /// The file that the bare handler answers with.
    bare: &'static str,
    until: Until,
    rounds: usize,
}

pub(crate) fn measure(hub: &HubProcess, settings: &Settings, directory: &Path) {
    let folder = directory.join("answers");
    std::fs::create_dir(&folder).unwrap();
    let board = format!("/api/datasets/{}/leaderboard", fill::board(0));
    let of_model = |number: u32| format!("/api/models/{}?expand=evalResults", fill::model(number));
    let mut connection = Connection::open(hub.address());
    for (name, path) in [("board", board.clone()), ("model", of_model(0))] {
        let body = connection.get(&path);
        println!("{name}: {} bytes, {} rows", body.len(), rows(&body));
        std::fs::write(folder.join(name), body).unwrap();
    }
    let peer = bare::start(&folder);
    head();
    let all_models: Vec<Vec<u8>> = (0..settings.models)
        .map(|number| http::get(&of_model(number)))
        .collect();
    let how_long = Until::Time(Duration::from_secs(settings.seconds));
    let questions = [
        Question {
            name: "a board",
            hub: vec![http::get(&board)],
            bare: "board",
            until: how_long,
            rounds: ROUNDS,
        },
        Question {
            name: "a model",
            hub: vec![http::get(&of_model(0))],
            bare: "model",
            until: how_long,
            rounds: ROUNDS,
        },
        Question {
            name: "every model for the first time",
            hub: all_models.clone(),
            bare: "model",
            until: Until::Once,
            rounds: 1,
        },
        Question {
            name: "every model",
            hub: all_models,
            bare: "model",
            until: how_long,
            rounds: ROUNDS,
        },
    ];
    for question in &questions {
        compare(question.name, question, hub, &peer);
    }
    while_writing(hub, || {
        for question in questions.iter().filter(|question| question.rounds > 1) {
            let name = format!("{}, ten commits a second", question.name);
            compare(&name, question, hub, &peer);
        }
    });
    println!();
}

/// Returns the number of rows that an answer has, by something that each has once.
fn rows(body: &[u8]) -> usize {
    memchr::memmem::find_iter(body, br#""notes":"#).count()
}

fn head() {
    println!(
        "{:<38}{:>10}{:>10}{:>8}{:>13}{:>13}{:>9}",
        "requests per second", "hub", "bare", "share", "hub CPU us", "bare CPU us", "ratio"
    );
}

fn compare(name: &str, question: &Question, hub: &HubProcess, peer: &Server) {
    let bare = vec![http::get(&format!("/{}", question.bare)); question.hub.len()];
    let rounds: Vec<(Rate, Rate)> = (0..question.rounds)
        .map(|_| {
            (
                load::ask(hub.address(), hub.id(), &question.hub, question.until),
                load::ask(peer.address, peer.id(), &bare, question.until),
            )
        })
        .collect();
    let of = |figure: fn(&(Rate, Rate)) -> f64| median(rounds.iter().map(figure).collect());
    println!(
        "{:<38}{:>10.0}{:>10.0}{:>7.0}%{:>13.1}{:>13.1}{:>8.2}x",
        name,
        of(|(hub, _)| hub.per_second),
        of(|(_, bare)| bare.per_second),
        of(|(hub, bare)| hub.per_second / bare.per_second * 100.0),
        of(|(hub, _)| hub.cpu * 1e6),
        of(|(_, bare)| bare.cpu * 1e6),
        of(|(hub, bare)| hub.cpu / bare.cpu),
    );
}

/// Reads while somebody else publishes, on another board and of another model.
fn while_writing(hub: &HubProcess, read: impl FnOnce()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let done = &done;
        scope.spawn(move || {
            let mut connection = Connection::open(hub.address());
            // The results of this model are on boards that the readers do not look at.
            let (model, board) = (fill::model(4), 4);
            for number in 0_u32.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let text = fill::result_text(board, &format!("0.5{number:05}"));
                connection.commit(&model, &hub.token, &fill::result_path(board), &text);
                std::thread::sleep(BETWEEN_COMMITS);
            }
        });
        read();
        done.store(true, Ordering::Relaxed);
    });
}
