//! A scheduler in a process of its own, so that tests can kill it:
//! `lone-scheduler run|resume OUT LOCK BLOCKS MANNER...`. It stops its trials and ends when a line comes on its
//! standard input. With the variable `VALGRIND` it counts instructions by that program.

mod bench;
mod sound;

use shakedown_protocol::Meter;
use shakedown_schedule::RunEvent;
use std::{
    env,
    io::stdin,
    path::PathBuf,
    process::{ExitCode, exit},
    thread,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    let [_, verb, out, lock, blocks, manners @ ..] = arguments.as_slice() else {
        return ExitCode::from(2);
    };
    let manners: Vec<&str> = manners.iter().map(String::as_str).collect();
    let mut session = bench::session(&PathBuf::from(out), &manners);
    session.plan.blocks = blocks.parse().expect("a number");
    session.options.lock = Some(PathBuf::from(lock));
    if let Some(valgrind) = env::var_os("VALGRIND") {
        session.plan.meters = vec![Meter::Time, Meter::Instructions];
        session.options.valgrind = Some(PathBuf::from(valgrind));
    }
    thread::spawn(|| {
        if stdin().read_line(&mut String::new()).is_ok_and(|length| length > 0) {
            shakedown_schedule::stop_trials();
            exit(3);
        }
    });
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
