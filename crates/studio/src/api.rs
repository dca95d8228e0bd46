//! What can be asked, one function each. Whatever takes more than a moment is done on a thread of its own.

mod about;
mod known;
mod playing;
mod writing;

use crate::assets::{ASSETS, PAGE, TOKEN_MARK};
use crate::games::{Game, Games};
use crate::guard::Guard;
use crate::kept::{Kept, is_name};
use crate::laboratory::Laboratory;
use crate::matches::{Match, Setup};
use crate::practice::Practice;
use agent::Resources;
use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use game::Cancel;
use play::MatchRecord;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Matches that are open at a time; those that nobody looks at are closed, and opened again when they are wanted.
const MOST_MATCHES: usize = 64;

/// The studio: all that its pages are about.
pub struct Studio {
    /// The games.
    pub games: Games,
    /// What is on the disk.
    pub kept: Kept,
    guard: Arc<Guard>,
    matches: Mutex<HashMap<String, Arc<Match>>>,
    pictures: Mutex<HashMap<String, Arc<str>>>,
    studies: Mutex<HashMap<String, Arc<str>>>,
    practices: Mutex<HashMap<String, Arc<Practice>>>,
    /// Held by whoever makes a report.
    reporting: Mutex<()>,
    /// Tournaments and experiments.
    pub laboratory: Laboratory,
    cancel: Cancel,
}

impl Studio {
    /// A studio without matches.
    pub fn new(resources: Resources, kept: Kept, laboratory: Laboratory, guard: Arc<Guard>, cancel: &Cancel) -> Studio {
        Studio {
            games: Games::new(resources),
            kept,
            guard,
            matches: Mutex::default(),
            pictures: Mutex::default(),
            studies: Mutex::default(),
            practices: Mutex::default(),
            reporting: Mutex::default(),
            laboratory,
            cancel: cancel.child(),
        }
    }

    /// Ends everything that goes on.
    pub fn end(&self) {
        self.cancel.cancel();
    }

    /// The game of this name.
    ///
    /// # Errors
    /// When there is none, or it cannot be played.
    pub fn game(&self, name: &str) -> Result<Arc<Game>> {
        self.games.open(self.kept.sheet(name)?)
    }

    /// The match of this name, from the disk if need be.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, id: &str) -> Result<Arc<Match>> {
        if !is_name(id) {
            bail!("there is no match {id:?}");
        }
        if let Some(known) = self.open_matches().get(id) {
            return Ok(Arc::clone(known));
        }
        let kept = self.kept.load(id).with_context(|| format!("there is no match {id}"))?;
        let game = self.game(&kept.game)?;
        let made = Match::resume(kept, game, &self.kept, &self.cancel)?;
        self.add(made)
    }

    fn open_matches(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Match>>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a match in; one that nobody looks at gives way where there are too many.
    fn add(&self, made: Arc<Match>) -> Result<Arc<Match>> {
        let mut matches = self.open_matches();
        if let Some(known) = matches.get(&made.id) {
            made.end();
            return Ok(Arc::clone(known));
        }
        if matches.len() >= MOST_MATCHES {
            let idle = matches.values().filter(|known| !known.used().1);
            let oldest = idle.min_by_key(|known| known.used().0).map(|known| known.id.clone());
            match oldest.and_then(|id| matches.remove(&id)) {
                Some(oldest) => oldest.end(),
                None => {
                    made.end();
                    bail!("{MOST_MATCHES} matches are played at this moment; end one first");
                }
            }
        }
        matches.insert(made.id.clone(), Arc::clone(&made));
        Ok(made)
    }

    /// Begins a match.
    ///
    /// # Errors
    /// When the seats or the opening do not fit, or there are too many matches.
    pub fn begin(&self, game: &str, setup: Setup) -> Result<Arc<Match>> {
        let game = self.game(game)?;
        self.add(Match::begin(new_id(), game, setup, &self.kept, &self.cancel)?)
    }

    /// Opens a record.
    ///
    /// # Errors
    /// When it is none, or of a game that is not known here.
    pub fn replay(&self, text: &str, game: Option<&str>) -> Result<Arc<Match>> {
        let record = MatchRecord::read(text)
            .map_err(|problems| anyhow::anyhow!("this is no match record: {}", problems.join("; ")))?;
        let own = record.more.get("x-rules").and_then(|rules| rules.as_str());
        let name = match (game, own, &record.game_name) {
            (Some(game), _, _) => game.to_string(),
            (None, Some(rules), _) => self.kept.save_rules(rules)?,
            (None, None, Some(name)) => name.clone(),
            (None, None, None) => bail!("the record does not say which game it is of: choose one"),
        };
        let game = self.game(&name)?;
        self.add(Match::replayed(new_id(), game, &record, &self.kept, &self.cancel)?)
    }
}

