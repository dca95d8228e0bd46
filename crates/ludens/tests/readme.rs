//! The README tells the truth: its commands work, its picture is what the program prints, its overview is complete.
//!
//! Understood are `sh` blocks (one command a line), `console` blocks (`$ command`, then its output; a line `…` stands for
//! any number of lines; what follows a prompt such as `red> ` is typed), and examples in backticks inside tables.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn readme() -> String {
    read("README.md")
}

/// The lines of the blocks of this kind, block by block.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<Vec<&'a str>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(found) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if found == kind {
                blocks.push(block);
            }
        }
    }
    blocks
}

/// A command without the comment behind it.
fn bare(command: &str) -> &str {
    command.split(" #").next().unwrap_or(command).trim()
}

/// The words of a command; what stands in double quotes is one.
fn words(args: &str) -> Vec<String> {
    assert!(!args.contains(['\'', '|', '<', '>', '*', '$']), "this test does not understand a shell: {args}");
    let parts = args.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_string).collect(),
            _ => vec![part.to_string()],
        })
        .collect()
}

/// The program, with a folder of tables that is not a person's own.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludens"));
    command.env("LUDENS_TABLES", Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables-of-readme"));
    command.env("LUDENS_STUDIO", Path::new(env!("CARGO_TARGET_TMPDIR")).join("studio-of-readme"));
    command
}

/// What follows the program in a command.
fn arguments(command: &str) -> &str {
    let starts = ["ludens ", "cargo run --release -- "];
    let args = starts.iter().find_map(|start| bare(command).strip_prefix(start));
    args.unwrap_or_else(|| panic!("this test cannot run: {command}"))
}

/// A command that would never end: it starts, says where it listens, and is stopped.
fn serves(command: &str) {
    let args = arguments(command);
    // Whatever port the README names may be taken on this machine.
    let args = words(args).into_iter().map(|word| if word.parse::<u16>().is_ok() { "0".to_string() } else { word });
    // No screen: a browser would open.
    let mut child = program()
        .args(args)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("a first line");
    let _ = child.kill();
    let _ = child.wait();
    assert!(line.contains("http://"), "{command}: {line}");
}

/// What the program prints, given what is typed. It must end with this status.
fn run(command: &str, typed: &str, status: i32) -> String {
    let args = arguments(command);
    let mut child = program()
        .args(words(args))
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end without reading everything.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{command}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A prompt in a line of a picture, and what is typed there.
fn prompt(line: &str) -> Option<(&str, &str)> {
    let at = line.find("> ")?;
    line[..at].chars().all(char::is_alphanumeric).then(|| line.split_at(at + 2))
}

/// Output with what was typed put where a terminal shows it.
fn echoed(output: &str, prompts: &[(&str, &str)]) -> String {
    let (mut text, mut rest) = (String::new(), output);
    for (prompt, typed) in prompts {
        let Some((before, after)) = rest.split_once(prompt) else { break };
        text += &format!("{before}{prompt}{typed}\n");
        rest = after;
    }
    text + rest
}

/// Whether the lines are those of the picture, in which `…` stands for any number of lines.
fn fits(lines: &[&str], picture: &[&str]) -> Result<(), String> {
    let parts: Vec<&[&str]> = picture.split(|line| line.trim() == "…").collect();
    let mut at = 0;
    for (number, part) in parts.iter().enumerate() {
        let last_start = if number == 0 { 0 } else { lines.len() };
        let to_the_end = number + 1 == parts.len();
        let found = (at..=last_start).find(|&start| {
            let end = start + part.len();
            lines.get(start..end) == Some(part) && (!to_the_end || end == lines.len())
        });
        at = found.ok_or_else(|| format!("not printed:\n{}", part.join("\n")))? + part.len();
    }
    Ok(())
}

#[test]
fn pictures_are_what_the_program_prints() {
    let readme = readme();
    let mut count = 0;
    for block in blocks(&readme, "console") {
        for session in block.chunk_by(|_, next| !next.starts_with("$ ")) {
            let Some(command) = session[0].strip_prefix("$ ") else { panic!("no command before {}", session[0]) };
            let picture = &session[1..];
            let prompts: Vec<(&str, &str)> = picture.iter().filter_map(|line| prompt(line)).collect();
            let typed: String = prompts.iter().map(|(_, typed)| format!("{typed}\n")).collect();
            // A picture of problems is one of a negative answer.
            let status = i32::from(picture.iter().any(|line| line.starts_with("error")));
            let output = echoed(&run(command, &typed, status), &prompts);
            let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
            if let Err(difference) = fits(&lines, picture) {
                panic!("{command}\n{difference}\n--- the program prints:\n{output}");
            }
            count += 1;
        }
    }
    assert!(count > 0, "the README shows no session");
}

#[test]
fn commands_work() {
    let readme = readme();
    let mut commands = blocks(&readme, "sh").concat();
    commands.retain(|line| !line.starts_with("cargo xtask"));
    for row in readme.lines().filter(|line| line.starts_with('|')) {
        commands.extend(row.split('`').skip(1).step_by(2).filter(|text| text.starts_with("ludens ")));
    }
    assert!(commands.len() > 5, "only these commands were found: {commands:?}");
    for command in commands {
        let serving = ["player", "studio"].contains(&arguments(command).split(' ').next().unwrap_or_default());
        match serving {
            true => serves(command),
            false => drop(run(command, "", 0)),
        }
    }
}

#[test]
fn the_test_command_is_what_ci_runs() {
    let command = "cargo xtask test";
    assert!(blocks(&readme(), "sh").concat().iter().any(|line| bare(line) == command));
    assert_eq!(read(".ci/run").lines().last(), Some(command));
    assert!(read(".cargo/config.toml").contains("xtask ="));
}

#[test]
fn every_command_and_every_game_is_mentioned() {
    let readme = readme();
    let help = run("ludens help", "", 0);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|command| *command != "help") {
        assert!(readme.contains(&format!("`ludens {command}")), "the table of commands lacks {command}");
    }
    let games = run("ludens games", "", 0);
    let games = games.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = games.filter_map(|line| line.split(' ').next()).collect();
    for name in &names {
        assert!(readme.contains(&format!("`{name}`")), "the overview of games lacks {name}");
    }
    assert!(readme.contains(&format!("{} games", names.len())), "there are {} games", names.len());
}

#[test]
fn ellipses_stand_for_any_lines() {
    assert!(fits(&["a", "b", "c", "d"], &["a", "…", "d"]).is_ok());
    assert!(fits(&["a", "b"], &["a", "…", "b"]).is_ok());
    assert!(fits(&["a", "d", "c", "d"], &["…", "c", "…"]).is_ok());
    assert!(fits(&["a", "b", "c"], &["a", "b"]).is_err());
    assert!(fits(&["a", "b", "c"], &["b", "…"]).is_err());
}

#[test]
fn what_is_typed_is_put_behind_the_prompt() {
    let prompts = [prompt("red> 4").unwrap(), prompt("red> quit").unwrap()];
    assert_eq!(echoed("hi\nred>   red: 4\nred> bye\n", &prompts), "hi\nred> 4\n  red: 4\nred> quit\nbye\n");
    assert_eq!(prompt("a value > 4"), None);
}
