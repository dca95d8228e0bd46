//! From descriptions to players, wherever they are: in this program, elsewhere, or at the keyboard.

use crate::http::Address;
use crate::program::{self, ProgramPlayer};
use crate::remote::Remote;
use agent::chess::ChessWords;
use agent::program::NOT_CHESS;
use agent::{LocalPlayer, Method, PlayerSpec, Resources};
use anyhow::{Context, Result, anyhow, bail, ensure};
use game::Cancel;
use gdl::Rules;
use platform::Children;
use play::Player;
use std::time::SystemTime;

/// Makes the player of a person; only a front end can do that.
pub type People<'a> = &'a (dyn Fn(&PlayerSpec) -> Result<Box<dyn Player>> + 'a);

/// Makes players that share what can be shared.
#[derive(Clone)]
pub struct Players {
    /// What they share.
    pub resources: Resources,
    /// The programs that they start.
    children: Children,
}

impl Default for Players {
    fn default() -> Players {
        Players::new(Resources::default(), &Children::default())
    }
}

/// There is nobody at the keyboard.
///
/// # Errors
/// Always.
pub fn no_people(_: &PlayerSpec) -> Result<Box<dyn Player>> {
    bail!("a person cannot play here: there is no keyboard")
}

impl Players {
    /// Makers of players that share these resources. The programs that they start are among these children.
    pub fn new(resources: Resources, children: &Children) -> Players {
        let fleets = Some(fleet::searcher::fleets(resources.tables.clone()));
        let resources = Resources { programs: Some(program::programs(children)), fleets, ..resources };
        Players { resources, children: children.clone() }
    }

    /// Makes a player. The seed counts where the description names none.
    ///
    /// # Errors
    /// When an address is wrong, or a person is wanted where there is none.
    pub fn make(&self, spec: &PlayerSpec, seed: u64, people: People<'_>) -> Result<Box<dyn Player>> {
        match &spec.method {
            Method::Remote { url } => Ok(Box::new(Remote::new(url).map_err(anyhow::Error::msg)?)),
            Method::Human => people(spec),
            Method::Uci(_) | Method::Xboard(_) => {
                let player = ProgramPlayer::new(spec, &self.children);
                Ok(Box::new(player.ok_or_else(|| anyhow!("{spec} is no program"))?))
            }
            _ => Ok(Box::new(LocalPlayer::new(spec.clone(), seed, self.resources.clone()))),
        }
    }

    /// Makes sure, before anything is played, that a player has what it cannot do without in the game with these rules: tables,
    /// or a program that plays chess.
    ///
    /// # Errors
    /// When something is missing or damaged: what is wrong, and the way out.
    pub fn ready(&self, spec: &PlayerSpec, rules: &Rules, cancel: &Cancel) -> Result<()> {
        if let Some((protocol, own)) = spec.method.program() {
            ensure!(ChessWords::of(rules).is_some(), "{spec} cannot play: {NOT_CHESS}");
            let checked = program::check(protocol, own, &self.children, cancel);
            return checked.map_err(|why| anyhow!("{spec} cannot play: {why}"));
        }
        if let Method::Chess(own) = &spec.method {
            agent::chess::weights(own.weights.as_deref()).with_context(|| format!("{spec} cannot play"))?;
        }
        agent::chinese::ready(spec, rules, &self.resources, cancel).with_context(|| format!("{spec} cannot play"))
    }
}

/// Reads a player from the command line, and checks that it could be made.
///
/// # Errors
/// When there is no such player, or a setting or an address is wrong.
pub fn read(text: &str) -> Result<PlayerSpec> {
    let spec: PlayerSpec = text.parse()?;
    if let Method::Remote { url } = &spec.method {
        Address::read(url).map_err(anyhow::Error::msg)?;
    }
    Ok(spec)
}

/// A seed when none is given: another one each time.
pub fn clock_seed() -> u64 {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    time ^ u64::from(std::process::id()) << 40
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::spec::{DEFAULT, KINDS};
    use play::{Clock, Start};
    use std::time::{Duration, Instant};

    #[test]
    fn addresses_are_checked() {
        for (bad, part) in [
            ("http://", "it has no host"),
            ("http://h:99999", "1 to 65535"),
            ("https://h:1", "only http:// is supported"),
            ("remote:url=h:1", "does not begin with http://"),
        ] {
            let error = read(bad).expect_err(bad).to_string();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }

    fn start(rules: &str, role: &str, seconds: f64) -> Start {
        let (id, rules, cancel) = ("m".to_string(), rules.to_string(), Cancel::new());
        Start { id, role: role.to_string(), rules, start: seconds, play: 0.3, cancel }
    }

    #[test]
    fn every_kind_plays() {
        let rules = "(role a) (role b) (init (heap 3)) (init (control a)) (other a b) (other b a) (less 3 2) (less 2 1) (less 1 0)
            (<= (legal ?p take) (true (control ?p))) (<= (legal ?p (give ?q)) (true (control ?p)) (other ?p ?q))
            (<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
            (<= (next (heap ?y)) (true (heap ?x)) (less ?x ?y)) (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
            (<= terminal (true (heap 0))) (<= (goal ?p 100) (true (control ?p))) (<= (goal ?p 0) (role ?p) (not (true (control ?p))))";
        for kind in KINDS.iter().filter(|kind| !matches!(kind.name, "human" | "remote" | "uci" | "xboard")) {
            let spec = read(kind.name).expect("the kind alone is enough");
            let mut player = Players::default().make(&spec, 1, &no_people).expect("it can be made");
            let began = Instant::now();
            let spent = || began.elapsed().as_secs_f64();
            let ready = player.prepare(&start(rules, "A", 0.4), &Clock::new(0.4, &spent));
            assert_eq!(ready, Ok(()), "{}", kind.name);
            let began = Instant::now();
            let spent = || began.elapsed().as_secs_f64();
            let mv = player.choose(None, &Clock::new(0.3, &spent)).expect(kind.name);
            assert!(["take", "(give b)"].contains(&&mv[..]), "{}: {mv}", kind.name);
            let last = [mv, "noop".to_string()];
            assert_eq!(player.choose(Some(&last), &Clock::new(9.0, &|| 0.0)), Ok("noop".to_string()));
        }
    }

    #[test]
    fn the_end_of_the_match_ends_the_preparation_at_once() {
        let rules = library::find("breakthrough").expect("it is in the library").rules;
        let spec = read(DEFAULT).expect("it is a player");
        let mut player = Players::default().make(&spec, 1, &no_people).expect("it can be made");
        let start = start(rules, "white", 60.0);
        let began = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                start.cancel.cancel();
            });
            let spent = || began.elapsed().as_secs_f64();
            let _ = player.prepare(&start, &Clock::new(60.0, &spent));
        });
        assert!(began.elapsed().as_secs_f64() < 20.0, "{:?}", began.elapsed());
    }
}
