//! The files of the page, built into the program. No build step, nothing from elsewhere.

/// A file: its path, its kind, its text.
pub struct Asset {
    /// Its path below the root.
    pub path: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($path:literal, $kind:expr) => {
        Asset { path: concat!("/assets/", $path), kind: $kind, text: include_str!(concat!("../assets/", $path)) }
    };
}

/// All files but the page itself.
pub const ASSETS: &[Asset] = &[
    asset!("studio.css", "text/css; charset=utf-8"),
    asset!("icon.svg", "image/svg+xml"),
    asset!("app.js", SCRIPT),
    asset!("dom.js", SCRIPT),
    asset!("api.js", SCRIPT),
    asset!("board.js", SCRIPT),
    asset!("games.js", SCRIPT),
    asset!("setup.js", SCRIPT),
    asset!("match.js", SCRIPT),
    asset!("moves.js", SCRIPT),
    asset!("thinking.js", SCRIPT),
    asset!("rules.js", SCRIPT),
    asset!("study.js", SCRIPT),
    asset!("shelf.js", SCRIPT),
    asset!("numbers.js", SCRIPT),
    asset!("net.js", SCRIPT),
    asset!("plan.js", SCRIPT),
    asset!("report.js", SCRIPT),
    asset!("place.js", SCRIPT),
    asset!("marked.js", SCRIPT),
    asset!("lab.js", SCRIPT),
];

/// The page; where the token goes is marked.
pub const PAGE: &str = include_str!("../assets/index.html");

/// The mark for the token in [`PAGE`].
pub const TOKEN_MARK: &str = "{{token}}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_ask_for_nothing_from_elsewhere_and_have_no_script_of_their_own() {
        assert!(PAGE.contains(TOKEN_MARK));
        for text in ASSETS.iter().map(|asset| asset.text).chain([PAGE]) {
            for word in ["https://", "http://"] {
                let other = text.match_indices(word).any(|(at, _)| !text[at..].starts_with("http://www.w3.org/"));
                assert!(!other, "something comes from elsewhere");
            }
            assert!(!text.contains("innerHTML"), "text is never read as a page");
        }
        assert!(!PAGE.contains("onclick") && !PAGE.contains("style="));
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum::<usize>() + PAGE.len();
        assert!(bytes < 300_000, "{bytes} bytes");
    }
}
