//! People who use the hub all at once, and remember what it has promised them.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, RwLock};
use std::thread::Scope;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{Answer, Client, SUMS, commit_body, large_commit_body, result};
use crate::git::{Clone, said};
use crate::server::{Place, Server};
use assay_testkit::random::Random;

/// The models that are worked on, all of the operator.
pub(crate) const COMMITTED: &str = "committed";
pub(crate) const PROPOSED: &str = "proposed";
pub(crate) const PUSHED: &str = "pushed";
pub(crate) const LARGE: &str = "large";
pub(crate) const MODELS: [&str; 4] = [COMMITTED, PROPOSED, PUSHED, LARGE];
/// Number of files of results that the committers write to, over and over.
const FILES: u64 = 4;
/// The time between two requests to a server that is just being started.
const PAUSE: Duration = Duration::from_millis(5);
/// The pause after a token was made.
const BETWEEN_TOKENS: Duration = Duration::from_millis(300);
/// The size of the largest file beside git, in bytes.
const LARGE_FILE_BYTES: u64 = 64 << 10;

/// Something that the hub said has been done.
#[derive(Debug, Clone)]
pub(crate) enum Promise {
    /// A commit on `main`.
    Commit { model: &'static str, commit: String },
    /// A pull request with this commit.
    Pull {
        model: &'static str,
        num: u64,
        commit: String,
    },
    /// A pull request was closed.
    Closed { model: &'static str, num: u64 },
    /// A pull request was merged by this commit.
    Merged {
        model: &'static str,
        num: u64,
        commit: String,
    },
    /// A token of the operator was made.
    Token { secret: String },
    /// A file beside git was committed to `main` of [`LARGE`].
    LargeFile { path: String, digest: String },
}

/// Lets everyone stop working when this is dropped, also when a test fails.
pub(crate) struct EndOfWork<'w>(pub(crate) &'w World);

impl Drop for EndOfWork<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The hub as its users see it, and what it has promised.
pub(crate) struct World {
    pub(crate) client: Client,
    /// The keys of [`MODELS`].
    pub(crate) keys: [i64; 4],
    /// The time that everyone rests after an act.
    pace: Duration,
    urls: RwLock<Vec<String>>,
    asked: AtomicUsize,
    over: AtomicBool,
    /// Set while answers that say "not now" (503, 507) are no fault of the hub.
    is_disturbed: AtomicBool,
    promises: Mutex<Vec<Promise>>,
    /// Answers that should never be given, whatever happens.
    faults: Mutex<Vec<String>>,
}

impl World {
    /// A hub that was just started for the first time, with a benchmark and three models.
    pub(crate) fn new(server: &Server) -> Self {
        let client = Client::new(server.token.as_ref().unwrap());
        let hub = &server.url;
        client.create(hub, "dataset", "sums");
        let place = "datasets/operator/sums/commit/main";
        let defined = client.commit(hub, place, "eval.yaml", SUMS);
        defined.unwrap().good();
        Self {
            keys: MODELS.map(|name| client.create(hub, "model", name)),
            client,
            pace: Duration::ZERO,
            urls: RwLock::new(vec![hub.clone()]),
            asked: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            is_disturbed: AtomicBool::new(false),
            promises: Mutex::default(),
            faults: Mutex::default(),
        }
    }

    /// The same, whose people rest for a while after everything that they do.
    pub(crate) fn paced(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }

    /// Tells everyone where the hub is now.
    pub(crate) fn moved(&self, server: &Server) {
        self.spread(std::slice::from_ref(server));
    }

    /// Tells everyone where the hub is now: at several addresses, which are asked in turn.
    pub(crate) fn spread(&self, servers: &[Server]) {
        let urls = servers.iter().map(|server| server.url.clone());
        *self.urls.write().unwrap() = urls.collect();
    }

    pub(crate) fn url(&self) -> String {
        let urls = self.urls.read().unwrap();
        urls[self.asked.fetch_add(1, Ordering::SeqCst) % urls.len()].clone()
    }

    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Accepts answers that say "not now" (503, 507) from here on: the disk or the database is
    /// disturbed.
    pub(crate) fn expect_disturbance(&self) {
        self.is_disturbed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn promises(&self) -> MutexGuard<'_, Vec<Promise>> {
        self.promises.lock().unwrap()
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap().clone()
    }

    /// Everyone begins to work, each in a thread, until [`World::end`]. Then every question has its
    /// answer.
    pub(crate) fn begin<'s>(&'s self, scope: &'s Scope<'s, '_>, seed: u64, place: &Path) {
        let url = self.git_url(PUSHED);
        let clone = Clone::of(&url, place.join("clone"));
        for number in 0..2 {
            scope.spawn(move || self.work(seed + number, |random| self.commit(random)));
        }
        let mut open = Vec::new();
        scope.spawn(move || self.work(seed + 2, |random| self.propose(&mut open, random)));
        scope.spawn(move || self.work(seed + 3, |random| self.push(&clone, random)));
    }

