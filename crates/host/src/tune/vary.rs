//! From what people write (`c`, `c=0.1..2@0.05`, `heuristic=mobility|learned`) and the description of a player to the space
//! of settings that is searched. Nothing here knows a setting by name: what there is, and which values are worth trying, is
//! said by the list of kinds (`agent::spec`).

use super::space::{Axis, Space, Variable};
use agent::PlayerSpec;
use agent::spec::{SettingInfo, Values};
use anyhow::{Result, anyhow, bail, ensure};

/// So many steps from one end of a range to the other, where none is given.
const STEPS: f64 = 100.0;

/// A variable as it is written.
struct Written<'a> {
    name: String,
    values: Option<&'a str>,
    step: Option<f64>,
}

/// Reads what is to be varied: variables with commas between them, in one text or in several.
///
/// # Errors
/// When there is no such setting, when it cannot be varied, and when its values do not suit the player.
pub fn space(player: &PlayerSpec, texts: &[String]) -> Result<Space> {
    let mut space = Space::default();
    for text in texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty()) {
        let written = read(text)?;
        ensure!(
            space.variables.iter().all(|variable| variable.name != written.name),
            "`{}` is to be varied twice",
            written.name
        );
        let Some(info) = player.all_settings().iter().find(|info| info.name == written.name) else {
            bail!("{} has no setting `{}` that could be varied; {}", player.kind(), written.name, offer(player));
        };
        let axis = axis(player, info, &written)?;
        space.variables.push(Variable { name: written.name, axis });
    }
    ensure!(!space.is_empty(), "nothing is varied: `--vary NAME`; {}", offer(player));
    ends(player, &space)?;
    Ok(space)
}

/// What can be varied, for messages.
fn offer(player: &PlayerSpec) -> String {
    let of = |wanted: fn(&Values) -> bool| -> Vec<&str> {
        player.all_settings().iter().filter(|info| wanted(&info.values)).map(|info| info.name).collect()
    };
    let known = of(|values| !matches!(values, Values::Unknown | Values::Spending));
    let others = of(|values| matches!(values, Values::Unknown));
    match (known.is_empty(), others.is_empty()) {
        (true, true) => format!("nothing of {} can be", player.kind()),
        (true, false) => format!("there is {} (with values: NAME=A|B)", others.join(", ")),
        (false, true) => format!("there is {}", known.join(", ")),
        (false, false) => format!("there is {}, and with values {} (NAME=A|B)", known.join(", "), others.join(", ")),
    }
}

fn read(text: &str) -> Result<Written<'_>> {
    let (rest, step) = match text.rsplit_once('@') {
        Some((rest, step)) => {
            let step: f64 = step.trim().parse().map_err(|_| anyhow!("`{step}` in `{text}` is no step: a number"))?;
            (rest, Some(step))
        }
        None => (text, None),
    };
    let (name, values) = match rest.split_once('=') {
        Some((name, values)) => (name, Some(values.trim())),
        None => (rest, None),
    };
    Ok(Written { name: name.trim().to_lowercase(), values, step })
}

/// The values of one variable.
fn axis(player: &PlayerSpec, info: &SettingInfo, written: &Written<'_>) -> Result<Axis> {
    let name = info.name;
    let how = format!("`--vary {name}=FROM..TO`, or `{name}=A|B|C`");
    if info.values == Values::Spending {
        bail!("`{name}` is what {} may spend, not how it plays; {}", player.kind(), offer(player));
    }
    let (from, to, is_whole) = match (written.values, info.values) {
        (Some(text), _) if text.contains("..") => {
            let (from, to) = text.split_once("..").unwrap_or((text, ""));
            let number = |text: &str| -> Result<f64> {
                let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| anyhow!("`{text}` is no number, in the range of `{name}`: {how}"))
            };
            if let Values::Choice(words) = info.values {
                bail!("`{name}` is no number but one of {}: `--vary {name}`", words.join(", "));
            }
            let is_real = matches!(info.values, Values::Real { .. });
            let is_written_whole = !is_real && !text.replace("..", " ").contains('.');
            (number(from)?, number(to)?, matches!(info.values, Values::Whole { .. }) || is_written_whole)
        }
        (Some(text), _) => return choice(player, name, text.split('|').map(str::trim)),
        (None, Values::Choice(words)) => return choice(player, name, words.iter().copied()),
        (None, Values::Whole { from, to }) => (from as f64, to as f64, true),
        (None, Values::Real { from, to }) => (from, to, false),
        (None, _) => bail!("it is not known which values of `{name}` are worth trying; say so: {how}"),
    };
    let step = written.step.unwrap_or_else(|| step(from, to, is_whole));
    let is_fraction = |number: f64| number.fract() != 0.0;
    ensure!(
        !(is_whole && [from, to, step].into_iter().any(is_fraction)),
        "`{name}` takes whole numbers: write its range, and the step if you give one, without fractions"
    );
    let start = player.value(name).ok_or_else(|| {
        let (own, joint) = (player.to_string(), if player.to_string().contains(':') { "," } else { ":" });
        anyhow!("`{name}` has no value to begin with: say one, as in `--player \"{own}{joint}{name}={from}\"`")
    })?;
    let start: f64 = start.parse().map_err(|_| anyhow!("`{name}={start}` is no number; give its values: {how}"))?;
    Axis::number(from, to, step, start)
        .map_err(|why| anyhow!("`{name}`: {why}: `--vary {name}=FROM..TO@STEP`, and where it begins in `--player`"))
}

