//! The results as JSON, CSV and Markdown.

use crate::{
    ours::{DESIGN, RULE},
    study::{Alarms, Power, Results, SLOWDOWNS},
    world::{CONDITIONS, SIDES},
};
use shakedown_gate::policy::Share;
use std::{
    fmt::{self, Write as _},
    fs, io,
    path::Path,
};

/// Writes `results.json`, `false-alarms.csv`, `power.csv` and `README.md`.
pub fn write(out: &Path, results: &Results) -> io::Result<()> {
    fs::write(out.join("results.json"), serde_json::to_string_pretty(results)? + "\n")?;
    let mut alarms =
        "source,condition,rule,pull_requests,failed,share,upper_95,inconclusive,pairs\n".to_owned();
    let maybe = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    for a in &results.alarms {
        alarms += &format!(
            "{},{},{},{},{},{:.5},{:.5},{},{}\n",
            a.source,
            a.condition,
            quoted(&a.rule),
            a.pull_requests,
            a.failed,
            a.share,
            a.upper,
            maybe(a.inconclusive),
            maybe(a.pairs)
        );
    }
    fs::write(out.join("false-alarms.csv"), alarms)?;
    let mut power = "source,condition,rule,slowdown,tries,found,found_steady,passed\n".to_owned();
    for p in &results.power {
        power += &format!(
            "{},{},{},{},{},{:.4},{},{}\n",
            p.source,
            p.condition,
            quoted(&p.rule),
            p.slowdown,
            p.tries,
            p.found,
            maybe(p.found_steady),
            maybe(p.passed)
        );
    }
    fs::write(out.join("power.csv"), power)?;
    let mut text = String::new();
    markdown(&mut text, results).map_err(io::Error::other)?;
    fs::write(out.join("README.md"), text)
}

fn quoted(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_owned() }
}

fn markdown(out: &mut String, results: &Results) -> fmt::Result {
    intro(out)?;
    for source in ["synthetic", "recorded"] {
        if !results.alarms.iter().any(|a| a.source == source) {
            continue;
        }
        section(out, results, source)?;
    }
    out.push_str(include_str!("method.md"));
    Ok(())
}

fn intro(out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "# Evidence for the wall clock rule\n\n\
         Made by `cargo run --release -p shakedown-gate --example evidence`; don't edit. The same numbers\n\
         stand in `false-alarms.csv`, `power.csv` and `results.json`.\n\n\
         The promise: at most 1 % of unchanged pull requests fail, all {SIDES} scenario sides\n\
         together. A rule keeps it in a condition where the 95 % upper bound (Clopper-Pearson)\n\
         of its share of failed pull requests is at most 1 %.\n\n\
         Shakedown here: margin {}, non-inferiority margin {}, up to {} blocks of {} pairs in ABBA\n\
         order, each pair of links of its own, as `thresholds/pr.toml` has it.",
        Share(RULE.margin),
        Share(RULE.non_inferiority_margin),
        RULE.max_blocks,
        DESIGN.pairs
    )
}

fn rules<'r>(results: &'r Results, source: &str) -> Vec<&'r str> {
    let mut found: Vec<&str> = Vec::new();
    for a in results.alarms.iter().filter(|a| a.source == source) {
        if !found.contains(&a.rule.as_str()) {
            found.push(&a.rule);
        }
    }
    found
}

fn alarm<'r>(
    results: &'r Results,
    source: &str,
    condition: &str,
    rule: &str,
) -> Option<&'r Alarms> {
    let mut all = results.alarms.iter();
    all.find(|a| a.source == source && a.condition == condition && a.rule == rule)
}

/// Power of one rule, over the slowdowns.
pub fn powers<'r>(
    results: &'r Results,
    source: &str,
    condition: &str,
    rule: &str,
) -> Vec<&'r Power> {
    let all = results.power.iter();
    all.filter(|p| p.source == source && p.condition == condition && p.rule == rule).collect()
}

/// Whether the upper bound of the false alarms is at most 1 %.
fn keeps(alarm: &Alarms) -> bool {
    alarm.upper <= 0.01
}

fn section(out: &mut String, results: &Results, source: &str) -> fmt::Result {
    let rules = rules(results, source);
    writeln!(out, "\n## Noise: {source}\n\n### Unchanged pull requests that fail\n")?;
    writeln!(out, "Share in percent, and the 95 % upper bound in brackets.\n")?;
    write!(out, "| rule |")?;
    CONDITIONS.iter().try_for_each(|condition| write!(out, " {} |", condition.name))?;
    writeln!(out, "\n|---|{}", "---:|".repeat(CONDITIONS.len()))?;
    for rule in &rules {
        write!(out, "| {rule} |")?;
        for condition in &CONDITIONS {
            match alarm(results, source, condition.name, rule) {
                Some(a) => {
                    let mark = if keeps(a) { "**" } else { "" };
                    let (share, upper) = (a.share * 100.0, a.upper * 100.0);
                    write!(out, " {mark}{share:.2} ({upper:.2}){mark} |")?;
                }
                None => write!(out, " |")?,
            }
        }
        writeln!(out)?;
    }
    writeln!(out, "\nBold: the promise is kept.")?;
    limit(out, results, source)?;
    costs(out, results, source)?;
    designs(out, results, source)?;
    for condition in &CONDITIONS {
        power_table(out, results, source, condition.name, &rules)?;
    }
    writeln!(out, "\n![Power curves, {source} noise](power-{source}.svg)")?;
    writeln!(out, "\n![False alarms, {source} noise](false-alarms-{source}.svg)")?;
    verdict(out, results, source, &rules)
}

