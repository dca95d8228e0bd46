//! What stands behind a GAME argument: a rulesheet from the library, from a file, from a folder, or from standard input.

use crate::games::{self, Entry};
use anyhow::{Context, Result, bail};
use gdl::{Problem, Rules, Source, Span};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A rulesheet that was found and read, but not parsed yet.
pub struct Sheet {
    /// What to call it in messages: a name of the library, or a path.
    pub name: String,
    /// Its text; bytes that are no text are kept as replacement characters, so that places can be shown.
    pub text: Cow<'static, str>,
    /// What is wrong with the bytes themselves.
    spoiled: Option<Problem>,
    /// The library's entry, if it comes from there.
    pub entry: Option<&'static Entry>,
    /// How its boards are to look: the text of the `board.toml` beside it, if there is one.
    pub board: Option<Cow<'static, str>>,
}

impl Sheet {
    /// Finds a game by its name in the library, or else by its path; `-` is standard input.
    pub fn find(game: &str) -> Result<Sheet> {
        if game == "-" {
            return Sheet::read("standard input".to_string(), std::io::stdin().lock());
        }
        let path = Path::new(game);
        // A word that names a game of the library means that game even where a folder of the same name is near.
        let looks_like_path = game.contains(['/', '\\']) || path.extension().is_some();
        if let Some(entry) = games::find(game).filter(|_| !looks_like_path) {
            return Ok(Sheet::of(entry));
        }
        let path = if path.is_dir() { path.join("rules.kif") } else { PathBuf::from(path) };
        if path.is_file() || looks_like_path {
            let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let board = looks_beside(&path)?;
            return Ok(Sheet { board, ..Sheet::read(path.display().to_string(), file)? });
        }
        bail!("{}", unknown(game))
    }

    /// A game of the library.
    pub fn of(entry: &'static Entry) -> Sheet {
        let (name, text) = (entry.name.to_string(), Cow::Borrowed(entry.rules));
        Sheet { name, text, spoiled: None, entry: Some(entry), board: entry.board.map(Cow::Borrowed) }
    }

    /// Reads a rulesheet that has this name; at most as much of it as can be a rulesheet.
    pub fn read(name: String, from: impl Read) -> Result<Sheet> {
        let mut bytes = Vec::new();
        from.take(gdl::MAX_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        let (text, spoiled) = if bytes.len() > gdl::MAX_BYTES {
            let message = format!("this is larger than {} bytes, the most that a rulesheet may have", gdl::MAX_BYTES);
            let hint = "is this really a game description?";
            (String::new(), Some(Problem::error("too-large", Span::new(0, 0), message, hint)))
        } else {
            match String::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(error) => {
                    let problem = gdl::parse_bytes(error.as_bytes()).problems.into_iter().next();
                    (String::from_utf8_lossy(error.as_bytes()).into_owned(), problem)
                }
            }
        };
        Ok(Sheet { name, text: Cow::Owned(text), spoiled, entry: None, board: None })
    }

    /// The text as something to show problems in.
    pub fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: &self.text }
    }

    /// What is wrong with the bytes themselves, if they are no text or too many.
    pub fn spoiled(&self) -> Option<&Problem> {
        self.spoiled.as_ref()
    }

    /// Reads the rules, with everything that is wrong with the writing.
    pub fn parse(&self) -> (Rules, Vec<Problem>) {
        if let Some(problem) = &self.spoiled {
            return (Rules::default(), vec![problem.clone()]);
        }
        let parsed = gdl::parse(&self.text);
        (parsed.rules, parsed.problems)
    }

    /// The rules, for play.
    ///
    /// # Errors
    /// When the text cannot be read; the message shows everything that is wrong with it.
    pub fn rules(&self) -> Result<Rules> {
        let (rules, problems) = self.parse();
        if problems.is_empty() {
            return Ok(rules);
        }
        let shown: Vec<String> = problems.iter().map(|problem| self.source().show(problem)).collect();
        let many = if problems.len() == 1 { "" } else { "s" };
        bail!("{} cannot be read: {} syntax error{many}\n{}", self.name, problems.len(), shown.join("\n").trim_end())
    }
}

/// The longest `board.toml`.
const MOST_OF_BOARD: u64 = 64 << 10;

/// The text that says how boards look: `board.toml` beside `rules.kif`, `NAME.board.toml` beside `NAME.kif`.
fn looks_beside(path: &Path) -> Result<Option<Cow<'static, str>>> {
    let is_folder = path.file_stem().is_some_and(|stem| stem == "rules");
    let beside = if is_folder { path.with_file_name("board.toml") } else { path.with_extension("board.toml") };
    if !beside.is_file() {
        return Ok(None);
    }
    let mut text = String::new();
    let file = File::open(&beside).and_then(|file| file.take(MOST_OF_BOARD + 1).read_to_string(&mut text));
    file.with_context(|| format!("cannot read {}", beside.display()))?;
    if text.len() as u64 > MOST_OF_BOARD {
        bail!("{} is larger than {MOST_OF_BOARD} bytes, which is more than any board needs", beside.display());
    }
    Ok(Some(Cow::Owned(text)))
}

/// What to say about a name that stands for nothing.
fn unknown(game: &str) -> String {
    let nearest = games::nearest(game);
    let mut text = format!("there is no game {game:?} in the library, and no such file");
    if !nearest.is_empty() {
        text += &format!("; did you mean {}?", nearest.join(" or "));
    }
    text + "\n  `ludens games` lists the library; a path to a rulesheet works too"
}

/// Finds a game and reads its rules for play.
pub fn load(game: &str) -> Result<(Sheet, Rules)> {
    let sheet = Sheet::find(game)?;
    let rules = sheet.rules()?;
    Ok((sheet, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_boards_look_like_lies_beside_the_rules() {
        let folder = std::env::temp_dir().join(format!("ludens-looks-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
        write("rules.kif", "(role me)");
        write("other.kif", "(role me)");
        let board = |name: &str| Sheet::find(&folder.join(name).display().to_string()).map(|sheet| sheet.board);
        assert_eq!(board("rules.kif").expect("it is there"), None);
        write("board.toml", "turn = 90");
        write("other.board.toml", "turn = 180");
        assert_eq!(board("rules.kif").expect("it is there").as_deref(), Some("turn = 90"));
        assert_eq!(board("").expect("a folder with rules").as_deref(), Some("turn = 90"));
        assert_eq!(board("other.kif").expect("it is there").as_deref(), Some("turn = 180"));
        write("board.toml", &"#".repeat(70_000));
        assert!(board("rules.kif").expect_err("it is too long").to_string().contains("larger than"));
        std::fs::remove_dir_all(folder).expect("it was there");
    }
}
