use super::*;
use crate::{testing::TestMachine, tree};
use proptest::prelude::*;

/// Layout as the kernel's documentation shows it.
const OSNOISE: &str = "\
sys/kernel/tracing/available_tracers = timerlat osnoise hwlat blk function_graph wakeup function nop
sys/kernel/tracing/current_tracer = nop
sys/kernel/tracing/tracing_cpumask = ff
sys/kernel/tracing/osnoise/cpus = 0-7
sys/kernel/tracing/trace =
| # tracer: osnoise
| #
| #                                _-----=> irqs-off
| #           TASK-PID      CPU# ||||| TIMESTAMP  IN US       IN US  AVAILABLE  IN US     HW     NMI    IRQ   SIRQ THREAD
| #              | |         |   |||||   |           |             |    |            |      |      |      |      |      |
|            <...>-859     [003] d....    81.637220: 1000000        190  99.98100       9     18      0   1007     18      1
|            <...>-860     [003] .....    82.638154: 1000000        656  99.93440      74     23      0   1006     16      3
|        osnoise/2-861     [002] .....    82.638155: 1000000          0 100.00000       0      0      0      0      0      0
| not a line of it
";

const HWLAT: &str = "\
sys/kernel/tracing/trace =
| # tracer: hwlat
|            <...>-1729    [001] d.....   678.473449: #1     inner/outer(us):   11/12    ts:1581527483.343962693 count:6
|            <...>-1729    [002] dn....   689.556542: #2     inner/outer(us):   16/9     ts:1581527494.889008092
";

fn machine(text: &str) -> TestMachine {
    let machine = TestMachine::new("intel");
    tree::unpack(OSNOISE, &machine.root.path("")).unwrap();
    tree::unpack(text, &machine.root.path("")).unwrap();
    machine
}

fn asked(machine: &TestMachine) -> OsnoiseReport {
    trace_noise(&machine.root, &"2-3".parse().unwrap(), Duration::ZERO)
}

#[test]
fn interruptions_are_summed_by_cpu_and_the_tracer_is_as_before() {
    let machine = machine("");
    let before = machine.files();
    let TracerResult::Measured(found) = asked(&machine).osnoise else { panic!("it is there") };
    assert!(machine.files() == before, "everything is put back");
    let third = CpuNoise {
        cpu: 3,
        span_us: 2_000_000,
        noise_us: 846,
        longest_us: 74,
        hardware: 41,
        nmis: 0,
        irqs: 2013,
        softirqs: 34,
        threads: 4,
    };
    assert_eq!(found, [CpuNoise { cpu: 2, span_us: 1_000_000, ..CpuNoise::default() }, third]);
}

#[test]
fn gaps_are_counted() {
    let found = asked(&machine(HWLAT)).hwlat;
    assert_eq!(found, TracerResult::Measured(HardwareLatency { count: 7, longest_us: 16 }));
}

#[test]
fn a_kernel_without_them_says_so() {
    let absent = asked(&TestMachine::new("intel"));
    assert_eq!(
        (absent.osnoise, absent.hwlat),
        (TracerResult::Unavailable, TracerResult::Unavailable)
    );
    let some = machine("sys/kernel/tracing/available_tracers = function nop");
    assert_eq!(asked(&some).osnoise, TracerResult::Unavailable);
}

#[test]
fn somebody_elses_tracer_is_left_alone_and_a_refusal_is_told() {
    let busy = machine("sys/kernel/tracing/current_tracer = function");
    let TracerResult::Failed { why } = asked(&busy).osnoise else { panic!("it is busy") };
    assert!(why.contains("`function`") && why.contains("echo nop"), "{why}");
    assert_eq!(busy.root.read("sys/kernel/tracing/current_tracer").unwrap(), "function");
    let refuses = machine(".simulation/refuse = EIO sys/kernel/tracing/current_tracer");
    assert!(matches!(asked(&refuses).osnoise, TracerResult::Failed { .. }));
    assert_eq!(refuses.root.read("sys/kernel/tracing/osnoise/cpus").unwrap(), "0-7");
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(.{0,40}\\[[0-9]{1,4}\\].{0,60}\n|.{0,80}\n){0,9}") {
        interruptions(&text);
        hardware_latency(&text);
    }
}
