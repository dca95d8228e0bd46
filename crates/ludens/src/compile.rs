//! `ludens compile`: a game as a C library, for programs of others.

use crate::cli::CompileArgs;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use library::{Sheet, load};
use machine::{Budget, Net, NoNet, SourceFile, Style};
use platform::save;
use std::fs;
use std::io::ErrorKind;
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
    let net = Net::new(&rules, Budget::default()).map_err(|error| no_net(&sheet, error))?;
    let style = match args.code {
        None => Style::for_net(&net),
        Some(Code::Statements) => Style::Statements,
        Some(Code::Table) => Style::Table,
    };
    let game = game_name(&sheet);
    let name = args.name.as_deref().unwrap_or(&game);
    let mut files = machine::export(&net, name, &game, style)
        .with_context(|| format!("{name:?} does not do; choose another --name"))?;
    files.iter_mut().for_each(mark);
    if !args.force {
        refuse_foreign(&args.output, &files)?;
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

/// The words by which the first line of a file tells that it was written here; a checksum of the rest follows.
const MARK: &str = "Written by `ludens compile`; checksum of all below: ";

/// Puts a line before a file by which it can be recognised.
fn mark(file: &mut SourceFile) {
    let (open, close) = match Path::new(&file.name).extension().and_then(|end| end.to_str()) {
        Some("c" | "h") => ("/* ", " */"),
        Some("md") => ("<!-- ", " -->"),
        _ => ("# ", ""),
    };
    file.text.insert_str(0, &format!("{open}{MARK}{:016x}{close}\n", checksum(&file.text)));
}

/// FNV-1a: enough to tell whether a file was edited.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Whether a text was written here and not changed since.
fn is_ours(text: &str) -> bool {
    let Some((first, rest)) = text.split_once('\n') else { return false };
    let written = first.split_once(MARK).and_then(|(_, sum)| sum.get(..16));
    written == Some(format!("{:016x}", checksum(rest)).as_str())
}

/// An error if there are files in the way that were not written by this command.
fn refuse_foreign(folder: &Path, files: &[SourceFile]) -> Result<()> {
    let mut foreign = Vec::new();
    for file in files {
        match fs::read_to_string(folder.join(&file.name)) {
            Ok(text) if is_ours(&text) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            _ => foreign.push(file.name.as_str()),
        }
    }
    if foreign.is_empty() {
        return Ok(());
    }
    bail!(
        "nothing is written, because {} would be lost in {}: not written by `ludens compile`, or edited since\n  choose \
         another folder, or replace with --force",
        foreign.join(", "),
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_recognised_until_they_are_edited() {
        for name in ["a.c", "a.h", "README.md", "Makefile", "example.py"] {
            let mut file = SourceFile { name: name.to_string(), text: "some\ntext\n".to_string() };
            assert!(!is_ours(&file.text));
            mark(&mut file);
            assert!(is_ours(&file.text), "{name}");
            assert!(!is_ours(&(file.text.clone() + " ")), "{name}");
            assert!(!is_ours(&file.text.replace("some", "other")), "{name}");
        }
        assert!(!is_ours("") && !is_ours(MARK) && !is_ours(&format!("{MARK}\n")));
    }

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
