//! Listening, and the end of it.

use crate::api::{self, Studio};
use crate::guard::{self, Guard};
use crate::kept::Kept;
use crate::laboratory::Laboratory;
use crate::packed;
use agent::Resources;
use anyhow::{Context, Result};
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::serve::ListenerExt;
use futures_util::future::{Either, select};
use game::Cancel;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// How a studio is opened.
pub struct Options {
    /// The address or name to listen at.
    pub host: String,
    /// The port; 0 is any that is free.
    pub port: u16,
    /// Where matches and rules are kept.
    pub folder: PathBuf,
    /// Where results of tournaments are looked for, beside those of the studio itself.
    pub results: Vec<PathBuf>,
    /// What players share: tables and events.
    pub resources: Resources,
}

/// A studio that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    guard: Arc<Guard>,
    studio: Arc<Studio>,
    cancel: Cancel,
}

/// Bytes of a request: a rulesheet as JSON, or a record of a long match.
const MOST_BYTES: usize = 8 << 20;

/// How often the server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

impl Server {
    /// Begins to listen. Everything ends with the token.
    ///
    /// # Errors
    /// When the address is taken or not ours.
    pub fn bind(options: Options, cancel: &Cancel) -> Result<Server> {
        let Options { host, port, folder, results, resources } = options;
        let listener = TcpListener::bind((host.as_str(), port))
            .with_context(|| format!("cannot listen on {host}:{port} (`--port 0` takes any free port)"))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let guard = Arc::new(Guard::new(address, &host, guard::secret()));
        let laboratory = Laboratory::new(folder.join("tournaments"), results, resources.clone(), cancel);
        let studio = Studio::new(resources, Kept::new(&folder), laboratory, Arc::clone(&guard), cancel);
        let studio = Arc::new(studio);
        Ok(Server { listener, address, guard, studio, cancel: cancel.clone() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of its first page.
    pub fn url(&self) -> String {
        let key = self.guard.key().map(|key| format!("?key={key}")).unwrap_or_default();
        format!("http://{}/{key}", self.address)
    }

    /// What the pages are about, for those who add to it.
    pub fn studio(&self) -> Arc<Studio> {
        Arc::clone(&self.studio)
    }

    /// Answers until the token is cancelled.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn run(self) -> Result<()> {
        let Server { listener, guard, studio, cancel, .. } = self;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(32).build()?;
        let own = Arc::clone(&studio);
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let router = api::router(own)
                .layer(DefaultBodyLimit::max(MOST_BYTES))
                .layer(from_fn(packed::pack))
                .layer(from_fn_with_state(guard, guard::check));
            let ended = async {
                while !cancel.is_cancelled() {
                    tokio::time::sleep(LOOK).await;
                }
            };
            let serving =
                pin!(axum::serve(listener.tap_io(|stream| drop(stream.set_nodelay(true))), router).into_future());
            match select(serving, pin!(ended)).await {
                Either::Left((served, _)) => served.map_err(anyhow::Error::from),
                Either::Right(_) => Ok(()),
            }
        });
        studio.end();
        // Those who still compute are not waited for.
        runtime.shutdown_timeout(Duration::from_millis(200));
        served
    }
}
