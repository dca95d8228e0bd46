//! How messages travel, whatever carries them: subjects, mail, and who listens to what.
//!
//! Mail may be lost, come late or come twice: whoever relies on an answer asks again. Nobody waits for a carrier: what cannot be
//! taken at once is dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::Duration;

/// Mail that waits to be read in one inbox; more is dropped.
const MOST_WAITING: usize = 20_000;

/// One message as it travels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mail {
    /// What it is about; a few words with dots between them.
    pub subject: String,
    /// Its bytes.
    pub body: Arc<[u8]>,
}

/// Carries mail from whoever sends it to all that listen.
pub trait Carrier: Send + Sync {
    /// Sends to all that listen to this subject. Never waits.
    ///
    /// # Errors
    /// When it cannot be sent at all: why.
    fn send(&self, subject: &str, body: Vec<u8>) -> Result<(), String>;

    /// Listens to subjects, until the inbox is dropped. A subject that ends in `.>` means all that begin like this.
    ///
    /// # Errors
    /// When nobody can listen: why.
    fn listen(&self, subjects: &[String]) -> Result<Inbox, String>;

    /// Whether mail can travel at the moment.
    fn is_connected(&self) -> bool;
}

/// Where mail arrives.
pub struct Inbox {
    receiver: Receiver<Mail>,
    lost: Arc<AtomicU64>,
    /// Ends the subscriptions when dropped.
    _subscriptions: Vec<Subscription>,
}

/// Something that is done when nobody listens any more.
pub struct Subscription(Option<Box<dyn FnOnce() + Send>>);

impl Subscription {
    /// Calls this when dropped.
    pub fn ending(end: impl FnOnce() + Send + 'static) -> Subscription {
        Subscription(Some(Box::new(end)))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// The way into an inbox.
#[derive(Clone)]
pub struct Slot {
    sender: SyncSender<Mail>,
    lost: Arc<AtomicU64>,
}

impl Slot {
    /// An inbox that nothing leads to yet, and the way in.
    pub fn new() -> (Slot, Receiver<Mail>) {
        let (sender, receiver) = mpsc::sync_channel(MOST_WAITING);
        (Slot { sender, lost: Arc::default() }, receiver)
    }

    /// Puts mail into the inbox; says whether anybody may read it. What has no room is dropped and counted.
    pub fn put(&self, mail: Mail) -> bool {
        match self.sender.try_send(mail) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}

impl Inbox {
    /// What arrives through this slot, as long as the subscriptions last.
    pub fn new(slot: &Slot, receiver: Receiver<Mail>, subscriptions: Vec<Subscription>) -> Inbox {
        Inbox { receiver, lost: Arc::clone(&slot.lost), _subscriptions: subscriptions }
    }

    /// The next mail; `None` if there is none for so long, or if there will be none.
    pub fn next(&self, patience: Duration) -> Option<Mail> {
        match self.receiver.recv_timeout(patience) {
            Ok(mail) => Some(mail),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // Nobody can send any more; whoever asks again and again is not to do so at full speed.
                std::thread::sleep(patience.min(Duration::from_millis(50)));
                None
            }
        }
    }

    /// Mail that had no room.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Whether a subject is one of those that are meant.
///
/// ```
/// use fleet::carrier::fits;
/// assert!(fits("a.b", "a.b") && fits("a.>", "a.b.c") && !fits("a.>", "ab.c") && !fits("a", "a.b"));
/// ```
pub fn fits(meant: &str, subject: &str) -> bool {
    match meant.strip_suffix('>') {
        Some(start) => subject.len() > start.len() && subject.starts_with(start),
        None => meant == subject,
    }
}

/// Two carriers as one: what is sent goes both ways, what is listened to comes from both.
pub struct Both<A, B>(pub A, pub B);

impl<A: Carrier, B: Carrier> Carrier for Both<A, B> {
    fn send(&self, subject: &str, body: Vec<u8>) -> Result<(), String> {
        let (one, other) = (self.0.send(subject, body.clone()), self.1.send(subject, body));
        one.or(other)
    }

    fn listen(&self, subjects: &[String]) -> Result<Inbox, String> {
        let (slot, receiver) = Slot::new();
        let mut subscriptions = Vec::new();
        for inbox in [self.0.listen(subjects)?, self.1.listen(subjects)?] {
            let (slot, over) = (slot.clone(), Arc::new(std::sync::atomic::AtomicBool::new(false)));
            let ends = Arc::clone(&over);
            subscriptions.push(Subscription::ending(move || ends.store(true, Ordering::Relaxed)));
            let pump = move || {
                while !over.load(Ordering::Relaxed) {
                    if inbox.next(Duration::from_millis(50)).is_some_and(|mail| !slot.put(mail)) {
                        return;
                    }
                }
            };
            let thread = std::thread::Builder::new().name("mail".into()).spawn(pump);
            thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        }
        Ok(Inbox::new(&slot, receiver, subscriptions))
    }

    fn is_connected(&self) -> bool {
        self.0.is_connected() || self.1.is_connected()
    }
}

impl<C: Carrier + ?Sized> Carrier for Arc<C> {
    fn send(&self, subject: &str, body: Vec<u8>) -> Result<(), String> {
        (**self).send(subject, body)
    }

    fn listen(&self, subjects: &[String]) -> Result<Inbox, String> {
        (**self).listen(subjects)
    }

    fn is_connected(&self) -> bool {
        (**self).is_connected()
    }
}
