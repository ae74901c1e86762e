//! A scheduler in a process of its own, so that tests can kill it:
//! `lone-scheduler run|resume OUT LOCK BLOCKS MANNER...`.

mod bench;
mod sound;

use shakedown_schedule::RunEvent;
use std::{env, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let [_, verb, out, lock, blocks, manners @ ..] = arguments.as_slice() else {
        return ExitCode::from(2);
    };
    let manners: Vec<&str> = manners.iter().map(String::as_str).collect();
    let mut session = bench::session(&PathBuf::from(out), &manners);
    session.plan.blocks = blocks.parse().expect("a number");
    session.options.lock = Some(PathBuf::from(lock));
    let mut tell = |event: &RunEvent<'_>| match event {
        RunEvent::Ended { done, planned, .. } => println!("{done}/{planned}"),
        RunEvent::Waiting(holder) => println!("waiting for {}", holder.pid),
        _ => {}
    };
    let result = match verb.as_str() {
        "run" => shakedown_schedule::run(session, &mut tell),
        _ => shakedown_schedule::resume(session, &mut tell),
    };
    match result {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