    /// Someone begins to make repositories and to delete them again.
    pub(crate) fn come_and_go<'s>(&'s self, scope: &'s Scope<'s, '_>, seed: u64) {
        scope.spawn(move || {
            self.work(seed, |random| {
                let name = format!("gone-{:08x}", random.draw() >> 32);
                let (hub, body) = (self.url(), json!({ "name": name, "type": "model" }));
                for (method, path) in [("POST", "create"), ("DELETE", "delete")] {
                    let url = format!("{hub}/api/repos/{path}");
                    self.client.ask(method, &url, &body.to_string())?;
                }
                Some(())
            });
        });
    }

    /// Makes tokens at the shell and commits files beside git, each in a thread, until
    /// [`World::end`].
    pub(crate) fn begin_tokens_and_large_files<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        seed: u64,
        place: &'s Place,
    ) {
        scope.spawn(move || self.work(seed, |_| self.make_token(place)));
        scope.spawn(move || self.work(seed + 1, |random| self.upload(random)));
    }

    /// Someone begins to ask and to hang up. What they have asked for may happen even after
    /// [`World::end`].
    pub(crate) fn hang_up_too<'s>(&'s self, scope: &'s Scope<'s, '_>, seed: u64) {
        scope.spawn(move || self.work(seed, |random| self.hang_up(random)));
    }

    /// Does something again and again; what nobody answers is tried again a moment later.
    fn work(&self, seed: u64, mut once: impl FnMut(&mut Random) -> Option<()>) {
        let mut random = Random::new(seed);
        while !self.is_over() {
            match once(&mut random) {
                Some(()) => std::thread::sleep(self.pace),
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Commits results through the API.
    fn commit(&self, random: &mut Random) -> Option<()> {
        let path = format!(".eval_results/{}.yaml", random.below(FILES));
        let place = format!("models/operator/{COMMITTED}/commit/main");
        let text = result(random.below(100));
        let answer = self
            .client
            .commit(&self.url(), &place, &path, &text)
            .and_then(|answer| self.judge(answer))?;
        self.promise(Promise::Commit {
            model: COMMITTED,
            commit: word(&answer, "commitOid"),
        });
        Some(())
    }

    /// Opens pull requests, and closes or merges those that are open.
    fn propose(&self, open: &mut Vec<u64>, random: &mut Random) -> Option<()> {
        // Whoever gets no answer does not know what became of it, and leaves it alone.
        match open.pop() {
            Some(num) if random.below(2) == 0 => self.settle(num, random),
            left => {
                open.extend(left);
                open.push(self.open_pull(random)?);
                Some(())
            }
        }
    }

    fn open_pull(&self, random: &mut Random) -> Option<u64> {
        let model = PROPOSED;
        let path = format!(".eval_results/{:016x}.yaml", random.draw());
        let place = format!("models/operator/{model}/commit/main?create_pr=1");
        let text = result(random.below(100));
        let answer = self
            .client
            .commit(&self.url(), &place, &path, &text)
            .and_then(|answer| self.judge(answer))?;
        let (page, commit) = (word(&answer, "pullRequestUrl"), word(&answer, "commitOid"));
        let num = page.rsplit('/').next()?.parse().ok()?;
        self.promise(Promise::Pull { model, num, commit });
        Some(num)
    }

    fn settle(&self, num: u64, random: &mut Random) -> Option<()> {
        let model = PROPOSED;
        let url = self.url();
        let at = format!("{url}/api/models/operator/{model}/discussions/{num}");
        if random.below(2) == 0 {
            let body = json!({ "status": "closed" });
            let answer = self.client.post(&format!("{at}/status"), &body)?;
            self.judge(answer)?;
            self.promise(Promise::Closed { model, num });
        } else {
            let answer = self.client.post(&format!("{at}/merge"), &json!({}))?;
            let answer = self.judge(answer)?;
            let commit = word(&answer, "commitOid");
            self.promise(Promise::Merged { model, num, commit });
        }
        Some(())
    }

    /// Pushes to `main` with git, and now and then to a new pull request.
    fn push(&self, clone: &Clone, random: &mut Random) -> Option<()> {
        let model = PUSHED;
        let path = format!(".eval_results/{}.yaml", random.below(FILES));
        let commit = clone.commit(&path, &result(random.below(1000)));
        let url = self.git_url(model);
        let wants_pull = random.below(3) == 0;
        let refspec = if wants_pull {
            "HEAD:refs/pr/new"
        } else {
            "HEAD:refs/heads/main"
        };
        let pushed = clone.push(&url, refspec);
        let text = said(&pushed);
        // A server that is killed breaks the connection; whatever else git complains of is the
        // hub's fault.
        let is_refused = text.contains("HTTP 5")
            || text.contains("error: 5")
            || text.contains("[remote rejected]");
        if is_refused && !self.is_disturbed.load(Ordering::SeqCst) {
            self.fault(text.clone());
        }
        if !pushed.status.success() {
            return None;
        }
        self.promise(if wants_pull {
            let num = opened(&text)?;
            Promise::Pull { model, num, commit }
        } else {
            Promise::Commit { model, commit }
        });
        Some(())
    }

    /// Makes a token with the command of the operator, beside the server.
    fn make_token(&self, place: &Place) -> Option<()> {
        let made = place.operate(&["admin", "token", "create", "operator", "--format", "json"]);
        if !made.status.success() {
            let told = String::from_utf8_lossy(&made.stderr).into_owned();
            if !self.is_disturbed.load(Ordering::SeqCst) {
                self.fault(told);
            }
            return None;
        }
        let told: Value = serde_json::from_slice(&made.stdout).ok()?;
        let secret = told["token"].as_str()?.to_owned();
        self.promise(Promise::Token { secret });
        // A process each is expensive, and tokens are rare.
        std::thread::sleep(BETWEEN_TOKENS);
        Some(())
    }

    /// Uploads a file beside git, and commits it.
    fn upload(&self, random: &mut Random) -> Option<()> {
        let size = 1 + random.below(LARGE_FILE_BYTES);
        let bytes: Vec<u8> = (0..size).map(|_| random.draw().to_le_bytes()[0]).collect();
        let digest = hex(&bytes);
        let url = self.url();
        let batch = json!({
            "operation": "upload",
            "transfers": ["basic"],
            "objects": [{ "oid": digest, "size": size }],
            "hash_algo": "sha256",
            "ref": { "name": "main" },
        });
        let at = format!("{url}/operator/{LARGE}.git/info/lfs/objects/batch");
        let answer = self.client.post(&at, &batch)?;
        let actions = self.judge(answer)?.json()["objects"][0]["actions"].clone();
        let link = actions["upload"]["href"].as_str()?;
        let put = self.client.put(link, &bytes)?;
        // A link expires, and the clock may have jumped since it was made.
        if put.status == 403 && self.is_disturbed.load(Ordering::SeqCst) {
            return None;
        }
        self.judge(put)?;
        let path = format!("weights-{digest}.bin");
        let place = format!("{url}/api/models/operator/{LARGE}/commit/main");
        let answer = self
            .client
            .ask("POST", &place, &large_commit_body(&path, &digest, size))?;
        self.judge(answer)?;
        self.promise(Promise::LargeFile { path, digest });
        Some(())
    }

    /// Asks for something and goes away before the answer.
    fn hang_up(&self, random: &mut Random) -> Option<()> {
        let url = self.url();
        let host = url.strip_prefix("http://")?;
        let (path, body) = match random.below(3) {
            0 => {
                let draft = json!({ "title": "A draft", "description": "", "pullRequest": true });
                ("discussions", draft.to_string())
            }
            1 => {
                let path = format!(".eval_results/{}.yaml", random.below(FILES));
                let text = result(random.below(100));
                ("commit/main?create_pr=1", commit_body(&path, &text))
            }
            _ => {
                let path = format!(".eval_results/{}.yml", random.below(FILES));
                (
                    "commit/main",
                    commit_body(&path, &result(random.below(100))),
                )
            }
        };
        let mut stream = TcpStream::connect(host).ok()?;
        let request = format!(
            "POST /api/models/operator/{PROPOSED}/{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.client.token(),
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        std::thread::sleep(Duration::from_millis(random.below(40)));
        Some(())
    }

    /// The address that git uses.
    pub(crate) fn git_url(&self, model: &str) -> String {
        let url = self.url();
        let host = url.strip_prefix("http://").unwrap();
        let token = self.client.token();
        format!("http://operator:{token}@{host}/operator/{model}")
    }

    /// A good answer, or none; a hub that blames itself is noted.
    fn judge(&self, answer: Answer) -> Option<Answer> {
        match answer.status {
            200 => Some(answer),
            409 => None,
            503 | 507 if self.is_disturbed.load(Ordering::SeqCst) => None,
            status => {
                self.fault(format!("{status}: {}", answer.body));
                None
            }
        }
    }

    fn promise(&self, promise: Promise) {
        self.promises().push(promise);
    }

    fn fault(&self, text: String) {
        self.faults.lock().unwrap().push(text);
    }
}

fn word(answer: &Answer, key: &str) -> String {
    let json = answer.json();
    let word = json[key].as_str();
    word.unwrap_or_else(|| panic!("no `{key}` in {json}"))
        .to_owned()
}

/// The number in `opened pull request N: ...`.
fn opened(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("opened pull request ")?;
    rest.split(':').next()?.parse().ok()
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |digits, byte| {
        digits + &format!("{byte:02x}")
    })
}
