//! Remakes `thresholds/evidence`: false alarms and power of the gate's wall clock rule and
//! of other tools' rules, on the same pull requests. Fixed seeds: the same program and the
//! same recorded trials give the same files.
//!
//! `cargo run --release -p shakedown-gate --example evidence [-- --out DIR] [--prs N]`
//! `cargo run --release -p shakedown-gate --example evidence -- --import RECORD... [--out DIR]` takes
//! the trials of run records in as the recorded noise.

mod designs;
mod ours;
mod peers;
mod plot;
mod recorded;
mod seeds;
mod study;
mod tables;
mod world;

use std::{error::Error, fs, path::PathBuf, process::ExitCode, sync::Mutex, time::Instant};
use study::{Mode, Results};
use world::{CONDITIONS, Condition, Source};

/// What the command line asks for.
struct Asked {
    out: PathBuf,
    /// Unchanged pull requests for each condition.
    prs: u64,
    import: Vec<PathBuf>,
}

fn asked() -> Result<Asked, String> {
    let out = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../evidence");
    let mut asked = Asked { out, prs: 2000, import: Vec::new() };
    let mut words = std::env::args().skip(1);
    let mut importing = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
        match word.as_str() {
            "--out" => asked.out = value()?.into(),
            "--prs" => asked.prs = value()?.parse().map_err(|e| format!("--prs: {e}"))?,
            "--import" => {
                asked.import.push(value()?.into());
                importing = true;
                continue;
            }
            record if importing && !record.starts_with('-') => {
                asked.import.push(record.into());
                continue;
            }
            other => return Err(format!("`{other}`: use --out DIR, --prs N, --import RECORD...")),
        }
        importing = false;
    }
    if asked.prs == 0 {
        return Err("--prs must be at least 1".to_owned());
    }
    Ok(asked)
}

fn main() -> ExitCode {
    match asked().map_err(Into::into).and_then(|asked| run(&asked)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("evidence: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(asked: &Asked) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(&asked.out)?;
    let recorded_file = asked.out.join("recorded.json");
    if !asked.import.is_empty() {
        let series = recorded::import(&asked.import)?;
        recorded::write(&recorded_file, &series)?;
        println!("{} series in {}", series.len(), recorded_file.display());
        return Ok(());
    }
    let mut sources = vec![Source::Synthetic];
    if recorded_file.exists() {
        sources.push(Source::Recorded(recorded::read(&recorded_file)?));
    } else {
        println!("no {}: synthetic noise only", recorded_file.display());
    }
    let start = Instant::now();
    let mut results = Results::default();
    for source in &sources {
        results.extend(study(source, asked.prs));
    }
    tables::write(&asked.out, &results)?;
    plot::write(&asked.out, &results)?;
    println!("{} in {:.0} s", asked.out.display(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Every experiment on one source, spread over the machine's threads. Each has a generator
/// of its own, so that the order in which they run does not matter.
fn study(source: &Source, prs: u64) -> Results {
    let power_prs = (prs / 20).max(1);
    let jobs: Vec<(usize, &Condition)> =
        CONDITIONS.iter().flat_map(|condition| (0..4).map(move |rule| (rule, condition))).collect();
    let next = Mutex::new(jobs.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let job = next.lock().expect("no thread panics with the lock").next();
            let Some((place, (rule, condition))) = job else { return };
            let found = match rule {
                0 => Results {
                    alarms: vec![study::our_alarms(Mode::Calibrated, source, condition, prs)],
                    power: study::our_power(Mode::Calibrated, source, condition, power_prs),
                    ..Results::default()
                },
                1 => Results {
                    alarms: vec![study::our_alarms(Mode::Uncalibrated, source, condition, prs)],
                    power: study::our_power(Mode::Uncalibrated, source, condition, power_prs),
                    ..Results::default()
                },
                2 => Results {
                    limit: vec![study::our_limit(source, condition, prs)],
                    ..Results::default()
                },
                _ => Results {
                    alarms: study::peer_alarms(source, condition, prs / 2 + 1),
                    power: study::peer_power(source, condition, power_prs),
                    ..Results::default()
                },
            };
            println!("{} {}: {} of 4", source.name(), condition.name, rule + 1);
            done.lock().expect("no thread panics with the lock").push((place, found));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut done = done.into_inner().expect("no thread panics with the lock");
    done.sort_by_key(|(place, _)| *place);
    let mut results = Results::default();
    done.into_iter().for_each(|(_, found)| results.extend(found));
    results.designs = designs::compare(source, (prs / 5).max(1));
    results
}
