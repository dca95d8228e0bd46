//! Mail over a NATS server: the carrier for many machines.
//!
//! The connection has a small runtime of its own; everybody else waits on channels. When the server goes away the connection is
//! made again, and whoever listened listens again; mail that is sent meanwhile is lost, which is what mail may be.

use crate::carrier::{Carrier, Inbox, Mail, Slot, Subscription};
use crate::connection::Connection;
use crate::message::MOST_BYTES;
use crate::tokens;
use anyhow::{Context, Result, anyhow};
use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event};
use futures_util::StreamExt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

/// How long a server may take to answer at the beginning.
const HELLO: Duration = Duration::from_secs(5);
/// How long writing to the server may take.
const FLUSH: Duration = Duration::from_millis(500);
/// How long a server that may not be there is waited for before anything else is done.
const MOMENT: Duration = Duration::from_millis(500);
/// The longest pause before the connection is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// Mail that waits to be sent.
const MOST_WAITING: usize = 20_000;

/// See the module.
pub struct Nats {
    client: Client,
    runtime: Option<Runtime>,
    outgoing: mpsc::Sender<(String, Vec<u8>)>,
    url: String,
    /// What went wrong last, and who says so.
    trouble: Arc<Mutex<Option<String>>>,
}

impl Nats {
    /// Connects under a name, which the server shows to those who look after it.
    ///
    /// # Errors
    /// When there is no server, or it does not let us in: why, and the way out.
    pub fn connect(connection: &Connection, name: &str) -> Result<Nats> {
        Nats::begin(connection, name, false)
    }

    /// The same, but where the server is not there yet, it is waited for.
    ///
    /// # Errors
    /// When no server could be connected with like this.
    pub fn connect_when_there(connection: &Connection, name: &str) -> Result<Nats> {
        let nats = Nats::begin(connection, name, true)?;
        // One that is there is connected with in a moment, and nobody needs to be told that it was not.
        let until = Instant::now() + MOMENT;
        while !nats.is_connected() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(nats)
    }

    fn begin(connection: &Connection, name: &str, waits: bool) -> Result<Nats> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("nats").enable_all().build();
        let runtime = runtime.context("cannot start a thread for the connection")?;
        let trouble: Arc<Mutex<Option<String>>> = Arc::default();
        let heard = Arc::clone(&trouble);
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(HELLO)
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|tries| PAUSE.min(Duration::from_millis(20) * (tries as u32).min(50)))
            .event_callback(move |event| {
                let heard = Arc::clone(&heard);
                async move {
                    let words = match event {
                        Event::ServerError(error) => Some(format!("the server says: {error}")),
                        Event::ClientError(error) => Some(format!("no connection: {error}")),
                        Event::Connected => None,
                        _ => return,
                    };
                    *heard.lock().unwrap_or_else(PoisonError::into_inner) = words;
                }
            })
            .max_reconnects(None);
        if waits {
            options = options.retry_on_initial_connect();
        }
        if let Some((user, password)) = &connection.user {
            options = options.user_and_password(user.clone(), password.clone());
            // Answers come to an inbox that permissions can keep from other users; the usual ones are all under one name.
            if tokens::is_name(user) {
                options = options.custom_inbox_prefix(format!("_INBOX.{user}"));
            }
        }
        if let Some(path) = &connection.creds {
            let loaded = runtime.block_on(options.credentials_file(path));
            options = loaded.with_context(|| format!("cannot read the credentials in {}", path.display()))?;
        }
        if let Some(path) = &connection.ca {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((cert, key)) = &connection.identity {
            options = options.add_client_certificate(cert.clone(), key.clone());
        }
        if connection.url.starts_with("tls://") {
            options = options.require_tls(true);
        }
        // The error's own text has all of its causes.
        let client = runtime.block_on(options.connect(connection.url.as_str())).map_err(|error| {
            anyhow!(
                "cannot connect to the fleet at {} (`nats-server -a 127.0.0.1 -js` is a server; docs/fleet.md tells more): {error}",
                connection.url
            )
        })?;
        let (outgoing, mut waiting) = mpsc::channel::<(String, Vec<u8>)>(MOST_WAITING);
        let sender = client.clone();
        runtime.spawn(async move {
            while let Some((subject, body)) = waiting.recv().await {
                // What cannot be sent is lost, which is what mail may be.
                let _ = sender.publish(subject, body.into()).await;
            }
        });
        Ok(Nats { client, runtime: Some(runtime), outgoing, url: connection.url.clone(), trouble })
    }

    /// The address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What went wrong last, and who says so: a subject that is not for us, say.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The client itself, for what only NATS can do.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Lets the connection do something on the side.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(work);
        }
    }

    /// Waits for something that the connection does.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        Ok(self.runtime.as_ref().context("the connection is closed")?.block_on(work))
    }
}

impl Carrier for Nats {
    fn send(&self, subject: &str, body: Vec<u8>) -> Result<(), String> {
        if body.len() > MOST_BYTES {
            return Err(format!("a message of {} bytes is too large for the fleet", body.len()));
        }
        if !self.is_connected() {
            return Err(format!("there is no connection to {}", self.url));
        }
        self.outgoing.try_send((subject.to_string(), body)).map_err(|_| "too much mail is waiting".to_string())
    }

    fn listen(&self, subjects: &[String]) -> Result<Inbox, String> {
        let runtime = self.runtime.as_ref().ok_or("the connection is closed")?;
        let (slot, receiver) = Slot::new();
        let mut subscriptions = Vec::new();
        for subject in subjects {
            let subscriber = runtime.block_on(self.client.subscribe(subject.clone()));
            let mut subscriber = subscriber.map_err(|error| format!("cannot listen to {subject}: {error}"))?;
            let slot = slot.clone();
            let pump = runtime.spawn(async move {
                while let Some(message) = subscriber.next().await {
                    // What is too large is not even looked at, but whoever reads it counts it.
                    let body = &message.payload[..message.payload.len().min(MOST_BYTES + 1)];
                    if !slot.put(Mail { subject: message.subject.to_string(), body: body.into() }) {
                        return;
                    }
                }
            });
            subscriptions.push(Subscription::ending(move || pump.abort()));
        }
        // Written to the server before anything that is sent from now on. One that is away hears of it when it is back.
        if self.is_connected() {
            let _ = runtime.block_on(async { tokio::time::timeout(FLUSH, self.client.flush()).await });
        }
        Ok(Inbox::new(&slot, receiver, subscriptions))
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // What was sent last is to arrive: somebody may be told that we leave.
            if self.client.connection_state() == State::Connected {
                let flush = async {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    tokio::time::timeout(Duration::from_millis(200), self.client.flush()).await
                };
                let _ = runtime.block_on(flush);
            }
            runtime.shutdown_background();
        }
    }
}