fn choice<'a>(player: &PlayerSpec, name: &str, words: impl Iterator<Item = &'a str>) -> Result<Axis> {
    let mut options: Vec<String> = player.value(name).into_iter().collect();
    for word in words.filter(|word| !word.is_empty()) {
        if !options.iter().any(|known| known == word) {
            options.push(word.to_string());
        }
    }
    ensure!(options.len() > 1, "`{name}` has to have at least two values to choose from: `--vary {name}=A|B`");
    Ok(Axis::Choice { options })
}

/// A step that people would choose: 1, 2 or 5 with zeros.
fn step(from: f64, to: f64, is_whole: bool) -> f64 {
    let rough = (to - from) / STEPS;
    if !rough.is_finite() || rough <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    let nice = [5.0, 2.0, 1.0].into_iter().map(|digit| digit * power).find(|step| *step <= rough * 1.000_001);
    let step = nice.unwrap_or(power);
    if is_whole { step.round().max(1.0) } else { step }
}

/// Every end of every range must be a player: what a setting really allows, the description knows.
fn ends(player: &PlayerSpec, space: &Space) -> Result<()> {
    let origin = space.origin();
    player.with(&space.settings(&origin))?;
    for (number, variable) in space.variables.iter().enumerate() {
        let (low, high) = variable.axis.bounds();
        let tried = if matches!(variable.axis, Axis::Choice { .. }) { (low..=high).collect() } else { vec![low, high] };
        for at in tried {
            let settings = space.settings(&space.moved(&origin, number, at)).to_vec();
            player.with(&settings).map_err(|why| anyhow!("`{}` cannot be varied so: {why}", variable.name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(player: &str, vary: &str) -> Result<Space> {
        space(&player.parse()?, &[vary.to_string()])
    }

    #[test]
    fn ranges_are_known_or_given() {
        let space = of("uct:playouts=50,bias=2", "c, bias").expect("both are known");
        assert_eq!(space.text(&space.origin()), "c=0.45,bias=2");
        assert_eq!(space.variables[0].axis.bounds(), (-40, 105));
        let space = of("uct:playouts=50", "c=0.2..1@0.1").expect("a range");
        assert_eq!(space.variables[0].axis.bounds(), (-2, 5));
        let space = of("uct:heuristic=mobility,cut=10", "cut=5..20,plain,heuristic=mobility|learned").expect("all");
        assert_eq!(space.text(&crate::tune::Point(vec![3, 1, 1])), "cut=13,plain=true,heuristic=learned");
    }

    #[test]
    fn messages_name_the_way_out() {
        for (player, vary, part) in [
            (
                "uct",
                "speed",
                "uct has no setting `speed` that could be varied; there is c, plain, bias, grave, cut, tables",
            ),
            ("uct", "", "nothing is varied: `--vary NAME`; there is c"),
            ("uct", "playouts", "`playouts` is what uct may spend"),
            ("uct", "heuristic", "`--vary heuristic=FROM..TO`, or `heuristic=A|B|C`"),
            ("uct:heuristic=mobility", "cut", "`--player \"uct:heuristic=mobility,cut=1\"`"),
            ("uct", "c,c", "twice"),
            ("uct", "c=a..2", "`a` is no number"),
            ("uct", "c@x", "`x` in `c@x` is no step"),
            ("uct", "bias=0..0.5", "whole numbers"),
            ("uct", "bias=0..40", "at most 16, not 40"),
            ("uct:c=3", "c", "begins at 3"),
            ("uct", "plain=0..1", "one of false, true"),
            ("uct:heuristic=mobility", "heuristic=mobility", "at least two values"),
            ("random", "seed", "nothing of random can be"),
            ("legal", "c", "nothing of legal can be"),
        ] {
            let error = of(player, vary).expect_err(vary).to_string();
            assert!(error.contains(part), "{player} {vary}: {error}");
        }
    }

    #[test]
    fn steps_are_round() {
        assert_eq!((step(0.0, 1.0, false), step(0.05, 1.5, false)), (0.01, 0.01));
        assert_eq!((step(0.0, 16.0, true), step(0.0, 1000.0, true), step(0.0, 300.0, true)), (1.0, 10.0, 2.0));
    }
}
