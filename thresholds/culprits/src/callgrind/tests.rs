use super::*;

/// `main` calls `work` three times by one instruction and `idle` by another that is not collected.
const DUMP: &str = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\n\
cmd:  driver measure\npart: 1\n\ndesc: Trigger: Client Request: shakedown:client\n\n\
positions: instr line\nevents: Ir Dr\nsummary: 124 3\n\n\
ob=(1) /cache/driver\nfl=(1) /src/main.rs\nfn=(1) main\n0x1000 10 3 1\n\
cfn=(2) work\ncalls=9 0x2000 20\n* * 90 2\ncob=(2) /lib/libc.so.6\ncfi=(3) ./string.S\ncfn=(3) memcpy\n\
calls=5 0x9000 1\n+4 +1 30\n\n\
fn=(2)\n0x2000 20 60 1\nfi=(2) /src/inlined.rs\n+8 -5 30 1\nfe=(1)\n+2 +9 1\n\n\
ob=(2)\nfl=(3)\nfn=(3)\n0x9000 1 30\n\ntotals: 124 3\n";

#[test]
fn functions_calls_and_inlined_files_are_read() {
    let profile = CallgrindProfile::parse(DUMP).unwrap();
    assert_eq!(profile.events, ["Ir", "Dr"]);
    assert_eq!(profile.totals, [124, 3]);
    let work = &profile.functions[1];
    assert_eq!((work.name.as_str(), &work.own[..]), ("work", &[91, 2][..]));
    let lines: Vec<(&str, u64, u64)> =
        work.by_line.iter().map(|((file, line), count)| (file.as_str(), *line, *count)).collect();
    assert_eq!(
        lines,
        [("/src/inlined.rs", 15, 30), ("/src/main.rs", 20, 60), ("/src/main.rs", 24, 1)]
    );
    assert_eq!(profile.functions[2].object, "/lib/libc.so.6");
    let called: Vec<(usize, u64, u64)> =
        profile.calls.iter().map(|call| (call.callee, call.calls, call.inclusive[0])).collect();
    // Three executions of the calling instruction, though callgrind notes nine calls; the other
    // calling instruction was never collected itself.
    assert_eq!(called, [(1, 3, 90), (2, 0, 30)]);
}

#[test]
fn a_profile_that_is_cut_off_or_of_another_kind_is_refused() {
    let cut = &DUMP[..DUMP.len() - 14];
    assert_eq!(CallgrindProfile::parse(cut).unwrap_err(), CallgrindError::CutOff);
    let lines = DUMP.replace("positions: instr line", "positions: line");
    assert_eq!(CallgrindProfile::parse(&lines).unwrap_err(), CallgrindError::Header("positions"));
    let cycles = DUMP.replace("events: Ir Dr", "events: Dr Ir");
    assert_eq!(CallgrindProfile::parse(&cycles).unwrap_err(), CallgrindError::Header("events"));
    let odd = DUMP.replace("+4 +1 30", "+4 +x 30");
    assert_eq!(CallgrindProfile::parse(&odd).unwrap_err(), CallgrindError::Line(25));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(fn|cfn|ob|calls|events|positions|totals|[0-9+*x -]{1,9})[=:]? ?[()0-9a-z +*-]{0,20}\n?") {
        let _ = CallgrindProfile::parse(&format!("positions: instr line\nevents: Ir\n{text}\ntotals: 1"));
    }

    #[test]
    fn no_damage_makes_it_panic(at in 0..DUMP.len(), byte in 32_u8..127) {
        let mut damaged = DUMP.as_bytes().to_vec();
        damaged[at] = byte;
        let _ = CallgrindProfile::parse(std::str::from_utf8(&damaged).unwrap());
    }
}
