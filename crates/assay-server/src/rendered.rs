//! Answers that anonymous readers get again and again, kept as bytes until something they can see
//! has changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_app::Hub;
use assay_model::RepoId;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use bytes::Bytes;
use moka::ops::compute::Op;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use parking_lot::Mutex;

use crate::base_url::BaseUrl;
use crate::web::Theme;

/// The most bytes that are kept, all answers together with their addresses.
const MAX_BYTES: u32 = 256 << 20;
/// The longest address that an answer is kept for.
const MAX_KEY: usize = 1024;
/// The largest answer that is kept.
const MAX_BODY: usize = MAX_BYTES as usize / 4;
/// The approximate overhead of an answer, beside its address and its body.
const OVERHEAD: usize = 1024;

/// The number of times as long as its making that such an answer may be given although something
/// changed.
const WORTH: u32 = 20;
/// The longest that it may be given so.
const MAX_OLD: Duration = Duration::from_secs(15);

/// Answers by address, each with the generation of what it tells.
pub(crate) struct Rendered {
    /// An answer about many boards that takes longer than this to make may be served stale.
    slow: Duration,
    /// Those that nobody asked for the longest go when there are too many bytes.
    kept: Cache<String, Arc<CachedResponse>>,
}

struct CachedResponse {
    about: About,
    generation: u64,
    made: Instant,
    took: Duration,
    /// The time at which somebody began to make it anew.
    again: Mutex<Option<Instant>>,
    answer: Answer,
}

impl CachedResponse {
    /// Returns whether a stale response may still be served when only loosely related data changed.
    /// Once it is too old, one request renders it again while others still get the old one.
    fn may_be_old(&self, slow: Duration, now: Instant) -> bool {
        if self.took < slow {
            return false;
        }
        let for_long = (self.took * WORTH).min(MAX_OLD);
        let mut again = self.again.lock();
        let since = again.unwrap_or(self.made);
        if now.saturating_duration_since(since) < for_long {
            return true;
        }
        *again = Some(now);
        false
    }
}

/// The subject of an answer.
#[derive(Debug, Clone)]
pub(crate) enum About {
    /// The results for a benchmark.
    Board(RepoId),
    /// The results of a model.
    Model(RepoId),
    /// The standing of a model among all others.
    Standing(RepoId),
    /// More than one of them.
    Everything,
}

/// The address of an answer that may be kept: an anonymous request that reads something.
#[derive(Debug, Clone)]
pub(crate) struct Address(String);

/// The place where an answer will be kept, noted before it is computed: a change on the way makes
/// it stale at once.
#[derive(Debug)]
pub(crate) struct Place {
    key: String,
    about: About,
    generation: u64,
    begun: Instant,
}

/// An answer that can be given again.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Its headers.
    pub(crate) headers: HeaderMap,
    /// Its bytes.
    pub(crate) body: Bytes,
}

impl About {
    /// A number that goes up whenever what is told changes.
    fn generation(&self, hub: &Hub) -> u64 {
        match self {
            Self::Board(id) => hub.boards().generation_of_board(id),
            Self::Model(id) => hub.boards().generation_of_model(id),
            Self::Standing(_) | Self::Everything => hub.boards().generation(),
        }
    }

    /// The generation of the last change after which no answer from before is given, however costly
    /// it was.
    fn oldest(&self, hub: &Hub) -> u64 {
        match self {
            Self::Board(_) | Self::Model(_) => self.generation(hub),
            Self::Standing(id) => hub.boards().generation_of_model(id),
            Self::Everything => hub.boards().generation_of_everything(),
        }
    }
}

impl Address {
    /// The address that a request names. What an anonymous reader sees depends on it alone, and on
    /// the host for what counts as external.
    pub(crate) fn new(base: &BaseUrl, uri: &Uri) -> Self {
        let target = uri.path_and_query().map_or("", |target| target.as_str());
        Self(format!("{base}{target}"))
    }

    /// The address of a page, which is kept as it is sent: for a theme, packed or not.
    pub(crate) fn of_page(base: &BaseUrl, uri: &Uri, theme: Theme, packed: bool) -> Self {
        let Self(mut key) = Self::new(base, uri);
        // No address has a space, so none can be taken for another.
        key.push(' ');
        key.push_str(theme.as_str());
        if packed {
            key.push_str(" gzip");
        }
        Self(key)
    }
}

impl Place {
    /// The place of an answer at an address.
    pub(crate) fn new(hub: &Hub, about: About, address: Address) -> Self {
        Self {
            key: address.0,
            generation: about.generation(hub),
            about,
            begun: Instant::now(),
        }
    }
}

impl Rendered {
    /// Builds an empty cache.
    pub(crate) fn new(slow: Duration) -> Self {
        let size = |key: &String, held: &Arc<CachedResponse>| {
            let size = key.len() + held.answer.body.len() + OVERHEAD;
            u32::try_from(size).unwrap_or(u32::MAX)
        };
        let kept = Cache::builder()
            .max_capacity(MAX_BYTES.into())
            .weigher(size)
            .eviction_policy(EvictionPolicy::lru());
        Self {
            slow,
            kept: kept.build(),
        }
    }

    /// Returns the answer kept for an address, unless what it tells has changed since.
    pub(crate) fn find(&self, hub: &Hub, address: &Address) -> Option<Answer> {
        self.get(
            &address.0,
            |about| about.generation(hub),
            |about| about.oldest(hub),
        )
    }

