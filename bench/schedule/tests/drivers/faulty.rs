//! A driver that does what its file's name says: tests link it under many names.

mod sound;

use shakedown_protocol::{DriverInfo, DriverRefusal, DriverReply, DriverRequest, Measurement};
use std::{
    env, fs,
    io::{self, Read, Write},
    process::{Command, exit},
    thread::sleep,
    time::Duration,
};

fn main() {
    let path = env::current_exe().expect("own path");
    let manner = path.file_name().expect("a name").to_string_lossy().into_owned();
    let verb = env::args().nth(1).unwrap_or_default();
    match (verb.as_str(), manner.as_str()) {
        ("describe", _) => describe(&manner),
        ("measure", "deaf") => {
            answer(&DriverReply::Refused(DriverRefusal::Failed("not read".to_owned())))
        }
        ("measure", _) => measure(&manner),
        _ => exit(2),
    }
}

fn describe(manner: &str) {
    let protocol = if manner == "old" { 0 } else { shakedown_protocol::DRIVER_PROTOCOL };
    match manner {
        "abort" => std::process::abort(),
        "garbage" => println!("a driver"),
        _ => {
            let info = DriverInfo {
                protocol,
                stack: manner.to_owned(),
                library: "1.0".to_owned(),
                details: vec![],
                cpu_features: vec![],
            };
            print(&serde_json::to_string(&info).expect("JSON"));
        }
    }
}

// Children that nobody waits for are among the faults.
#[allow(clippy::zombie_processes)]
fn measure(manner: &str) {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).expect("a request");
    let request: DriverRequest = serde_json::from_str(&text).expect("a sound request");
    match manner {
        "abort" => {
            eprintln!("about to abort");
            std::process::abort();
        }
        "segv" => {
            // SAFETY: none; dying by it is the purpose.
            unsafe { std::ptr::null_mut::<u8>().write_volatile(1) }
        }
        "exit" => exit(3),
        "hang" => hang(),
        "parent" => {
            // A child that would outlive it, and that holds its pipes open.
            let child = Command::new("/bin/sleep").arg("600").spawn().expect("sleep");
            eprintln!("child {}", child.id());
            hang();
        }
        "orphan" => {
            let child = Command::new("/bin/sleep").arg("600").spawn().expect("sleep");
            eprintln!("child {}", child.id());
            exit(4);
        }
        "garbage" => print("{\"measured\": 3}"),
        "silent" => {}
        "babble" => loop {
            print(&"no end ".repeat(1000));
        },
        "scream" => loop {
            eprintln!("{}", "no end ".repeat(1000));
        },
        "unsupported" => {
            answer(&DriverReply::Refused(DriverRefusal::Unsupported("no such suite".to_owned())));
        }
        "uncounted" if request.meter != shakedown_protocol::Meter::Time => {
            answer(&DriverReply::Refused(DriverRefusal::Unsupported("no counters".to_owned())));
        }
        "broken" => {
            answer(&DriverReply::Refused(DriverRefusal::Broken("resumed: wanted true".to_owned())))
        }
        "mirror" => answer(&DriverReply::Refused(DriverRefusal::Failed(surroundings()))),
        _ => answer(&DriverReply::Measured(twisted(manner, &request))),
    }
}

/// A sound answer, with what the name says wrong with it.
fn twisted(manner: &str, request: &DriverRequest) -> Measurement {
    let mut measured = sound::measured(request);
    match manner {
        "slow" => sleep(Duration::from_millis(60)),
        "swapped" => {
            let other = "handshake-full/tls1.2/chacha20/x25519/rsa-2048";
            measured.scenario = other.parse().expect("an id");
        }
        "unresumed" => measured.negotiated.as_mut().unwrap().resumed = false,
        "timeless" => {
            for side in &mut measured.sides {
                side.samples.iter_mut().for_each(|sample| sample.nanoseconds = 10_000_000_000);
            }
        }
        "busy" => {
            let start = std::time::Instant::now();
            while start.elapsed() < Duration::from_millis(300) {}
        }
        _ => {}
    }
    measured
}

/// What a driver sees of how it was started.
fn surroundings() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("status");
    let cpus = status.lines().find(|line| line.starts_with("Cpus_allowed_list")).expect("cpus");
    let mut variables: Vec<String> = env::vars()
        .map(|(name, value)| {
            let value = if name == "SHAKEDOWN_PAD" { value.len().to_string() } else { value };
            format!("{name}={value}")
        })
        .collect();
    variables.sort();
    let folder = env::current_dir().expect("folder");
    let persona = fs::read_to_string("/proc/self/personality").unwrap_or_default();
    let stack = fs::read_to_string("/proc/self/maps").expect("maps");
    let stack = stack.lines().find(|line| line.ends_with("[stack]")).expect("stack");
    let limits = fs::read_to_string("/proc/self/limits").expect("limits");
    let core = limits.lines().find(|line| line.starts_with("Max core")).expect("core limit");
    let descriptors = fs::read_dir("/proc/self/fd").expect("fds").count() - 1;
    let stat = fs::read_to_string("/proc/self/stat").expect("stat");
    let group = stat.rsplit(')').next().expect("fields").split_whitespace().nth(2);
    [
        format!("arguments {:?}", env::args().collect::<Vec<_>>()),
        format!("variables {variables:?}"),
        format!("folder {}", folder.display()),
        cpus.to_owned(),
        format!("personality {}", persona.trim()),
        format!("stack {}", stack.split('-').next().unwrap_or_default()),
        format!("leads its group {}", group == Some(&std::process::id().to_string())),
        format!("descriptors {descriptors}"),
        core.split_whitespace().collect::<Vec<_>>().join(" "),
    ]
    .join("\n")
}

fn hang() -> ! {
    loop {
        sleep(Duration::from_secs(3600));
    }
}

fn answer(reply: &DriverReply) {
    print(&serde_json::to_string(reply).expect("JSON"));
}

/// Prints, and dies quietly when nobody listens.
fn print(text: &str) {
    if writeln!(io::stdout(), "{text}").is_err() {
        exit(0);
    }
}
