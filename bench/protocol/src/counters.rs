//! What the kernel's counters say, from the text of its files: pressure (PSI) and stolen time.
//! Callers read the files and pass their text.

/// Time that some task waited, in microseconds, from `/proc/pressure/*`. See
/// <https://docs.kernel.org/accounting/psi.html>.
pub fn pressure_us(text: &str) -> Option<u64> {
    waited(text)?.find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// Share of the last ten seconds in which some task waited, in percent, as the kernel writes
/// it.
pub fn pressure_now(text: &str) -> Option<&str> {
    waited(text)?.find_map(|word| word.strip_prefix("avg10="))
}

fn waited(text: &str) -> Option<impl Iterator<Item = &str>> {
    Some(text.lines().find(|line| line.starts_with("some "))?.split_whitespace())
}

/// Time of CPUs, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTicks {
    /// Taken by the hypervisor.
    pub stolen: u64,
    /// All of it, the stolen one too.
    pub all: u64,
}

/// Ticks of one CPU, or of all together (`None`), from `/proc/stat`. See `proc_stat(5)`.
pub fn ticks(text: &str, cpu: Option<u32>) -> Option<CpuTicks> {
    let name = cpu.map_or_else(|| "cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    let mut lines = text.lines().map(str::split_whitespace);
    let mut words = lines.find_map(|mut words| (words.next()? == name).then_some(words))?;
    let mut ticks = CpuTicks::default();
    // user nice system idle iowait irq softirq steal; what follows, time of guests, is in the
    // first two already.
    for index in 0..8 {
        let number: u64 = words.next()?.parse().ok()?;
        ticks.all = ticks.all.checked_add(number)?;
        if index == 7 {
            ticks.stolen = number;
        }
    }
    Some(ticks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pressure_is_that_of_some_task() {
        let text = "some avg10=0.12 avg60=0.01 avg300=0.27 total=13273087\nfull avg10=9.00 avg60=0.00 avg300=0.00 total=5\n";
        assert_eq!((pressure_us(text), pressure_now(text)), (Some(13_273_087), Some("0.12")));
        assert_eq!((pressure_us("full total=5"), pressure_now("")), (None, None));
    }

    #[test]
    fn ticks_are_those_of_the_cpu_that_was_asked_for() {
        let text = "cpu  1 2 3 4 5 6 7 30 0 0\ncpu1 1 2 3 4 5 6 7 8 9 10\ncpu10 1 2 3 4 5 6 7 22\ncpu2 1 2\nintr 5\n";
        let ticks = |cpu| super::ticks(text, cpu).map(|CpuTicks { stolen, all }| (stolen, all));
        assert_eq!(ticks(None), Some((30, 58)));
        assert_eq!(ticks(Some(1)), Some((8, 36)), "guests are counted once");
        assert_eq!(ticks(Some(10)), Some((22, 50)));
        assert_eq!((ticks(Some(2)), ticks(Some(3))), (None, None), "cut off, and missing");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(some|cpu|cpu1)?[ -~]{0,60}\n?[ -~]{0,60}") {
            let _ = (pressure_us(&text), pressure_now(&text).map(str::len), ticks(&text, Some(1)), ticks(&text, None));
        }
    }
}
