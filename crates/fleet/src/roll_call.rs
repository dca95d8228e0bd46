//! Who is there: all workers are called, and what they say of themselves is gathered.

use crate::carrier::{Carrier, Inbox};
use crate::message::{self, Bad, Call, DroppedCounts, Presence};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A worker that was not heard of for so long is gone.
const GONE: Duration = Duration::from_millis(3_500);

/// One worker, as it was last heard of.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// One that can be used.
    Here(Presence),
    /// One of another version, which gets no work.
    OtherVersion {
        /// Its machine.
        machine: String,
        /// Its version.
        version: String,
    },
}

/// See the module.
pub struct RollCall {
    carrier: std::sync::Arc<dyn Carrier>,
    inbox: Inbox,
    version: String,
    workers: BTreeMap<String, (Entry, Instant)>,
    dropped: message::Dropped,
}

impl RollCall {
    /// Begins to listen.
    ///
    /// # Errors
    /// When nobody can be listened to.
    pub fn new(carrier: std::sync::Arc<dyn Carrier>, version: &str) -> Result<RollCall, String> {
        let inbox = carrier.listen(&[message::ALL_PRESENCE.to_string()])?;
        let (workers, dropped) = (BTreeMap::new(), message::Dropped::default());
        Ok(RollCall { carrier, inbox, version: version.to_string(), workers, dropped })
    }

    /// Calls all workers.
    ///
    /// # Errors
    /// When nobody can be called.
    pub fn call(&self) -> Result<(), String> {
        self.carrier.send(message::CALL, message::write(&self.version, &Call {}))
    }

    /// Listens for so long.
    pub fn listen(&mut self, patience: Duration) {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Some(mail) = self.inbox.next(left) else {
                if Instant::now() >= until {
                    return;
                }
                continue;
            };
            match message::read::<Presence>(&self.version, &mail.body) {
                Ok(presence) if mail.subject != message::presence(&presence.worker) => self.dropped.count(&Bad::Forged),
                Ok(presence) if presence.leaving => drop(self.workers.remove(&presence.worker)),
                Ok(presence) => {
                    self.workers.insert(presence.worker.clone(), (Entry::Here(presence), Instant::now()));
                }
                Err(why) => match message::stranger(&mail.body).filter(|_| matches!(why, Bad::Version(_))) {
                    Some((worker, machine, version)) => {
                        let entry = Entry::OtherVersion { machine, version };
                        self.workers.insert(worker, (entry, Instant::now()));
                    }
                    None => self.dropped.count(&why),
                },
            }
        }
    }

    /// Those that are there, by their names.
    pub fn workers(&mut self) -> Vec<(String, Entry)> {
        self.workers.retain(|_, (_, heard)| heard.elapsed() < GONE);
        self.workers.iter().map(|(name, (entry, _))| (name.clone(), entry.clone())).collect()
    }

    /// Messages that were dropped.
    pub fn dropped(&self) -> DroppedCounts {
        self.dropped.counts()
    }
}
