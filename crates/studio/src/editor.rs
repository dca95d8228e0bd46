//! Rules that are being written: what is wrong with them, what their game looks like, and other forms of the same.

use crate::games::{Game, Games, within};
use crate::scene::{self, Scene};
use anyhow::{Result, bail};
use game::Cancel;
use gdl::{Form, Severity};
use library::Sheet;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// What checking a text may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// A problem, with its place in the text as browsers count: in units of UTF-16.
#[derive(Serialize)]
pub struct ProblemView {
    /// Whether the rules cannot be used with it.
    pub severity: &'static str,
    /// What kind it is.
    pub code: &'static str,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The same as line and column.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// What is known of rules that are being written.
#[derive(Serialize)]
pub struct Checked {
    /// What is wrong.
    pub problems: Vec<ProblemView>,
    /// The roles.
    pub roles: Vec<String>,
    /// The words of the rules, for completion.
    pub words: Vec<String>,
    /// The start of the game, where the rules can be played.
    pub scene: Option<Scene>,
    /// Why they cannot.
    pub trouble: Option<String>,
}

/// Places in units of UTF-16, for bytes of a text.
struct Units<'a>(&'a str);

impl Units<'_> {
    fn of(&self, byte: u32) -> usize {
        let mut byte = (byte as usize).min(self.0.len());
        while !self.0.is_char_boundary(byte) {
            byte -= 1;
        }
        self.0[..byte].encode_utf16().count()
    }
}

/// Checks a text, and looks at its game.
///
/// # Errors
/// When it is too large, or checking takes too long.
pub fn check(text: &str, games: &Games) -> Result<Checked> {
    if text.len() > gdl::MAX_BYTES {
        bail!("this is larger than {} bytes, the most that a rulesheet may have", gdl::MAX_BYTES);
    }
    let token = Cancel::new();
    let stop = || token.is_cancelled();
    let limits = gdl::Limits { stop: &stop, memory: 256 << 20 };
    let checked = within(PATIENCE, &token, || gdl::check(text, &limits))?;
    let source = gdl::Source { name: "rules", text };
    let units = Units(text);
    let problems: Vec<ProblemView> = checked
        .problems
        .iter()
        .take(200)
        .map(|problem| {
            let (line, column) = source.place(problem.span.start);
            let (start, end) = (units.of(problem.span.start), units.of(problem.span.end));
            ProblemView {
                severity: problem.severity.word(),
                code: problem.code,
                start,
                end: end.max(start + 1),
                line,
                column,
                message: problem.message.clone(),
                hint: problem.hint.clone(),
            }
        })
        .collect();
    let symbols = &checked.rules.symbols;
    let roles = checked.rules.roles().into_iter().map(|role| symbols.name(role).to_string()).collect();
    let words = symbols.own().map(|symbol| symbols.name(symbol).to_string()).take(2000).collect();
    let is_wrong = checked.problems.iter().any(|problem| problem.severity == Severity::Error);
    let (mut scene, mut trouble) = (None, None);
    if !is_wrong {
        match sheet(text).and_then(|sheet| games.open(sheet)).and_then(|game| start(&game)) {
            Ok(found) => scene = Some(found),
            Err(error) => trouble = Some(format!("{error:#}")),
        }
    }
    Ok(Checked { problems, roles, words, scene, trouble })
}

fn start(game: &Arc<Game>) -> Result<Scene> {
    Ok(scene::scene(game, &game.start()?, None))
}

/// A text as a sheet.
///
/// # Errors
/// When it is too large.
pub fn sheet(text: &str) -> Result<Sheet> {
    let sheet = Sheet::read("rules".to_string(), text.as_bytes())?;
    if let Some(problem) = sheet.spoiled() {
        bail!("{}", problem.message);
    }
    Ok(sheet)
}

/// The rules in another form: `kif`, `infix`, or with other names.
///
/// # Errors
/// When the text cannot be read, or there is no such form.
pub fn convert(text: &str, form: &str) -> Result<String> {
    let rules = sheet(text)?.rules()?;
    Ok(match form {
        "kif" => gdl::print(&rules, Form::Kif),
        "infix" => gdl::print(&rules, Form::Infix),
        "scrambled" => gdl::print(gdl::Scrambler::new(&rules, host::clock_seed()).rules(), Form::of(text)),
        other => bail!("there is no form {other:?}; kif, infix and scrambled are"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_have_their_places_in_units_of_browsers() {
        // The sign before it takes four bytes, and two units.
        let text = "; 𝄞\n(role me)\n(<= (legal me (go ?y)) (true at))\n";
        let checked = check(text, &Games::default()).unwrap();
        let problem = checked.problems.iter().find(|problem| problem.code == "unsafe-variable").unwrap();
        let units: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(String::from_utf16(&units[problem.start..problem.end]).unwrap(), "?y");
        assert_eq!((problem.line, checked.roles.len()), (3, 1));
        assert!(checked.scene.is_none() && checked.words.contains(&"go".to_string()));
    }

    #[test]
    fn good_rules_show_their_game_and_have_other_forms() {
        let text = library::find("tic-tac-toe").unwrap().rules;
        let checked = check(text, &Games::default()).unwrap();
        assert!(checked.scene.unwrap().boards[0].svg.contains("role=\"gridcell\""));
        let infix = convert(text, "infix").unwrap();
        let back = convert(&infix, "kif").unwrap();
        assert!(gdl::parse(&back).rules.same(&gdl::parse(text).rules));
        assert!(convert(text, "scrambled").unwrap() != text && convert(text, "verse").is_err());
        assert!(check(&" ".repeat(gdl::MAX_BYTES + 1), &Games::default()).is_err());
    }
}
