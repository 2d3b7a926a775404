use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{pool, read_generation};

/// The channel on which a change is told.
pub(super) const CHANNEL: &str = "assay_generation";
/// How long to wait before a server is listened to again that could not be.
const PAUSE: Duration = Duration::from_secs(1);

/// Hears of what other processes commit, as soon as they do.
#[derive(Debug)]
pub(crate) struct Watch {
    heard: Arc<Heard>,
    pool: PgPool,
    listening: JoinHandle<()>,
}

/// What was heard.
#[derive(Debug, Default)]
struct Heard {
    /// The newest generation.
    generation: AtomicU64,
    /// Whether nothing can be heard at present.
    is_deaf: AtomicBool,
    /// Wakes who waits for something new.
    news: Notify,
}

impl Watch {
    /// Begins to listen, on a connection that does nothing else.
    pub(crate) async fn begin(options: &PgConnectOptions) -> sqlx::Result<Self> {
        // One connection listens; the other reads what may have been missed while it could not.
        let pool = pool(2).connect_with(options.clone()).await?;
        let listener = listen(&pool).await?;
        let heard = Arc::new(Heard::default());
        heard.note(read_generation(&pool).await?);
        let listening = tokio::spawn(keep_listening(listener, pool.clone(), Arc::clone(&heard)));
        Ok(Self {
            heard,
            pool,
            listening,
        })
    }

    /// The newest generation that is known to be committed. It costs nothing, unless nothing can be heard.
    pub(crate) async fn generation(&self) -> sqlx::Result<u64> {
        if self.heard.is_deaf.load(Ordering::Acquire) {
            self.heard.note(read_generation(&self.pool).await?);
        }
        Ok(self.heard.generation.load(Ordering::Acquire))
    }

    /// Waits until there is something new.
    pub(crate) async fn news(&self) {
        self.heard.news.notified().await;
    }

    /// Stops listening.
    pub(crate) async fn close(&self) {
        self.listening.abort();
        self.pool.close().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Heard {
    fn note(&self, generation: u64) {
        let before = self.generation.fetch_max(generation, Ordering::AcqRel);
        if before < generation {
            self.news.notify_one();
        }
    }

    fn set_deaf(&self, is_deaf: bool) {
        self.is_deaf.store(is_deaf, Ordering::Release);
    }
}

async fn listen(pool: &PgPool) -> sqlx::Result<PgListener> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Listens as long as the pool is open. Whatever may have been missed is made up for by reading the generation.
async fn keep_listening(listener: PgListener, pool: PgPool, heard: Arc<Heard>) {
    let mut listener = Some(listener);
    while !pool.is_closed() {
        let again = match &mut listener {
            Some(listener) => hear(listener, &pool, &heard).await,
            None => listen(&pool).await.map(|new| listener = Some(new)),
        };
        if let Err(error) = again {
            heard.set_deaf(true);
            listener = None;
            tracing::warn!(%error, "the database cannot be listened to");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Hears one message, or that the connection was lost and made anew. What a message says does not matter, since anybody
/// who may connect can send one: the table has the truth.
async fn hear(listener: &mut PgListener, pool: &PgPool, heard: &Heard) -> sqlx::Result<()> {
    if heard.is_deaf.load(Ordering::Acquire) {
        heard.note(read_generation(pool).await?);
        heard.set_deaf(false);
    }
    listener.try_recv().await?;
    // Many changes in a row are one piece of news.
    while listener.next_buffered().is_some() {}
    heard.note(read_generation(pool).await?);
    Ok(())
}
