use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{pool, read_generation};

/// The channel on which a change is told.
pub(super) const CHANNEL: &str = "assay_generation";
/// The name under which the connection that listens is known to the server.
const LISTENER: &str = "assay listener";
/// The pause before a server is listened to again that could not be.
const PAUSE: Duration = Duration::from_secs(1);
/// The time between two readings of the generation, which happen whatever was heard: a connection
/// may hang without an end, and then nothing is heard on it.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// The time that a server has for an answer of one row. A connection that takes longer counts as
/// hung and is given up.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// The age of the last reading up to which the generation in memory is given. After that it is read
/// for whoever asks.
const TRUSTED_FOR: Duration = Duration::from_secs(3);

/// Notices what other processes commit: as soon as they do while the server tells, and with the
/// next poll when it does not.
#[derive(Debug)]
pub(crate) struct Watch {
    heard: Arc<Heard>,
    reader: Arc<Reader>,
    tasks: [JoinHandle<()>; 2],
}

/// The newest known state.
#[derive(Debug)]
struct Heard {
    /// The newest generation.
    generation: AtomicU64,
    /// True if nothing can be heard at present.
    is_deaf: AtomicBool,
    /// Time at which the generation was last read from its table.
    confirmed: Mutex<Instant>,
    /// Wakes who waits for something new.
    news: Notify,
}

/// Reads the generation, on connections that nobody listens on.
#[derive(Debug)]
struct Reader {
    options: PgConnectOptions,
    pool: Mutex<PgPool>,
}

impl Watch {
    /// Begins to listen, on a connection that does nothing else, and to poll on another.
    pub(crate) async fn begin(options: &PgConnectOptions) -> sqlx::Result<Self> {
        let reader = Arc::new(Reader::new(options));
        let listener = listen(options).await?;
        let heard = Arc::new(Heard::at(reader.generation().await?));
        let listening = keep_listening(
            listener,
            options.clone(),
            Arc::clone(&reader),
            Arc::clone(&heard),
        );
        let polling = keep_polling(Arc::clone(&reader), Arc::clone(&heard));
        Ok(Self {
            heard,
            reader,
            tasks: [tokio::spawn(listening), tokio::spawn(polling)],
        })
    }

    /// Returns the newest generation that is known to be committed. It costs nothing, unless
    /// nothing can be heard, or nothing was read for some seconds: then it is read, or an error
    /// when the server does not answer in time.
    pub(crate) async fn generation(&self) -> sqlx::Result<u64> {
        if self.heard.is_deaf.load(Ordering::Acquire) || self.heard.is_outdated() {
            self.heard.confirm(self.reader.generation().await?);
        }
        Ok(self.heard.generation.load(Ordering::Acquire))
    }

    /// Waits until there is something new.
    pub(crate) async fn news(&self) {
        self.heard.news.notified().await;
    }

    /// Stops listening.
    pub(crate) async fn close(&self) {
        for task in &self.tasks {
            task.abort();
        }
        self.reader.pool().close().await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Heard {
    fn at(generation: u64) -> Self {
        Self {
            generation: AtomicU64::new(generation),
            is_deaf: AtomicBool::new(false),
            confirmed: Mutex::new(Instant::now()),
            news: Notify::new(),
        }
    }

    /// Notes a generation that was read.
    fn confirm(&self, generation: u64) {
        *self.confirmed.lock() = Instant::now();
        let before = self.generation.fetch_max(generation, Ordering::AcqRel);
        if before < generation {
            self.news.notify_one();
        }
    }

    fn is_outdated(&self) -> bool {
        let confirmed = self.confirmed.lock();
        confirmed.elapsed() > TRUSTED_FOR
    }

    fn set_deaf(&self, is_deaf: bool) {
        self.is_deaf.store(is_deaf, Ordering::Release);
    }
}

impl Reader {
    fn new(options: &PgConnectOptions) -> Self {
        Self {
            options: options.clone(),
            pool: Mutex::new(pool(2).connect_lazy_with(options.clone())),
        }
    }

    fn pool(&self) -> PgPool {
        let pool = self.pool.lock();
        pool.clone()
    }

    /// Reads the generation in time, or gives the connections up: one that hangs is never given
    /// back to its pool.
    async fn generation(&self) -> sqlx::Result<u64> {
        let asked = self.pool();
        let read = timeout(ANSWER_WITHIN, read_generation(&asked)).await;
        if let Ok(read) = read {
            return read;
        }
        if !asked.is_closed() {
            let fresh = pool(2).connect_lazy_with(self.options.clone());
            *self.pool.lock() = fresh;
        }
        Err(too_slow())
    }
}

/// Listens on a new connection.
async fn listen(options: &PgConnectOptions) -> sqlx::Result<PgListener> {
    // It has a pool of its own, so that one that hangs takes no connection from others.
    let options = options.clone().application_name(LISTENER);
    let own = pool(1).connect_lazy_with(options);
    let begin = async {
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen(CHANNEL).await?;
        Ok(listener)
    };
    timeout(ANSWER_WITHIN, begin)
        .await
        .unwrap_or_else(|_| Err(too_slow()))
}

/// Listens until it is ended. Whatever may have been missed is made up for by reading the
/// generation.
async fn keep_listening(
    listener: PgListener,
    options: PgConnectOptions,
    reader: Arc<Reader>,
    heard: Arc<Heard>,
) {
    let mut listener = Some(listener);
    loop {
        let again = match &mut listener {
            Some(listener) => hear(listener, &reader, &heard).await,
            None => listen(&options).await.map(|new| listener = Some(new)),
        };
        if let Err(error) = again {
            heard.set_deaf(true);
            listener = None;
            tracing::warn!(%error, "the database cannot be listened to");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Hears one message, or that the connection was lost and made anew. When nothing is heard for a
/// while, the connection is asked whether it still is one. What a message says does not matter,
/// since anybody who may connect can send one: the table has the truth.
async fn hear(listener: &mut PgListener, reader: &Reader, heard: &Heard) -> sqlx::Result<()> {
    if heard.is_deaf.load(Ordering::Acquire) {
        heard.confirm(reader.generation().await?);
        heard.set_deaf(false);
    }
    let Ok(message) = timeout(POLL_EVERY, listener.try_recv()).await else {
        let ping = sqlx::query("SELECT 1").execute(&mut *listener);
        return match timeout(ANSWER_WITHIN, ping).await {
            Ok(answer) => answer.map(|_| ()),
            Err(_) => Err(too_slow()),
        };
    };
    message?;
    // Many changes in a row are one piece of news.
    while listener.next_buffered().is_some() {}
    heard.confirm(reader.generation().await?);
    Ok(())
}

/// Reads the generation again and again.
async fn keep_polling(reader: Arc<Reader>, heard: Arc<Heard>) {
    loop {
        tokio::time::sleep(POLL_EVERY).await;
        match reader.generation().await {
            Ok(generation) => heard.confirm(generation),
            Err(error) => tracing::warn!(%error, "the generation of the database cannot be read"),
        }
    }
}

fn too_slow() -> sqlx::Error {
    let why = format!("no answer within {} seconds", ANSWER_WITHIN.as_secs());
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, why))
}