fn new_id() -> String {
    crate::guard::secret().chars().take(12).collect()
}

/// What went wrong, for a page: a status and words.
pub struct Trouble(StatusCode, String);

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Trouble {
        Trouble(StatusCode::UNPROCESSABLE_ENTITY, format!("{error:#}"))
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        (self.0, axum::Json(serde_json::json!({ "error": self.1 }))).into_response()
    }
}

/// What a page gets.
type Answer<T> = Result<T, Trouble>;

/// Does something that takes more than a moment.
async fn work<T: Send + 'static>(
    studio: &Arc<Studio>,
    work: impl FnOnce(&Studio) -> Result<T> + Send + 'static,
) -> Answer<T> {
    let studio = Arc::clone(studio);
    let done = tokio::task::spawn_blocking(move || work(&studio)).await;
    match done {
        Ok(result) => result.map_err(Trouble::from),
        Err(_) => Err(Trouble(StatusCode::INTERNAL_SERVER_ERROR, "this went wrong: please report it".to_string())),
    }
}

/// As [`work`] for something that is not there if it fails.
async fn look<T: Send + 'static>(
    studio: &Arc<Studio>,
    what: impl FnOnce(&Studio) -> Result<T> + Send + 'static,
) -> Answer<T> {
    work(studio, what).await.map_err(|Trouble(_, words)| Trouble(StatusCode::NOT_FOUND, words))
}

/// All that can be asked.
pub fn router(studio: Arc<Studio>) -> Router {
    let mut router = Router::new();
    // Every state of the page has an address; what it shows is the page's business.
    for path in [
        "/",
        "/game/{name}",
        "/match/{id}",
        "/match/{id}/{node}",
        "/watch",
        "/rules",
        "/rules/{name}",
        "/study/{name}",
        "/shelf",
        "/report/{name}",
        "/plan/{name}",
        "/lab",
        "/lab/tournament/{name}",
        "/lab/paper/{name}",
        "/help",
    ] {
        router = router.route(path, get(page));
    }
    for asset in ASSETS {
        let kind = HeaderValue::from_static(asset.kind);
        let cache = HeaderValue::from_static("no-cache");
        router = router.route(
            asset.path,
            get(move || async move { ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache)], asset.text) }),
        );
    }
    router
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .route("/api/games", get(about::games))
        .route("/api/game/{name}", get(about::game))
        .route("/api/game/{name}/study", get(about::study))
        .route("/api/game/{name}/edit", get(about::palette).post(about::edit))
        .route("/api/game/{name}/net", get(about::net))
        .route("/api/shelf", get(known::shelf))
        .route("/api/tables", get(known::numbers))
        .route("/api/plan/{name}", get(known::drill).post(known::drill_move))
        .route("/api/lab", get(known::lab).post(known::compete))
        .route("/api/lab/tournament/{name}", get(known::tournament).post(known::end_tournament))
        .route("/api/lab/paper/{name}", get(known::paper))
        .route("/lab/figure/{paper}/{file}", get(known::figure))
        .route("/picture/{name}", get(about::picture))
        .route("/document/plan/{name}", get(known::plan))
        .route("/document/report/{name}", get(known::report))
        .route("/api/match/{id}/line/{node}", get(playing::line))
        .route("/api/players", get(about::players))
        .route("/api/matches", get(playing::list).post(playing::begin))
        .route("/api/records", post(playing::replay))
        .route("/api/match/{id}", get(playing::overview))
        .route("/api/match/{id}/node/{node}", get(playing::scene))
        .route("/api/match/{id}/record/{node}", get(playing::record))
        .route("/api/match/{id}/picture/{node}", get(playing::picture))
        .route("/api/match/{id}/film/{node}", get(playing::film))
        .route("/api/match/{id}/{act}", post(playing::act))
        .route("/api/events", get(playing::events))
        .route("/api/check", post(writing::check))
        .route("/api/convert", post(writing::convert))
        .route("/api/rules", post(writing::keep))
        .route("/api/rules/{name}", get(writing::text))
        .fallback(nothing)
        .with_state(studio)
}

/// An address that nothing is at: whoever came by a link sees the page say so.
async fn nothing(studio: State<Arc<Studio>>, headers: HeaderMap, query: RawQuery) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok()).unwrap_or_default();
    if accept.contains("text/html") {
        let mut response = page(studio, headers, query).await;
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    }
    Trouble(StatusCode::NOT_FOUND, "there is nothing at this address".to_string()).into_response()
}

/// The page.
async fn page(State(studio): State<Arc<Studio>>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let token = studio.guard.token_for(&headers, query.as_deref());
    let text = PAGE.replace(TOKEN_MARK, token.unwrap_or_default());
    let mut response = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response();
    if let (Some(_), Some(cookie)) = (token, studio.guard.cookie()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