    fn get(
        &self,
        key: &str,
        generation: impl FnOnce(&About) -> u64,
        oldest: impl FnOnce(&About) -> u64,
    ) -> Option<Answer> {
        let held = self.kept.get(key)?;
        let is_given = held.generation == generation(&held.about)
            || (held.generation >= oldest(&held.about)
                && held.may_be_old(self.slow, Instant::now()));
        is_given.then(|| held.answer.clone())
    }

    /// Keeps an answer, unless a newer one is kept.
    pub(crate) fn put(&self, place: Place, answer: Answer) {
        if place.key.len() > MAX_KEY || answer.body.len() > MAX_BODY {
            return;
        }
        let held = Arc::new(CachedResponse {
            about: place.about,
            generation: place.generation,
            made: Instant::now(),
            took: place.begun.elapsed(),
            again: Mutex::default(),
            answer,
        });
        let is_newer = |kept: &Arc<CachedResponse>| kept.generation > place.generation;
        self.kept
            .entry(place.key)
            .and_compute_with(|kept| match kept {
                Some(kept) if is_newer(kept.value()) => Op::Nop,
                Some(_) | None => Op::Put(held),
            });
    }
}

impl axum::response::IntoResponse for Answer {
    fn into_response(self) -> Response {
        (self.headers, self.body).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Duration = Duration::from_millis(100);

    fn answer(text: &'static str) -> Answer {
        Answer {
            headers: HeaderMap::new(),
            body: Bytes::from_static(text.as_bytes()),
        }
    }

    fn place(generation: u64, key: &str) -> Place {
        Place {
            key: key.to_owned(),
            about: About::Model("ada/small".parse().unwrap()),
            generation,
            begun: Instant::now(),
        }
    }

    fn body(rendered: &Rendered, generation: u64, key: &str) -> Option<Bytes> {
        let found = rendered.get(key, |_| generation, |_| generation);
        found.map(|answer| answer.body)
    }

    #[test]
    fn an_answer_is_given_again_until_what_it_tells_has_changed() {
        let rendered = Rendered::new(SLOW);
        rendered.put(place(3, "/a"), answer("old"));

        assert_eq!(body(&rendered, 3, "/a").unwrap(), "old");
        assert_eq!(body(&rendered, 4, "/a"), None);
        assert_eq!(body(&rendered, 3, "/b"), None);
    }

    #[test]
    fn answers_of_different_generations_are_kept_side_by_side() {
        let rendered = Rendered::new(SLOW);
        rendered.put(place(3, "/a"), answer("a"));
        rendered.put(place(7, "/b"), answer("b"));

        assert_eq!(body(&rendered, 3, "/a").unwrap(), "a");
        assert_eq!(body(&rendered, 7, "/b").unwrap(), "b");
    }

    #[test]
    fn an_answer_that_was_overtaken_is_not_kept() {
        let rendered = Rendered::new(SLOW);
        rendered.put(place(4, "/a"), answer("new"));
        rendered.put(place(3, "/a"), answer("old"));

        assert_eq!(body(&rendered, 4, "/a").unwrap(), "new");
    }

    #[test]
    fn what_nobody_asks_for_goes_first_when_there_is_too_much() {
        let rendered = Rendered::new(SLOW);
        let large = || Answer {
            headers: HeaderMap::new(),
            body: Bytes::from(vec![0; MAX_BODY]),
        };
        rendered.put(place(1, "/wanted"), answer("x"));

        for number in 0..5 {
            rendered.put(place(1, &format!("/{number}")), large());
            assert!(body(&rendered, 1, "/wanted").is_some());
            rendered.kept.run_pending_tasks();
        }

        assert!(body(&rendered, 1, "/wanted").is_some());
        assert_eq!(body(&rendered, 1, "/0"), None);
        assert!(body(&rendered, 1, "/4").is_some());
        assert!(rendered.kept.weighted_size() <= MAX_BYTES.into());
    }

    #[test]
    fn an_answer_that_would_take_all_room_is_not_kept() {
        let rendered = Rendered::new(SLOW);
        let huge = Answer {
            headers: HeaderMap::new(),
            body: Bytes::from(vec![0; MAX_BODY + 1]),
        };

        rendered.put(place(1, "/huge"), huge);

        assert_eq!(body(&rendered, 1, "/huge"), None);
    }

    #[test]
    fn what_is_costly_is_given_for_a_while_although_something_changed() {
        let now = Instant::now();
        let held = |took| CachedResponse {
            about: About::Everything,
            generation: 1,
            made: now,
            took,
            again: Mutex::default(),
            answer: answer("old"),
        };
        let later = |seconds| now + Duration::from_secs(seconds);

        let costly = held(Duration::from_millis(500));

        assert!(costly.may_be_old(SLOW, later(9)));
        assert!(
            !costly.may_be_old(SLOW, later(11)),
            "somebody makes it anew"
        );
        assert!(costly.may_be_old(SLOW, later(12)), "and nobody else does");
        assert!(
            !costly.may_be_old(SLOW, later(30)),
            "who began may have gone away"
        );
        assert!(!held(Duration::from_mins(1)).may_be_old(SLOW, later(16)));
        assert!(!held(Duration::from_millis(50)).may_be_old(SLOW, now));
    }

    #[test]
    fn what_is_costly_is_made_anew_when_what_it_is_about_changed() {
        let rendered = Rendered::new(SLOW);
        let begun = Instant::now().checked_sub(Duration::from_mins(1)).unwrap();
        let place = Place {
            begun,
            ..place(3, "/ada/small")
        };
        rendered.put(place, answer("old"));
        let found = |now, oldest| rendered.get("/ada/small", |_| now, |_| oldest).is_some();

        assert!(found(3, 3));
        assert!(found(7, 3), "only others changed");
        assert!(!found(7, 4), "it changed itself");
    }
}
