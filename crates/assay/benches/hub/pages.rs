//! Pages of the hub, against a file of the same size that is read from the disk; and the memory
//! that reading them takes.

use std::path::Path;
use std::time::Duration;

use crate::figures::median;
use crate::http::{self, Connection};
use crate::load::{self, Rate, Until};
use crate::process::{HubProcess, Server, memory};
use crate::{Settings, bare, fill};

const ROUNDS: usize = 3;
/// Number of requests memory that is watched over, and how often it is looked at.
const REQUESTS: usize = 100_000;
const LOOKS: usize = 5;
/// The share of the requests per second that a board has to reach, in percent.
const BAR: f64 = 30.0;

pub(crate) fn measure(hub: &HubProcess, settings: &Settings, directory: &Path) {
    let folder = directory.join("pages");
    std::fs::create_dir(&folder).unwrap();
    let board = format!("/datasets/{}", fill::board(0));
    let pages = [
        ("a board, first page", board.clone()),
        ("a board, last page", format!("{board}?page=50")),
        ("a model", format!("/{}", fill::model(0))),
        ("home", "/".to_owned()),
    ];
    let mut connection = Connection::open(hub.address());
    for (number, (_, path)) in pages.iter().enumerate() {
        let body = connection.fetch(&http::page(path));
        std::fs::write(folder.join(number.to_string()), body).unwrap();
    }
    let peer = bare::start(&folder);
    println!(
        "{:<26}{:>8}{:>10}{:>10}{:>8}{:>9}{:>9}{:>10}{:>8}",
        "pages a second", "bytes", "hub", "a file", "share", "p99 ms", "file's", "memory", "share"
    );
    for (number, (name, path)) in pages.iter().enumerate() {
        let length = std::fs::metadata(folder.join(number.to_string()));
        compare(
            name,
            path,
            number,
            length.unwrap().len(),
            (hub, &peer),
            settings,
        );
    }
    println!("the bar for the first page of a board is {BAR:.0}% of a file\n");
    watch_memory(hub, settings);
}

fn compare(
    name: &str,
    path: &str,
    number: usize,
    length: u64,
    (hub, peer): (&HubProcess, &Server),
    settings: &Settings,
) {
    let until = Until::Time(Duration::from_secs(settings.seconds));
    let own = [http::page(path)];
    let file = [http::get(&format!("/files/{number}"))];
    let kept = [http::get(&format!("/{number}"))];
    let rounds: Vec<[Rate; 3]> = (0..ROUNDS)
        .map(|_| {
            [
                load::ask(hub.address(), hub.id(), &own, until),
                load::ask(peer.address, peer.id(), &file, until),
                load::ask(peer.address, peer.id(), &kept, until),
            ]
        })
        .collect();
    let of = |figure: fn(&[Rate; 3]) -> f64| median(rounds.iter().map(figure).collect());
    println!(
        "{name:<26}{length:>8}{:>10.0}{:>10.0}{:>7.0}%{:>9.2}{:>9.2}{:>10.0}{:>7.0}%",
        of(|[own, ..]| own.per_second),
        of(|[_, file, _]| file.per_second),
        of(|[own, file, _]| own.per_second / file.per_second * 100.0),
        of(|[own, ..]| own.slow * 1e3),
        of(|[_, file, _]| file.slow * 1e3),
        of(|[.., kept]| kept.per_second),
        of(|[own, _, kept]| own.per_second / kept.per_second * 100.0),
    );
}

/// Reads many different pages, many of them never asked for before, and tells what the hub holds in
/// memory meanwhile.
fn watch_memory(hub: &HubProcess, settings: &Settings) {
    let page_of = |number: usize| {
        let number = u32::try_from(number).unwrap();
        let board = fill::board(number % fill::BOARDS);
        match number % 40 {
            0 => format!("/{}", fill::model(number % settings.models)),
            1 => format!("/search?q=model-{number}"),
            2 => format!("/datasets/{board}?page={}", number / 40 % 50 + 1),
            3 => format!("/datasets/{board}?q={number}"),
            _ => format!("/datasets/{board}"),
        }
    };
    let mut held = vec![memory(hub.id())];
    let (mut slow, each) = (Vec::new(), REQUESTS / LOOKS);
    for look in 0..LOOKS {
        let requests: Vec<Vec<u8>> = (look * each..(look + 1) * each)
            .map(|number| http::page(&page_of(number)))
            .collect();
        let rate = load::ask(hub.address(), hub.id(), &requests, Until::Once);
        slow.push(rate.slow * 1e3);
        held.push(memory(hub.id()));
    }
    println!(
        "memory before and after each fifth of {REQUESTS} requests, a tenth of them for pages that nobody asked for before, MiB: {}",
        told(&held)
    );
    println!("p99 of each fifth of them, ms: {}\n", told(&slow));
}

fn told(numbers: &[f64]) -> String {
    let texts: Vec<String> = numbers
        .iter()
        .map(|number| format!("{number:.1}"))
        .collect();
    texts.join(" ")
}
