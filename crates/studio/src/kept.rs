//! Matches and rules on the disk: every finished move is there before the page hears of it.

use crate::games::{OWN, own_key};
use crate::matches::Seat;
use anyhow::{Context, Result, bail};
use library::Sheet;
use platform::{folders, save};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The longest file that is read.
const MOST_BYTES: u64 = 16 << 20;

/// A match as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptMatch {
    /// The version of this form.
    pub version: u32,
    /// Its name.
    pub id: String,
    /// The game's name: of the library, or of rules that are kept here.
    pub game: String,
    /// The facts it began with, if not those of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<String>>,
    /// Who plays.
    pub seats: Vec<Seat>,
    /// The positions after the first: which one each follows, and by what.
    pub nodes: Vec<(usize, Vec<String>)>,
    /// The position at hand.
    pub current: usize,
    /// Who resigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resigned: Option<usize>,
    /// When it was begun, in milliseconds since 1970.
    pub begun: u64,
}

/// The version that is written.
pub const VERSION: u32 = 1;

/// The folder of the studio.
#[derive(Clone)]
pub struct Kept {
    folder: PathBuf,
}

/// Whether a name may be one of a match or of rules: nothing that leads out of the folder.
pub fn is_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

impl Kept {
    /// Everything is kept in this folder.
    pub fn new(folder: &Path) -> Kept {
        Kept { folder: folder.to_path_buf() }
    }

    fn path(&self, kind: &str, name: &str, ending: &str) -> Result<PathBuf> {
        if !is_name(name) {
            bail!("{name:?} is no name of something that is kept here");
        }
        Ok(self.folder.join(kind).join(format!("{name}.{ending}")))
    }

    /// Writes a match down.
    ///
    /// # Errors
    /// When that cannot be done; what was there before is still there.
    pub fn save(&self, kept: &KeptMatch) -> Result<()> {
        save::save(&self.path("matches", &kept.id, "json")?, &serde_json::to_string(kept)?)
    }

    /// Reads a match.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn load(&self, id: &str) -> Result<KeptMatch> {
        let path = self.path("matches", id, "json")?;
        let kept: KeptMatch = serde_json::from_str(&folders::text(&path, MOST_BYTES)?)
            .with_context(|| format!("{} is damaged", path.display()))?;
        if kept.version != VERSION || kept.id != id {
            bail!("{} is of another version", path.display());
        }
        Ok(kept)
    }

    /// The names of all matches, the newest first.
    pub fn matches(&self) -> Vec<String> {
        let mut found: Vec<KeptMatch> = folders::files(&self.folder.join("matches"), "json")
            .iter()
            .filter_map(|path| self.load(path.file_stem()?.to_str()?).ok())
            .collect();
        found.sort_by_key(|kept| std::cmp::Reverse(kept.begun));
        found.into_iter().map(|kept| kept.id).collect()
    }

    /// Keeps rules, and tells their name.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn save_rules(&self, text: &str) -> Result<String> {
        let key = own_key(text);
        let path = self.path("rules", &key, "kif")?;
        if !path.is_file() {
            save::save(&path, text)?;
        }
        Ok(key)
    }

    /// The rules of this name: of the library, or kept here.
    ///
    /// # Errors
    /// When there are none.
    pub fn sheet(&self, name: &str) -> Result<Sheet> {
        if !name.starts_with(OWN) {
            let entry = library::find(name).with_context(|| format!("there is no game {name:?} in the library"))?;
            return Ok(Sheet::of(entry));
        }
        let path = self.path("rules", name, "kif")?;
        let text = folders::text(&path, gdl::MAX_BYTES as u64)
            .with_context(|| format!("the rules {name} are not kept here"))?;
        Sheet::read("rules".to_string(), text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_and_names_do_not_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::new(folder.path());
        let one = KeptMatch {
            version: VERSION,
            id: "a1".into(),
            game: "nim".into(),
            start: None,
            seats: vec![Seat::Person, Seat::Level { level: 3 }],
            nodes: vec![(0, vec!["(take a 1)".into(), "noop".into()])],
            current: 1,
            resigned: None,
            begun: 5,
        };
        kept.save(&one).unwrap();
        assert_eq!(kept.load("a1").unwrap(), one);
        assert_eq!(kept.matches(), ["a1"]);
        for name in ["../a1", "a/b", "", ".", "a1.json"] {
            assert!(kept.load(name).is_err(), "{name}");
            assert!(kept.sheet(&format!("{OWN}{name}")).is_err(), "{name}");
        }
        let key = kept.save_rules("(role me)").unwrap();
        assert_eq!(kept.sheet(&key).unwrap().text, "(role me)");
        assert!(kept.sheet("own-0000000000000000").is_err());
        assert_eq!(kept.sheet("nim").unwrap().name, "nim");
    }
}
