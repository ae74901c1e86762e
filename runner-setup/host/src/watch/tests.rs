use super::*;
use crate::{testing::TestMachine, tree};

/// A server with every counter, at one of two moments.
fn at(machine: &TestMachine, text: &str) {
    tree::unpack(text, &machine.root.path("")).unwrap();
}

const EARLY: &str = "\
proc/pressure/cpu = some avg10=0.00 avg60=0.00 avg300=0.00 total=1000
proc/pressure/io = some avg10=0.00 avg60=0.00 avg300=0.00 total=0
proc/stat =
| cpu  1 2 3 4 5 6 7 8 0 0
| cpu3 100 0 100 800 0 0 0 10 0 0
| cpu4 100 0 100 800 0 0 0 10 0 0
proc/interrupts =
|            CPU0       CPU3       CPU4
|  24:          9          1          1   PCI-MSI
| LOC:          9         10         10   Local timer interrupts
| ERR:          0
sys/devices/system/cpu/cpu3/cpuidle/state0/latency = 0
sys/devices/system/cpu/cpu3/cpuidle/state0/usage = 5
sys/devices/system/cpu/cpu3/cpuidle/state1/latency = 10
sys/devices/system/cpu/cpu3/cpuidle/state1/usage = 7
sys/devices/system/cpu/cpu{3-4}/thermal_throttle/core_throttle_count = 1
sys/devices/system/cpu/cpu3/acpi_cppc/feedback_ctrs = ref:1000 del:1000
sys/devices/system/cpu/cpu3/acpi_cppc/reference_perf = 10
sys/devices/system/cpu/cpu3/acpi_cppc/nominal_perf = 20
sys/devices/system/cpu/cpu3/acpi_cppc/nominal_freq = 3000
sys/devices/system/edac/mc/mc0/ce_count = 4
sys/class/hwmon/hwmon0/name = nvme
sys/class/hwmon/hwmon0/temp1_input = 90000
sys/class/hwmon/hwmon1/name = coretemp
sys/class/hwmon/hwmon1/temp1_input = 41000
sys/class/hwmon/hwmon1/temp2_input = 43000
";

const LATE: &str = "\
proc/pressure/cpu = some avg10=0.00 avg60=0.00 avg300=0.00 total=101000
proc/stat =
| cpu  1 2 3 4 5 6 7 8 0 0
| cpu3 150 0 100 840 0 0 0 20 0 0
| cpu4 150 0 100 850 0 0 0 10 0 0
proc/interrupts =
|            CPU0       CPU3       CPU4
|  24:         90          3          1   PCI-MSI
| LOC:         90         13         10   Local timer interrupts
| ERR:          0
sys/devices/system/cpu/cpu3/cpuidle/state0/usage = 50
sys/devices/system/cpu/cpu3/cpuidle/state1/usage = 9
sys/devices/system/cpu/cpu4/thermal_throttle/core_throttle_count = 3
sys/devices/system/cpu/cpu3/acpi_cppc/feedback_ctrs = ref:2000 del:3000
sys/devices/system/edac/mc/mc0/ce_count = 5
";

#[test]
fn what_happened_lies_between_two_readings() {
    let machine = TestMachine::new("intel");
    at(&machine, EARLY);
    let mut watch = Watch::new(&machine.root, "3-4".parse().unwrap());
    at(&machine, LATE);
    let found = watch.delta_over(Duration::from_secs(1));
    let expected = CounterDelta {
        span_ms: 1000,
        throttles: Some(2),
        khz: vec![(3, 3_000_000)],
        pressure_cpu: Some(0.1),
        pressure_memory: None,
        pressure_io: Some(0.0),
        steal: Some(0.05),
        interrupts: Some(5),
        deep_idles: Some(2),
        memory_errors: Some(1),
        smis: None,
        temperature_mc: Some(43_000),
        messages: vec![],
    };
    assert_eq!(found, expected);
    assert_eq!(found.lost_time(), [(LostTime::Cpu, 0.1), (LostTime::Stolen, 0.05)]);
    assert_eq!(found.alarms(), ["2 throttle events", "1 memory errors"]);
    let quiet = watch.delta_over(Duration::from_secs(1));
    assert_eq!((quiet.alarms(), quiet.lost_time()), (vec![], vec![]), "{quiet:?}");
}

#[test]
fn waiting_ends_with_the_heat_or_with_patience() {
    let machine = TestMachine::new("intel");
    assert_eq!(cool_down(&machine.root, 1, Duration::ZERO, |_| ()), CoolDown::Unknown);
    at(&machine, EARLY);
    let mut heard = Vec::new();
    let patience = Duration::from_millis(10);
    assert_eq!(cool_down(&machine.root, 43_001, patience, |t| heard.push(t)), CoolDown::Yes);
    assert_eq!(cool_down(&machine.root, 43_000, patience, |t| heard.push(t)), CoolDown::No);
    assert!(heard.len() >= 3 && heard.iter().all(|t| *t == 43_000), "{heard:?}");
}

#[test]
fn this_machine_can_be_watched() {
    let root = HostRoot::real();
    let mut watch = Watch::new(&root, "0".parse().unwrap());
    std::thread::sleep(Duration::from_millis(50));
    let found = watch.delta_over(Duration::from_millis(50));
    assert!(found.interrupts.is_some(), "{found:?}");
}