/// What the rule does at the edge of what it may fail.
fn limit(out: &mut String, results: &Results, source: &str) -> fmt::Result {
    writeln!(
        out,
        "\n### Pull requests slower by exactly the margin, in all scenario sides, that fail\n"
    )?;
    writeln!(out, "| condition | failed | 95 % upper bound |\n|---|---:|---:|")?;
    for a in results.limit.iter().filter(|a| a.source == source) {
        let (failed, of, upper) = (a.failed, a.pull_requests, a.upper * 100.0);
        writeln!(out, "| {} | {failed} of {of} | {upper:.2} % |", a.condition)?;
    }
    Ok(())
}

/// How else the trials could be spent.
fn designs(out: &mut String, results: &Results, source: &str) -> fmt::Result {
    writeln!(
        out,
        "\n### Designs side by side, calibrated\n\n\
         | design | condition | unchanged pull requests that fail | inconclusive | pairs, unchanged | 2 % found | 3 % found | pairs, 3 % |\n\
         |---|---|---:|---:|---:|---:|---:|---:|"
    )?;
    for d in results.designs.iter().filter(|d| d.source == source) {
        let percent = |share: f64| share * 100.0;
        writeln!(
            out,
            "| {} | {} | {} of {} | {:.1} % | {:.1} | {:.1} % | {:.1} % | {:.1} |",
            d.design,
            d.condition,
            d.failed,
            d.pull_requests,
            percent(d.inconclusive),
            d.pairs,
            percent(d.found_2),
            percent(d.found_3),
            d.pairs_3
        )?;
    }
    Ok(())
}

/// What our rule's decisions cost: blocks and doubt.
fn costs(out: &mut String, results: &Results, source: &str) -> fmt::Result {
    writeln!(out, "\n### What unchanged code costs\n")?;
    writeln!(
        out,
        "| rule | condition | pairs a scenario side | left inconclusive |\n|---|---|---:|---:|"
    )?;
    for a in results.alarms.iter().filter(|a| a.source == source) {
        if let (Some(pairs), Some(doubt)) = (a.pairs, a.inconclusive) {
            let doubt = doubt * 100.0;
            writeln!(out, "| {} | {} | {pairs:.1} | {doubt:.1} % |", a.rule, a.condition)?;
        }
    }
    Ok(())
}

/// A share of the scenario sides apart from what was found.
type PartOfPower = fn(&Power) -> Option<f64>;

fn power_table(
    out: &mut String,
    results: &Results,
    source: &str,
    condition: &str,
    rules: &[&str],
) -> fmt::Result {
    writeln!(out, "\n### Slowdowns found, in percent: {condition}\n")?;
    write!(out, "| rule | keeps the promise |")?;
    SLOWDOWNS.iter().try_for_each(|slowdown| write!(out, " {} |", Share(*slowdown)))?;
    writeln!(out, "\n|---|---|{}", "---:|".repeat(SLOWDOWNS.len()))?;
    for rule in rules {
        let kept = alarm(results, source, condition, rule).is_some_and(keeps);
        write!(out, "| {rule} | {} |", if kept { "yes" } else { "no" })?;
        for p in powers(results, source, condition, rule) {
            write!(out, " {:.1} |", p.found * 100.0)?;
        }
        writeln!(out)?;
        let ours = powers(results, source, condition, rule);
        let parts: [(&str, PartOfPower); 2] = [
            ("scenarios that spread by less than 0.6 %", |p| p.found_steady),
            ("passed instead", |p| p.passed),
        ];
        for (name, part) in parts.iter().filter(|_| *rule == "shakedown") {
            let shares: Vec<f64> = ours.iter().filter_map(|p| part(p)).collect();
            if shares.len() == SLOWDOWNS.len() {
                write!(out, "| shakedown, {name} | |")?;
                shares.iter().try_for_each(|share| write!(out, " {:.1} |", share * 100.0))?;
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

/// Says, from the numbers, whether any other rule keeps the promise where ours does and finds
/// more.
fn verdict(out: &mut String, results: &Results, source: &str, rules: &[&str]) -> fmt::Result {
    writeln!(out, "\n### Does anything beat it?\n")?;
    for condition in &CONDITIONS {
        let name = condition.name;
        let Some(ours) = alarm(results, source, name, "shakedown") else { continue };
        let mine = powers(results, source, name, "shakedown");
        let mut better = Vec::new();
        for rule in rules.iter().filter(|rule| !rule.starts_with("shakedown")) {
            let kept = alarm(results, source, name, rule)
                .is_some_and(|theirs| keeps(theirs) || theirs.share <= ours.share);
            let theirs = powers(results, source, name, rule);
            let more = mine.iter().zip(theirs).filter(|(m, t)| t.found > m.found + 0.01);
            let at: Vec<String> = more.map(|(m, _)| Share(m.slowdown).to_string()).collect();
            if kept && !at.is_empty() {
                better.push(format!("{rule} finds more at {}", at.join(", ")));
            }
        }
        let kept = if keeps(ours) { "keeps the promise" } else { "does NOT keep the promise" };
        let told = if better.is_empty() {
            "no rule that keeps it finds more".to_owned()
        } else {
            better.join("; ")
        };
        writeln!(
            out,
            "- {name}: shakedown {kept} ({} of {}); {told}.",
            ours.failed, ours.pull_requests
        )?;
    }
    Ok(())
}
