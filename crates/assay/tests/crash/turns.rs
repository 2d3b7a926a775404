use std::collections::BTreeSet;
use std::process::Output;

use crate::git::{Clone, said};
use crate::load::{PUSHED, World};
use crate::server::Place;

/// The number of concurrent pushes.
const PUSHERS: usize = 6;

#[test]
fn of_pushes_at_the_same_time_one_wins_and_the_others_are_told_to_fetch() {
    let place = Place::new();
    let server = place.serve();
    let world = World::new(&server);
    let url = world.git_url(PUSHED);
    let clones: Vec<(Clone, String)> = (0..PUSHERS)
        .map(|number| {
            let clone = Clone::of(&url, place.path().join(format!("clone-{number}")));
            let commit = clone.commit(&format!("notes/{number}.md"), "mine\n");
            (clone, commit)
        })
        .collect();

    let pushed: Vec<Output> = std::thread::scope(|scope| {
        let pushing: Vec<_> = clones
            .iter()
            .map(|(clone, _)| scope.spawn(|| clone.push(&url, "HEAD:refs/heads/main")))
            .collect();
        pushing.into_iter().map(|one| one.join().unwrap()).collect()
    });

    let winners: Vec<usize> = (0..PUSHERS)
        .filter(|number| pushed[*number].status.success())
        .collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let (winner, commit) = &clones[winners[0]];
    assert_eq!(&head(winner, &url), commit);
    for (number, push) in pushed.iter().enumerate() {
        let text = said(push);
        let is_clear = text.contains("somebody else moved it first; fetch and push again")
            || text.contains("fetch first");
        assert!(number == winners[0] || is_clear, "{text}");
    }

    // Those who lost fetch, merge and push in turn; then everything is there.
    for (clone, _) in &clones {
        clone.good(&["pull", "--quiet", "--no-rebase", "--no-edit", &url, "main"]);
        clone.good(&["push", "--quiet", &url, "HEAD:refs/heads/main"]);
    }
    let last = &clones[PUSHERS - 1].0;
    let history: BTreeSet<String> = last
        .good(&["rev-list", "HEAD"])
        .lines()
        .map(ToOwned::to_owned)
        .collect();
    assert_eq!(head(last, &url), last.good(&["rev-parse", "HEAD"]));
    for (_, commit) in &clones {
        assert!(history.contains(commit), "lost: {commit}");
    }
    drop(server);
}

/// Returns the head of `main`, as git is told.
fn head(clone: &Clone, url: &str) -> String {
    let line = clone.good(&["ls-remote", url, "refs/heads/main"]);
    line.split_whitespace().next().unwrap().to_owned()
}
