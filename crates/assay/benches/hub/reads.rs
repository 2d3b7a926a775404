//! Boards and results of models, against a bare handler that has the same bytes in memory.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::figures::median;
use crate::http::{self, Connection};
use crate::load::{self, Rate};
use crate::process::{HubProcess, Server};
use crate::{Settings, bare, fill};

const ROUNDS: usize = 3;
/// A pause between two commits of the one who writes while others read: ten a second is a busy hub.
const BETWEEN_COMMITS: Duration = Duration::from_millis(100);

/// What is asked of both.
struct Question {
    name: &'static str,
    hub: Vec<Vec<u8>>,
    /// The file that the bare handler answers with.
    bare: &'static str,
}

pub(crate) fn measure(hub: &HubProcess, settings: &Settings, directory: &Path) {
    let folder = directory.join("answers");
    std::fs::create_dir(&folder).unwrap();
    let board = format!("/api/datasets/{}/leaderboard", fill::board(0));
    let of_model =
        |number: u32| format!("/api/models/{}?expand=evalResults", fill::model(number));
    let mut connection = Connection::open(hub.address());
    for (name, path) in [("board", board.clone()), ("model", of_model(0))] {
        let body = connection.get(&path);
        println!("{name}: {} bytes, {} rows", body.len(), rows(&body));
        std::fs::write(folder.join(name), body).unwrap();
    }
    let peer = bare::start(&folder);
    head();
    let all_models = (0..settings.models).map(|number| http::get(&of_model(number)));
    let questions = [
        Question {
            name: "a board",
            hub: vec![http::get(&board)],
            bare: "board",
        },
        Question {
            name: "a model",
            hub: vec![http::get(&of_model(0))],
            bare: "model",
        },
        Question {
            name: "all models",
            hub: all_models.collect(),
            bare: "model",
        },
    ];
    let how_long = Duration::from_secs(settings.seconds);
    for question in &questions {
        compare(question.name, question, hub, &peer, how_long);
    }
    while_writing(hub, || {
        for question in &questions {
            let name = format!("{}, ten commits/s", question.name);
            compare(&name, question, hub, &peer, how_long);
        }
    });
    println!();
}

/// How many rows an answer has, by something that each has once.
fn rows(body: &[u8]) -> usize {
    memchr::memmem::find_iter(body, br#""notes":"#).count()
}

fn head() {
    println!(
        "{:<28}{:>12}{:>12}{:>10}{:>14}{:>14}{:>10}",
        "requests per second", "hub", "bare", "share", "hub CPU us", "bare CPU us", "ratio"
    );
}

fn compare(name: &str, question: &Question, hub: &HubProcess, peer: &Server, how_long: Duration) {
    let bare = vec![http::get(&format!("/{}", question.bare))];
    let rounds: Vec<(Rate, Rate)> = (0..ROUNDS)
        .map(|_| {
            (
                load::ask(hub.address(), hub.id(), &question.hub, how_long),
                load::ask(peer.address, peer.id(), &bare, how_long),
            )
        })
        .collect();
    let of = |figure: fn(&(Rate, Rate)) -> f64| median(rounds.iter().map(figure).collect());
    println!(
        "{:<28}{:>12.0}{:>12.0}{:>9.0}%{:>14.1}{:>14.1}{:>9.2}x",
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
