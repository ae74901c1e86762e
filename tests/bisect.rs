//! Bisections as their user meets them, over the commits of a library in miniature.

mod common;

use common::{
    mini::{Mini, POLICY},
    nights::{SCENARIO, argument},
    shakedown,
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

/// Instructions that the library wastes in each handshake before anything changes.
const WORK: u32 = 20_000;

/// The library, wasting this much.
fn code(work: u32, comment: &str) -> String {
    format!(
        "//! {comment}\n#[inline(never)]\npub fn records() -> u32 {{\n    \
         (0..{work}_u32).for_each(|at| drop(std::hint::black_box(at)));\n    1\n}}\n"
    )
}

/// What a commit does.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Comment,
    Refactoring,
    Broken,
    /// Takes the commit before back.
    Revert,
    /// Adds this share of the work, in percent.
    Slower(u32),
}

/// Commits these after the first commit; gives all ids.
fn history(mini: &Mini, kinds: &[Kind]) -> Vec<String> {
    let mut works = vec![WORK];
    let commit = |code: &str, message: &str| {
        mini.upstream.write("mini/src/lib.rs", code);
        mini.upstream.commit(message)
    };
    let mut ids = vec![commit(&code(WORK, "The first one"), "The first one")];
    for (at, kind) in kinds.iter().enumerate() {
        let text = format!("Commit {at}");
        let work = match kind {
            Kind::Slower(percent) => works[at] + works[at] * percent / 100,
            Kind::Revert => works[at.saturating_sub(1)],
            _ => works[at],
        };
        works.push(work);
        let now = match kind {
            Kind::Refactoring => code(work, &text).replace("at|", "one|").replace("(at)", "(one)"),
            Kind::Broken => format!("{}this does not compile\n", code(work, &text)),
            _ => code(work, &text),
        };
        let message = match kind {
            Kind::Slower(_) => format!("Faster \u{1b}[2J<b>`{at}`"),
            _ => text,
        };
        ids.push(commit(&now, &message));
    }
    ids
}

fn arguments(folder: &Path, [good, bad]: [&str; 2]) -> Vec<String> {
    let policy = folder.join("policy.toml");
    fs::write(&policy, POLICY).unwrap();
    let some = ["bisect", "mini", "--suite", "pr", "--scenario", SCENARIO, "--good", good];
    let more = ["--bad", bad, "--policy", argument(&policy)];
    some.iter().chain(&more).map(|one| (*one).to_owned()).collect()
}

/// Bisects; gives what was printed as JSON and the exit code.
fn bisect(mini: &Mini, folder: &Path, ends: [&str; 2], more: &[&str]) -> (Value, i32, String) {
    let mut command = shakedown(folder);
    command.envs(mini.environment()).env("SHAKEDOWN_HISTORY", folder.join("history"));
    let output = command.args(arguments(folder, ends)).args(more).arg("--json").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (value, output.status.code().unwrap(), said)
}

fn found(value: &Value) -> Vec<&str> {
    let all = value["findings"]["changes"].as_array().unwrap();
    all.iter().map(|one| one["commit"].as_str().unwrap()).collect()
}

