//! `ludens compile`: a game as a C library, for programs of others.

use crate::cli::CompileArgs;
use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use library::{Sheet, load};
use machine::{Budget, NoNet, PropNet, Style};
use platform::{generated, save};
use std::path::Path;
use terminal::text::count;
use terminal::{Answer, Out};

/// How the operations of the game are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Code {
    /// A C statement for each operation: fastest, but slow to compile.
    Statements,
    /// A table and a loop that runs it: small, and quick to compile.
    Table,
}

/// Runs the command.
pub fn run(args: &CompileArgs, out: Out<'_>) -> Result<Answer> {
    let (sheet, rules) = load(&args.game)?;
    let net = PropNet::new(&rules, Budget::default()).map_err(|error| no_net(&sheet, error))?;
    let style = match args.code {
        None => Style::for_net(&net),
        Some(Code::Statements) => Style::Statements,
        Some(Code::Table) => Style::Table,
    };
    let game = game_name(&sheet);
    let name = args.name.as_deref().unwrap_or(&game);
    let mut files = machine::export(&net, name, &game, style)
        .with_context(|| format!("{name:?} does not do; choose another --name"))?;
    files.iter_mut().for_each(|file| generated::mark(&file.name, &mut file.text));
    if !args.force {
        generated::refuse_foreign(&args.output, files.iter().map(|file| file.name.as_str()))?;
    }
    for file in &files {
        let path = args.output.join(&file.name);
        save(&path, &file.text)?;
        writeln!(out, "{}", path.display())?;
    }
    let size = net.size();
    let style = if style == Style::Table { "a table" } else { "statements" };
    let (facts, moves) = (count(size.facts.1, "fact"), count(size.moves.1, "move"));
    let operations = count(size.operations, "operation");
    let folder = args.output.display();
    writeln!(out, "{facts}, {moves}, {operations} as {style}; `make -C {folder}` builds it")?;
    Ok(Answer::Yes)
}

fn no_net(sheet: &Sheet, error: NoNet) -> anyhow::Error {
    match error {
        NoNet::Load(error) => {
            let place = error.span.map(|span| sheet.source().place(span.start));
            let place = place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
            anyhow!("cannot compile {}{place}: {}", sheet.name, error.message)
        }
        NoNet::Unfit(unfit) => anyhow!(
            "{} cannot be compiled, because only a net can be written as C and there is none of this game: {unfit}\n  \
             the other commands can still run it, with --engine rules",
            sheet.name
        ),
    }
}

/// What to call a game and its files: the library's name, or one made of the path.
fn game_name(sheet: &Sheet) -> String {
    if let Some(entry) = sheet.entry {
        return entry.name.to_string();
    }
    let path = Path::new(&sheet.name);
    // A folder with a rules.kif is called like the folder.
    let parent = path.parent().and_then(Path::file_name).filter(|_| path.ends_with("rules.kif"));
    let stem = parent.or(path.file_stem()).map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let letters = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let name: String = letters.collect::<String>().trim_matches('-').to_string();
    if name.is_empty() || sheet.name == "standard input" { "game".to_string() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_without_a_name_get_one() {
        let named = |path: &str| game_name(&Sheet::read(path.to_string(), &b""[..]).unwrap());
        assert_eq!(named("some/where/My game.v2.kif"), "My-game-v2");
        assert_eq!(named("some/nim-2/rules.kif"), "nim-2");
        assert_eq!(named("rules.kif"), "rules");
        assert_eq!(named("standard input"), "game");
        assert_eq!(named("…"), "game");
    }
}
