//! `ludens completions` and `ludens man`: what a shell and a manual know of the command line, made from the command line
//! itself.

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;
use platform::save;
use terminal::text::count;
use terminal::{Answer, Out};

/// Prints the script that lets a shell complete our commands.
pub fn completions(args: &CompletionsArgs, out: Out<'_>) -> Result<Answer> {
    // Made in memory first: whoever makes it panics where it cannot be written, and a closed pipe is no failure.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ludens", &mut script);
    out.write_all(&script)?;
    Ok(Answer::Yes)
}

/// Prints the manual page of the program, or writes those of all commands to a folder.
pub fn man(args: &ManArgs, out: Out<'_>) -> Result<Answer> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        out.write_all(page(&command)?.1.as_bytes())?;
        return Ok(Answer::Yes);
    };
    let mut commands = vec![command];
    let mut pages = 0;
    while let Some(command) = commands.pop() {
        let (name, text) = page(&command)?;
        save(&folder.join(name), &text)?;
        pages += 1;
        commands.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
    }
    let folder = folder.display();
    writeln!(out, "{} in {folder}; `man {folder}/ludens.1` shows the first", count(pages, "page"))?;
    Ok(Answer::Yes)
}

/// The name and the text of a command's page.
fn page(command: &clap::Command) -> Result<(String, String)> {
    let man = Man::new(command.clone()).manual("Ludens");
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), String::from_utf8(text).context("a manual page is not text")?))
}