#[test]
fn the_commit_is_found_among_decoys_and_killing_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mini = Mini::new("bisect");
    let mut kinds = [Kind::Comment; 15];
    (kinds[3], kinds[7], kinds[9], kinds[12]) =
        (Kind::Refactoring, Kind::Broken, Kind::Slower(5), Kind::Refactoring);
    let ids = history(&mini, &kinds);
    let out = folder.path().join("out");
    let ends = [&*ids[0], &*ids[15]];

    // Killed after the first decision between the ends.
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("shakedown"))
        .current_dir(common::root())
        .env("SHAKEDOWN_LOCK", folder.path().join("lock"))
        .env("SHAKEDOWN_HISTORY", folder.path().join("history"))
        .envs(mini.environment())
        .args(arguments(folder.path(), ends))
        .arg("--out")
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let state = || -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(out.join("bisect.json")).ok()?).ok()
    };
    let known = || state().map_or(0, |state| state["looked_at"].as_array().unwrap().len());
    let deadline = Instant::now() + Duration::from_secs(900);
    while known() < 3 {
        assert!(Instant::now() < deadline, "nothing was decided in fifteen minutes");
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be killed");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = state().unwrap();

    let resume = |more: &[&str]| {
        let mut command = shakedown(folder.path());
        command.envs(mini.environment()).env("SHAKEDOWN_HISTORY", folder.path().join("history"));
        command.args(["bisect", "--policy", argument(&folder.path().join("policy.toml"))]);
        let done = command.arg("--resume").arg(&out).args(more).assert().success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let after: Value = serde_json::from_str(&resume(&["--json"])).unwrap();
    let looked_at = after["looked_at"].as_array().unwrap();
    let known = before["looked_at"].as_array().unwrap();
    assert_eq!(&looked_at[..known.len()], &known[..], "a decision was lost");
    assert_eq!(found(&after), [&*ids[10]]);
    let located = &after["located"][0];
    assert_eq!(located["parent"], ids[9].as_str());
    assert_eq!(located["verdict"], "regressed");
    assert_eq!(located["commit"]["author"], "t");
    let change = located["change"].as_f64().unwrap();
    assert!((0.03..0.06).contains(&change), "{change}");
    assert!(out.join(located["folder"].as_str().unwrap()).join("record.json").exists());
    // Both ends, four halvings, and one more where a commit does not build.
    assert!(looked_at.len() <= 7, "{looked_at:?}");

    // What is finished is only told again.
    let text = resume(&[]);
    assert!(text.contains(&ids[10]) && text.contains("\\u{1b}[2J"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let wide = |line: &&str| line.chars().count() > 80 && !line.contains("shakedown compare");
    assert_eq!(text.lines().find(wide), None, "{text}");
}

#[test]
fn ends_that_do_not_differ_are_told_with_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mini = Mini::new("bisect-same");
    let ids = history(&mini, &[Kind::Comment, Kind::Refactoring]);
    let out = folder.path().join("out");
    let more = ["--metric", "instructions", "--out", argument(&out)];
    let (_, code, said) = bisect(&mini, folder.path(), [&ids[0], &ids[2]], &more);
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("do not differ") && said.contains("instructions"), "{said}");
    let (_, code, said) = bisect(&mini, folder.path(), [&ids[2], &ids[2]], &[]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("nothing between"), "{said}");
}

#[test]
fn several_changes_are_each_found_and_a_range_is_called_one() {
    let folder = tempfile::tempdir().unwrap();
    let mini = Mini::new("bisect-several");
    let kinds = [
        Kind::Slower(4),
        Kind::Comment,
        Kind::Slower(6),
        Kind::Revert,
        Kind::Comment,
        Kind::Broken,
        Kind::Slower(9),
    ];
    let ids = history(&mini, &kinds);
    let out = folder.path().join("out");
    let more = ["--side", "server", "--out", argument(&out)];
    let (value, code, said) = bisect(&mini, folder.path(), [&ids[0], &ids[7]], &more);
    assert_eq!(code, 5, "a range is inconclusive: {said}");
    let changes = value["findings"]["changes"].as_array().unwrap();
    let last = changes.last().unwrap()["candidates"].as_array().unwrap();
    assert_eq!(last, &[ids[6].as_str(), ids[7].as_str()], "{changes:?}");
    assert!(found(&value).contains(&&*ids[1]), "{changes:?}");
}

/// Positions of the change are drawn from this many histories of 64 commits.
const RUNS: u64 = 40;

#[test]
#[ignore = "builds 64 commits of a library in miniature, 40 times: run by hand"]
fn the_change_is_found_wherever_it_is() {
    let wanted = std::env::var("SHAKEDOWN_BISECT_RUNS").ok();
    let runs = wanted.map_or(RUNS, |runs| runs.parse().unwrap());
    let (mut right, mut builds) = (0, Vec::new());
    for run in 0..runs {
        let folder = tempfile::tempdir().unwrap();
        let mini = Mini::new("bisect-many");
        let kinds = decoys(run);
        let ids = history(&mini, &kinds);
        let out = folder.path().join("out");
        let ends = [&*ids[0], &*ids[64]];
        let (value, code, said) = bisect(&mini, folder.path(), ends, &["--out", argument(&out)]);
        let guilty = kinds.iter().position(|kind| *kind == Kind::Slower(3)).unwrap();
        let exact = code == 0 && found(&value) == [&*ids[guilty + 1]];
        let looked_at = value["looked_at"].as_array().map_or(0, Vec::len);
        println!("run {run}: change in commit {}, exact {exact}, {looked_at} builds", guilty + 1);
        assert!(exact || code == 5, "{said}");
        right += u64::from(exact);
        builds.push(looked_at);
    }
    println!("{right} of {runs}, at most {:?} builds", builds.iter().max());
    assert!(right * 100 >= runs * 95, "{right} of {runs}");
    assert!(builds.iter().all(|builds| *builds <= 9), "{builds:?}");
}

/// 64 commits with one change of 3 %, one that does not build, reverts and refactorings.
fn decoys(run: u64) -> Vec<Kind> {
    let mut state = run.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678);
    let mut below = |end: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let mut kinds: Vec<Kind> =
        (0..64).map(|_| if below(3) == 0 { Kind::Refactoring } else { Kind::Comment }).collect();
    let guilty = below(64) as usize;
    kinds[guilty] = Kind::Slower(3);
    // A commit that does not build and the next one, which takes that back; never right before the
    // change, which could not be told from it.
    let mut broken = below(62) as usize;
    while (broken..broken + 3).contains(&guilty) {
        broken = below(62) as usize;
    }
    (kinds[broken], kinds[broken + 1]) = (Kind::Broken, Kind::Revert);
    kinds
}
